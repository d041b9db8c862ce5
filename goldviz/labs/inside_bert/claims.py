"""What documents 001 (section 4) and 004 (section 4.1) say of an encoder, read off the model that ships."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from goldviz.declare.claims import Claim, Part
from goldviz.labs.inside_bert import LAB
from goldviz.labs.inside_bert.samples import CONTRAST, LONG, NEGATION, ONE_WORD, PAIR, PLAIN

if TYPE_CHECKING:
    import xarray as xr

SENTENCES = LONG.split(". ")[2:5]
TEXTS = (PLAIN, NEGATION, CONTRAST, *ONE_WORD, PAIR, *(f"{sentence}." for sentence in SENTENCES))
OverText = partial(Claim, LAB, over="text", cases=TEXTS, called="texts")


def off_one(run: xr.Dataset) -> float:
    """How far a query's weights are from summing to 1, the worst of all heads."""
    return float(np.abs(run["all_attention"].values.sum(-1) - 1).max())


def moved_without_positions(run: xr.Dataset) -> float:
    """How far the last states move when the pieces are read backwards without positions, as a share of their length."""
    return float(run["moved"].sel(positions="without").isel(state=-1).mean())


def moved_with_positions(run: xr.Dataset) -> float:
    """The same with positions."""
    return float(run["moved"].sel(positions="with").isel(state=-1).mean())


def looks_left(run: xr.Dataset) -> float:
    """The share of ordinary pieces' attention that goes to what stands before them; all heads of all layers."""
    return float(np.tril(_weights(run), -1).sum(-1).mean())


def looks_right(run: xr.Dataset) -> float:
    """The same for what stands after them."""
    return float(np.triu(_weights(run), 1).sum(-1).mean())


def on_itself(run: xr.Dataset) -> float:
    """The share of heads and pieces in which a piece gives itself the largest weight."""
    weights = run["all_attention"].values
    return float((weights.argmax(-1) == np.arange(weights.shape[-1])).mean())


def heads_alike(run: xr.Dataset) -> float:
    """The correlation between two heads' weights, mean over the pairs of a layer."""
    layers = run["all_attention"].values
    return float(np.mean([_alike(heads.reshape(len(heads), -1)) for heads in layers]))


def attention_beside_evidence(run: xr.Dataset) -> float:
    """The rank correlation of the attention that pieces receive with what they add to the tone."""
    return float(run.attrs["rank_correlation"])


def _weights(run: xr.Dataset) -> np.ndarray:
    ordinary = ~run["special"].values.astype(bool)
    return np.asarray(run["all_attention"].values[..., ordinary, :][..., ordinary])


def _alike(heads: np.ndarray) -> float:
    return float(np.corrcoef(heads)[np.triu_indices(len(heads), 1)].mean())


CLAIMS = (
    OverText("C101", "Each token's attention weights sum to 1.", "001, 4.1.2",
        parts=(Part("the worst row is off by {:.1e}", off_one, below=1e-5),)),
    OverText("C102", "Self-attention does not know the order, so positions have to be added.", "001, 4.2.1",
        parts=(
            Part("read backwards without positions, states move by {:.1e} of their length", moved_without_positions,
                below=1e-4),
            Part("with positions they move by {:.0%}", moved_with_positions, above=0.01),
        )),
    OverText("C103", "Tokens that are more relevant receive higher weights.", "001, 4.1.1",
        parts=(
            Part("the rank correlation of attention received with what pieces add to the tone is {:.2f}",
                attention_beside_evidence, above=0.3),
        )),
    OverText("C104", "A token's representation uses both left and right context.", "001, 4.2",
        parts=(
            Part("{:.0%} of the attention goes to what stands before", looks_left, above=0.1),
            Part("{:.0%} goes to what stands after", looks_right, above=0.1),
        )),
    OverText("C105", "Multiple heads capture different types of relationships.", "001, 4.1.2",
        parts=(Part("two heads of a layer have weights that correlate by {:.2f}", heads_alike, below=0.5),)),
    OverText("C110", "The current word has the highest attention score.", "004, 4.1",
        parts=(Part("in {:.0%} of heads and pieces the largest weight is on itself", on_itself, above=0.5),)),
)  # fmt: skip
