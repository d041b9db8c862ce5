"""What training does step by step, of any run that recorded it: loss, right answers, gradient, clipping, rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings import percent
from goldviz.diagnostics.headroom import LARGEST, SMALLEST
from goldviz.figures.elements import loss_axis, power
from goldviz.figures.figure_value import Chart, Panel, axis, colours, figure, marked, panel, where_recorded
from goldviz.figures.frames import Words, line
from goldviz.figures.kind_figure import of_kinds
from goldviz.figures.limits import Quantity, log10, log_of, magnitudes, padded, values_of
from goldviz.figures.market import in_rows
from goldviz.figures.marks import Mark, Rule, at, averaged, changed, curves, heat, rule, thin, thinned
from goldviz.figures.plot import Plot
from goldviz.figures.reading import MOST_CELLS, MOST_COLUMNS, finite, growing, positive, setting_of
from goldviz.figures.reading import averaged as averaged_over
from goldviz.figures.smoothed import AtTheEnd, Behind, Smoothed, smoothing, words_of_test_losses
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


def _losses(kinds: ByKind) -> str:
    """Which losses stand beside that of training."""
    parts = [
        *(["the loss on unseen data"] if kinds.every("evaluation_loss", "test_loss") else []),
        *(["that of simple answers"] if "baseline_loss" in kinds else []),
    ]
    return f"The training loss{', beside ' if parts else ''}{' and '.join(parts)}."


@of_kinds("Do the networks learn?", "training_loss", shows=_losses)
def loss(kinds: ByKind) -> Chart:
    """Training loss over the steps, smoothed without looking ahead; losses of answers that need no network as lines.

    Where a loss was recorded of what is not learned from, it is the curve, and the training loss stands thin behind it.
    """
    training, unseen, test = kinds["training_loss"], kinds.get("evaluation_loss"), kinds.get("test_loss")

    def is_unseen(plot: Plot) -> bool:
        return bool(unseen) and not plot.lacks(unseen)

    def marks(plot: Plot) -> Sequence[Mark]:
        if is_unseen(plot):
            return [curves(thinned(unseen), hover="%{y:.4f}"), Behind(training)]
        return [*([AtTheEnd(test)] if test else []), Smoothed(training)]

    def how(plot: Plot) -> str:
        return "Thin: training loss." if is_unseen(plot) else smoothing(training)(plot)

    return marked(
        marks,
        guesses(digits=3),
        y=axis(
            None,
            *kinds.every(*LOSSES),
            scale="loss",
            told=lambda plot: {"title_text": "Loss on unseen data" if is_unseen(plot) else "Loss"},
        ),
        notes=(how, lambda plot: "" if is_unseen(plot) or not test else words_of_test_losses(plot, test)),
        seeds=True,
        **NAMES_WITH_ROOM,
    )


def guesses(digits: int, within: str = "") -> Callable[[Plot], Sequence[Rule]]:
    """Lines for the losses of answers that need no network; or of those ``within`` a quantity's limits."""

    def lines(plot: Plot) -> Sequence[Rule]:
        low, high = plot.limit(within) if within else (-np.inf, np.inf)
        there = [name for name in plot.kinds.every("baseline_loss") if not plot.lacks(name)]
        losses = [(plot.kinds.labels[name], float(finite(plot.ds[name]).median())) for name in there]
        return [rule(y=value, words=f"{name}: {value:.{digits}f}") for name, value in losses if low <= value <= high]

    return lines


@of_kinds(
    "Does it learn rules, or samples by heart?",
    "evaluated_training_loss",
    "evaluation_loss",
    title="Rules, or samples by heart?",
    shows="Loss on what is learned (dotted) and on what is not.",
)
def generalisation(kinds: ByKind) -> Chart:
    """Loss on what is not learned and, dotted, on what is: where they part, samples are learned by heart."""
    training, evaluation = kinds["evaluated_training_loss"], kinds["evaluation_loss"]

    def unit(plot: Plot) -> str:
        return str(plot.ds[evaluation].attrs.get("units", "1")).removeprefix("1")

    def marks(plot: Plot) -> Sequence[Mark]:
        return [
            curves(evaluation, hover=f"not learned %{{y:.4f}} {unit(plot)}"),
            thin(training, "learned", hover=f"learned %{{y:.4f}} {unit(plot)}"),
        ]

    def losses(plot: Plot) -> dict[str, Any]:
        return {"title_text": f"Loss ({unit(plot)})" if unit(plot) else "Loss", **loss_axis(*plot.limit(evaluation))}

    def apart(plot: Plot) -> Words:
        gap = finite(plot.now[evaluation] - plot.now[training]).median("seed")
        label = kinds.labels[evaluation].capitalize()
        said = f"{label} less training, {{}}."
        return plot.each(gap, lambda more: f"{more:+.3f} {unit(plot)}".rstrip(), within=said)

    return marked(
        marks,
        guesses(digits=3, within=evaluation),
        y=axis(scale="free", told=losses),
        limits={evaluation: Quantity(values_of(training, evaluation), padded)},
        notes=(apart, "Dotted: learned."),
        seeds=True,
    )


@of_kinds("How often is the answer right?", "accuracy", shows="The share of right answers at each step.")
def accuracy(kinds: ByKind) -> Chart:
    """Share of right answers over the steps."""
    shares = axis("Share right", scale="free", range=(-0.03, 1.03), tickformat=".0%")
    return marked(curves(averaged(kinds["accuracy"]), hover="%{y:.1%}"), y=shares)


@of_kinds(
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
    return marked(
        *norms(kinds),
        rule(
            y=lambda plot: clip_of(plot.ds) or None,
            words=lambda plot: f"clipped at {clip_of(plot.ds):.3g}",
            within=True,
        ),
        y=axis("Norm of the whole gradient", *kinds.every(*NORMS), scale="log"),
        notes=(lambda plot: _shares_cut(plot, name, after) if after and not plot.lacks(after) else "",),
        **NAMES_WITH_ROOM,
    )


def norms(kinds: ByKind, before: str = "") -> Sequence[Any]:
    """The norm of the whole gradient and, dotted, what clipping left of it; ``before`` is said of the first."""
    name, after = kinds["gradient_norm"], kinds.get("clipped_gradient_norm")
    dotted = [thin(averaged(after, NORM_WINDOWS), "after", hover="after %{y:.3~g}")] if after else []
    return [curves(averaged(name, NORM_WINDOWS), hover=f"{before}%{{y:.3~g}}"), where_recorded(*dotted)]


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
    "Does clipping step in?", "gradient_norm", "clipped", shows="The gradient's length before and after clipping."
)
def clipping(kinds: ByKind) -> Chart:
    """Norm of the whole gradient before and after clipping, and the share of steps that were clipped (document 003).

    Clipping shortens a gradient and keeps its direction. Now and then is a safety belt; at nearly every step it is
    the clip value, not the gradient, that sets the size of the steps.
    """
    after, share = kinds.get("clipped_gradient_norm"), kinds["clipped"]

    def counted(clipped: Array) -> Array:
        return averaged_over(clipped, str(growing(clipped)), most=CLIPPING_WINDOWS)[0]

    def cut_to(plot: Plot) -> Sequence[Rule]:
        return [_clip_value(plot, after, share)] if after and not plot.lacks(after) else []

    return marked(
        panel(
            *norms(kinds, "before "),
            cut_to,
            heading="Norm of the whole gradient",
            y=axis("Norm", *kinds.every(*NORMS), scale="log"),
        ),
        panel(
            curves(changed(share, counted), hover="%{y:.0%}"),
            heading="Share of steps clipped",
            y=axis("Share", scale="free", range=(-0.05, 1.05), tickformat=".0%"),
        ),
        notes=(lambda plot: "Dotted: after clipping." if after and not plot.lacks(after) else "",),
        height=560,
    )


def _clip_value(plot: Plot, after: str, share: str) -> Rule:
    """A line at the norm that the last clipped step so far was cut to, from the first such step on; where a run is not
    to be clipped, at the usual one."""
    cut = positive(plot.ds[after]).where(plot.ds[share] > 0).median(["network", "seed"])
    if not bool(cut.notnull().any()):
        usual = USUAL_CLIP if clip_of(plot.ds) == 0 else None
        return rule(y=lambda _: usual, words=f"not clipped; {USUAL_CLIP:.0f} is usual", within=True)
    last = np.maximum.accumulate(np.where(cut.notnull(), np.arange(cut.size), 0))
    so_far = plot.at_step(cut.astype(np.float64)[last[plot.places[str(growing(cut))]]])
    return rule(y=so_far, words=so_far.map(lambda norm: f"clipped at {norm:.3g}" if norm > 0 else ""))


@of_kinds("How large may the steps be?", "learning_rate", shows="The learning rate of every step.")
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
def headroom(kinds: ByKind) -> Chart:
    """How many times larger the rate could be, along steps of training (critical sharpness, arXiv 2601.16979).

    Gradient descent is stable below 2 over the sharpness. There its loss is as high as before the step, at 1 here.
    """
    name = kinds["headroom"]
    above = f"△ {LARGEST:.0f} or more: the gauge ends there."
    ends: Sequence[tuple[Callable[[Any], Any], float, str, str]] = (
        (np.isnan, SMALLEST, "▽ not even an eighth of the step lowers the loss.", "triangle-down-open"),
        (lambda gauge: gauge >= LARGEST, LARGEST, above, "triangle-up-open"),
    )

    def looks_beyond(plot: Plot, network: str, is_beyond: Callable[[Any], Any]) -> NDArray[Any]:
        """Looks at which a seed of a network lies beyond an end of the gauge."""
        gauge = plot.ds[name].sel(network=network).transpose(..., "seed")
        return np.asarray(gauge[str(gauge.dims[0])].values[is_beyond(gauge.values).any(-1)])

    def beyond(plot: Plot) -> Sequence[Mark]:
        return [
            in_rows(
                looks,
                np.full(len(looks), end),
                name=f"{plot.look_of(network).label}, end of the gauge",
                colour=network,
                symbol=symbol,
                size=9,
                hover=words,
                marker={"line": {"width": 1.5}},
                more={"legendgroup": network, "showlegend": False, "cliponaxis": False},
            )
            for is_beyond, end, words, symbol in ends
            for network in plot.networks
            if (looks := looks_beyond(plot, network, is_beyond)).size
        ]

    def logs(ds: Run) -> NDArray[Any]:
        """Its logarithms, the edge of stability, and the gauge's lower end where a look lies below it."""
        below = name in ds and np.isnan(ds[name].values).any()
        return np.append(log_of(name)(ds), [0.0, np.log10(SMALLEST) if below else 0.0])

    said = [
        lambda plot, words=words, is_beyond=is_beyond: words if is_beyond(plot.ds[name].values).any() else ""
        for is_beyond, _, words, _ in ends
    ]
    return marked(
        curves(name, hover="%{y:.2f} times"),
        beyond,
        rule(y=1, words="1: at the edge"),
        y=axis("Times the rate", read=logs, scale="log"),
        notes=("Below 1 a step raises the loss of its batch.", *said),
    )


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
        limits=magnitudes(of),
        lead=lambda plot: "Grey: exactly 0, or not a finite number." if has_gaps(plot) else "",
        layout=lambda plot: {"plot_bgcolor": plot.ink.gap if has_gaps(plot) else None},
        seeds=True,
        **how,
    )


FIGURES = (loss, generalisation, accuracy, gradient_norm, clipping, learning_rate, headroom)
"""In the order in which a page shows them."""
