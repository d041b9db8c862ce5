"""All figures that need kinds alone, and their limits: a run gets every one whose kinds it recorded.

:func:`goldviz.figures.chart.offered` binds them for a laboratory, among its own::

    FIGURES, shared_limits = offered(DepthGradients, figure("decay_rate", ...), "loss")

An own figure stands in place of the shared one of its name. A name alone says where a shared one stands; those that are
not named follow at the end, before a diagram of the network that closes the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from goldviz.arrays.readings import Readings
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures import along_sequence, fits, layers, plot, training_steps
from goldviz.figures.kind_figure import Figures
from goldviz.figures.limits import LayerAxis, Quantity, ends_of, places
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import looks_of

FIGURES = {one.name: one for one in (*training_steps.FIGURES, *fits.FIGURES, *along_sequence.FIGURES, *layers.FIGURES)}


def quantities_by_kind(kinds: ByKind) -> dict[str, Quantity]:
    """What the shared figures have limits for; a laboratory may say otherwise for a name."""
    dims = kinds.dimensions(*layers.OF_LAYERS, "state_gradient_norm")
    told: dict[str, Quantity] = {"step": Quantity(ends_of("step", "look", "close_look")), **places("epoch")}
    told |= {dim: LayerAxis.of(dim) for dim in dims}
    for one in FIGURES.values():
        told |= one.chart(kinds).quantities(Readings()) if one.drawn_for(kinds) else {}
    return told


def offered(
    figure: Figures, kinds: ByKind, *own: FigureSpec | str, without: tuple[str, ...] = ()
) -> dict[str, FigureSpec]:
    """A laboratory's table of figures: its own, and every shared one whose kinds it records but those ``without``.

    Raises ``KeyError`` for the name of a figure whose kinds are not recorded.
    """
    by_name = {name: one.of(figure, kinds) for name, one in FIGURES.items() if one.drawn_for(kinds)}
    figures = [by_name[one] if isinstance(one, str) else one for one in own]
    names = {one.name for one in figures} | set(without)
    last = len(figures) - (bool(figures) and figures[-1].canvas)
    figures[last:last] = [one for name, one in by_name.items() if name not in names]
    return {one.name: one for one in figures}


def figures_of_any_run(kinds: ByKind, networks: Sequence[str]) -> dict[str, FigureSpec]:
    """The figures of a run that no laboratory made."""
    figure = partial(plot.figure, quantities_by_kind(kinds), look_of=looks_of(networks).__getitem__)
    return offered(figure, kinds)
