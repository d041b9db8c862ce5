"""What training does in *Pre-training and fine-tuning*: gradients by part, size of the steps, the learning rate."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent, times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    epoch_axis,
    log_axis,
    mark_epochs,
    panels,
    reference_line,
    worded,
)
from goldviz.figures.limits import Limits
from goldviz.figures.reading import (
    Band,
    absence,
    positive,
    recorded,
    run_label,
    seeds_in_words,
    sentences,
    thinned,
)
from goldviz.figures.theme import Theme
from goldviz.labs.bert_pretraining.figures.curves import add_line, legend_at_foot, mark_phases
from goldviz.labs.bert_pretraining.figures.quantities import (
    TONE,
    TRAINING,
    UNSEEN,
    WORDS,
    averaged_by_phase,
    limit_of,
    part_style,
    steps_of,
)

NORM_WINDOWS = 100
"""Windows over a run for norms, which jump too much from step to step to compare parts by."""

PHASES = {WORDS: "masked words", TONE: "tone"}


def gradients(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of the gradient of every part of the network over training, before clipping, on a log axis.

    Curves that lie together mean that every part is told about as loudly what to change. A block whose curve lies
    decades below the others hardly learns; residual paths and layer norms are there to prevent that (document 001,
    sections 3 and 4.1.2).
    """
    title = "Does the gradient reach every part?"
    if words := absence(ds, "part_gradient_norm"):
        return worded(words, title=title, theme=theme)
    norms, averaging = averaged_by_phase(ds, "part_gradient_norm", NORM_WINDOWS)
    if not bool((norms > 0).any()):
        return worded("Every gradient recorded so far is exactly 0.", title=title, theme=theme)
    figure = go.Figure()
    _add_parts(figure, positive(norms), norms["step"].values, theme)
    _step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Norm of the gradient", **log_axis(limit_of("part_gradient_norm", ds, limits)))
    mark_phases(figure, ds, theme)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), _at_zero(ds), sentences(averaging, seeds_in_words(ds))]
    return legend_at_foot(look.apply(figure, theme, title=title, notes=notes), rows=_rows(ds))


def _add_parts(figure: go.Figure, values: xr.DataArray, x: np.ndarray, theme: Theme) -> None:
    parts = [str(part) for part in values["part"].values]
    for part in parts:
        band = Band.of(values.sel(part=part).transpose(..., "seed"))
        add_line(figure, part_style(part, parts, theme), x, band, hover="%{y:.2e}", width=2)


def _rows(ds: xr.Dataset) -> int:
    """Rows of a legend of all parts on a phone, where two stand in a row."""
    return -(-ds.sizes["part"] // 2)


def _step_axis(figure: go.Figure, ds: xr.Dataset, limits: Limits | None) -> None:
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    figure.update_xaxes(unifiedhovertitle_text="step %{x}", showgrid=True)


def _at_zero(ds: xr.Dataset) -> str:
    """Which parts have no gradient at all in a phase: a log axis has no place for that."""
    norms, parts = ds["part_gradient_norm"], []
    for phase, words in PHASES.items():
        steps = steps_of(ds, phase)
        if not steps.size:
            continue
        silent = (norms.sel(step=steps) == 0).all(["step", "seed"])
        names = [str(part) for part in norms["part"].values[silent.values]]
        parts += [f"{', '.join(names)} (in the phase {words})"] if names else []
    return f"Exactly 0, not on the axis: {'; '.join(parts)}." if parts else ""


def update_to_data(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Spread of the step over the spread of the weights that it changes, part by part, on a log axis.

    Near 10^-3 is the usual advice; far below, a part hardly moves; far above, each step overwrites it. The curves
    follow the learning rate: they rise in warm-up and fall with the cosine (document 002, section 3.7).
    """
    title = "Are the steps the right size?"
    if words := absence(ds, "update_to_data"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    ratios = positive(ds["update_to_data"].isel(look=kept))
    if not bool(ratios.notnull().any()):
        return worded("No part has moved at any look so far.", title=title, theme=theme)
    figure = go.Figure()
    _add_parts(figure, ratios, ratios["look"].values, theme)
    _step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Update-to-data ratio", **log_axis(limit_of("update_to_data", ds, limits)))
    reference_line(figure, 1e-3, "10⁻³: usual advice", theme)
    mark_phases(figure, ds, theme)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), _typical(ds, epoch), sentences(thinning, seeds_in_words(ds))]
    return legend_at_foot(look.apply(figure, theme, title=title, notes=notes), rows=_rows(ds))


def _typical(ds: xr.Dataset, epoch: int | None) -> str:
    at = recorded(ds, epoch, "look")
    middle = positive(ds["update_to_data"].sel(look=at)).median("seed")
    low, high = float(middle.min()), float(middle.max())
    return f"At step {at}: from {times(low)} to {times(high)}." if np.isfinite(low) else ""


def schedule(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """The learning rate of every step, and the norm of the whole gradient before clipping, on a log axis.

    Each phase warms up to its peak and falls with a half cosine (document 002, section 3.7). A gradient that is long
    while the rate still rises is why there is a warm-up: Adam's averages know little in the first steps.
    """
    title = "How large may the steps be?"
    if words := absence(ds, "learning_rate"):
        return worded(words, title=title, theme=theme)
    figure = panels(["Learning rate", "Norm of the whole gradient"], theme)
    kept, _ = thinned(ds.sizes["step"], noun="step")
    rates = ds["learning_rate"].isel(step=kept).expand_dims("seed", -1)
    add_line(figure, UNSEEN, rates["step"].values, Band.of(rates), hover="%{y:.2e}", row=1, legend=False)
    averaging = ""
    if not absence(ds, "gradient_norm"):
        norms, averaging = averaged_by_phase(ds, "gradient_norm", NORM_WINDOWS)
        band = Band.of(positive(norms))
        add_line(figure, TRAINING, norms["step"].values, band, hover="%{y:.3~g}", row=2, legend=False, width=2)
    _step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Rate", range=limit_of("learning_rate", ds, limits), row=1)
    figure.update_yaxes(title_text="Norm", **log_axis(limit_of("gradient_norm", ds, limits)), row=2)
    mark_phases(figure, ds, theme)
    mark_epochs(figure, ds, epoch, theme)
    below = f"Norms below: {averaging[0].lower()}{averaging[1:]}" if averaging else ""
    notes = [run_label(ds), _clipped(ds), sentences(below, seeds_in_words(ds))]
    look.apply(figure, theme, title=title, notes=notes, height=540, legend=False)
    return figure.update_layout(margin_t=figure.layout.margin.t + 20)


def _clipped(ds: xr.Dataset) -> str:
    if absence(ds, "clipped"):
        return ""
    parts = []
    for phase, words in PHASES.items():
        steps = steps_of(ds, phase)
        if steps.size:
            parts.append(f"{words} {percent(float(ds['clipped'].sel(step=steps).mean()))}")
    return f"Steps clipped: {', '.join(parts)}." if parts else ""
