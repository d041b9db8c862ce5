"""How far back an error reaches along a sequence, and where heads look: of any run that recorded it."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures.attention_mosaic import Mosaic, mosaic_axes
from goldviz.figures.elements import unseen
from goldviz.figures.figure_value import Chart, axis, marked
from goldviz.figures.kind_figure import growing_of, of_kinds
from goldviz.figures.limits import Quantity, with_zero
from goldviz.figures.marks import changed, curves
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.training_steps import NAMES_WITH_ROOM


@of_kinds("How far back does the error reach?", "state_gradient_norm", shows="How long dL/dh is at each place.")
def state_gradient(kinds: ByKind) -> Chart:
    """Norm of dL/dh at every place along the sequence at one look, on a log axis (document 001, eq. 5-9).

    Read it from right to left, as the error travels. A curve that falls towards the first places means that the
    network is hardly told what it should have remembered of them.
    """
    name, dim = kinds["state_gradient_norm"], kinds.along("state_gradient_norm")
    whole = changed(name, lambda norms: norms.astype(np.float64))
    return marked(
        lambda plot: [] if (plot.ds[name] > 0).any() else "Every norm of dL/dh recorded so far is exactly 0.",
        curves(whole, hover="%{y:.3e}"),
        over=dim,
        y=axis("Norm of dL/dh", name, scale="log"),
        notes=(lambda plot: unseen(whole.read(plot), dim, plot.readings.noun(dim), plot.look_of),),
        **NAMES_WITH_ROOM,
    )


@of_kinds(
    "Where do the heads look?",
    "attention_map",
    shows="The attention of every head in one sequence, at the step in view.",
    cannot_show="What the network concludes from it.",
)
def attention(kinds: ByKind) -> Chart:
    """Attention of every head at one look; in each small map a row is the token that looks, and sums to 1.

    A strong diagonal looks at itself, a line beside it at a neighbour, a strong column always at one token.
    """
    name, layers = kinds["attention_map"], kinds.along("attention_map")
    noun, steps = layers.partition("_")[0], growing_of(kinds, name)

    maps = changed(
        name, lambda values: finite(values.transpose(..., layers, "head", "query", "key").astype(np.float64))
    )

    def read(plot: Plot) -> str:
        tokens = tokens_of(plot.ds)
        # Tokens that show their own blanks need none between them.
        between = "" if any("␣" in token or "⏎" in token for token in tokens) else " "
        return "" if all(token.isdigit() for token in tokens) else f"“{between.join(tokens)}”"

    return marked(
        Mosaic(maps, tokens_of, noun),
        limits={name: Quantity(with_zero(name))},
        notes=(lambda plot: plot.say(lambda one: surest_head(one, noun, steps), maps.read(plot)),),
        lead=read,
        **mosaic_axes(name, layers),
    )


def tokens_of(ds: Run) -> list[str]:
    """The tokens that look, in order, without their numbers in labels such as "0 [CLS]"; not escaped."""
    labels = [str(label) for label in ds["query"].values]
    parts = [(label, *label.partition(" ")[::2]) for label in labels]
    return [token if number.isdigit() and token else label for label, number, token in parts]


def surest_head(now: Array, noun: str, steps: str) -> str:
    """The answer: which head gives most of its attention to one token of those that it sees."""
    peaks = now.values[:, :, 1:].max(axis=-1).mean(axis=-1)
    if not np.isfinite(peaks).any():
        return ""
    layer, head = np.unravel_index(int(np.nanargmax(peaks)), peaks.shape)
    share = f"{peaks[layer, head]:.0%} on one token"
    return f"Step {int(now[steps])}. Surest: {noun} {layer + 1}, head {head + 1}, {share}."


FIGURES = (state_gradient, attention)
"""In the order in which a page shows them."""
