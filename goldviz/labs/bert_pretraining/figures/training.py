"""What training does in *Pre-training and fine-tuning*: gradients by part, size of the steps, the learning rate."""

from __future__ import annotations

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import positive
from goldviz.labs.bert_pretraining.figures.curves import legend_at_foot, mark_phases
from goldviz.labs.bert_pretraining.figures.quantities import (
    TONE,
    TRAINING,
    UNSEEN,
    WORDS,
    averaged_by_phase,
    figure,
    part_style,
    steps_of,
)

NORM_WINDOWS = 100
"""Windows over a run for norms, which jump too much from step to step to compare parts by."""

PHASES = {WORDS: "masked words", TONE: "tone"}


@figure(
    "Does the gradient reach every part?",
    needs=("part_gradient_norm",),
    shows="Gradient lengths of the embeddings, of every block and head.",
)
def gradients(plot: Plot) -> Figure:
    """Norm of the gradient of every part of the network over training, before clipping, on a log axis.

    Curves that lie together mean that every part is told about as loudly what to change. A block whose curve lies
    decades below the others hardly learns; residual paths and layer norms are there to prevent that (document 001,
    sections 3 and 4.1.2).
    """
    ds = plot.ds
    norms, plot.thinning = averaged_by_phase(ds, "part_gradient_norm", NORM_WINDOWS)
    if not bool((norms > 0).any()):
        return plot.instead("Every gradient recorded so far is exactly 0.")
    _add_parts(plot, positive(norms))
    plot.step_grid()
    plot.log_axis("part_gradient_norm", "Norm of the gradient")
    mark_phases(plot)
    return legend_at_foot(plot.finish(_at_zero(ds), plot.drawn()), rows=_rows(ds))


def _add_parts(plot: Plot, values: Array) -> None:
    parts = [str(part) for part in values["part"].values]
    for part in parts:
        style = part_style(part, parts, plot.theme)
        plot.curve(values.sel(part=part), part, style=style, hover="%{y:.2e}", width=2)


def _rows(ds: Run) -> int:
    """Rows of a legend of all parts on a phone, where two stand in a row."""
    return -(-ds.sizes["part"] // 2)


def _at_zero(ds: Run) -> str:
    """Which parts have no gradient at all in a phase: a log axis has no place for that."""
    norms, parts = ds["part_gradient_norm"], []
    for phase, words in PHASES.items():
        steps = steps_of(ds, phase)
        if not steps.size:
            continue
        silent = (norms.sel(step=steps) == 0).all(["step", "seed"])
        names = [str(part) for part in norms["part"].values[silent.values]]
        parts += [f"{', '.join(names)} ({words})"] if names else []
    return f"Exactly 0, not drawn: {'; '.join(parts)}." if parts else ""


@figure(
    "Are the steps the right size?",
    needs=("update_to_data",),
    shows="How large the steps are beside the weights, part by part.",
)
def update_to_data(plot: Plot) -> Figure:
    """Spread of the step over the spread of the weights that it changes, part by part, on a log axis.

    Near 10^-3 is the usual advice; far below, a part hardly moves; far above, each step overwrites it. The curves
    follow the learning rate: they rise in warm-up and fall with the cosine (document 002, section 3.7).
    """
    ratios = positive(plot.thinned("update_to_data"))
    if not bool(ratios.notnull().any()):
        return plot.instead("No part has moved at any look so far.")
    _add_parts(plot, ratios)
    plot.step_grid()
    plot.log_axis("update_to_data", "Update-to-data ratio")
    plot.reference(1e-3, "10⁻³: usual advice")
    mark_phases(plot)
    return legend_at_foot(plot.finish(plot.drawn()), rows=_rows(plot.ds))


@figure(
    "How large may the steps be?",
    needs=("learning_rate",),
    shows="The learning rate with its warm-up, and the gradient's length.",
)
def schedule(plot: Plot) -> Figure:
    """The learning rate of every step, and the norm of the whole gradient before clipping, on a log axis.

    Each phase warms up to its peak and falls with a half cosine (document 002, section 3.7). A gradient that is long
    while the rate still rises is why there is a warm-up: Adam's averages know little in the first steps.
    """
    plot.panels(["Learning rate", "Norm of the whole gradient"])
    rates = plot.thinned("learning_rate").expand_dims("seed")
    plot.curve(rates, UNSEEN.label, style=UNSEEN, hover="%{y:.2e}", row=1, legend=False)
    plot.thinning = ""
    if not plot.lacks("gradient_norm"):
        norms, averaging = averaged_by_phase(plot.ds, "gradient_norm", NORM_WINDOWS)
        plot.thinning = averaging
        plot.curve(positive(norms), TRAINING.label, style=TRAINING, row=2, width=2)
    plot.step_grid()
    plot.linear_axis("learning_rate", "Rate", row=1)
    plot.log_axis("gradient_norm", "Norm", row=2)
    mark_phases(plot, over=True)
    figure = plot.finish(_clipped(plot), plot.drawn(), height=540, legend=False)
    return figure.update_layout(margin_t=figure.layout.margin.t + 20)


def _clipped(plot: Plot) -> str:
    ds = plot.ds
    if plot.lacks("clipped"):
        return ""
    parts = []
    for phase, words in PHASES.items():
        steps = steps_of(ds, phase)
        if steps.size:
            parts.append(f"{words} {percent(float(ds['clipped'].sel(step=steps).mean()))}")
    return f"Steps clipped: {', '.join(parts)}." if parts else ""
