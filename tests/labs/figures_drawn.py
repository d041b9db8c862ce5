"""What laboratories draw, for tests of all figures: each of a preset that has it, and lines nobody could tell apart."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, islice
from typing import Any

import numpy as np
import xarray as xr

from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment
from goldviz.figures.draft import Figure
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import INKS
from goldviz.runs.examples import example
from tests.labs.small_runs import cases


def of_token(token: str) -> float:
    """A number between 0 and 1 for a text of one word, such as a colour, a symbol or a category."""
    return zlib.crc32(token.encode()) / 2**32


def views(lab: Laboratory) -> Iterator[tuple[str, Figure]]:
    """Every figure of a laboratory: of the first preset that has it, and of a run, in the dark, of another one.

    Of a page with a position that is the place in the middle, in the dark the step two thirds on the way. Which other
    preset it is hangs on names alone, so that a new figure or preset leaves those of the others.
    """
    slugs = list(getattr(cases(lab), "DRAWN_OF", [preset.slug for preset in lab.declared.presets]))
    for spec in specs(lab):
        others = sorted(slugs[1:], key=lambda slug, name=spec.name: of_token(f"{name} {slug}"))  # type: ignore[misc]
        yield from islice(_of_presets(lab, spec, [slugs[0], *others], None), 1)
        if issubclass(lab.declared, Experiment):
            yield from islice(_of_presets(lab, spec, others, 2 / 3), 1)


def _of_presets(
    lab: Laboratory, spec: FigureSpec, slugs: Sequence[str], on_the_way: float | None
) -> Iterator[tuple[str, Figure]]:
    """A figure of each preset that has something to draw, by names of both."""
    for slug in slugs:
        run, place = shown(lab, slug)
        how = spec.position(place)
        if on_the_way:
            steps = run[run.attrs["step_dimension"]].values
            how = {"theme": "dark", "epoch": int(steps[int(on_the_way * (len(steps) - 1))])}
        if all(name in run for name in spec.needs):
            figure = spec.draw(run, **how)
            if figure.data:
                yield f"{spec.name}, {slug}", figure


def specs(lab: Laboratory) -> list[FigureSpec]:
    """A laboratory's table of figures, or those of its file where it has none."""
    figures = lab.figures()
    table: dict[str, FigureSpec] | None = getattr(figures, "FIGURES", None)
    return list(table.values()) if table else [one for one in vars(figures).values() if isinstance(one, FigureSpec)]


@cache
def shown(lab: Laboratory, slug: str) -> tuple[xr.Dataset, int]:
    """The recorded run of a preset, or what a page without runs computes of it, and where one looks."""
    if issubclass(lab.declared, Experiment):
        return example(lab.declared, slug), 0
    settings = lab.declared.preset(slug).changed(**getattr(cases(lab), "QUICK", {}))
    assert isinstance(settings, Instant)
    places = settings.positions() if settings.position else (0, 0)
    return settings.compute(), sum(places) // 2


def figures_of(lab: Laboratory) -> dict[str, Figure]:
    """Every figure of a laboratory by its name and what it is of."""
    own = getattr(cases(lab), "drawn_of", None)
    with np.errstate(all="ignore"):
        return dict(own() if own else views(lab))


def gold_lines(figure: Figure) -> set[tuple[str, str]]:
    """Where gold lines run across a whole figure or panel: each one's direction and place."""
    gold = {ink.accent for ink in INKS.values()}
    lines = set()
    for shape in figure.layout.shapes or ():
        across = [axis for axis in "xy" if str(shape.get(f"{axis}ref", "")).endswith("domain")]
        seen = shape.get("visible", True) is not False
        if seen and shape.get("type") == "line" and across and shape.get("line", {}).get("color") in gold:
            other = "y" if across == ["x"] else "x"
            lines.add((other, str(shape[f"{other}0"])))
    return lines


def hidden_lines(figure: Figure) -> list[tuple[str, str]]:
    """Lines of the legend that lie on each other from end to end and look alike, so that one of them cannot be seen."""
    lines = [
        trace
        for trace in figure.data
        if trace.get("type") == "scatter" and "lines" in str(trace.get("mode")) and trace.get("showlegend") is not False
    ]
    return [
        (str(one["name"]), str(other["name"]))
        for one, other in combinations(lines, 2)
        if all(str(one.get(part)) == str(other.get(part)) for part in ("type", "xaxis", "yaxis"))
        and all(one.get("line", {}).get(part) == other.get("line", {}).get(part) for part in ("dash", "width"))
        and _alike(one.get("x"), other.get("x"))
        and _alike(one["y"], other["y"])
    ]


def _alike(one: Any, other: Any) -> bool:
    """Whether two curves' values are the same to the eye, and more than two."""
    try:
        first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    except (TypeError, ValueError):
        return list(map(str, one)) == list(map(str, other))
    some = first.shape == second.shape and np.isfinite(first).sum() > 2
    return bool(some and np.allclose(first, second, rtol=1e-3, equal_nan=True))
