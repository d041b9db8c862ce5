"""What training does step by step, of any run that recorded it: loss, right answers, gradient, clipping, rate."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings import percent
from goldviz.diagnostics.headroom import LARGEST, SMALLEST
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import legend_above_headings, power
from goldviz.figures.figure_value import Chart, Panel, axis, colours, figure, marked, panel, where_recorded
from goldviz.figures.frames import Words, line
from goldviz.figures.kind_figure import chart_of_kinds, of_kinds
from goldviz.figures.limits import Quantity, decades, log10, log_of, padded, values_of
from goldviz.figures.market import legend_under
from goldviz.figures.marks import at, averaged, curves, heat, rule, thin, thinned
from goldviz.figures.plot import Plot
from goldviz.figures.reading import MOST_CELLS, MOST_COLUMNS, finite, growing, positive, setting_of
from goldviz.figures.reading import averaged as averaged_over
from goldviz.figures.smoothed import behind, smoothed_curves
from goldviz.models.style import NetworkStyle

LOSSES = ("training_loss", "evaluation_loss", "test_loss", "baseline_loss")
NORMS = ("gradient_norm", "clipped_gradient_norm")
CLIPPING_WINDOWS = 20
"""Windows over a run in which clipped steps are counted: a single step is either clipped or not."""
NORM_WINDOWS = 100
"""Windows over a run for the gradient's norm, which jumps too much from step to step to compare networks by."""
USUAL_CLIP = 1.0
"""The norm at which networks are mostly clipped; the line of a run that clips nothing."""
ROUNDING = 1e-6
"""Share of a norm by which two that are equal may differ."""
MOST_BESIDE = 3
"""Networks whose names have room beside the title on a phone."""
NAMES_WITH_ROOM: dict[str, Any] = {
    "legend": lambda plot: "under" if len(plot.networks) > MOST_BESIDE else "above",
    "legend_lines": lambda plot: len(plot.networks) - 1,
}
"""The legend of a chart: under the axis where its networks are more than a few."""
RATE = NetworkStyle("learning rate", "#838383", "solid", "circle")


def step_quantities(kinds: ByKind) -> dict[str, Quantity]:
    """What the figures here have limits for."""
    quantities = {}
    if "training_loss" in kinds:
        quantities[kinds["training_loss"]] = Quantity(values_of(*kinds.every(*LOSSES)))
    if "evaluated_training_loss" in kinds and "evaluation_loss" in kinds:
        both = kinds.every("evaluated_training_loss", "evaluation_loss")
        quantities[kinds["evaluation_loss"]] = Quantity(values_of(*both), padded)
    if "gradient_norm" in kinds:
        quantities[kinds["gradient_norm"]] = Quantity(log_of(*kinds.every(*NORMS)), decades)
    if "headroom" in kinds:
        quantities[kinds["headroom"]] = Quantity(lambda ds: _headroom_logs(ds, kinds["headroom"]), decades)
    return quantities


def _losses(kinds: ByKind) -> str:
    """Which losses stand beside that of training."""
    parts = [
        *(["the loss on unseen data"] if kinds.every("evaluation_loss", "test_loss") else []),
        *(["that of simple answers"] if "baseline_loss" in kinds else []),
    ]
    return f"The training loss{', beside ' if parts else ''}{' and '.join(parts)}."


@of_kinds(
    "Do the networks learn?",
    "training_loss",
    shows=_losses,
)
def loss(plot: Plot) -> Figure:
    """Training loss over the steps, smoothed without looking ahead; losses of answers that need no network as lines.

    Where a loss was recorded of what is not learned from, it is the curve, and the training loss stands thin behind it.
    """
    kinds = plot.kinds
    notes: list[Words]
    evaluation = kinds.get("evaluation_loss")
    if evaluation and not plot.lacks(evaluation):
        plot.curves(finite(plot.thinned(evaluation)), hover="%{y:.4f}")
        behind(plot, finite(plot.ds[kinds["training_loss"]]))
        notes, title = ["Thin: training loss."], "Loss on unseen data"
    else:
        test_note = plot.test_losses(kinds["test_loss"]) if "test_loss" in kinds else ""
        notes, title = [smoothed_curves(plot, kinds["training_loss"]), test_note], "Loss"
    plot.step_grid()
    plot.loss_axis(kinds["training_loss"], title)
    for name in kinds.every("baseline_loss"):
        if not plot.lacks(name):
            value = float(finite(plot.ds[name]).median())
            plot.reference(value, f"{kinds.labels[name]}: {value:.3f}")
    return with_room_for_names(plot, plot.finish(*notes, plot.drawn()))


def with_room_for_names(plot: Plot, figure: Figure) -> Figure:
    """The figure with its legend under the axis where its networks are more than a few."""
    if len(plot.networks) > MOST_BESIDE:
        legend_under(figure, lines=len(plot.networks) - 1, axis=50)
    return figure


@of_kinds(
    "Does it learn rules, or samples by heart?",
    "evaluated_training_loss",
    "evaluation_loss",
    title="Rules, or samples by heart?",
    shows="Loss on what is learned (dotted) and on what is not.",
)
def generalisation(plot: Plot) -> Figure:
    """Loss on what is not learned and, dotted, on what is: where they part, samples are learned by heart."""
    training, evaluation = plot.kinds["evaluated_training_loss"], plot.kinds["evaluation_loss"]
    unit = str(plot.ds[evaluation].attrs.get("units", "1")).removeprefix("1")
    plot.curves(finite(plot.ds[evaluation]), hover=f"not learned %{{y:.4f}} {unit}")
    plot.lines(finite(plot.ds[training]), "learned", hover=f"learned %{{y:.4f}} {unit}")
    plot.step_grid()
    plot.loss_axis(evaluation, f"Loss ({unit})" if unit else "Loss")
    baselines_on_axis(plot, evaluation, digits=3)
    gap = finite(plot.now[evaluation] - plot.now[training]).median("seed")
    label = plot.kinds.labels[evaluation].capitalize()
    apart = plot.each(gap, lambda more: f"{more:+.3f} {unit}".rstrip(), within=f"{label} less training, {{}}.")
    return plot.finish(apart, "Dotted: learned.", plot.drawn())


def baselines_on_axis(plot: Plot, axis: str, digits: int) -> None:
    """Lines for the losses of answers that need no network, of those that lie on an axis of losses."""
    lowest, highest = plot.limit(axis)
    for name in plot.kinds.every("baseline_loss"):
        value = np.nan if plot.lacks(name) else float(finite(plot.ds[name]).median())
        if lowest <= value <= highest:
            plot.reference(value, f"{plot.kinds.labels[name]}: {value:.{digits}f}", x=1)


@chart_of_kinds("How often is the answer right?", "accuracy", shows="The share of right answers at each step.")
def accuracy(kinds: ByKind) -> Chart:
    """Share of right answers over the steps."""
    shares = axis("Share right", scale="free", range=(-0.03, 1.03), tickformat=".0%")
    return marked(curves(averaged(kinds["accuracy"]), hover="%{y:.1%}"), y=shares)


@chart_of_kinds(
    "How long is the gradient?",
    "gradient_norm",
    unless=("clipped",),
    shows="The length of the whole gradient before clipping.",
)
def gradient_norm(kinds: ByKind) -> Chart:
    """Norm of the whole gradient before clipping, on a log axis, with the line at which it is cut (document 003).

    Spikes come with a loss that has become steep: a small change of the weights changes many answers.
    """
    name, after = kinds["gradient_norm"], kinds.get("clipped_gradient_norm")
    dotted = [thin(averaged(after, NORM_WINDOWS), "after", hover="after %{y:.3~g}")] if after else []
    return marked(
        curves(averaged(name, NORM_WINDOWS), hover="%{y:.3~g}"),
        where_recorded(*dotted),
        rule(y=partial(_clip_in_view, name=name), words=lambda plot: f"clipped at {clip_of(plot.ds):.3g}"),
        y=axis("Norm of the whole gradient", *kinds.every(*NORMS), scale="log"),
        notes=(lambda plot: _shares_cut(plot, name, after) if after and not plot.lacks(after) else "",),
        **NAMES_WITH_ROOM,
    )


def _clip_in_view(plot: Plot, name: str) -> float | None:
    clip, (low, high) = clip_of(plot.ds), plot.limit(name)
    return float(clip) if clip and low < np.log10(clip) < high else None


def clip_of(ds: Run) -> float | None:
    """The norm at which a run's settings clip, 0 for none; None where they do not say."""
    clip: float | None = setting_of(ds, "clip")
    return clip


def _shares_cut(plot: Plot, before: str, after: str) -> Words:
    """The share of each network's steps whose norm clipping made smaller."""
    cut = plot.ds[after] < plot.ds[before] * (1 - ROUNDING)
    shares = plot.each(cut.mean([str(growing(cut)), "seed"]), percent, within="Steps clipped: {}.")
    return line("Dotted: after clipping.", shares)


@of_kinds(
    "Does clipping step in?",
    "gradient_norm",
    "clipped",
    shows="The gradient's length before and after clipping.",
)
def clipping(plot: Plot) -> Figure:
    """Norm of the whole gradient before and after clipping, and the share of steps that were clipped (document 003).

    Clipping shortens a gradient and keeps its direction. Now and then is a safety belt; at nearly every step it is
    the clip value, not the gradient, that sets the size of the steps.
    """
    before, after, share = (plot.kinds.get(kind) for kind in ("gradient_norm", "clipped_gradient_norm", "clipped"))
    plot.panels(["Norm of the whole gradient", "Share of steps clipped"])
    plot.curves(positive(plot.averaged(before, most=NORM_WINDOWS)), hover="before %{y:.3~g}", row=1)
    has_after = bool(after) and not plot.lacks(after)
    if has_after:
        norms, _ = averaged_over(plot.ds[after], str(growing(plot.ds[after])), most=NORM_WINDOWS)
        plot.lines(positive(norms), "after", hover="after %{y:.3~g}", row=1)
    steps = str(growing(plot.ds[share]))
    shares, _ = averaged_over(plot.ds[share], steps, most=CLIPPING_WINDOWS)
    plot.curves(shares, hover="%{y:.0%}", row=2)
    plot.figure.update_yaxes(title_text="Share", range=(-0.05, 1.05), tickformat=".0%", row=2)
    plot.step_grid()
    plot.log_axis(before, "Norm", row=1)
    if has_after:
        _add_clip_value(plot, before, after, share)
    dot_note = "Dotted: after clipping." if has_after else ""
    return legend_above_headings(plot.finish(dot_note, plot.drawn(), height=560))


def _add_clip_value(plot: Plot, before: str, after: str, share: str) -> None:
    """A line at the norm that the last clipped step so far was cut to, from the first such step on; where a run is not
    to be clipped, at the usual one."""
    cut = positive(plot.ds[after]).where(plot.ds[share] > 0).median(["network", "seed"])
    if not bool(cut.notnull().any()):
        low, high = plot.limit(before)
        if clip_of(plot.ds) == 0 and low <= np.log10(USUAL_CLIP) < high:
            plot.reference(USUAL_CLIP, f"not clipped; {USUAL_CLIP:.0f} is usual", every_panel=False)
        return
    last = np.maximum.accumulate(np.where(cut.notnull(), np.arange(cut.size), 0))
    so_far = plot.at_step(cut.astype(np.float64)[last[plot.places[str(growing(cut))]]])
    words = so_far.map(lambda norm: f"clipped at {norm:.3g}" if norm > 0 else "")
    plot.reference(so_far, words, every_panel=False)


@chart_of_kinds("How large may the steps be?", "learning_rate", shows="The learning rate of every step.")
def learning_rate(kinds: ByKind) -> Chart:
    """Learning rate over the steps, with its warm-up and its decay."""
    rates = curves(thinned(kinds["learning_rate"]), style=RATE, hover="%{y:.2e}", legend=False)
    return marked(rates, y=axis("Learning rate", scale="zero"), seeds=False, legend="none")


@of_kinds(
    "How much larger could the learning rate be?",
    "headroom",
    title="How much larger could the rate be?",
    shows="How many times as long a step could be, from 1/8 to 16, before its batch's loss rises.",
)
def headroom(plot: Plot) -> Figure:
    """How many times larger the rate could be, along steps of training (critical sharpness, arXiv 2601.16979).

    Gradient descent is stable below 2 over the sharpness. There its loss is as high as before the step, at 1 here.
    """
    name = plot.kinds["headroom"]
    plot.curves(positive(plot.ds[name]), hover="%{y:.2f} times")
    ends = [
        (
            np.isnan(plot.ds[name].values),
            SMALLEST,
            "▽ not even an eighth of the step lowers the loss.",
            "triangle-down",
        ),
        (plot.ds[name].values >= LARGEST, LARGEST, f"△ {LARGEST:.0f} or more: the gauge ends there.", "triangle-up"),
    ]
    for there, end, words, symbol in ends:
        _mark_ends(plot, plot.ds[name].copy(data=there.astype(float)), end, words, f"{symbol}-open")
    plot.step_grid()
    plot.log_axis(name, "Times the rate")
    plot.reference(1, "1: at the edge")
    said = [words for there, _, words, _ in ends if there.any()]
    return plot.finish("Below 1 a step raises the loss of its batch.", *said, plot.drawn())


def norm_map(name: str, question: str, of: str, up: str, *, hover: str, words: str, **how: Any) -> Chart:
    """Logarithms of a variable over training as colours, a panel for each network; grey where there are none.

    ``up`` is the dimension that goes upwards; ``words`` stand over the colour bar, with its ends.
    """

    def norms(plot: Plot) -> Array:
        most = min(MOST_COLUMNS, max(1, MOST_CELLS // plot.ds.sizes[up]))
        return log10(plot.thinned(of, most)).median("seed")

    def maps(plot: Plot) -> list[Panel]:
        values, step = plot.once(norms), str(growing(plot.ds[of]))
        hovers = {one: f"{hover}<extra>{plot.look_of(one).label}</extra>" for one in plot.networks}
        return [
            panel(heat(at(lambda _: values, network=one), step, up, hover=told, more={"hoverongaps": False}), of=one)
            for one, told in hovers.items()
        ]

    def has_gaps(plot: Plot) -> bool:
        return bool(plot.once(norms).isnull().any())

    def title(plot: Plot) -> str:
        low, high = plot.limit(of)
        return f"{words}, from {power(low)} to {power(high)}"

    return figure(
        name,
        question,
        maps,
        colour=colours(title, ends=lambda plot: plot.limit(of), powers=True),
        lead=lambda plot: "Grey: exactly 0, or not a finite number." if has_gaps(plot) else "",
        layout=lambda plot: {"plot_bgcolor": plot.ink.gap if has_gaps(plot) else None},
        seeds=True,
        **how,
    )


def _headroom_logs(ds: Run, name: str) -> np.ndarray:
    """Its logarithms, the edge of stability, and the gauge's lower end where a look lies below it."""
    below = name in ds and np.isnan(ds[name].values).any()
    return np.append(log_of(name)(ds), [0.0, np.log10(SMALLEST) if below else 0.0])


def _mark_ends(plot: Plot, there: Array, end: float, words: str, symbol: str) -> None:
    """A marker at an end of the gauge for each look at which a seed of a network lies beyond it."""
    for network in plot.networks:
        some = there.sel(network=network).max("seed")
        looks = some[str(some.dims[0])].values[some.values > 0]
        if looks.size:
            marker = {"symbol": symbol, "size": 9, "color": plot.look_of(network).colour, "line": {"width": 1.5}}
            plot.add(
                Scatter(
                    x=looks, y=np.full(len(looks), end), name=f"{plot.look_of(network).label}, end of the gauge",
                    legendgroup=network, showlegend=False, mode="markers", marker=marker, cliponaxis=False,
                    hovertemplate=words,
                )
            )  # fmt: skip


FIGURES = (loss, generalisation, accuracy, gradient_norm, clipping, learning_rate, headroom)
"""In the order in which a page shows them."""
