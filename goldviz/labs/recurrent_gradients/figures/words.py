"""A review that somebody typed, word by word: verdict so far, gradient, states and gates of the trained networks.

Each draws what :func:`goldviz.labs.recurrent_gradients.word_by_word.read_words` gives.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import link, power_axis
from goldviz.figures.limits import log10
from goldviz.figures.maps import SIGNED, cells, colour_bar
from goldviz.figures.notes import as_label
from goldviz.figures.spec import by_name, drawn
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.labs.recurrent_gradients.figures.quantities import GATES

GATE_COLOURS = {"input": "#009e73", "forget": "#0e7ac0", "output": "#d55e00", "update": "#0e7ac0", "reset": "#d55e00"}


def _words_below(figure: Figure, ds: Run) -> None:
    """The words along the axis; those that the networks never saw in brackets."""
    labels = [
        as_label(word if is_known else f"({word})")
        for word, is_known in zip(ds.attrs["words"], ds.attrs["known"], strict=True)
    ]
    figure.update_xaxes(
        tickvals=ds["time"].values,
        ticktext=labels,
        tickangle=-90,
        tickfont_size=12,
        showgrid=False,
        range=[0.5, ds.sizes["time"] + 0.5],
    )
    link(figure, "x", "word")


def _of_networks(ds: Run, values: Array, hover: str) -> Figure:
    figure = Figure()
    for network in ds["network"].values:
        style = style_of(str(network))
        figure.scatter(
            x=ds["time"].values,
            y=values.sel(network=network).values,
            name=style.label,
            mode="lines+markers",
            line={"color": style.colour, "dash": style.dash, "width": 2.5},
            marker={"symbol": style.symbol, "size": 6},
            hovertemplate=hover,
        )
    return figure


@drawn(
    "What would each network say after each word?",
    name="verdict",
    shows="The probability of praise, were the review to end at this word.",
)
def verdict(ds: Run, *, theme: Theme = "light") -> Figure:
    """Probability of praise after each word."""
    figure = _of_networks(ds, ds["praise"], "%{y:.1%}")
    figure.add_hline(y=0.5, line={"color": INKS[theme].muted, "width": 1})
    last = ", ".join(
        f"{style_of(str(one)).label} {float(ds['praise'].sel(network=one)[-1]):.0%}" for one in ds["network"].values
    )
    look.apply(
        figure, theme, title="Praise or blame, word by word?", notes=[f"At the end, praise: {last}."], height=420
    )
    figure.update_yaxes(title_text="Probability of praise", range=[-0.03, 1.03], tickformat=".0%")
    _words_below(figure, ds)
    return figure


@drawn(
    "Which words can the verdict still hear?",
    name="heard",
    shows="How much the last verdict moves with the state at each word.",
)
def heard(ds: Run, *, theme: Theme = "light") -> Figure:
    """Norm of the derivative of the verdict's margin with respect to h_t, log axis."""
    powers = log10(ds["state_gradient"])
    powers = powers.where(np.isfinite(powers))
    figure = _of_networks(ds, powers, "10<sup>%{y:.2f}</sup>")
    finite = powers.values[np.isfinite(powers.values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 0.0)
    note = "" if finite.size == powers.size else "A line ends where the derivative is exactly zero."
    look.apply(figure, theme, title="Which words can still be heard?", notes=[note], height=420)
    power_axis(figure, "y", "Norm of dm/dh(t)", low - 0.3, high + 0.3)
    _words_below(figure, ds)
    return figure


@drawn(
    "What does it keep in mind?",
    name="states",
    shows="Every unit of the chosen network's state after each word.",
)
def states(ds: Run, *, network: str, theme: Theme = "light") -> Figure:
    """h_t of one network, units by words."""
    state = ds["state"].sel(network=network)
    figure = Figure(
        cells(state.values.T, x=ds["time"].values, y=ds["unit"].values, hover="unit %{y}, word %{x}<br>h = %{z:.3f}")
    )
    title = f"What does the {style_of(network).label} keep in mind?"
    look.apply(figure, theme, title=title, legend=False, height=460, hover="closest")
    figure.update_yaxes(title_text="Unit", showgrid=False)
    link(figure, "y", "unit")
    _words_below(figure, ds)
    most = max(1.0, float(np.abs(state).max()))
    colour_bar(figure, (-most, most), SIGNED, "h", nticks=5)
    figure.layout.annotations[-1].yshift -= 30  # below the words
    return figure.update_layout(margin_b=figure.layout.margin.b + 40)


@drawn(
    "How far is each gate open?",
    name="word_gates",
    shows="The mean opening of the chosen network's gates at each word.",
)
def gates(ds: Run, *, network: str, theme: Theme = "light") -> Figure:
    """Mean opening of each gate at each word."""
    figure = Figure()
    for gate in GATES[network]:
        figure.scatter(
            x=ds["time"].values,
            y=ds["gate_opening"].sel(network=network, gate=gate).values,
            name=f"{gate} gate",
            mode="lines+markers",
            line={"color": GATE_COLOURS[gate], "width": 2.5},
            hovertemplate="%{y:.1%}",
        )
    look.apply(figure, theme, title=f"How far open are the {style_of(network).label}'s gates?", height=460)
    figure.update_yaxes(title_text="Mean opening", range=[0, 1], tickformat=".0%")
    _words_below(figure, ds)
    return figure


def word_table(read: Run, network: str) -> pd.DataFrame:
    """Everything of one network as a table, a row a word."""
    own = read.sel(network=network)
    table = {
        "Word": list(read.attrs["words"]),
        "Praise so far": [f"{value:.1%}" for value in own["praise"].values],
        "‖h‖": [f"{value:.3g}" for value in np.linalg.norm(own["state"].values, axis=1)],
        "‖dm/dh‖": [f"{value:.3g}" for value in own["state_gradient"].values],
        "dm/dx": [f"{value:+.3g}" for value in own["word_gradient"].values],
    }
    gates = {
        f"{gate.capitalize()} gate": [f"{value:.0%}" for value in own["gate_opening"].sel(gate=gate).values]
        for gate in GATES.get(network, ())
    }
    return pd.DataFrame(table | gates)


OF_WORDS = by_name(verdict, heard, states, gates)
