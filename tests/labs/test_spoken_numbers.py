"""What readers are told of a curve is the number where it ends, also where an axis is one of logarithms."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.figures.elements import power
from goldviz.runs.examples import example
from goldviz.ui.panels.instant_figures import position_of
from tests.javascript import node
from tests.labs.small_runs import LABORATORIES, TRAINED
from tests.labs.test_frames import decoded
from tests.thinned import represented

CASES = represented((lab, preset.slug) for lab in LABORATORIES for preset in lab.declared.presets)
OF_OTHER_DATA = {"inside-bert": {"across"}, "policy-documents": {"effects"}}
"""A map and bars, which pages draw of what was asked beside the preset: neither has a curve."""

OF_TEN = re.compile(r"10<sup>%\{([xy])")


@cache
def dataset_of(lab: Laboratory, slug: str) -> xr.Dataset:
    declared = lab.declared
    if lab in TRAINED:
        return example(declared, slug)
    assert issubclass(declared, Instant)
    return declared.preset(slug).compute()


def figures_of(lab: Laboratory, slug: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every figure of a preset, as the browser gets it."""
    dataset, settings = dataset_of(lab, slug), lab.declared.preset(slug)
    position = position_of(settings) if isinstance(settings, Instant) else None
    for name, spec in getattr(lab.figures(), "FIGURES", {}).items():
        if name not in OF_OTHER_DATA.get(lab.name, ()) and all(needed in dataset for needed in spec.needs):
            yield name, decoded(json.loads(spec.draw(dataset, **spec.position(position)).to_json()))


def axes_of_powers(figure: dict[str, Any]) -> set[str]:
    """The axes at whose ticks stand powers of ten in place of exponents, or at which curves tell their numbers so."""
    found = set()
    for name, axis in figure["layout"].items():
        if re.fullmatch(r"[xy]axis\d*", name) and axis.get("type") != "log":
            places, texts = axis.get("tickvals") or [], axis.get("ticktext") or []
            labels = list(zip(places, texts, strict=False))
            if labels and all(words == power(place) for place, words in labels):
                found.add(name.replace("axis", ""))
    for trace in figure["data"]:
        for letter in OF_TEN.findall(str(trace.get("hovertemplate", ""))):
            found.add(trace.get(f"{letter}axis", letter))
    return found


@pytest.mark.parametrize(("lab", "slug"), CASES, ids=str)
def test_an_axis_of_logarithms_says_so_and_its_curves_end_at_numbers(
    lab: Laboratory, slug: str, tmp_path: Path
) -> None:
    said = []
    for name, figure in figures_of(lab, slug):
        logarithms = figure["layout"].get("meta", {}).get("logarithms", {})
        assert axes_of_powers(figure) == set(logarithms), name
        said.append([figure["data"], logarithms])
    (tmp_path / "figures.json").write_text(json.dumps(said))
    node("spoken_ends.mjs", tmp_path / "figures.json", tmp_path / "said.json")
    for (traces, logarithms), ends in zip(said, json.loads((tmp_path / "said.json").read_text()), strict=True):
        for words in ends:
            curve, number = words.rsplit(" ends at ", 1)
            assert any(
                matches(number, trace["y"], trace.get("yaxis", "y") in logarithms)
                for trace in traces
                if trace.get("y") and curve in str(trace.get("name"))
            ), words


def matches(number: str, values: list[Any], logarithms: bool) -> bool:
    """Whether this is the last of the values; of logarithms, the number that the last stands for."""
    end = [value for value in values if isinstance(value, int | float)][-1:]
    if not end:
        return False
    if logarithms:
        # By exponents: what a float does not hold is said, too.
        mantissa, _, exponent = number.partition("e")
        return float(mantissa) > 0 and bool(abs(np.log10(float(mantissa)) + int(exponent or 0) - end[0]) < 0.03)
    return bool(np.isclose(float(number), end[0], rtol=0.05))


def test_laboratories_with_such_axes_are_among_them() -> None:
    """Else the test above would hold of nothing."""
    named = {"recurrent-gradients", "jacobian-lens", "lstm-valves", "backpropagation-steps"}
    for name in named:
        lab = laboratories()[name]
        figures = figures_of(lab, lab.declared.presets[0].slug)
        assert any(axes_of_powers(figure) for _, figure in figures), name
