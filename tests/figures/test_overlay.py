"""Several runs in one figure."""

import json

import numpy as np
import pytest

from goldviz.figures.draft import Figure
from goldviz.figures.elements import mark_epochs
from goldviz.figures.overlay import COLOURS, MOST, overlay
from goldviz.figures.theme import NETWORKS
from goldviz.models.style import NetworkStyle
from goldviz.runs.examples import example
from tests.labs.small_runs import TRAINED


def notes_of(figure):
    return figure.layout.meta["notes"]


def test_each_run_has_a_colour_and_each_network_its_dash(build_run):
    figure = overlay([("one", build_run(seeds=3)), ("other", build_run(epochs=5))], "light").checked()
    assert [trace.name for trace in figure.data] == ["one: plain", "one: residual", "other: plain", "other: residual"]
    assert [trace.line.color for trace in figure.data] == [COLOURS[0]] * 2 + [COLOURS[1]] * 2
    assert [trace.line.dash for trace in figure.data] == [NETWORKS[name].dash for name in ("plain", "residual")] * 2
    assert len(figure.data[2].x) == 5


def test_a_network_has_its_laboratorys_look_and_one_of_its_own_where_nobody_knows_it(build_run):
    run = build_run().assign_coords(network=["layer", "mine"])
    own = {"layer": NetworkStyle("layer norm", "#123456", "longdash", "x")}
    figure = overlay([("one", run)], "light", own.__getitem__).checked()
    assert [trace.name for trace in figure.data] == ["one: layer norm", "one: mine"]
    assert figure.data[0].line.dash == "longdash"


@pytest.mark.parametrize("lab", TRAINED, ids=lambda lab: lab.name)
def test_every_laboratory_tells_its_networks_apart(lab):
    run = example(lab.declared, lab.declared.presets[0].slug)
    look_of = next(iter(lab.figures().FIGURES.values())).look_of
    lines = overlay([("one", run)], "light", look_of).data
    names = run["network"].values.tolist() if "network" in run.dims else []
    assert not {trace.name.removeprefix("one: ") for trace in lines} & {name for name in names if "_" in name}
    assert len({trace.line["dash"] for trace in lines}) == min(len(lines), len({look_of(n).dash for n in names}) or 1)


def test_a_title_with_a_colon_is_no_network(build_run):
    run = build_run()
    one = run.drop_vars([name for name in run if name != "loss"]).isel(network=0)
    figure = overlay([("gold: daily", one), ("gold: weekly", run)], "light").checked()
    assert [trace.name for trace in figure.data] == ["gold: daily", "gold: weekly: plain", "gold: weekly: residual"]


def test_it_draws_unseen_samples_where_they_were_looked_at_and_the_training_loss_where_not(build_run):
    new = build_run()
    old = new.drop_vars("evaluation_loss")
    figure = overlay([("new", new), ("old", old)], "dark")
    assert "On unseen samples where those were looked at, else in training." in notes_of(figure)
    assert "On unseen samples." in notes_of(overlay([("new", new)], "dark"))
    assert not any("samples" in note for note in notes_of(overlay([("old", old)], "dark")))
    for trace, values in zip(figure.data[::2], (new["evaluation_loss"], old["loss"]), strict=True):
        np.testing.assert_allclose(trace.y, values.sel(network="plain", seed=0))


def test_runs_without_a_loss_are_told_and_too_many_are_refused(build_run):
    run = build_run()
    figure = overlay([("none", run.drop_vars(["loss", "evaluation_loss"]))], "light")
    assert not figure.data
    with pytest.raises(ValueError, match=f"One figure holds {MOST} runs; 9 were given"):
        overlay([("run", run)] * 9, "light")


@pytest.mark.parametrize(("second", "worded"), [(4, ["a", "b"]), (3, ["a"])])
def test_words_of_changes_keep_apart_and_each_change_has_its_line(build_run, second, worded):
    run = build_run(epochs=25)
    run.attrs["marks"] = json.dumps([{"step": 1, "text": "a"}, {"step": second, "text": "b"}])
    figure = Figure().scatter(x=[1, 25], y=[0, 1])
    mark_epochs(figure, run, None, "light")
    checked = figure.checked()
    assert [line.x0 for line in checked.layout.shapes] == [1, second]
    assert [note.text for note in checked.layout.annotations] == worded
