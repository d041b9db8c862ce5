"""Losses of a network that is fitted several times, each time to another part of the data: of any run that has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures import theme as look
from goldviz.figures.elements import MARKERS_UP_TO
from goldviz.figures.figure_value import Chart, Panel, axis, marked, panel
from goldviz.figures.frames import AtStep, Words, line, spoken
from goldviz.figures.kind_figure import growing_of, of_kinds
from goldviz.figures.limits import Values
from goldviz.figures.marks import Canvas
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, growing, growing_dim, sentences, setting_of, thinned
from goldviz.models.style import NetworkStyle

LOSSES = {"training_loss_by_fit": "Training loss", "evaluation_loss_by_fit": "Validation loss"}
MOST_FITS = 24
"""Thin curves at most in a panel."""
POINTS = 120
"""Steps drawn of each curve at most."""


@of_kinds(
    "Does it learn, or learn by heart?",
    *LOSSES,
    shows="Training and validation loss of every fit, and where validation is lowest.",
)
def loss_by_fit(kinds: ByKind) -> Chart:
    """Training and validation loss of every fit over the steps, on one scale, with each fit's lowest validation loss.

    Where training goes on falling while validation rises, the network learns its past by heart. Diamonds at the right
    end say that more steps may help.
    """
    return losses_of_fits(kinds)


def losses_of_fits(kinds: ByKind, *notes: Callable[[Plot], Words], title: str = "Loss") -> Chart:
    """The same, with more notes under its title."""
    names = {kinds[kind]: heading for kind, heading in LOSSES.items() if kind in kinds}
    training, fit = kinds["training_loss_by_fit"], kinds.along("training_loss_by_fit")

    def there(plot: Plot) -> dict[str, str]:
        return {name: heading for name, heading in names.items() if not plot.lacks(name)}

    def to_choose_by(plot: Plot) -> str:
        """The validation loss, of a run that has both losses."""
        return [*there(plot)][-1] if len(there(plot)) == len(LOSSES) else ""

    def panels(plot: Plot) -> Sequence[Panel]:
        chosen = to_choose_by(plot)
        return [
            panel(Fits(name, fit), *([Best(name, fit)] if name == chosen else []), heading=heading)
            for name, heading in there(plot).items()
        ]

    def best(plot: Plot) -> Words:
        noun, name = growing_dim(plot.ds), to_choose_by(plot)
        chosen = lowest(plot, name, fit) if name else []
        return line(*(spoken(lambda steps: _best_steps(noun, steps), x.dim, list(x.values)) for _, x, _ in chosen))

    def how(plot: Plot) -> str:
        sizes = plot.ds.sizes
        thin = "Thin: each fit. Thick: median." if sizes[fit] > 1 else ""
        seeds = f"Median of {sizes['seed']} seeds." if sizes["seed"] > 1 else ""
        means = averaged(plot.ds[training], str(growing(plot.ds[training])), most=POINTS)[1]
        return sentences(thin, thinned(sizes[fit], most=MOST_FITS, noun="fit")[1], seeds, means)

    return marked(
        panels,
        over=growing_of(kinds, training),
        y=axis(title, *names, scale="loss"),
        notes=(best, *notes),
        lead=how,
        seeds=False,
        height=560,
    )


def _looks(plot: Plot, name: str) -> list[tuple[NetworkStyle, dict[str, str]]]:
    """Each network's look and where it is; that of the run's settings where there is no such dimension."""
    told, looks = setting_of(plot.ds, "network"), plot.looks(name)
    return looks if looks[0][1] or not told else [(plot.look_of(str(told)), {})]


def _whose(plot: Plot, style: NetworkStyle) -> str:
    """The network's name before what is drawn of it, where there are several."""
    return f"{style.label}, " if plot.ds.sizes.get("network", 1) > 1 else ""


@dataclass(frozen=True)
class Fits:
    """Each fit's losses over the steps as thin curves, one trace with a gap between them, and their median."""

    of: str
    fit: str

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot, values = canvas.plot, canvas.plot.ds[self.of]
        steps = str(growing(values))
        means = averaged(values, steps, most=POINTS)[0].median("seed")
        x = means[steps].values
        some, _ = thinned(values.sizes[self.fit], most=MOST_FITS, noun="fit")
        for style, where in _looks(plot, self.of):
            own = means.sel(where)
            thin = own.isel({self.fit: some}).transpose(..., steps).values
            gap = np.full((len(thin), 1), np.nan)
            plot.figure.scatter(
                x=np.tile(np.append(x.astype(np.float64), np.nan), len(thin)),
                y=np.concatenate([thin, gap], axis=1).ravel(),
                mode="lines",
                name="each fit",
                showlegend=False,
                line={"color": look.with_alpha(style.colour, 0.45), "width": 1},
                hoverinfo="skip",
                row=canvas.row,
            )
            plot.figure.scatter(
                x=x,
                y=own.median(self.fit).values,
                name=f"{_whose(plot, style)}median",
                legendgroup=style.label,
                mode="lines+markers" if len(x) <= MARKERS_UP_TO else "lines",
                showlegend=canvas.row == 1,
                line={"color": style.colour, "width": 3},
                marker={"symbol": style.symbol, "size": 7},
                hovertemplate="%{y:.4f}",
                row=canvas.row,
            )


@dataclass(frozen=True)
class Best:
    """A diamond at every fit's lowest loss up to the step in view."""

    of: str
    fit: str

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        for style, x, y in lowest(canvas.plot, self.of, self.fit):
            canvas.plot.figure.scatter(
                x=x,
                y=y,
                visible=x.map(lambda now: bool(np.isfinite(now).any())),
                mode="markers",
                name=f"{_whose(canvas.plot, style)}best so far",
                legendgroup="best",
                hovertemplate="best %{y:.4f}",
                marker={"symbol": "diamond-open", "size": 9, "color": canvas.plot.ink.text, "line": {"width": 2}},
                row=canvas.row,
            )


def lowest(plot: Plot, name: str, fit: str) -> list[tuple[NetworkStyle, AtStep, AtStep]]:
    """Where each fit's loss is lowest up to every step that is drawn, and what it is there, for each network."""
    return plot.once(lambda _: [(style, *_lowest(plot, name, fit, where)) for style, where in _looks(plot, name)], name)


def _lowest(plot: Plot, name: str, fit: str, where: dict[str, str]) -> tuple[AtStep, AtStep]:
    losses = plot.ds[name].sel(where)
    dim = str(growing(losses))
    by_fit = losses.transpose(dim, fit, "seed").values.astype(np.float64)
    by_fit = np.where(np.isfinite(by_fit), by_fit, np.inf).reshape(len(by_fit), -1)
    least = np.minimum.accumulate(by_fit, axis=0)
    fell = np.append(np.full((1, by_fit.shape[1]), True), by_fit[1:] < least[:-1], axis=0)
    rows = np.maximum.accumulate(np.where(fell, np.arange(len(by_fit))[:, None], 0), axis=0)
    x, y = (np.where(np.isfinite(least), one, np.nan)[plot.places[dim]] for one in (losses[dim].values[rows], least))
    return AtStep(dim, x), AtStep(dim, y)


def _best_steps(noun: str, best: Values) -> str:
    x = best[np.isfinite(best)]
    return f"Best {noun}s so far: {x.min():.0f} to {x.max():.0f}." if x.size else ""


FIGURES = (loss_by_fit,)
"""In the order in which a page shows them."""
