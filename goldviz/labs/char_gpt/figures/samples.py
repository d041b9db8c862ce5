"""What the network writes at a look, token by token."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure
from goldviz.figures.language_model import sampled
from goldviz.figures.plot import Plot
from goldviz.labs.char_gpt.figures.quantities import figure, signs_of

CHARACTERS_IN_A_ROW = 24
PIECES_IN_A_ROW = (12, 8)
LONG_PIECES = 2.2
MOST_LONG = 0.1
"""Share of the tokens that may have more than one character where tokens are characters: those that nobody sees."""


@figure(
    "What does it write?",
    needs=("sample_token", "sample_probability", "token"),
    shows="Four samples. The brighter a token, the likelier it was held.",
)
def samples(plot: Plot) -> Figure:
    """Text drawn at a close look from the same chances each time, so it changes only as the network learns."""
    tokens, probabilities = (
        plot.now[name].transpose("close_look", "sample", "place").values
        for name in ("sample_token", "sample_probability")
    )
    signs = signs_of(plot.ds)
    words = np.array(signs, dtype=object)[np.nan_to_num(tokens, nan=0).astype(int)]
    width = _width(plot.ds)
    text, shares = (_in_rows(values, width) for values in (words, probabilities.astype(np.float64)))
    plot.figure.update_yaxes(ticks="").update_xaxes(showticklabels=False, ticks="")
    signs_told = "␣ blank, ⏎ line end."
    return sampled(plot, text.tolist(), shares, signs_told, size=14, gap=2, height=470)


def _width(ds: Run) -> int:
    """Tokens in a row: fewer where they are pieces, and fewer still where the text's pieces are long, in the mean."""
    lengths = np.array([len(str(sign)) for sign in ds["token"].values])
    if (lengths > 1).mean() < MOST_LONG:
        return CHARACTERS_IN_A_ROW
    counts = ds["token_count"].values if "token_count" in ds else np.ones(len(lengths))
    short, long = PIECES_IN_A_ROW
    return short if np.average(lengths, weights=counts) < LONG_PIECES else long


def _in_rows(values: NDArray[Any], width: int) -> NDArray[Any]:
    """Samples (look, sample, place) as rows of so many tokens, an empty row between two samples."""
    looks, samples, places = values.shape
    rows = values.reshape(looks, samples, places // width, width)
    gap = np.full((looks, samples, 1, width), "" if values.dtype == object else np.nan, dtype=values.dtype)
    apart = np.concatenate([rows, gap], axis=2)
    return apart.reshape(looks, samples * apart.shape[2], width)[:, :-1]
