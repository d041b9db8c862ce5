"""A setting's value in the words of its control."""

from __future__ import annotations

from typing import Any

from goldviz.data.tables.sealed_names import shown_name
from goldviz.declare.settings import Settings, facts
from goldviz.declare.text_models import CONTROL, text_model_in_words


def value_in_words(settings_class: type[Settings], name: str, value: Any) -> str:
    """What a setting is set to, as its control says it, without its unit; "nothing" where it is empty."""
    about = facts(settings_class, name)
    if isinstance(value, str) and value in about["labels"]:
        return str(about["labels"][value])
    if about["control"] == CONTROL:
        return text_model_in_words(str(value))
    return shown(value) or "nothing"


def shown(value: Any) -> str:
    """A value of no setting that is known.

    >>> shown(True), shown([0, 0.5]), shown(1e-4)
    ('yes', '0, 0.5', '0.0001')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(shown(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else shown_name(str(value))
