"""Controls of an experiment's settings, made from their declaration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from goldviz.experiments.base import Experiment, SettingsError, allowed, facts, label


def key_of(experiment: type[Experiment], name: str) -> str:
    """The session-state key of a setting's control."""
    return f"setting-{experiment.name}-{name}"


def put(experiment: type[Experiment], settings: Experiment) -> None:
    """Make the controls show these settings. Call before they are drawn, or in a callback."""
    for name, value in settings.model_dump().items():
        st.session_state[key_of(experiment, name)] = _to_control(value)


def ensure(experiment: type[Experiment]) -> None:
    """Give every control a value before it is drawn: its own, or the setting's default."""
    defaults = experiment().model_dump()
    for name, value in defaults.items():
        st.session_state.setdefault(key_of(experiment, name), _to_control(value))


def current(experiment: type[Experiment]) -> Experiment:
    """The settings that the controls show; raises :class:`SettingsError`."""
    return experiment.checked(
        {name: _from_control(experiment, name, st.session_state[key_of(experiment, name)]) for name in experiment.model_fields}
    )


def essential(experiment: type[Experiment]) -> list[str]:
    """Names of the settings that are in sight at once."""
    return [name for name in experiment.model_fields if facts(experiment, name)["essential"]]


def groups(experiment: type[Experiment]) -> dict[str, list[str]]:
    """The other settings' names, by their heading."""
    found: dict[str, list[str]] = {}
    for name in experiment.model_fields:
        about = facts(experiment, name)
        if not about["essential"]:
            found.setdefault(about["group"], []).append(name)
    return found


def draw(experiment: type[Experiment], names: Iterable[str]) -> None:
    """One control for each of these settings."""
    for name in names:
        _draw_one(experiment, name)


def meaning(experiment: type[Experiment], name: str) -> str:
    """What a setting does, its range and its unit, for a tooltip."""
    unit = facts(experiment, name)["unit"]
    range_of = allowed(experiment, name)
    return f"{experiment.model_fields[name].description} Allowed: {range_of}{f' {unit}' if unit else ''}."


def _draw_one(experiment: type[Experiment], name: str) -> None:
    about = facts(experiment, name)
    schema = experiment.model_json_schema()["properties"][name]
    shared: dict[str, Any] = {
        "key": key_of(experiment, name),
        "help": meaning(experiment, name),
        "persist_state": "session",
    }
    title = f"{label(name)} ({about['unit']})" if about["unit"] == "s" else label(name)
    if "enum" in schema:
        words = about["labels"]
        st.selectbox(title, schema["enum"], format_func=lambda choice: words.get(choice, str(choice)), **shared)
    elif schema["type"] == "array":
        st.text_input(title, **shared)
    elif schema["type"] == "integer":
        low, high = schema["minimum"], schema["maximum"]
        if high - low <= 200:
            st.slider(title, low, high, **shared)
        else:
            st.number_input(title, low, high, step=_whole_step(high), **shared)
    elif about["logarithmic"]:
        options = _powers(schema["minimum"], schema["maximum"], st.session_state[key_of(experiment, name)])
        st.select_slider(title, options, format_func=lambda value: f"{value:g}", **shared)
    elif schema["maximum"] <= 2:
        st.slider(title, float(schema["minimum"]), float(schema["maximum"]), step=0.05, **shared)
    else:
        st.number_input(title, float(schema["minimum"]), float(schema["maximum"]), **shared)


def _whole_step(high: int) -> int:
    return 10 ** max(0, int(math.log10(high)) - 2)


def _powers(low: float, high: float, value: float) -> list[float]:
    """1, 2, 3, 5 of every power of ten in the range, and the value itself."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [float(f"{mantissa}e{exponent}") for exponent in exponents for mantissa in (1, 2, 3, 5)]
    return sorted({step for step in steps if low <= step <= high} | {value})


def _to_control(value: Any) -> Any:
    return ", ".join(str(item) for item in value) if isinstance(value, tuple | list) else value


def _from_control(experiment: type[Experiment], name: str, value: Any) -> Any:
    field = experiment.model_fields.get(name)
    return numbers(value) if field and isinstance(field.default, tuple) and isinstance(value, str) else value


def numbers(text: str) -> list[Any]:
    """Whole numbers from a text; what is not one stays as it is, to be refused with its setting's name.

    >>> numbers("0, 1 2"), numbers("3-5"), numbers("a")
    ([0, 1, 2], [3, 4, 5], ['a'])
    """
    found: list[Any] = []
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if part.isdecimal():
            found.append(int(part))
        elif dash and first.isdecimal() and last.isdecimal() and 0 <= int(last) - int(first) <= 100:
            found.extend(range(int(first), int(last) + 1))
        else:
            found.append(part)
    return found


def to_link(settings: Experiment) -> dict[str, str]:
    """The settings that differ from their defaults, as a link's parameters."""
    return {name: _link_text(value) for name, value in settings.differences().items()}


def from_link(experiment: type[Experiment], parameters: Mapping[str, str]) -> tuple[Experiment, list[str]]:
    """Settings from a link's parameters, and a sentence for each parameter that is not allowed.

    What is not allowed keeps its default; the rest of the link counts.
    """
    values: dict[str, Any] = {name: _from_control(experiment, name, text) for name, text in parameters.items()}
    complaints: list[str] = []
    while True:
        try:
            return experiment.checked(values), complaints
        except SettingsError as error:
            for name, sentence in error.sentences.items():
                used = f" The default, {_link_text(experiment.model_fields[name].default)}, is used." if name in experiment.model_fields else ""
                complaints.append(f"In the link: {sentence}{used}")
                values.pop(name)


def _link_text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ",".join(str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
