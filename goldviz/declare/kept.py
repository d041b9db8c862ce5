"""What kept arrays say of their run, in today's words: settings and changes outlive the code that wrote them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from goldviz.declare.settings import Experiment, SettingsError


def in_todays_words(settings_class: type[Experiment] | None, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """A dataset's attributes with ``settings``, ``settings_version`` and ``marks`` as today's class has them.

    They stay as they were kept where nobody understands them any more: the numbers can still be drawn.
    """
    version = int(attributes.get("settings_version", 1))
    if settings_class is None or version == settings_class.version:
        return dict(attributes)
    marks = json.loads(attributes.get("marks", "[]"))
    try:
        settings = settings_class.from_store(version, attributes["settings"])
        for mark in marks:
            mark["changes"] = settings_class.changes_from_store(version, mark["changes"])
    except SettingsError:
        return dict(attributes)
    today = {
        "settings": settings.model_dump_json(),
        "settings_version": settings_class.version,
        "marks": json.dumps(marks),
    }
    return {**attributes, **today}
