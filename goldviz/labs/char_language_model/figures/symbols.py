"""What the model holds of symbols: names that it spells, its table of pairs, and the map of its embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.data.texts.pair_counts import probabilities
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import AtStep
from goldviz.figures.language_model import sampled
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import single
from goldviz.labs.char_language_model.figures.quantities import IMPOSSIBLE, figure

VOWELS = frozenset("aeiouy")


def signs_of(plot: Plot) -> list[str]:
    """The symbols' signs, ready for a label; a blank is drawn as an open box."""
    return ["␣" if sign == " " else as_label(sign) for sign in map(str, plot.ds["symbol"].values)]


@figure(
    "What names does it make up?",
    needs=("sample_symbol", "sample_probability", "symbol"),
    shows="Eight names, letter by letter; bright letters were held likely.",
)
def samples(plot: Plot) -> Figure:
    """Names drawn from the model at a close look, from the same numbers each time, so they change as it learns."""
    symbols, probabilities = (
        plot.now[name].transpose("close_look", "network", ...) for name in ("sample_symbol", "sample_probability")
    )
    signs = signs_of(plot)
    letters = [
        [[signs[int(place)] if place >= 0 else "" for place in row] for row in one[0]]
        for one in np.nan_to_num(symbols.values, nan=-1)
    ]
    plot.figure.update_xaxes(title_text="Character")
    drawn = sampled(plot, letters, probabilities.values[:, 0], size=15, gap=3, height=430)
    drawn.data[0].update(x=plot.ds["place"].values, y=plot.ds["sample"].values)
    return drawn


@figure(
    "Which character follows which?",
    needs=("count",),
    shows="How likely each character (column) is after each other (row).",
)
def table(plot: Plot) -> Figure:
    """The table of pairs, counted in the training text, and below it the model's own where it has one."""
    counts = plot.ds["count"].values
    tables: list[tuple[str, Any]] = [("Counted", drawn_table(probabilities(counts, 0.0)))]
    if not plot.lacks("table"):
        shares = plot.now["table"].transpose("close_look", "network", ...).values[:, 0]
        heading = plot.look_of(plot.networks[0]).label
        tables.append((heading[0].upper() + heading[1:], AtStep("close_look", drawn_table(shares))))
    plot.panels([words for words, _ in tables])
    signs = signs_of(plot)
    for row, (_, z) in enumerate(tables, start=1):
        plot.figure.heatmap(
            x=signs,
            y=signs,
            z=z,
            coloraxis="coloraxis",
            customdata=counts.astype(np.float32),
            hovertemplate="%{y} then %{x}<br>probability 10<sup>%{z:.2f}</sup>, counted %{customdata:,.0f} times"
            "<extra></extra>",
            row=row,
        )
    plot.figure.update_yaxes(
        type="category", autorange="reversed", showgrid=False, title_text="After", tickfont_size=12
    )
    plot.figure.update_xaxes(type="category", showgrid=False, tickfont_size=12, tickangle=0)
    boundary = str(plot.ds["symbol"].values[0])
    note = f"{boundary} begins and ends a name."
    plot.finish(note, height=190 + 410 * len(tables), legend=False, hover="closest")
    low = float(np.log10(IMPOSSIBLE))
    return colour_bar_below(
        plot.figure,
        (low, 0.0),
        look.SEQUENTIAL,
        "Probability, 1/10,000 or less to 1",
        tickvals=[-4, -3, -2, -1, 0],
        ticktext=["≤10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"],
    )


def drawn_table(shares: NDArray[Any]) -> NDArray[np.float32]:
    """Logarithms of probabilities, those that are nearly 0 as the smallest that is drawn."""
    return single(np.log10(np.clip(np.nan_to_num(shares, nan=0.0, posinf=1.0), IMPOSSIBLE, 1.0)))


@figure(
    "Which characters does it treat alike?",
    title="Which characters are alike to it?",
    needs=("embedding_table",),
    shows="The embedding's two widest directions. Squares: vowels.",
    cannot_show="Other directions.",
)
def embedding(plot: Plot) -> Figure:
    """The embedding's two main directions (principal components) at a close look, with the share that they show."""
    numbers = plot.now["embedding_table"].transpose("close_look", "network", ...).values[:, 0]
    maps = [main_directions(one) for one in numbers]
    signs = signs_of(plot)
    ink = plot.ink
    vowels = [sign in VOWELS for sign in signs]
    points = Scatter(
        x=AtStep("close_look", single(np.array([places[:, 0] for places, _ in maps]))),
        y=AtStep("close_look", single(np.array([places[:, 1] for places, _ in maps]))),
        mode="markers+text",
        text=signs,
        textfont={"size": 15, "color": ink.text},
        showlegend=False,
        marker={
            "size": 24,
            "color": ["#c46a9c" if vowel else ink.grid for vowel in vowels],
            "symbol": ["square" if vowel else "circle" for vowel in vowels],
        },
        hovertemplate="%{text}: %{x:.2f}, %{y:.2f}<extra></extra>",
    )
    plot.add(points)
    plot.figure.update_xaxes(title_text="First direction")
    plot.figure.update_yaxes(title_text="Second direction")
    note = AtStep("close_look", [f"The map shows {share:.0%} of the differences." for _, share in maps])
    return plot.finish(plot.step_in_words("close_look"), note, height=470, legend=False, hover="closest")


def main_directions(numbers: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """Places of the rows along the two directions in which they differ most, and their share of all differences.

    A direction points to where the row of the largest size along it is, so that the map does not flip by chance.
    """
    if not np.isfinite(numbers).all():
        return np.full((len(numbers), 2), np.nan), float("nan")
    deviations = numbers - numbers.mean(axis=0)
    left, sizes, _ = np.linalg.svd(deviations.astype(np.float64), full_matrices=False)
    places = left[:, :2] * sizes[:2]
    places = places * np.sign(places[np.abs(places).argmax(axis=0), range(places.shape[1])])
    whole = float((sizes**2).sum())
    return places, float((sizes[:2] ** 2).sum() / whole) if whole > 0 else float("nan")
