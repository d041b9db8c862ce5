"""What of a laboratory somebody uses: settings and own figures that a preset, story, claim, advice or first view names.

A setting is used where one of these changes it from its default; a figure where it is in a page's first view, or a
preset or a story opens on it. The rest is found by those who look closer. ``make size`` puts the table on its page.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from goldviz.declare.claims import claims_of
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.declare.stories import place, stories
from goldviz.figures.by_kind import FIGURES as SHARED

EVERYBODYS = ("seeds", "seed", "device", "time_limit")
"""Settings that all laboratories have."""


def changed_settings(lab: Laboratory) -> Iterator[tuple[str, str]]:
    """Each setting that something changes, with what does."""
    declared = lab.declared
    for preset in declared.presets:
        yield from ((name, "preset") for name in preset.changes)
    for claim in claims_of(lab):
        for lane in claim.lanes:
            names = declared.preset(lane).model_dump() if isinstance(lane, str) else lane
            defaults = declared().model_dump()
            yield from ((name, "claim") for name in names if names[name] != defaults.get(name))
        yield claim.over, "claim"
    for trial in lab.advice_trials:
        yield from ((name, "advice") for name in {**trial.settings, **trial.changes})


def words_of(function: Any, package: str, deep: int = 3) -> Iterator[str]:
    """The words of a function's source, and of the laboratory's own functions that it calls."""
    words = set(re.findall(r"\w+", inspect.getsource(function)))
    yield from words
    module = vars(inspect.getmodule(function))
    for name in words & module.keys() if deep else ():
        called = module[name]
        if inspect.isfunction(called) and called is not function and called.__module__.startswith(package):
            yield from words_of(called, package, deep - 1)


def named_figures(lab: Laboratory) -> Iterator[tuple[str, str]]:
    """Each figure that something opens on, with what does."""
    for preset in lab.declared.presets:
        yield preset.figure, "preset"
    for slug, (_, story) in stories().items():
        for number, step in enumerate(story.steps, start=1):
            if place(slug, number) == lab.name:
                yield step.figure, "story"
                if step.guess and step.guess.curve:
                    yield step.guess.curve.figure, "story"
    page: Any = lab.part("page").PAGE
    if isinstance(lab.declared, type) and issubclass(lab.declared, Experiment):
        yield from ((name, "first view") for name in (page.main, page.beside, page.below) if name)
    else:
        look = getattr(page, "look", None)
        drawn = set(words_of(look, lab.package)) if callable(look) else set()
        figures = lab.figures()
        for name, spec in getattr(figures, "FIGURES", {}).items():
            variables = {key for key, value in vars(figures).items() if value is spec}
            if name in drawn or variables & drawn:
                yield name, "first view"


def own_figures(lab: Laboratory) -> list[str]:
    """The figures that are not shared by kind."""
    return [name for name in getattr(lab.figures(), "FIGURES", {}) if name not in SHARED]


def table() -> str:
    """What nobody uses, laboratory by laboratory."""
    rows, settings, figures = [], 0, 0
    for lab in laboratories().values():
        used_settings = {name for name, _ in changed_settings(lab)}
        every = [name for name in lab.declared.model_fields if name not in EVERYBODYS]
        unused = [name for name in every if name not in used_settings]
        used_figures = {name for name, _ in named_figures(lab)}
        # A page that draws by itself says of no figure where it stands.
        own = own_figures(lab) if used_figures - {""} else []
        closer = [name for name in own if name not in used_figures]
        settings, figures = settings + len(unused), figures + len(closer)
        words = (", ".join(f"`{name}`" for name in names) for names in (unused, closer))
        rows.append(
            f"| {lab.name} | {len(unused)} of {len(every)} | {len(closer)} of {len(own)} | {' | '.join(words)} |"
        )
    return "\n".join(
        [
            "## What is found only by those who look closer",
            "",
            "A setting that no preset, claim or advice changes, and an own figure that stands in no first view and on",
            "which no preset and no story opens (`docs/make_uses.py`). *Inside BERT* draws by itself and is left out.",
            "",
            "| laboratory | settings | own figures | which settings | which figures |",
            "|---|---:|---:|---|---|",
            *rows,
            f"| all | {settings} | {figures} | | |",
            "",
        ]
    )


if __name__ == "__main__":
    print(table())
