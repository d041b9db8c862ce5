"""What marks draw are the numbers of their variables; axes, colours and captions say which."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.arrays.readings import Coordinate, Readings
from goldviz.declare.settings import Variable
from goldviz.figures import limits
from goldviz.figures.chart import (
    at,
    attribute,
    averaged,
    axis,
    bars,
    between,
    bound,
    changed,
    colours,
    curves,
    dots,
    figure,
    heat,
    here,
    lines,
    mean,
    median,
    offered,
    panel,
    rule,
    said,
    series,
    size,
    so_far,
    thin,
    thinned,
    where_recorded,
    words,
)

SIZES = {"network": 2, "place": 4, "other": 3, "head": 2}
VARIABLES = {
    "loss": Variable(("step", "network", "seed"), "the loss of a step", label="Loss", scale="log"),
    "share": Variable(("look", "network", "seed", "place"), "the share", label="Share right", scale="share"),
    "signal": Variable(("look", "network", "seed", "place"), "the signal", "mV", label="Signal", format=".2f"),
    "low": Variable(("look", "place"), "the lower end", label="Lower end"),
    "high": Variable(("look", "place"), "the upper end", label="Upper end"),
    "weight": Variable(("look", "head", "other", "place"), "the weights", label="Weight", scale="signed"),
    "count": Variable(("look", "head", "place"), "how many", label="Count", scale="zero"),
    "answer": Variable(("look", "network"), "the answer", label="Answer"),
}
COORDINATES = {
    "place": Coordinate("Place along it", "place %{x}", names={1: "first"}),
    "other": Coordinate("Other place", "other %{x}", linked="place"),
}
READINGS = Readings(VARIABLES, COORDINATES)


class Declared:
    """What a laboratory declares, as far as figures ask."""

    variables = VARIABLES
    coordinates = COORDINATES


def run(seeds=3, looks=4, numbers=None, scale=1.0):
    """A growing run: looks at steps 10, 20, ..., two networks, four places; ``numbers`` stand in the signal."""
    draw = np.random.default_rng(seeds)
    sizes = SIZES | {"look": looks, "step": 10 * looks, "seed": seeds}
    arrays = {
        name: (one.dims, scale * (0.1 + draw.random([sizes[dim] for dim in one.dims])))
        for name, one in VARIABLES.items()
    }
    arrays["high"] = (arrays["high"][0], arrays["low"][1] + arrays["high"][1])
    if numbers is not None:
        arrays["signal"] = (arrays["signal"][0], np.resize(numbers, arrays["signal"][1].shape))
    coords = {
        "look": 10 * np.arange(1, looks + 1),
        "step": np.arange(1, 10 * looks + 1),
        "network": ["rnn", "lstm"],
        "seed": range(seeds),
        "place": np.arange(1, 5),
        "other": np.arange(1, 4),
        "head": ["write", "read"],
    }
    attrs = {"status": "finished", "marks": "[]", "title": "", "step_dimension": "step", "longest": 3}
    return xr.Dataset(arrays, coords, attrs)


def fixed():
    """What a page without runs has computed: one look of a run, its steps being places."""
    return run(seeds=1).isel(look=-1, seed=0, drop=True).drop_dims("step")


def spec(*parts, without_runs=False, **how):
    """The one figure of these parts."""
    chart = figure("one", "What is it?", *parts, **how)
    return (bound(Declared, chart) if without_runs else offered(Declared, chart)[0])["one"]


def drawn(*parts, ds=None, step=None, view=None, **how):
    """Plotly's figure of these parts, of a growing run unless another dataset is given."""
    return spec(*parts, **how)(run() if ds is None else ds, **({} if step is None else {"epoch": step}), **(view or {}))


def still(*parts, **how):
    """Plotly's figure of these parts on a page without runs."""
    return spec(*parts, without_runs=True, **how)(fixed())


def named(figure, name):
    """The first trace that has this name."""
    return next(trace for trace in figure.data if trace.name == name)


def same(shown, values):
    """That these numbers are drawn: finite ones as they are, gaps in place of what has no place."""
    values = np.asarray(values, dtype=float)
    expected = np.where(np.isfinite(values), values, np.nan)
    np.testing.assert_allclose(np.array(shown, dtype=float), expected, rtol=1e-5, atol=1e-12)


NUMBER = st.one_of(st.floats(-1e6, 1e6, width=32), st.sampled_from([np.nan, np.inf, -np.inf, 0.0]))
NUMBERS = st.lists(NUMBER, min_size=3, max_size=40)
STEP = pytest.mark.parametrize("step", [10, 30, None])
SEEDS = pytest.mark.parametrize("seeds", [1, 3])


def shown_at(ds, step):
    """The look that is in view."""
    return ds.isel(look=-1) if step is None else ds.sel(look=step)


# -- marks -------------------------------------------------------------------------------------------------------


@SEEDS
@STEP
def test_curves_are_the_medians_of_the_seeds_at_the_step_in_view(seeds, step):
    ds = run(seeds)
    figure = drawn(curves("signal"), ds=ds, step=step)
    for network, label in (("rnn", "RNN"), ("lstm", "LSTM")):
        trace = named(figure, label)
        same(trace.y, shown_at(ds, step)["signal"].sel(network=network).median("seed"))
        same(trace.x, ds["place"])


@given(NUMBERS)
def test_curves_have_gaps_where_there_is_no_number(numbers):
    ds = run(1, looks=2, numbers=numbers)
    if not np.isfinite(ds["signal"].values).any():
        return
    figure = drawn(curves("signal"), ds=ds, step=10)
    same(named(figure, "LSTM").y, ds["signal"].sel(look=10, network="lstm", seed=0))


def test_curves_of_what_has_no_places_go_over_the_steps():
    ds = run()
    figure = drawn(curves("loss"), ds=ds)
    same(named(figure, "LSTM").y, ds["loss"].sel(network="lstm").median("seed"))
    same(named(figure, "LSTM").x, ds["step"])


def test_a_log_axis_has_no_place_for_what_is_not_above_zero():
    ds = run(1)
    ds["loss"][0], ds["loss"][1], ds["loss"][2] = 0.0, -1.0, np.inf
    shown = np.array(named(drawn(curves("loss"), ds=ds), "RNN").y, dtype=float)
    assert np.isnan(shown[:3]).all()
    same(shown[3:], ds["loss"].sel(network="rnn", seed=0)[3:])


@STEP
def test_a_thin_line_is_of_its_own_variable_and_has_its_words(step):
    ds = run()
    figure = drawn(curves("signal"), thin("share", "beside it"), ds=ds, step=step)
    thin_ones = [trace for trace in figure.data if trace.line.dash == "dot" and trace.line.width < 2]
    wanted = [shown_at(ds, step)["share"].sel(network=one).median("seed") for one in ("rnn", "lstm")]
    for values in wanted:
        assert any(np.allclose(trace.y, values, rtol=1e-5) for trace in thin_ones)
    assert any("beside it" in str(trace.name) for trace in figure.data)


@STEP
def test_lines_are_one_for_each_entry_in_its_own_look(step):
    ds = run()
    looks = (series("write", "it writes", "#112233"), series("read", "it reads", "text", "dash"))
    figure = drawn(lines("count", by="head", looks=looks), ds=ds, step=step)
    same(named(figure, "it writes").y, shown_at(ds, step)["count"].sel(head="write"))
    same(named(figure, "it reads").y, shown_at(ds, step)["count"].sel(head="read"))
    assert named(figure, "it writes").line.color == "#112233"
    assert named(figure, "it reads").line.dash == "dash"


def test_lines_over_another_channel_stand_at_its_numbers():
    ds = run()
    figure = drawn(lines("low", x="high", name="one", colour="accent"), ds=ds, step=20)
    same(named(figure, "one").x, ds["high"].sel(look=20))
    same(named(figure, "one").y, ds["low"].sel(look=20))


@STEP
def test_dots_have_their_intervals_ends_and_numbers_in_words(step):
    ds = run()
    figure = drawn(dots("low", name="here", ends=("low", "high"), text=".2f"), ds=ds, step=step)
    now, trace = shown_at(ds, step), named(figure, "here")
    same(trace.y, now["low"])
    same(trace.error_y.array, now["high"] - now["low"])
    same(trace.error_y.arrayminus, 0 * now["low"])
    assert list(trace.text) == [f"{value:.2f}" for value in now["low"].values]


def test_dots_in_rows_have_the_first_network_on_top():
    ds = run()
    figure = drawn(dots("answer", rows="network"), ds=ds, step=30)
    for network, label, place in (("rnn", "RNN", 1), ("lstm", "LSTM", 0)):
        same(named(figure, label).x, [ds["answer"].sel(look=30, network=network)])
        same(named(figure, label).y, [place])
    assert list(figure.layout.yaxis.ticktext) == ["LSTM", "RNN"]


@STEP
def test_bars_stand_at_their_numbers(step):
    ds = run()
    figure = drawn(bars(at("count", head="read"), name="read"), bars("low", name="low"), ds=ds, step=step)
    same(named(figure, "read").y, shown_at(ds, step)["count"].sel(head="read"))
    same(named(figure, "low").y, shown_at(ds, step)["low"])


def test_bars_that_lie_have_their_numbers_along_x():
    ds = run()
    figure = drawn(bars("low", rows="place", name="lying"), ds=ds, step=40)
    assert named(figure, "lying").orientation == "h"
    same(named(figure, "lying").x, ds["low"].sel(look=40))
    same(named(figure, "lying").y, ds["place"])


@given(NUMBERS, st.sampled_from([10, 20]))
def test_a_map_holds_every_number_at_its_place(numbers, step):
    ds = run(1, looks=2)
    ds["weight"] = ds["weight"].copy(data=np.resize(numbers, ds["weight"].shape))
    if not np.isfinite(ds["weight"].values).any():
        return
    figure = drawn(heat(at("weight", head="read"), "place", "other"), colour=colours(ends=(0, 1)), ds=ds, step=step)
    same(figure.data[0].z, ds["weight"].sel(look=step, head="read").transpose("other", "place"))
    same(figure.data[0].x, ds["place"])
    same(figure.data[0].y, ds["other"])


@STEP
def test_a_fill_lies_between_its_two_channels(step):
    ds = run()
    figure = drawn(between("low", "high"), lines("low", name="edge"), ds=ds, step=step)
    now = shown_at(ds, step)
    edges = [np.array(trace.y, dtype=float) for trace in figure.data if trace.name != "edge"]
    shown = np.concatenate(edges)
    assert {*np.round(shown, 5)} == {*np.round(np.concatenate([now["low"], now["high"]]), 5)}


def test_a_rule_stands_at_its_place_and_nowhere_where_that_is_unknown():
    figure = drawn(curves("signal"), rule(x=attribute("longest", -0.5)), rule(x=size("other"), dash="dash"))
    assert [(one.x0, one.line.dash) for one in figure.layout.shapes] == [(2.5, "dot"), (3, "dash")]
    assert not drawn(curves("signal"), rule(x=attribute("unheard"))).layout.shapes


def test_a_rule_across_has_its_words():
    figure = drawn(curves("signal"), rule(y=0.5, words="one half"))
    assert any("one half" in note.text for note in figure.layout.annotations)
    assert any(0.5 in (one.y0, one.y1) for one in figure.layout.shapes) or any(
        trace.y is not None and set(trace.y) == {0.5} for trace in figure.data
    )


def test_a_cursor_stands_where_the_page_looks_else_where_the_run_says():
    told = spec(curves("signal"), here("place", "longest"), looks_at={"place": None})
    assert {one.x0 for one in told(run()).layout.shapes} == {3}
    assert {one.x0 for one in told(run(), place=2).layout.shapes} == {2}


def test_words_stand_in_their_panel():
    figure = drawn(
        panel(curves("signal")), panel(curves("share"), words(lambda plot: f"{plot.ds.sizes['seed']} seeds"))
    )
    note = next(one for one in figure.layout.annotations if one.text == "3 seeds")
    assert (note.xref, note.yref) == ("x2 domain", "y2 domain")


# -- channels ----------------------------------------------------------------------------------------------------


def test_channels_are_changed_averaged_over_what_they_say():
    ds = run()
    ds["signal"][1, 1, 1, 1] = np.inf
    known = ds["signal"].where(np.isfinite(ds["signal"])).sel(look=20, network="lstm")
    for of, values in (
        (changed(at("signal", network="lstm", seed=0), lambda one: 2 * one), 2 * known.sel(seed=0)),
        (median(at("signal", network="lstm")), known.median("seed")),
        (mean(at("signal", network="lstm")), known.mean("seed")),
    ):
        same(named(drawn(lines(of, name="one"), ds=ds, step=20), "one").y, values)


def test_what_is_so_far_is_the_mean_up_to_the_step_in_view():
    ds = run()
    ds["low"][0, 0] = np.nan
    same(
        named(drawn(lines(so_far("low"), name="one"), ds=ds, step=30), "one").y,
        ds["low"].sel(look=slice(30)).mean("look"),
    )


def test_many_steps_are_averaged_or_thinned_and_the_figure_says_so():
    ds = run(1, looks=160)
    means = drawn(curves(averaged("loss")), ds=ds)
    windows = ds["loss"].sel(network="rnn", seed=0).values.reshape(-1, 4).mean(1)
    same(named(means, "RNN").y, windows)
    assert "Means of 4 steps" in means.layout.title.subtitle.text + means.layout.title.text
    ds = run(1)
    some = drawn(curves(thinned("loss", 10)), ds=ds)
    same(named(some, "RNN").y, ds["loss"].sel(network="rnn", seed=0)[3::4])
    assert "Every 4th step" in some.layout.title.subtitle.text + some.layout.title.text


# -- axes, panels, colours, limits -------------------------------------------------------------------------------


def test_axes_say_label_and_unit_and_places_have_names():
    layout = drawn(curves("signal")).layout
    assert layout.yaxis.title.text == "Signal (mV)"
    assert layout.xaxis.title.text == "Place along it"
    assert layout.xaxis.ticktext[0] == "first"
    assert spec(curves("signal")).draw(run()).layout.meta["linked"]["x"] == "place"


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("share", lambda ax, _: ax.tickformat == ".0%" and ax.range == pytest.approx((-0.05, 1.05))),
        ("loss", lambda ax, _: ax.type == "log"),
        ("count", lambda ax, _: ax.range[0] <= 0),
        ("signal", lambda ax, ds: ax.range[0] < ds["signal"].min() and ax.range[1] > ds["signal"].max()),
    ],
)
def test_axes_run_as_their_variable_says(name, holds):
    ds = run()
    mark = lines(name, by="head", over="place") if name == "count" else curves(name)
    assert holds(drawn(mark, ds=ds).layout.yaxis, ds)


def test_what_an_axis_is_told_comes_before_what_its_variable_says():
    layout = drawn(curves("signal"), y=axis("Own words", "low", "high", scale="signed", nticks=3)).layout
    assert (layout.yaxis.title.text, layout.yaxis.nticks) == ("Own words", 3)
    assert layout.yaxis.range[0] == -layout.yaxis.range[1]


def test_panels_have_headings_heights_and_their_own_axes():
    ds = run()
    figure = drawn(panel(curves("signal"), height=2), panel(curves("share"), heading="Own heading"), ds=ds)
    texts = [note.text for note in figure.layout.annotations]
    assert any("Signal" in text for text in texts)
    assert any("Own heading" in text for text in texts)
    upper, lower = (np.ptp(one.domain) for one in (figure.layout.yaxis, figure.layout.yaxis2))
    assert upper == pytest.approx(2 * lower)
    below = next(trace for trace in figure.data if trace.yaxis == "y2" and trace.name == "RNN")
    same(below.y, ds["share"].isel(look=-1).sel(network="rnn").median("seed"))


@pytest.mark.parametrize("scale", ["sequential", "signed"])
def test_the_colour_scale_holds_every_number_and_a_signed_one_has_zero_in_the_middle(scale):
    ds = run()
    figure = drawn(heat(at("weight", head="read"), "place", "other"), colour=colours("It", scale=scale), ds=ds)
    ends = figure.layout.coloraxis
    assert ends.cmin <= (-ds["weight"].max() if scale == "signed" else ds["weight"].min())
    assert ends.cmax >= ds["weight"].max()
    assert (ends.cmin == -ends.cmax) == (scale == "signed")
    assert any(note.text == "It" for note in figure.layout.annotations)


@pytest.mark.parametrize("mark", [curves("signal"), lines("low"), bars(at("count", head="read")), dots("low")])
def test_lanes_share_the_limits_that_hold_what_both_draw(mark):
    figures, shared_limits = offered(Declared, figure("one", "What is it?", mark))
    lanes = [run(1), run(3, scale=7.0)]
    shared = shared_limits(lanes)
    alone, *together = figures["one"](lanes[0]), *(figures["one"](lane, limits=shared) for lane in lanes)
    assert together[0].layout.yaxis.range == together[1].layout.yaxis.range
    assert alone.layout.yaxis.range != together[0].layout.yaxis.range
    for one in together:
        low, high = one.layout.yaxis.range
        assert all(low <= value <= high for trace in one.data if trace.y is not None for value in trace.y)


def test_limits_hold_every_variable_of_their_axis():
    ds = run()
    ds["high"] += 50
    low, high = drawn(lines("low"), lines("high"), ds=ds).layout.yaxis.range
    assert low < ds["low"].min()
    assert high > ds["high"].max()


def test_limits_are_of_the_whole_run_and_not_of_the_step_in_view():
    assert drawn(curves("signal"), step=10).layout.yaxis.range == drawn(curves("signal"), step=40).layout.yaxis.range


# -- pages without runs, what is missing -------------------------------------------------------------------------


def test_a_page_without_runs_draws_everything_as_it_is():
    ds = fixed()
    same(named(still(lines("low", name="one")), "one").y, ds["low"])
    same(named(still(curves("signal")), "RNN").y, ds["signal"].sel(network="rnn"))
    same(
        still(heat(at("weight", head="read"), "place", "other"), colour=colours()).data[0].z,
        ds["weight"].sel(head="read"),
    )


def test_what_a_run_did_not_record_is_said_in_the_figures_place():
    told = spec(curves("signal"), thin("share", "beside"))
    assert told.needs == ("signal", "share")
    empty = told(run().drop_vars("share"))
    assert not empty.data
    assert "did not record share" in empty.layout.annotations[0].text


def test_marks_of_what_only_some_runs_record_are_left_out():
    told = spec(curves("signal"), where_recorded(lines("low", name="one")), y=axis(None, "signal", "low"))
    assert named(told(run()), "one")
    assert not any(trace.name == "one" for trace in told(run().drop_vars("low")).data)


def test_a_function_of_the_plot_gives_marks_of_the_place_that_is_looked_at():
    ds = run()
    told = spec(
        lambda plot, head: [lines(at("count", head=head), name=head)],
        needs=("count",),
        looks_at={"head": "read"},
        y=axis(None, "count", scale="zero"),
    )
    same(named(told(ds), "read").y, ds["count"].isel(look=-1).sel(head="read"))
    same(named(told(ds, head="write"), "write").y, ds["count"].isel(look=-1).sel(head="write"))


# -- captions ----------------------------------------------------------------------------------------------------

MARKS = {
    "signal": curves("signal"),
    "share": curves("share"),
    "low": lines("low"),
    "high": dots("high"),
    "count": bars("count", by="head", over="place"),
}


@given(st.lists(st.sampled_from(sorted(MARKS)), min_size=1, unique=True), st.booleans(), st.booleans())
def test_the_computed_caption_names_every_variable_and_every_line_with_words(names, panels, ruled):
    marks = [panel(MARKS[name]) if panels else MARKS[name] for name in names]
    rules = [rule(x=2, words="longest learned"), rule(x=3, words="all cells", dash="dash"), rule(x=4)] if ruled else []
    told = said(figure("one", "What is it?", *marks, *rules), READINGS)
    for name in names:
        assert (VARIABLES[name].label if len(names) > 1 else VARIABLES[name].long_name).lower() in told.lower()
    for name in {*MARKS} - {*names}:
        assert VARIABLES[name].label.lower() not in told.lower()
    assert ("Dotted: longest learned." in told, "Dashed: all cells." in told) == (ruled, ruled)
    assert "by place along it" in told
    assert told.endswith(".")


def test_the_computed_caption_says_what_it_goes_over():
    def of(*marks):
        return said(figure("one", "What is it?", *marks), READINGS)

    assert of(curves("loss")) == "The loss of a step, over training."
    assert of(curves("signal"), thin("share", "beside it")) == "The signal, by place along it. Dotted: beside it."
    assert of(heat("weight", "place", "other")) == "The weights, by place along it (column) and other place (row)."
    assert of(dots("answer", rows="network")) == "The answer, by network."
    assert of(lines("low", x="high")) == "The lower end, against upper end."


def test_the_computed_caption_says_what_panels_lines_and_colours_are():
    def of(*marks, **how):
        return said(figure("one", "What is it?", *marks, **how), READINGS)

    looks = (series("write", "writes", "accent"), series("read", "reads", "text", "dash"))
    assert of(lines("count", by="head", looks=looks)) == "How many, by place along it: writes and reads (dashed)."
    assert of(panel(curves("signal"), heading="Now"), panel(curves("share"), heading="Before"), y=axis("Size")) == (
        "Size, by place along it: now and before."
    )
    assert of(heat("weight", "place", "place"), colour=colours(scale="signed")) == (
        "The weights, of one place along it and another. Red: above 0, blue: below."
    )
    assert of(lambda plot: [], over="place", y=axis("Size")) == "Size, by place along it."
    needed = of(lambda plot: [], needs=("signal", "share"), x=axis("LSTM steps"))
    assert needed == "Signal and share right, by LSTM steps."


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        ("the error, so many places on (of test windows); first seed", "The error, so many places on"),
        ("the same of another", "The error"),
        ("||h_t||", "The error"),
        ("a " * 20, "The error"),
    ],
)
def test_a_variable_alone_is_told_in_full_where_its_words_can_be_read_aloud(words, subject):
    own = Readings({"it": Variable(("look", "place"), words, label="The error")}, COORDINATES)
    over = "" if "places" in subject else ", by place along it"
    assert said(figure("one", "What is it?", lines("it")), own) == f"{subject}{over}."


def test_a_line_that_is_within_is_left_out_where_the_axis_does_not_reach_it():
    figure = spec(curves("loss"), rule(y=1e9, within=True), rule(y=0.5, within=True))(run())
    assert [shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1] == [0.5]


def test_a_function_in_a_panel_gives_marks_of_the_run():
    beside = panel(curves("signal"), lambda plot: [rule(y=plot.ds.sizes["place"])], where_recorded(curves("absent")))
    figure = spec(beside, panel(curves("low")))(run())
    assert [(shape.y0, shape.yref) for shape in figure.layout.shapes] == [(4, "y")]


@pytest.mark.parametrize("least", [0.0, 1e9])
def test_a_function_gives_the_colours_of_the_run_or_none(least):
    def scale(plot):
        return colours("Size", ends=(0.0, 1.0)) if float(plot.ds["count"].max()) > least else None

    figure = spec(heat("count", "place", "head"), colour=scale)(run())
    assert (figure.layout.coloraxis.cmax == 1.0) == (least == 0)


def test_own_words_come_before_computed_ones():
    told = "The loss of a step, over training."
    assert (spec(curves("loss")).shows, spec(curves("loss")).computed) == (told, told)
    assert (spec(curves("loss"), shows="Own.").shows, spec(curves("loss"), shows="Own.").computed) == ("Own.", "")
    assert (spec(curves("loss"), also="So.").shows, spec(curves("loss"), also="So.").computed) == (f"{told} So.", told)


def test_lanes_know_each_limit_once():
    _, shared_limits = offered(
        Declared, figure("one", "One?", curves("signal")), figure("two", "Two?", curves("signal"), lines("low"))
    )
    told = shared_limits([run()])
    assert (
        told["signal, linear"]
        == limits.shared_limits({"it": limits.Quantity(limits.values_of("signal"), limits.padded)}, [run()])["it"]
    )
    assert "signal + low, linear" in told
