"""Rules on attention heads: those that look everywhere alike, at special pieces, or at a neighbour.

Attention is read in the probe sentence, of the first seed, and on unseen texts; Clark et al. 2019 describe the same
habits in BERT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Finding, Floats, percent, remedy
from goldviz.labs.bert_pretraining.readings import WORDS

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.bert_pretraining.settings import BertPretraining

EVEN = 0.95
SPECIAL = 0.8
NEIGHBOUR = 0.5
ENOUGH = 0.25
"""The share of heads from which even attention is worth a word."""

OFFSETS = {-1: "the piece before", 1: "the piece after"}
ONE_SENTENCE = "one sentence, first seed: a head may do otherwise in another"


def entropies(attention: Floats) -> Floats:
    """The mean entropy over queries in bits, of (..., query, key).

    >>> float(entropies(np.full((4, 4), 0.25)))
    2.0
    """
    logarithms = np.log2(np.where(attention > 0, attention, 1.0))
    return np.asarray(0.0 - (attention * logarithms).sum(-1).mean(-1))


def neighbours(attention: Floats, offset: int) -> Floats:
    """The mean share of attention on the piece ``offset`` places on, over the queries that have such a piece.

    >>> float(neighbours(np.eye(3), 0)), float(neighbours(np.eye(3), 1))
    (1.0, 0.0)
    """
    return np.asarray(np.diagonal(attention, offset, axis1=-2, axis2=-1).mean(-1))


def _last(ds: xr.Dataset, name: str, *dims: str) -> Floats | None:
    if name not in ds or ds[name].size == 0 or ds.sizes["look"] < 2:
        return None
    values = np.asarray(ds[name].isel(look=-1).transpose(*dims).values, dtype=np.float64)
    return values if np.isfinite(values).all() else None


def _as_pretraining_left_it(ds: xr.Dataset) -> xr.Dataset:
    """The run with its looks up to the end of phase 1 alone; as it is where there was no phase 1."""
    words = ds["step"].values[ds["phase"].values == WORDS]
    return ds.isel(look=np.flatnonzero(ds["look"].values <= words[-1])) if len(words) else ds


def even_heads(settings: BertPretraining, ds: xr.Dataset) -> Finding | None:
    """Heads whose attention is as even at the end of pre-training as it was at random weights."""
    attention = _last(_as_pretraining_left_it(ds), "attention", "layer", "head", "query", "key")
    if attention is None:
        return None
    most = np.log2(attention.shape[-1])
    even = entropies(attention) > EVEN * most
    if even.mean() < ENOUGH:
        return None
    return Finding(
        kind="even_heads",
        title="After pre-training, heads look everywhere alike",
        severity="warning",
        number=f"{int(even.sum())} of {even.size} heads",
        threshold=f"95 % of the {most:.1f} bits of even attention, in the probe sentence, and a quarter of the heads",
        confidence=ONE_SENTENCE,
        explanation="At random weights all scores are nearly equal and the softmax spreads its weight evenly "
        "(document 001, section 4.1.2). A head that stays there passes on the mean of the sentence.",
        **remedy(
            settings,
            ("Pre-train three times as long.", {"pretraining_steps": min(50_000, settings.pretraining_steps * 3)}),
        ),
    )


def special_heads(settings: BertPretraining, ds: xr.Dataset) -> Finding | None:
    """Half of the heads or more look mostly at [CLS] and [SEP] on unseen texts."""
    shares = _last(ds, "head_special", "layer", "head", "seed")
    if shares is None:
        return None
    shares = np.median(shares, axis=-1)
    idle = shares > SPECIAL
    if idle.mean() < 0.5:
        return None
    fewer = max(1, settings.heads // 2)
    return Finding(
        kind="special_heads",
        title="Most heads look at [CLS] and [SEP] alone",
        severity="warning",
        number=f"{int(idle.sum())} of {idle.size} heads",
        threshold="80 % of the attention on unseen texts, and half of the heads",
        confidence="mean over unseen texts" + (", median of the seeds" if ds.sizes["seed"] > 1 else ", one seed"),
        explanation="Attention has to sum to 1, so a head that finds nothing parks its weight at a piece that says "
        "little (Clark et al. 2019). So many of them mean that there are more heads than work.",
        **remedy(settings, ("Take half as many heads.", {"heads": fewer} if settings.width % fewer == 0 else {})),
    )


def neighbour_heads(ds: xr.Dataset) -> Finding | None:
    """Heads that look at one neighbour wherever they stand; one that looks at the piece itself needs no order."""
    attention = _last(ds, "attention", "layer", "head", "query", "key")
    if attention is None or attention.shape[-1] < 3:
        return None
    found = []
    for offset, words in OFFSETS.items():
        shares = neighbours(attention, offset)
        for layer, head in np.argwhere(shares > NEIGHBOUR):
            found.append((float(shares[layer, head]), f"layer {layer + 1}, head {head + 1} at {words}"))
    if not found:
        return None
    share, words = max(found)
    others = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return Finding(
        kind="neighbour_heads",
        title="A head looks at its neighbour" if len(found) == 1 else "Heads look at their neighbours",
        severity="good",
        number=f"{words}: {percent(share)} of its attention{others}",
        threshold="half of the attention on one place beside the piece, in the probe sentence",
        confidence=ONE_SENTENCE,
        explanation="Nothing in attention knows the order of the words but the position embeddings (document 001, "
        "section 4.2.1). A head that looks one place on has learned to read them.",
    )
