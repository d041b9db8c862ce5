"""Losses of a network that is fitted several times, each time to another part of the data: of any run that has them."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import MARKERS_UP_TO, legend_above_headings
from goldviz.figures.frames import AtStep, Words, spoken
from goldviz.figures.kind_figure import of_kinds
from goldviz.figures.limits import Quantity, Values, values_of
from goldviz.figures.plot import NAMELESS, Plot
from goldviz.figures.reading import averaged, growing, growing_dim, sentences, setting_of, thinned
from goldviz.models.style import NetworkStyle

LOSSES = {"training_loss_by_fit": "Training loss", "evaluation_loss_by_fit": "Validation loss"}
MOST_FITS = 24
"""Thin curves at most in a panel."""
POINTS = 120
"""Steps drawn of each curve at most."""


def fit_quantities(kinds: ByKind) -> dict[str, Quantity]:
    """The axis of both losses, under the name of the first."""
    names = kinds.every(*LOSSES)
    return {names[0]: Quantity(values_of(*names))} if names else {}


@of_kinds(
    "Does it learn, or learn by heart?",
    *LOSSES,
    shows="Training and validation loss of every fit, and where validation is lowest.",
)
def loss_by_fit(plot: Plot) -> Figure:
    """Training and validation loss of every fit over the steps, on one scale, with each fit's lowest validation loss.

    Where training goes on falling while validation rises, the network learns its past by heart. Diamonds at the right
    end say that more steps may help.
    """
    return losses_of_fits(plot)


def losses_of_fits(plot: Plot, *notes: Words, title: str = "Loss") -> Figure:
    """The same, with more notes under its title."""
    names = {kind: plot.kinds[kind] for kind in LOSSES if kind in plot.kinds and not plot.lacks(plot.kinds[kind])}
    plot.panels([LOSSES[kind] for kind in names])
    fit = plot.kinds.along("training_loss_by_fit")
    fits, few = thinned(plot.ds.sizes[fit], most=MOST_FITS, noun="fit")
    averaging = ""
    for row, name in enumerate(names.values(), start=1):
        values = plot.ds[name]
        curves, averaging = averaged(values, str(growing(values)), most=POINTS)
        for style, own in _by_network(plot, curves.median("seed")):
            _add_fits(plot, style, own.isel({fit: fits}), row)
            _add_middle(plot, style, own.median(fit), row)
    best = [_add_best(plot, style, own, fit) for style, own in _losses_to_choose_by(plot, names)]
    plot.loss_axis(plot.kinds["training_loss_by_fit"], title)
    plot.step_grid()
    thin = "Thin: each fit. Thick: median." if plot.ds.sizes[fit] > 1 else ""
    seeds = f"Median of {plot.ds.sizes['seed']} seeds." if plot.ds.sizes["seed"] > 1 else ""
    note = sentences(thin, few, seeds, averaging)
    return legend_above_headings(plot.finish(*best, *notes, note, height=560))


def _by_network(plot: Plot, values: Array) -> list[tuple[NetworkStyle, Array]]:
    """Each network's look and values; that of the run's settings where there is no such dimension."""
    name = setting_of(plot.ds, "network")
    return plot.by_network(values, plot.look_of(str(name)) if name else NAMELESS)


def _add_fits(plot: Plot, style: NetworkStyle, curves: Array, row: int) -> None:
    """Curves (step, fit) as one thin trace, one after the other with a gap between them."""
    steps = str(growing(curves))
    values = curves.transpose(..., steps).values
    gap = np.full((len(values), 1), np.nan)
    plot.figure.scatter(
        x=np.tile(np.append(curves[steps].values.astype(np.float64), np.nan), len(values)),
        y=np.concatenate([values, gap], axis=1).ravel(),
        mode="lines",
        name="each fit",
        showlegend=False,
        line={"color": look.with_alpha(style.colour, 0.45), "width": 1},
        hoverinfo="skip",
        row=row,
    )


def _add_middle(plot: Plot, style: NetworkStyle, middle: Array, row: int) -> None:
    plot.figure.scatter(
        x=middle[str(growing(middle))].values,
        y=middle.values,
        name=f"{_whose(plot, style)}median",
        legendgroup=style.label,
        mode="lines+markers" if middle.size <= MARKERS_UP_TO else "lines",
        showlegend=row == 1,
        line={"color": style.colour, "width": 3},
        marker={"symbol": style.symbol, "size": 7},
        hovertemplate="%{y:.4f}",
        row=row,
    )


def _whose(plot: Plot, style: NetworkStyle) -> str:
    """The network's name before what is drawn of it, where there are several."""
    return f"{style.label}, " if plot.ds.sizes.get("network", 1) > 1 else ""


def _losses_to_choose_by(plot: Plot, names: dict[str, str]) -> list[tuple[NetworkStyle, Array]]:
    """Each network's validation losses, of a run that has both losses."""
    return _by_network(plot, plot.ds[names["evaluation_loss_by_fit"]]) if len(names) == len(LOSSES) else []


def _add_best(plot: Plot, style: NetworkStyle, losses: Array, fit: str) -> Words:
    """A diamond at every fit's lowest validation loss up to the step in view; returns where they are."""
    dim = str(growing(losses))
    by_fit = losses.transpose(dim, fit, "seed").values.astype(np.float64)
    by_fit = np.where(np.isfinite(by_fit), by_fit, np.inf).reshape(len(by_fit), -1)
    lowest = np.minimum.accumulate(by_fit, axis=0)
    fell = np.append(np.full((1, by_fit.shape[1]), True), by_fit[1:] < lowest[:-1], axis=0)
    rows = np.maximum.accumulate(np.where(fell, np.arange(len(by_fit))[:, None], 0), axis=0)
    is_finite = np.isfinite(lowest)
    at = plot.places[dim]
    x = np.where(is_finite, losses[dim].values[rows], np.nan)[at]
    y = np.where(is_finite, lowest, np.nan)[at]
    plot.figure.scatter(
        x=AtStep(dim, x),
        y=AtStep(dim, y),
        visible=AtStep(dim, [bool(np.isfinite(now).any()) for now in x]),
        mode="markers",
        name=f"{_whose(plot, style)}best so far",
        legendgroup="best",
        hovertemplate="best %{y:.4f}",
        marker={"symbol": "diamond-open", "size": 9, "color": plot.ink.accent, "line": {"width": 2}},
        row=2,
    )
    noun = growing_dim(plot.ds)
    return spoken(lambda best: _best_steps(noun, best), dim, list(x))


def _best_steps(noun: str, best: Values) -> str:
    x = best[np.isfinite(best)]
    if not x.size:
        return ""
    return f"Best {noun}s so far: {x.min():.0f} to {x.max():.0f}."


FIGURES = (loss_by_fit,)
"""In the order in which a page shows them."""
