"""Inside the cells: how far gates open, how many are stuck, and the recurrent matrix that training makes."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import percent, times
from goldviz.figures import elements
from goldviz.figures.draft import Figure
from goldviz.figures.elements import legend_above_headings
from goldviz.figures.frames import Words, spoken
from goldviz.figures.plot import Plot
from goldviz.figures.reading import absence, finite, networks
from goldviz.figures.theme import style_of
from goldviz.labs.recurrent_gradients.figures.quantities import GATES, figure, gates_of

WITHOUT_GATES = "A plain RNN has no gates: train an LSTM or a GRU beside it."


def _without_gates(ds: Run) -> str:
    plain = "gate_opening" in ds and not GATES.keys() & set(networks(ds))
    return WITHOUT_GATES if plain else absence(ds, "gate_opening")


@figure(
    "What do the gates let through?",
    instead=_without_gates,
    shows="How far each gate is open on average, at each time.",
)
def gates(plot: Plot) -> Figure:
    """Mean opening of each gate over time at one look, a panel for each gate (document 001, eq. 10-15, 21-24).

    1 is open, 0 is shut. The LSTM's forget gate multiplies its cell path: open it keeps the past, at 0.5 it halves
    it at every step. The GRU's update gate replaces the past: shut it keeps it.
    """
    pairs, now = gates_of(plot.ds), finite(plot.now["gate_opening"])
    names = [f"{style_of(network).label}: {gate} gate" for network, gate in pairs]
    plot.panels(names, [style_of(network).colour for network, _ in pairs])
    for row, (network, gate) in enumerate(pairs, start=1):
        plot.curve(now.sel(network=network, gate=gate), network, hover="%{y:.3f}", row=row, legend=False)
    plot.number_axis("time", "Time step t", "time %{x}", {1: "1"})
    plot.figure.update_yaxes(range=(-0.06, 1.06), tickvals=[0, 0.5, 1])
    notes = ["1: open.", _memory(plot), plot.drawn(plot.step_in_words("look"))]
    figure = plot.finish(*notes, height=144 + 110 * len(pairs), legend=False)
    for panel, (_, gate) in enumerate(pairs, start=1):
        elements.about(figure, panel, gate=gate)
    return figure.update_layout(margin_t=figure.layout.margin.t + 14)


def _memory(plot: Plot) -> Words:
    """The LSTM's mean forget gate, and what is left at the largest lag along its cell path and along all paths.

    The mean says little of the path: units with open gates carry it (eq. 18), and h carries a signal of its own.
    """
    if ("lstm", "forget") not in gates_of(plot.ds):
        return ""
    forget = finite(plot.now["gate_opening"].sel(network="lstm", gate="forget")).mean(["seed", "time"])
    if plot.lacks("log_cell_path", "log_jacobian_norm"):
        return plot.at_step(forget, lambda opening: f"Mean forget gate {opening:.2f}.")
    far = [plot.now[name].sel(network="lstm").isel(lag=-1) for name in ("log_cell_path", "log_jacobian_norm")]
    lag = int(plot.ds["lag"].max())

    def words(opening: float, cell: float, whole: float) -> str:
        if not np.isfinite([opening, cell, whole]).all():
            return ""
        left = f"{times(10 ** float(cell))} along the cell, {times(10 ** float(whole))} along all paths"
        return f"Mean forget gate {float(opening):.2f}. Left after {lag} steps: {left}."

    return plot.say(words, forget, *(finite(values).median("seed") for values in far))


@figure(
    "How much is stuck at an end?",
    shows="The share of gates almost shut or open, and of saturated hidden values.",
)
def saturation(plot: Plot) -> Figure:
    """Share of gate values below 0.05 or above 0.95, and of hidden values with |h| > 0.97, over training.

    A gate stuck at an end hardly learns (its slope is almost 0), though a forget gate stuck open keeps the past. A
    hidden value on a flat part of tanh passes almost no gradient back.
    """
    heads = {"gate_saturation": "Gates: mean of a network's gates", "state_saturation": "Hidden values, |h| > 0.97"}
    rows = [name for name in heads if not plot.lacks(name)]
    if not rows:
        return plot.instead(plot.lacks("state_saturation"))
    plot.panels([heads[name] for name in rows])
    for row, name in enumerate(rows, start=1):
        shares = finite(plot.thinned(name))
        shares = shares.mean("gate") if "gate" in shares.dims else shares
        for network in plot.networks:
            own = shares.sel(network=network)
            if bool(own.notnull().any()):
                first = row == len(rows) or bool(finite(plot.ds[rows[-1]]).sel(network=network).isnull().all())
                plot.curve(own, network, hover="%{y:.1%}", row=row, legend=first)
    plot.figure.update_yaxes(title_text="Share", tickformat=".0%", tickvals=[0, 0.5, 1], range=(-0.06, 1.06))
    plot.step_grid()
    return legend_above_headings(plot.finish(_most_stuck(plot), plot.drawn(), height=200 + 180 * len(rows)))


def _most_stuck(plot: Plot) -> Words:
    """The gate with the largest share of stuck values at each look."""
    if plot.lacks("gate_saturation"):
        return ""
    now, pairs = finite(plot.now["gate_saturation"]).median("seed"), gates_of(plot.ds)

    def words(*shares: float) -> str:
        stuck_gates = [(share, *pair) for share, pair in zip(shares, pairs, strict=True) if share >= 0.005]
        if not stuck_gates:
            return ""
        share, network, gate = max(stuck_gates)
        return f"Most now: {style_of(network).label} {gate} gate, {percent(share)}."

    of_pairs = [now.sel(network=network, gate=gate).values.tolist() for network, gate in pairs]
    return spoken(words, "look", *of_pairs)


@figure(
    "What does the recurrent matrix do to a signal in the long run?",
    title="Does W keep, stretch or shrink?",
    needs=("spectral_radius", "spectral_norm"),
    shows="The spectral radius and norm of W, with the line at 1.",
)
def recurrent_matrix(plot: Plot) -> Figure:
    """Spectral radius and spectral norm of W_hh over training, with the line at 1 (document 001, eq. 8-9).

    The norm bounds what one step can do to the gradient: with a norm below 1, and slopes of at most 1, it must fade.
    The radius says what powers of this one matrix do, which a product of steps with other slopes need not follow.
    Both matter for the plain RNN; gated networks have ways around their matrix.
    """
    plot.panels(["Spectral radius: largest |eigenvalue|", "Spectral norm: largest stretch in one step"])
    plot.curves(finite(plot.thinned("spectral_radius")), hover="%{y:.3f}", row=1)
    plot.curves(finite(plot.thinned("spectral_norm")), hover="%{y:.3f}", row=2)
    plot.linear_axis("matrix", "Radius", row=1)
    plot.linear_axis("matrix", "Norm", row=2)
    plot.step_grid()
    plot.reference(1, "below 1, powers of W fade")
    note = "LSTM and GRU: the candidate's matrix." if {"lstm", "gru"} & set(plot.networks) else ""
    return legend_above_headings(plot.finish(note, plot.drawn(), height=560))
