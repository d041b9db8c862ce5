"""What settings say of their data to people: labels in place of keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldviz.data.tables.sealed_names import NAME_OF_FILE
from goldviz.declare.settings import Settings, facts, schemas

ATTRIBUTE = "data_labels"
"""The attribute of a run that keeps the labels of its data: they may be gone when it is looked at."""


def labels_of(settings: Settings, names_of_files: Mapping[str, str] | None = None) -> dict[str, str]:
    """The label of each of the settings' data that a key names; ``kept`` are labels that a run keeps.

    Data that every machine has, such as the simulated market, are not among them.
    """
    labels = {}
    for name in type(settings).model_fields:
        key = getattr(settings, name)
        if isinstance(key, str) and NAME_OF_FILE.fullmatch(key) and names_data(type(settings), name):
            from goldviz.data.labels import label_of  # It brings all readers of files, and the store asks here.

            labels[name] = (names_of_files or {}).get(name) or label_of(facts(type(settings), name)["control"], key)
    return labels


def names_data(settings_class: type[Settings], name: str) -> bool:
    """Whether a setting names data by a key. A text that is typed in is itself, whatever it looks like."""
    from goldviz.data.labels import NAMED_BY_KEYS

    return facts(settings_class, name)["control"] in NAMED_BY_KEYS and "pattern" in schemas(settings_class)[name]


def labelled(settings: Settings, names_of_files: Mapping[str, str] | None = None) -> dict[str, Any]:
    """All settings as plain JSON values, with labels in place of keys: for people, not to run again."""
    return settings.model_dump(mode="json") | labels_of(settings, names_of_files)
