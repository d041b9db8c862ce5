"""What lines are called in figures whose captions are read off the marks: each holds what its name says.

Such a caption lists names that somebody wrote beside a variable, so that a wrong one would stand under the figure.
"""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from scipy.stats import norm

from tests.truth.predicates.captions_of_readers import of_pieces
from tests.truth.predicates.drawing import Claim, Drawing, held, line_at, now, numeric, over, shown


def called(names: Mapping[str, str]) -> Claim:
    """Variables of the run, each in the lines whose name has these words."""
    return lambda drawing: all(over(name)(drawing.named(words)) for words, name in names.items())


def counted(drawing: Drawing) -> bool:
    """The moves in each bin, and how many a Gaussian of their mean and standard deviation has there."""
    moves, middles = drawing.run["change"].values, drawing.run["bin"].values
    half = drawing.run.attrs["bin_width"] / 2
    edges = np.append(middles - half, middles[-1] + half)
    count, _ = np.histogram(moves, edges)
    gaussian = moves.size * np.diff(norm.cdf(edges, moves.mean(), moves.std()))
    drawn, bars = (numeric(drawing.named(words).data[0]["y"]) for words in ("^Gaussian", "^days"))
    there = np.isfinite(drawn)
    # What lies on a bin's edge may fall on either side of it.
    close = np.abs(bars - count).sum() <= 2
    return bool(close and there.any() and np.allclose(drawn[there], gaussian[there], rtol=1e-3))


def remembered(drawing: Drawing) -> bool:
    """Squares are of the distances from the mean move."""
    around = drawing.run["change"].values - drawing.run["change"].values.mean()

    def correlations(values: np.ndarray) -> xr.DataArray:
        own = values - values.mean()
        lags = drawing.run["lag"].values
        return xr.DataArray([(own[lag:] * own[:-lag]).sum() / (own**2).sum() for lag in lags], dims="lag")

    of_squares, of_moves = drawing.named("^squares"), drawing.named("^moves")
    return held(of_squares, correlations(around**2)) and held(of_moves, correlations(around))


def direct_and_total(drawing: Drawing) -> bool:
    """dL/dh is the step's own answer's part and what comes from later steps."""
    own, later = (drawing.view.of(name).values for name in ("from_output", "from_later"))
    lengths = {"^direct": np.linalg.norm(own, axis=1), "^total": np.linalg.norm(own + np.nan_to_num(later), axis=1)}
    return all(shown(drawing.named(words), xr.DataArray(due, dims="step")) for words, due in lengths.items())


def heads_and_sizes(drawing: Drawing) -> bool:
    """Of both heads the last stage's weights, and each cell's size; the line stands where answers begin."""
    heads = [drawing.view.last("address").sel(head=name).isel(stage=-1) for name in drawing.run["head"].values]
    answering = drawing.run["wanted"].notnull().any("bit").values
    begins = drawing.run["time"].values[answering.argmax()] - 0.5
    return all(shown(drawing, one) for one in heads) and now("cell_size")(drawing) and line_at(begins)(drawing)


def of_lengths(drawing: Drawing) -> bool:
    """Bars of each embedding, which a pointer is told by its name."""
    norms, parts = drawing.view.of("embedding_norm"), ("token", "position", "segment", "sum")
    panels = {
        part: drawing.only(lambda one, part=part: f">{part.capitalize()}:" in one["hovertemplate"]) for part in parts
    }
    return all(of_pieces(panel, norms.sel(part=part).values) for part, panel in panels.items())


OF_FIGURES = {
    "gold-market": {"distribution": counted, "memory": remembered},
    "backpropagation-by-hand": {"direct_and_total": direct_and_total},
    "neural-turing-machine": {"heads": heads_and_sizes},
    "inside-bert": {"embeddings": of_lengths},
    "lstm-valves": {
        "split": called({"both": "cell", "next cell": "through_next_cell", "hidden": "through_hidden"}),
        "gates": called(
            {
                "^candidate": "candidate",
                "^output": "output_gate",
                "^forget": "forget_gate",
                "^input": "input_gate",
            }
        ),
    },
    "neural-programmer": {"right": called({"^right answer": "right", "own program": "as_asked", "elsewhere": "lucky"})},
}
