"""What holds of every figure of every laboratory that trains, on its recorded runs; and the data of those by kind."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from math import inf

import numpy as np
import plotly.graph_objects as go
import pytest
import xarray as xr

from goldviz.declare.kinds import by_kind
from goldviz.declare.laboratory import Laboratory
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures.by_kind import FIGURES
from goldviz.figures.reading import GROWING
from goldviz.figures.smoothed import width_of
from goldviz.figures.spec import FigureSpec
from goldviz.runs.examples import example
from tests.labs.figure_words import strings, words
from tests.labs.small_runs import EVERY_TRAINED, TRAINED
from tests.thinned import represented, thinned

EVERY = [(lab, name) for lab in TRAINED for name in lab.figures().FIGURES]
IDS = [f"{lab.name}-{name}" for lab, name in EVERY]
EVERY_FIGURE = pytest.mark.parametrize(("lab", "name"), EVERY, ids=IDS)
REPRESENTED_FIGURE = pytest.mark.parametrize(("lab", "name"), represented(EVERY, inf), ids=IDS)
OVER_AXES = pytest.mark.parametrize(
    ("lab", "name"),
    represented(((lab, name) for lab, name in EVERY if not lab.figures().FIGURES[name].canvas), inf),
    ids=str,
)
OWN_AXES = {"decision", "fan", "path", "attention", "scoreboard", "as_text", "meaning"}
"""Figures whose axes are of one run's own plane, moment, tokens or models."""

SAID_OTHERWISE = {"gates": ("gate_opening",), "accuracy": ("accuracy",)}
"""What figures need that have a sentence of their own for some runs without it."""


@cache
def shared_by_lanes(lab: Laboratory) -> Mapping[str, tuple[float, float]]:
    """Common limits of the first two examples, computed once for all figures."""
    limits: Mapping[str, tuple[float, float]] = lab.figures().shared_limits([recorded(lab, 0), recorded(lab, 1)])
    return limits


def of_layers(name: str) -> bool:
    """Whether colours stand for layers, of which another run may have more."""
    return name in ("gradient_by_layer", "update_to_data", "gradient_to_data")


def spec_of(lab: Laboratory, name: str) -> FigureSpec:
    spec: FigureSpec = lab.figures().FIGURES[name]
    return spec


def recorded(lab: Laboratory, place: int = 0) -> xr.Dataset:
    return example(lab.declared, lab.declared.presets[place].slug).copy()


@EVERY_FIGURE
@pytest.mark.parametrize("theme", thinned(["light", "dark"]))
def test_its_title_and_notes_fit_a_phone_and_it_is_small(lab: Laboratory, name: str, theme: str) -> None:
    figure = spec_of(lab, name).draw(recorded(lab), theme=theme).settled()
    title = figure.layout["title"]
    assert len(title["text"]) <= 36
    assert all(len(line) <= 62 for line in (title.get("subtitle", {}).get("text") or "").split("<br>"))
    assert len(figure.to_json()) < 400_000


@REPRESENTED_FIGURE
def test_a_missing_variable_is_named(lab: Laboratory, name: str) -> None:
    spec = spec_of(lab, name)
    for variable in spec.needs or SAID_OTHERWISE.get(name, ()):
        run = recorded(lab).drop_vars([variable], errors="ignore")
        figure = spec(run)
        assert not figure.data
        assert any(one in words(figure) for one in (variable, *spec.needs) if one not in run)


@EVERY_TRAINED
def test_a_figure_is_drawn_of_what_it_says_that_it_needs(lab: Laboratory) -> None:
    """So a run without some of its networks either lacks a need, which the figure says, or has all that is read."""
    run = recorded(lab)
    for name, spec in lab.figures().FIGURES.items():
        held = [one for one in spec.needs if one in run.data_vars]
        alone = run[held].assign_coords({one: run[one] for one in spec.needs if one in run.coords})
        assert spec(alone.assign_attrs(run.attrs)).layout.title.text, name


@REPRESENTED_FIGURE
def test_a_run_that_recorded_nothing_yet_is_told_so(lab: Laboratory, name: str) -> None:
    run = recorded(lab)
    nothing = run.drop_vars(list(run.data_vars)).assign_attrs(status="running")
    figure = spec_of(lab, name)(nothing.isel({dim: slice(0) for dim in GROWING if dim in nothing.dims}))
    assert not figure.data
    assert words(figure).strip() != figure.layout.title.text


@EVERY_FIGURE
def test_what_people_write_is_escaped(lab: Laboratory, name: str) -> None:
    run = recorded(lab)
    run.attrs["title"] = "<img src=x onerror=alert(1)>"
    run.attrs["marks"] = json.dumps([{"step": 5, "text": "<script>alert(2)</script>"}])
    figure = spec_of(lab, name)(run)
    assert "&lt;img" in words(figure) or not figure.data
    assert not any(tag in text for text in strings(figure.to_plotly_json()) for tag in ("<img", "<script"))


@OVER_AXES
def test_lanes_share_their_axes(lab: Laboratory, name: str) -> None:
    lanes = [recorded(lab, place) for place in (0, 1)]
    one, other = (spec_of(lab, name)(lane, limits=shared_by_lanes(lab)) for lane in lanes)
    if one.data and other.data and name not in OWN_AXES:
        assert one.layout.yaxis.range == other.layout.yaxis.range
        assert one.layout.xaxis.range == other.layout.xaxis.range
        assert one.layout.coloraxis.cmax == other.layout.coloraxis.cmax or of_layers(name)


def shared_by_kind() -> list[tuple[Laboratory, str]]:
    """The figures that laboratories take as they are: drawn by the shared function itself."""
    taken = []
    for lab, name in EVERY:
        kinds = by_kind(lab.declared.variables)
        if name in DRAWN and FIGURES[name].drawn_for(kinds) and spec_of(lab, name).shows == FIGURES[name].said(kinds):
            taken.append((lab, name))
    return taken


def last_of(values: xr.DataArray) -> xr.DataArray:
    """What was recorded at the last step, the median of the seeds."""
    middle = values.median("seed") if "seed" in values.dims else values
    return middle.isel({next(dim for dim in GROWING if dim in middle.dims): -1})


def ends(figure: go.Figure) -> list[float]:
    """Where each drawn line ends, of those that hold numbers."""
    lines = [np.asarray(one.y, dtype=np.float64) for one in figure.data if one.type == "scatter" and one.y is not None]
    return [float(line[-1]) for line in lines if line.size and np.isfinite(line[-1])]


def of_lines(kind: str) -> Callable[[go.Figure, xr.Dataset, ByKind], None]:
    """Every layer's line ends where its last record stands."""

    def check(figure: go.Figure, run: xr.Dataset, kinds: ByKind) -> None:
        last = last_of(run[kinds[kind]])
        expected = last.values[last.values > 0]
        np.testing.assert_allclose(sorted(ends(figure)), sorted(expected.ravel()), rtol=1e-5)

    return check


def of_places(kind: str) -> Callable[[go.Figure, xr.Dataset, ByKind], None]:
    """Every network's curve is what was last recorded along its places."""

    def check(figure: go.Figure, run: xr.Dataset, kinds: ByKind) -> None:
        last = last_of(run[kinds[kind]])
        for network, line in zip(last["network"].values, [one for one in figure.data if one.name], strict=False):
            np.testing.assert_allclose(line.y, last.sel(network=network).where(lambda norms: norms > 0), rtol=1e-5)

    return check


def of_means(kind: str, windows: int) -> Callable[[go.Figure, xr.Dataset, ByKind], None]:
    """Every network's first curve ends at the mean of its last window of steps."""

    def check(figure: go.Figure, run: xr.Dataset, kinds: ByKind) -> None:
        values = run[kinds[kind]]
        steps = next(dim for dim in GROWING if dim in values.dims)
        count = values.sizes[steps]
        width = width_of(count) if kind == "training_loss" else -(-count // windows)
        expected = values.isel({steps: slice(-width, None)}).mean(steps).median("seed").values.ravel()
        if kind == "training_loss" and "evaluation_loss" in kinds:
            # What is not learned from is the curve then.
            expected = last_of(run[kinds["evaluation_loss"]]).values.ravel()
        drawn = ends(figure)
        assert all(np.isclose(drawn, one, rtol=1e-5).any() for one in expected)

    return check


def of_shares(kind: str) -> Callable[[go.Figure, xr.Dataset, ByKind], None]:
    """Every column of a map is a bin of the last look, and no share of an occupied bin is missing."""

    def check(figure: go.Figure, run: xr.Dataset, kinds: ByKind) -> None:
        last = last_of(run[kinds[kind]])
        networks = last["network"].values if "network" in last.dims else [None]
        for network, heat in zip(networks, [one for one in figure.data if one.type == "heatmap"], strict=True):
            own = last if network is None else last.sel(network=network)
            own = own.transpose(kinds.along(kind), ...)
            np.testing.assert_allclose(np.nansum(heat.z, axis=1), own.sum(own.dims[-1]), rtol=1e-3, atol=1e-6)

    return check


DRAWN = {
    "loss": of_means("training_loss", 0),
    "gradient_norm": of_means("gradient_norm", 100),
    "clipping": of_means("gradient_norm", 100),
    "gradient_by_layer": of_lines("gradient_norm_by_layer"),
    "update_to_data": of_lines("update_to_data_by_layer"),
    "gradient_to_data": of_lines("gradient_to_data_by_layer"),
    "activation_distribution": of_shares("activation_histogram"),
    "hidden_gradient_distribution": of_shares("gradient_histogram"),
    "weight_gradient_distribution": of_shares("weight_gradient_histogram"),
    "state_gradient": of_places("state_gradient_norm"),
}
"""What each figure by kind draws of a run, in other words than its own."""


@pytest.mark.parametrize(("lab", "name"), shared_by_kind(), ids=str)
def test_a_figure_by_kind_draws_what_was_recorded(lab: Laboratory, name: str) -> None:
    run = recorded(lab)
    DRAWN[name](spec_of(lab, name)(run), run, by_kind(lab.declared.variables))
