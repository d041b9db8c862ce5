"""What a laboratory offers, kept beside its tests so that a change shows: settings, presets, claims and stories.

Of every setting its default, bounds, choices and control; of every preset what it changes. What a run takes is
estimated at the presets and with one setting after the other moved away from its default, together with which settings
have no effect there. Of every claim its runs and its lines; of every guess the right choice and the numbers told; of
every figure how its axes run. Where what is offered is meant to change, ``make kept`` keeps it anew, and the commit
shows what.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from goldviz.declare.claims import Claim, claims_of
from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment, Settings, SettingsError, schemas
from goldviz.declare.stories import place, stories
from goldviz.runs.examples import example
from tests.labs.figures_drawn import figures_of, of_token
from tests.labs.small_runs import chosen

PLACEHOLDER = re.compile(r"%\{[^}]*\}")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
ROUNDED = re.compile(r"\d(?:\.\d+)?e-(?:1[2-9]|[2-9]\d|\d{3})")
"""What rounding leaves of a zero: its digits are the processor's."""
DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
WORDS = ("title", "description", "labels")
"""Of a setting's schema: they may be reworded."""


def moved(settings: type[Settings], name: str) -> Iterator[Any]:
    """Other values of a setting: its other choices, or a number half and twice as large, within its bounds."""
    schema, default = schemas(settings)[name], getattr(settings(), name)
    if schema.get("type") == "boolean":
        yield not default
    elif "enum" in schema:
        yield from (choice for choice in schema["enum"] if choice != default)
    elif schema.get("type") in ("integer", "number"):
        for value in (default / 2, default * 2):
            within = min(max(value, schema.get("minimum", value)), schema.get("maximum", value))
            yield round(within) if schema["type"] == "integer" else within


def variants(settings: type[Settings]) -> Iterator[tuple[str, Settings]]:
    """Settings under their names: the presets, and one setting after the other moved, where that is allowed."""
    for preset in settings.presets:
        yield preset.slug, settings.preset(preset.slug)
    for name in schemas(settings):
        for value in moved(settings, name):
            try:
                yield f"{name}={value}", settings().changed(**{name: value})
            except SettingsError:
                continue


def taken(settings: Settings) -> list[float | str]:
    """What a run is said to take, and which settings have no effect on it."""
    idle = sorted(settings.without_effect())
    if isinstance(settings, Instant):
        return [*map(float, settings.positions()), *idle] if settings.position else [*idle]
    assert isinstance(settings, Experiment)
    return [
        float(f"{settings.estimated_seconds():.9g}"),
        float(f"{settings.estimated_bytes():.9g}"),
        settings.steps_planned(),
        *idle,
    ]


def offered(lab: Laboratory) -> dict[str, Any]:
    """All that a laboratory offers, by what it is."""
    declared = lab.declared
    return {
        **{f"setting {name}": bounds(schema) for name, schema in schemas(declared).items()},
        **{f"preset {one.slug}": [dict(one.changes), one.formerly] for one in declared.presets},
        **{f"takes {name}": taken(settings) for name, settings in variants(declared)},
        **{f"claim {one.number}": lines(one) for one in claims_of(lab)},
        **{f"guess {slug} {number}": told for slug, number, told in guessed(lab)},
        **{f"axes {name}": kinds for name, kinds in axes(lab)},
    }


def axes(lab: Laboratory) -> Iterator[tuple[str, list[str]]]:
    """How each axis of a laboratory's figures runs: by differences, by ratios, by categories."""
    first = {view.partition(",")[0]: figure for view, figure in reversed(figures_of(lab).items())}
    for name, figure in reversed(first.items()):
        told = {axis: of for axis, of in figure.layout.items() if re.fullmatch(r"[xy]axis\d*", axis)}
        yield name, [f"{axis[0]} {told[axis].get('type') or 'linear'}" for axis in sorted(told)]


def lines(claim: Claim) -> list[Any]:
    """The runs that a claim compares, and where the numbers of its parts have to lie."""
    parts = [
        [part.name, part.line.above, part.line.below, part.scale, *["control"] * part.control]
        for part in claim.parts.values()
    ]
    return [claim.kind, claim.always, claim.over, list(claim.cases), list(claim.lanes), *parts]


def guessed(lab: Laboratory) -> Iterator[tuple[str, int, list[float]]]:
    """The guesses of a laboratory's stories: the right choice, and the numbers in what is told with it."""
    for slug, (home, story) in stories().items():
        for number, step in enumerate(story.steps, 1):
            if home == lab.name and step.guess is not None:
                declared = laboratories()[place(slug, number)].declared
                assert issubclass(declared, Experiment)
                right, sentence = step.guess.found(*(example(declared, preset) for preset in step.presets))
                yield slug, number, [right, *of_words(sentence)]


def of_words(words: str) -> list[float]:
    """What a text holds beside its words: its numbers, what it prints of a mark, and how many sentences it is."""
    printed = PLACEHOLDER.findall(words)
    plain = ROUNDED.sub("0", PLACEHOLDER.sub("", words).translate(DIGITS))
    numbers = [float(number) for number in NUMBER.findall(plain)]
    return [*map(of_token, printed), *numbers, len(re.findall(r"\w[.?!](?:\s|<|$)", plain)), float(bool(words))]


def bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a setting may be, and by what control."""
    said = {part: value for part, value in schema.items() if part not in WORDS}
    return {part: value for part, value in said.items() if part == "default" or (value != "" and value is not False)}


def plain(value: Any) -> Any:
    """The same as it is after it was kept."""
    return json.loads(json.dumps(value, default=str))


def kept_in(lab: Laboratory) -> Path:
    """Where it is kept."""
    return Path(__file__).parent / lab.folder / "offered.json"


def keep(lab: Laboratory) -> None:
    """Keep what is offered today, a line for each thing."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(what, default=str)}" for name, what in offered(lab).items())
    kept_in(lab).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    for laboratory in chosen(sys.argv[1:]):
        keep(laboratory)
