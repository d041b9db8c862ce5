"""Which coordinate the axes of a figure are of, for pages that mark a place of one figure in the others."""

import re

import numpy as np
import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.figures import elements
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Scatter
from goldviz.labs.depth_gradients.figures import FIGURES
from goldviz.runs.examples import example
from tests.labs.small_runs import REPRESENTED

OVER_LAYERS = {
    "gradient_by_layer": "x",
    "gradient_heat_map": "y",
    "decay_rate": "x",
    "gradient_factor": "x",
    "state_change": "x",
    "activations": "x",
    "activation_distribution": "y",
    "hidden_gradient_distribution": "y",
    "weight_gradient_distribution": "y",
}
OVER_EPOCHS = ("gradient_heat_map", "loss", "headroom", "update_to_data", "gradient_to_data")


def axes(figure, letter):
    """Ids of a figure's x or y axes."""
    return {key.replace("axis", "") for key in figure.layout if re.fullmatch(rf"{letter}axis\d*", key)}


@pytest.mark.parametrize("name", [name for name, spec in FIGURES.items() if not spec.canvas])
def test_figures_of_depth_link_their_layers_and_their_epochs(run, name):
    figure, expected = FIGURES[name].draw(run, epoch=7), {}
    if name in OVER_LAYERS:
        expected = dict.fromkeys(axes(figure, OVER_LAYERS[name]), "layer")
    if name in OVER_EPOCHS:
        expected |= dict.fromkeys(axes(figure, "x"), "epoch")
    if name == "loss_by_depth":
        expected = {"x": "trained_depth"}
    assert expected
    assert figure.layout.meta["linked"] == expected
    assert FIGURES[name].frames(run).layout.meta["linked"] == expected


@REPRESENTED
def test_what_is_linked_is_an_axis(lab: Laboratory) -> None:
    run = example(lab.declared, lab.declared.presets[0].slug)
    linked = {}
    for name, spec in lab.figures().FIGURES.items():
        figure = spec.draw(run)
        linked[name] = (figure.layout.meta or {}).get("linked", {})
        assert linked[name].keys() <= axes(figure, "x") | axes(figure, "y"), name
    over_training = [name for name, links in linked.items() if run.attrs["step_dimension"] in links.values()]
    assert over_training


@pytest.mark.parametrize(
    ("name", "coordinate", "figures"),
    [
        ("lstm-valves", "step", {"split", "valves", "gates"}),
        ("jacobian-lens", "lag", {"lag", "singular_values"}),
        ("jacobian-lens", "step", {"map", "passed"}),
    ],
)
def test_instant_pages_link_what_stands_together(name: str, coordinate: str, figures: set[str]) -> None:
    lab = laboratories()[name]
    ds = lab.declared().compute()
    for one in figures:
        linked = lab.figures().FIGURES[one].draw(ds).layout.meta["linked"]
        assert coordinate in linked.values(), one


def test_links_and_notes_are_for_pages_alone(run):
    page, notebook = FIGURES["gradient_by_layer"].draw(run), FIGURES["gradient_by_layer"](run)
    assert page.layout.meta.keys() == {"notes", "linked"}
    assert notebook.layout.meta is None
    assert "Largest norm" in notebook.layout.title.subtitle.text
    assert "linked" not in notebook.to_json()
    without = FIGURES["gradient_by_layer"].draw(run)
    del without.layout.meta["linked"]
    assert without.checked().to_json() == notebook.to_json()


def test_one_panel_can_be_of_another_coordinate_than_the_rest():
    figure = elements.panels(["One", "Other"], "light")
    look.apply(figure, "light", title="Two counts of steps")
    elements.link(figure, "x", "step")
    elements.link(figure, "x", "tone_step", panel=2)
    assert figure.layout.meta == {"linked": {"x": "step", "x2": "tone_step"}}


def test_a_figure_without_words_on_its_axes_is_linked_too():
    figure = Figure(Scatter(x=np.arange(3), y=np.arange(3)))
    elements.link(figure, "x", "lag")
    assert figure.layout.meta == {"linked": {"x": "lag"}}
