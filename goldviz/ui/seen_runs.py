"""What a visitor sees of runs that used files: how one's own are called, and of others' only that they are files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from goldviz.arrays.light import LightDataset
from goldviz.data.labels import GONE, label_of
from goldviz.data.tables.sealed_names import sealed_text, shown_name
from goldviz.declare.data_labels import ATTRIBUTE
from goldviz.declare.registry import experiments
from goldviz.declare.settings import Experiment, SettingsError, facts
from goldviz.runs.store.run import Run
from goldviz.ui import keys

NAMED_AFTER = {"market": "data_origin", "start model": "starts_from"}
"""Facts of a run that say what a file is called, by the control of the setting that names it."""
FREE_TEXTS = ("title", "message", *NAMED_AFTER.values())
"""Attributes of a run's numbers that people word, or that say what a file is called."""
KEPT_SETTINGS = 256
"""Runs whose settings stay validated: a few pages of the list of runs, which asks for each several times."""


def settings_of(run: Run) -> Experiment | None:
    """The run's settings as it works with them, where this version understands them; no page may show them."""
    settings_class = experiments().get(run.experiment)
    try:
        return _understood(settings_class, run.settings_version, run.settings) if settings_class else None
    except SettingsError:
        return None


@lru_cache(maxsize=KEPT_SETTINGS)
def _understood(settings_class: type[Experiment], version: int, settings: str) -> Experiment:
    return settings_class.from_store(version, settings)


def seen_run(run: Run) -> Run:
    """A run without keys, and without the names of files that are not the visitor's."""
    names = _hidden(run)
    replacements = _instead(run, names)
    attributes = {**run.attributes, ATTRIBUTE: _labels(run) | names} if names else run.attributes
    return replace(
        run, name=_told(run.name, replacements), message=_told(run.message, replacements), attributes=attributes
    )


def seen_records(run: Run, records: LightDataset) -> LightDataset:
    """A run's numbers without the names of files that are not the visitor's."""
    names = _hidden(run)
    if not names:
        return records
    settings, replacements, attrs = settings_of(run), _instead(run, names), dict(records.attrs)
    for name, value in records.attrs.items():
        if isinstance(value, str) and name != "settings":
            attrs[name] = _told(value, replacements if name in FREE_TEXTS else {})
    for name, name_as_seen in names.items():
        control = "" if settings is None else str(facts(type(settings), name)["control"])
        if (fact := NAMED_AFTER.get(control, "")) in attrs:
            attrs[fact] = name_as_seen
    attrs[ATTRIBUTE] = json.dumps(_labels(run) | names)
    return LightDataset(records.arrays, records.coords, attrs)


def _labels(run: Run) -> dict[str, str]:
    return dict(run.attributes.get(ATTRIBUTE, {}))


def _hidden(run: Run) -> dict[str, str]:
    """What others' files are called here, by the settings that name them."""
    if not keys.names_others_file(run.settings):
        return {}
    settings = settings_of(run)
    if settings is None:
        return dict.fromkeys(_labels(run), "own file")
    settings_as_seen = keys.as_seen(settings)
    return {name: shown_name(getattr(settings_as_seen, name)) for name in keys.others_files(settings_as_seen)}


def _instead(run: Run, names: Mapping[str, str]) -> dict[str, str]:
    """What is said in place of a file's name, longest names first; a market may be made of several files."""
    if not names:
        return {}
    settings = settings_of(run)
    replacements: dict[str, str] = {}
    for name, name_as_seen in names.items():
        control = "" if settings is None else str(facts(type(settings), name)["control"])
        label = _labels(run).get(name) or label_of(control, str(getattr(settings, name, "")))
        replacements |= {part: name_as_seen for part in (label, *label.split(" + ")) if part and part != GONE}
    return dict(sorted(replacements.items(), key=lambda pair: -len(pair[0])))


def _told(text: str, replacements: Mapping[str, str]) -> str:
    """A text without keys, and without these names where they stand as words of their own."""
    if replacements:
        names = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in replacements))
        text = names.sub(lambda match: replacements[match.group()], text)
    return sealed_text(text)
