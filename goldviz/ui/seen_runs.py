"""What a visitor sees of runs that used files: how one's own are called, and of others' only that they are files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from goldviz.data.labels import GONE, label_of
from goldviz.data.tables.sealed_names import sealed_text, shown_name
from goldviz.declare.data_labels import ATTRIBUTE
from goldviz.declare.registry import experiments
from goldviz.declare.settings import Experiment, SettingsError, facts
from goldviz.runs.store.run_store import Run
from goldviz.sheet import Sheet
from goldviz.ui import keys

NAMED_AFTER = {"market": "data_origin", "start model": "starts_from"}
"""Facts of a run that say what a file is called, by the control of the setting that names it."""
FREE_TEXTS = ("title", "message", *NAMED_AFTER.values())
"""Attributes of a run's numbers that people word, or that say what a file is called."""
KEPT_SETTINGS = 256
"""Runs whose settings stay validated: a few pages of the list of runs, which asks for each several times."""


def settings_of(run: Run) -> Experiment | None:
    """The run's settings as it works with them, where this version understands them; no page may show them."""
    declared = experiments().get(run.experiment)
    try:
        return _understood(declared, run.settings_version, run.settings) if declared else None
    except SettingsError:
        return None


@lru_cache(maxsize=KEPT_SETTINGS)
def _understood(declared: type[Experiment], version: int, settings: str) -> Experiment:
    return declared.from_store(version, settings)


def seen_run(run: Run) -> Run:
    """A run without keys, and without the names of files that are not the visitor's."""
    hidden = _hidden(run)
    said = _instead(run, hidden)
    attributes = {**run.attributes, ATTRIBUTE: _labels(run) | hidden} if hidden else run.attributes
    return replace(run, name=_told(run.name, said), message=_told(run.message, said), attributes=attributes)


def seen_sheet(run: Run, sheet: Sheet) -> Sheet:
    """A run's numbers without the names of files that are not the visitor's."""
    hidden = _hidden(run)
    if not hidden:
        return sheet
    settings, said, attrs = settings_of(run), _instead(run, hidden), dict(sheet.attrs)
    for name, value in sheet.attrs.items():
        if isinstance(value, str) and name != "settings":
            attrs[name] = _told(value, said if name in FREE_TEXTS else {})
    for name, shown in hidden.items():
        control = "" if settings is None else str(facts(type(settings), name)["control"])
        if (fact := NAMED_AFTER.get(control, "")) in attrs:
            attrs[fact] = shown
    attrs[ATTRIBUTE] = json.dumps(_labels(run) | hidden)
    return Sheet(sheet.arrays, sheet.coords, attrs)


def _labels(run: Run) -> dict[str, str]:
    return dict(run.attributes.get(ATTRIBUTE, {}))


def _hidden(run: Run) -> dict[str, str]:
    """What others' files are called here, by the settings that name them."""
    if not keys.names_others_file(run.settings):
        return {}
    settings = settings_of(run)
    if settings is None:
        return dict.fromkeys(_labels(run), "own file")
    seen = keys.as_seen(settings)
    return {name: shown_name(getattr(seen, name)) for name in keys.others_files(seen)}


def _instead(run: Run, hidden: Mapping[str, str]) -> dict[str, str]:
    """What is said in place of a file's name, longest names first; a market may be made of several files."""
    if not hidden:
        return {}
    settings = settings_of(run)
    said: dict[str, str] = {}
    for name, shown in hidden.items():
        control = "" if settings is None else str(facts(type(settings), name)["control"])
        label = _labels(run).get(name) or label_of(control, str(getattr(settings, name, "")))
        said |= {part: shown for part in (label, *label.split(" + ")) if part and part != GONE}
    return dict(sorted(said.items(), key=lambda pair: -len(pair[0])))


def _told(text: str, said: Mapping[str, str]) -> str:
    """A text without keys, and without these names where they stand as words of their own."""
    if said:
        names = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in said))
        text = names.sub(lambda found: said[found.group()], text)
    return sealed_text(text)
