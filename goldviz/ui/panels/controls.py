"""Controls of declared settings, of an experiment or of an instant page, made from their declaration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

import streamlit as st

from goldviz.data.tables.sealed_names import NOT_YOURS
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.setting_words import value_in_words
from goldviz.declare.settings import Settings, SettingsError, allowed, description, facts, label, schemas
from goldviz.ui import keys, pending_values, whole_page
from goldviz.ui.words import plain

Declared = TypeVar("Declared", bound=Settings)

VERSION = "settings_version"
"""The link's parameter that says which version of the settings it names; without it, the first."""
SLIDER_SPAN = 12
"""Numbers whose range is no wider get a slider, if it has a place for each value that is declared."""
SLIDER_PLACES = 200


def key_of(settings_class: type[Settings], name: str) -> str:
    """The session-state key of a setting's control."""
    return f"setting-{settings_class.name}-{name}"


def put(settings_class: type[Settings], settings: Settings) -> None:
    """Make the controls show these settings, in a callback or before they are drawn."""
    values = {key_of(settings_class, name): _to_control(value) for name, value in settings.model_dump().items()}
    pending_values.set_controls(settings_class.name, values)


def put_preset(settings_class: type[Settings], slug: str) -> None:
    """Make the controls show a preset, in a callback; settings that presets leave alone stay as they are."""
    values = {
        key_of(settings_class, name): _to_control(value)
        for name, value in settings_class.preset(slug).model_dump().items()
        if name not in settings_class.kept_by_presets
    }
    pending_values.set_controls(settings_class.name, values)


def put_link(
    settings_class: type[Settings], settings: Settings, parameters: Mapping[str, str], *, back: bool = False
) -> None:
    """Make the controls show a link's settings, before they are drawn; a market it does not name stays, but for who
    comes ``back``."""
    whole_page.changed()
    keys.remember(parameters.values())
    for name, value in settings.model_dump().items():
        key = key_of(settings_class, name)
        stays = facts(settings_class, name)["control"] and not back
        if name in parameters or not stays or key not in st.session_state:
            st.session_state[key] = _to_control(value)


def ensure(settings_class: type[Settings]) -> None:
    """Give every control a value before it is drawn: its own, or the setting's default."""
    pending_values.catch_up(settings_class.name)
    defaults = settings_class().model_dump()
    for name, value in defaults.items():
        st.session_state.setdefault(key_of(settings_class, name), _to_control(value))


def current(settings_class: type[Declared]) -> Declared:
    """The settings that the controls show; raises :class:`SettingsError`."""
    pending_values.catch_up(settings_class.name)
    return settings_class.checked(
        {
            name: _from_control(settings_class, name, st.session_state[key_of(settings_class, name)])
            for name in settings_class.model_fields
        }
    )


def essential(settings_class: type[Settings]) -> list[str]:
    """Names of the settings whose knobs are in sight at once."""
    return [name for name in knobs(settings_class) if facts(settings_class, name)["essential"]]


def knobs(settings_class: type[Settings]) -> list[str]:
    """Names of the settings that have a knob, and not a part of the page of their own."""
    return [name for name in settings_class.model_fields if not facts(settings_class, name)["control"]]


def controlled_by(settings_class: type[Settings], control: str) -> str | None:
    """The setting that the named part of the page sets, if there is one."""
    return next(
        (name for name in settings_class.model_fields if facts(settings_class, name)["control"] == control), None
    )


def groups(settings_class: type[Settings]) -> dict[str, list[str]]:
    """The other settings' names, by their heading."""
    names_by_group: dict[str, list[str]] = {}
    for name in knobs(settings_class):
        about = facts(settings_class, name)
        if not about["essential"]:
            names_by_group.setdefault(about["group"], []).append(name)
    return names_by_group


def without_effect(settings_class: type[Settings]) -> Mapping[str, str]:
    """The settings that change nothing as the controls are, each with the reason; none where they are not allowed."""
    try:
        return current(settings_class).without_effect()
    except SettingsError:
        return {}


def draw(settings_class: type[Settings], names: Iterable[str]) -> None:
    """One control for each of these settings, below it what is to be known of its value, and what cures it."""
    doubtful = _beside(settings_class)
    for name in names:
        _draw_one(settings_class, name)
        if name in doubtful:
            words, cure = doubtful[name]
            st.caption(f":material/warning: {plain(words)}")
            does = ", ".join(f"{label(one)} to {value_in_words(settings_class, one, cure[one])}" for one in cure)
            key = f"cure-{settings_class.name}-{name}"
            st.button(f"Set {plain(does)}", key=key, on_click=_change, args=(settings_class, cure))


def _change(settings_class: type[Settings], changes: Mapping[str, Any]) -> None:
    """Set some of the settings, in a callback."""
    put(settings_class, current(settings_class).changed(**changes))


def _beside(settings_class: type[Settings]) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    """What should be known of settings as the controls are; nothing where they are not allowed."""
    try:
        return laboratory_of(settings_class).beside(current(settings_class))
    except SettingsError:
        return {}


def meaning(settings_class: type[Settings], name: str) -> str:
    """What a setting does, its range and its unit, for a tooltip."""
    unit = facts(settings_class, name)["unit"]
    range_of = allowed(settings_class, name)
    return f"{description(settings_class, name)} Allowed: {range_of}{f' {unit}' if unit else ''}."


def _draw_one(settings_class: type[Settings], name: str) -> None:
    about = facts(settings_class, name)
    schema = schemas(settings_class)[name]
    arguments: dict[str, Any] = {
        "key": key_of(settings_class, name),
        "help": meaning(settings_class, name),
        "persist_state": "session",
    }
    title = f"{label(name)} ({about['unit']})" if about["unit"] == "s" else label(name)
    if "enum" in schema:
        words = about["labels"]
        st.selectbox(title, schema["enum"], format_func=lambda choice: words.get(choice, str(choice)), **arguments)
    elif schema["type"] == "boolean":
        st.toggle(title, **arguments)
    elif schema["type"] in ("array", "string"):
        st.text_input(title, **arguments)
    elif schema["type"] == "integer":
        low, high = schema["minimum"], schema["maximum"]
        if high - low <= SLIDER_PLACES:
            st.slider(title, low, high, **arguments)
        else:
            st.number_input(title, low, high, step=_whole_step(high), **arguments)
    elif about["logarithmic"]:
        options = _powers(schema["minimum"], schema["maximum"], st.session_state[key_of(settings_class, name)])
        st.select_slider(title, options, format_func=lambda value: f"{value:g}", **arguments)
    else:
        low, high, step = float(schema["minimum"]), float(schema["maximum"]), step_of(settings_class, name)
        if step is None:
            st.number_input(title, low, high, format="%.6g", **arguments)
        else:
            st.slider(title, low, high, step=step, format="%.6g", **arguments)


@cache
def step_of(settings_class: type[Settings], name: str) -> float | None:
    """The coarsest step of a slider that can stand at the setting's default and at every preset's value.

    None where no step does, or such a slider has too many places: the number is typed.
    """
    low, high = schemas(settings_class)[name]["minimum"], schemas(settings_class)[name]["maximum"]
    values = {getattr(settings_class.preset(one.slug), name) for one in settings_class.presets}
    values.add(settings_class.model_fields[name].default)
    if high - low > SLIDER_SPAN:
        return None
    steps = (step for step in (0.1 if high > 2 else 0.05, 0.05, 0.01) if (high - low) / step <= SLIDER_PLACES)
    return next((step for step in steps if all(_is_whole((value - low) / step) for value in values)), None)


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < 1e-6


def choices(settings_class: type[Settings], name: str) -> dict[str, Any] | None:
    """What the words in the control of a setting that chooses among few mean; None for all other controls."""
    words = facts(settings_class, name)["labels"]
    options = schemas(settings_class)[name].get("enum")
    return None if options is None else {words.get(choice, str(choice)): choice for choice in options}


def _whole_step(high: int) -> int:
    return int(10 ** max(0, int(math.log10(high)) - 2))


def _powers(low: float, high: float, value: float) -> list[float]:
    """1, 2, 3, 5 of every power of ten in the range, and the value itself."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [float(f"{mantissa}e{exponent}") for exponent in exponents for mantissa in (1, 2, 3, 5)]
    return sorted({step for step in steps if low <= step <= high} | {value})


def _to_control(value: Any) -> Any:
    return ", ".join(str(item) for item in value) if isinstance(value, tuple | list) else value


def _from_control(settings_class: type[Settings], name: str, value: Any) -> Any:
    field = settings_class.model_fields.get(name)
    return numbers(value) if field and isinstance(field.default, tuple) and isinstance(value, str) else value


def numbers(text: str) -> list[Any]:
    """Whole numbers from a text; what is not one stays as it is, to be refused with its setting's name.

    >>> numbers("0, 1 2"), numbers("3-5"), numbers("a")
    ([0, 1, 2], [3, 4, 5], ['a'])
    """
    values: list[Any] = []
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if _whole(part):
            values.append(int(part))
        elif dash and _whole(first) and _whole(last) and 0 <= int(last) - int(first) <= 100:
            values.extend(range(int(first), int(last) + 1))
        else:
            values.append(part)
    return values


def _whole(text: str) -> bool:
    # Python refuses to read thousands of digits as a number; no setting needs twenty.
    return text.isdecimal() and len(text) < 20


def to_link(settings: Settings) -> dict[str, str]:
    """The settings that differ from their defaults, as a link's parameters, with their version from the second on."""
    link = {name: _link_text(value) for name, value in settings.differences().items()}
    return {**link, VERSION: str(settings.version)} if link and settings.version > 1 else link


def from_link(settings_class: type[Declared], parameters: Mapping[str, str]) -> tuple[Declared, list[str]]:
    """Settings from a link's parameters, and a sentence for each parameter that is not allowed.

    What is not allowed keeps its default; the rest of the link counts.
    """
    values_in_link: dict[str, Any] = dict(parameters)
    version = values_in_link.pop(VERSION, "1")
    complaints: list[str] = []
    try:
        number = _version(settings_class, version)
        values_in_link = settings_class.upgraded(number, _left_out(settings_class, number, values_in_link))
    except SettingsError as error:
        complaints.append(f"In the link: {error}")
    values = {name: _from_control(settings_class, name, text) for name, text in values_in_link.items()}
    while True:
        try:
            return _own(settings_class.checked(values), complaints), complaints
        except SettingsError as error:
            for name, sentence in error.sentences.items():
                complaint = name if name in values else _refused_together(settings_class, values)
                complaints.append(f"In the link: {sentence}{_instead(settings_class, complaint)}")
                values.pop(complaint)


def _left_out(settings_class: type[Settings], version: int, values_in_link: dict[str, Any]) -> dict[str, Any]:
    """A link's values with what it left out, for it was the default then. A link without any means today's page."""
    former = settings_class.former_defaults.get(version, {}) if values_in_link else {}
    return {name: _link_text(value) for name, value in former.items()} | values_in_link


def _version(settings_class: type[Settings], text: str) -> int:
    if not _whole(text) or int(text) < 1:
        allowed_here = f"allowed is a whole number from 1 to {settings_class.version}"
        raise SettingsError({VERSION: f"The version of the settings is {text[:40]!r}; {allowed_here}."})
    return int(text)


def _own(settings: Declared, complaints: list[str]) -> Declared:
    """Settings with their defaults in place of others' files, which cannot be chosen; says so in ``complaints``."""
    files = keys.others_files(settings)
    complaints += [f"In the link: {NOT_YOURS}{_instead(type(settings), name)}" for name in files]
    return settings.changed(**{name: type(settings).model_fields[name].default for name in files})


def _instead(settings_class: type[Settings], name: str) -> str:
    if name not in settings_class.model_fields:
        return ""
    return f" {label(name)} keeps its default, {_link_text(settings_class.model_fields[name].default)}."


def _refused_together(settings_class: type[Settings], values: Mapping[str, Any]) -> str:
    """Of settings that are not allowed together, the last one without which the others are."""
    for name in reversed(list(values)):
        try:
            settings_class.checked({other: value for other, value in values.items() if other != name})
        except SettingsError:
            continue
        return name
    return next(reversed(list(values)))


def _link_text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ",".join(str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
