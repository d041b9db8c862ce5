"""A network's diagram: numbers of its nodes, what travels to the browser, and the figure that is taken away."""

import json
from functools import partial

import numpy as np
import pytest
import xarray as xr

from goldviz.figures import limits, plot
from goldviz.figures.diagram import Colour, Node, Part, Reading, chain, colour_quantities, diagram
from goldviz.figures.limits import Quantity, ends_of

COLOURS = (
    Colour("norm", "Norm"),
    Colour("opening", "Opening", "share", readings=(Reading("opening", lambda values: values.mean("time")),)),
    Colour(
        "size", "Size", "linear", readings=(Reading("radius", lambda one: one.expand_dims(layer=[2])), Reading("bias"))
    ),
    Colour("fading", "Fading", "log10"),
)
QUANTITIES = {"step": Quantity(ends_of("step")), **colour_quantities(COLOURS)}
NODES = [
    Node("in", "input", 0, kind="end"),
    Node("1", "layer 1", 1, at={"layer": 1, "lag": 4}),
    Node("2", "layer 2", 2, at={"layer": 2}),
    Node("9", "layer 9", 3, at={"layer": 9}),
    Node("f", "forget gate", 3, 1, "gate", at={"gate": "forget"}),
]
FIGURE = diagram(
    partial(plot.figure, QUANTITIES),
    lambda ds: [Part(f"{name}", NODES, chain(NODES), str(name), "#d55e00") for name in ds["network"].values],
    COLOURS,
    question="Where?",
    shows="All.",
    cannot_show="More.",
    noun="layer",
)


@pytest.fixture
def run():
    dims = ("look", "network", "seed")
    numbers = np.random.default_rng(0)
    shape = (3, 2, 3)
    return xr.Dataset(
        {
            "norm": ((*dims, "layer"), numbers.uniform(0.01, 10, (*shape, 2))),
            "opening": ((*dims, "gate", "time"), numbers.uniform(0, 1, (*shape, 2, 5))),
            "radius": (dims, numbers.uniform(1, 2, shape)),
            "bias": ((*dims, "layer"), numbers.uniform(5, 6, (*shape, 2))),
            "fading": ((*dims, "lag"), numbers.uniform(-300, -200, (*shape, 5))),
            "loss": (("step", "network", "seed"), np.ones((6, 2, 3))),
        },
        coords={
            "look": [1, 3, 6],
            "step": range(1, 7),
            "network": ["a", "b"],
            "seed": [0, 1, 2],
            "layer": [1, 2],
            "gate": ["input", "forget"],
            "time": range(1, 6),
            "lag": range(5),
        },
        attrs={"step_dimension": "step"},
    )


def drawn(run, step):
    return {one["name"]: one for one in FIGURE.draw(run, epoch=step).layout.meta["diagram"]["colours"]}


def test_a_node_has_the_number_of_its_place_network_and_step(run):
    for step, look in ((1, 1), (2, 1), (3, 3), (6, 6)):
        norms = drawn(run, step)["norm"]
        assert norms["at"] == look
        for network in range(2):
            for layer in range(2):
                expected = run["norm"].sel(look=look).isel(network=network, layer=layer).median()
                assert norms["values"][5 * network + 1 + layer] == pytest.approx(float(expected), rel=1e-6)


def test_a_node_without_a_place_or_beyond_what_was_recorded_has_none(run):
    norms = drawn(run, 6)["norm"]["values"].reshape(2, 5)
    assert np.isnan(norms[:, [0, 3, 4]]).all()
    assert np.isfinite(norms[:, [1, 2]]).all()


def test_what_is_read_may_be_a_mean_and_the_first_reading_that_knows_a_node_counts(run):
    found = drawn(run, 6)
    opening = run["opening"].isel(look=-1).sel(gate="forget").mean("time").median("seed").values
    assert found["opening"]["values"].reshape(2, 5)[:, 4] == pytest.approx(opening, rel=1e-6)
    radius, bias = (run[name].isel(look=-1).median("seed").values for name in ("radius", "bias"))
    size = found["size"]["values"].reshape(2, 5)
    assert size[:, 2] == pytest.approx(radius, rel=1e-6)
    assert size[:, 1] == pytest.approx(bias[:, 0], rel=1e-6)


def test_limits_hold_for_the_whole_run_and_runs_side_by_side_share_them(run):
    first, last = (drawn(run, step)["norm"]["limits"] for step in (1, 6))
    assert first == last
    assert drawn(run, 6)["opening"]["limits"] == [0, 1]
    low, high = drawn(run, 6)["fading"]["limits"]
    shown = run["fading"].median("seed")
    assert low <= float(shown.min()) < float(shown.max()) <= high
    other = run.assign(norm=100 * run["norm"])
    shared = limits.shared_limits(QUANTITIES, [run, other])
    both = [FIGURE.draw(lane, limits=shared).layout.meta["diagram"]["colours"][0]["limits"] for lane in (run, other)]
    assert both[0] == both[1]
    assert both[0][1] > last[1]


def test_the_menu_has_what_the_run_recorded_alone(run):
    assert list(drawn(run, 6)) == ["norm", "opening", "size", "fading"]
    assert list(drawn(run.drop_vars(["opening", "radius"]), 6)) == ["norm", "size", "fading"]
    without = FIGURE.draw(run.drop_vars(["norm", "opening", "radius", "bias", "fading"]))
    assert "did not record norm" in without.layout["annotations"][0]["text"].replace("<br>", " ")


def test_the_figure_that_is_taken_away_shows_the_same_numbers(run):
    figure = FIGURE(run, epoch=3)
    boxes = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert len(boxes) == 10
    assert [figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax] == drawn(run, 3)["norm"]["limits"]
    said = [number for trace in figure.data if trace.customdata is not None for number in trace.customdata]
    assert said[1] == f"{drawn(run, 3)['norm']['values'][1]:.3g}"
    assert said[0] == "no number"
    assert "step 3" in " ".join(note.text for note in figure.layout.annotations)
    assert "diagram" not in json.dumps(figure.to_plotly_json()["layout"].get("meta") or {})


def test_a_name_from_a_person_is_shown_and_not_obeyed(run):
    run.attrs["title"] = "<b>mine</b>"
    figure = FIGURE(run)
    assert "&lt;b&gt;mine" in figure.layout.title.subtitle.text
