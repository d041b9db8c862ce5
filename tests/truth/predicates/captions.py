"""What the sentences under figures claim: whether the drawing holds what they name, by another way off the arrays.

A sentence under a figure is one of a table: of those that laboratories share, or of its laboratory's own. What it says
that a figure does not show, it must not show; see :class:`~tests.truth.predicates.drawing.Absent`.
"""

import numpy as np

from goldviz.declare.laboratory import laboratory_of
from tests.truth.predicates import (
    captions_by_hand,
    captions_of_answers,
    captions_of_forecasts,
    captions_of_gradients,
    captions_of_markets,
    captions_of_readers,
    captions_of_series,
    captions_of_tables,
    captions_of_texts,
    captions_of_tokens,
)
from tests.truth.predicates.drawing import (
    Claim,
    Drawing,
    absent,
    both,
    by_layer,
    dotted,
    line_at,
    now,
    numeric,
    of_kind,
    shown,
)


def now_of_kind(kind: str) -> Claim:
    return lambda drawing: now(drawing.view.kind(kind))(drawing)


def simple_answers(drawing: Drawing) -> bool:
    """A line at the middle seed of the loss of every simple answer."""
    names = drawing.view.kinds.every("baseline_loss")
    losses = [float(drawing.view.of(name).median()) for name in names if name in drawing.run]
    return bool(losses) and all(line_at(loss)(drawing) for loss in losses)


def unseen(drawing: Drawing) -> bool:
    """A curve of it over training, or open markers after it."""
    kinds = drawing.view.kinds
    if "evaluation_loss" in kinds:
        return of_kind("evaluation_loss")(drawing)
    return "test_loss" in kinds and shown(drawing.hollow, drawing.view.of(kinds["test_loss"]))


def training(drawing: Drawing) -> bool:
    """Every step thin, or, of many, ranges of some; and the mean of so many steps where nothing else is the curve."""
    losses = drawing.view.of(drawing.view.kind("training_loss"))
    ranged = "Thin: ranges" in drawing.notes
    return (ranged or shown(drawing.thin, losses)) and (
        "evaluation_loss" in drawing.view.kinds or shown(drawing, losses)
    )


def clipped(drawing: Drawing) -> bool:
    return of_kind("gradient_norm")(drawing) and dotted(of_kind("clipped_gradient_norm"))(drawing)


def binned(kind: str) -> Claim:
    """A network's shares in a heat map: its bins in a row, what is left out at the ends empty; of sizes, 0 apart."""

    def claim(drawing: Drawing) -> bool:
        shares = drawing.view.last(drawing.view.kind(kind))
        shares = shares.where(np.isfinite(shares))
        shares = shares.median("seed") if "seed" in shares.dims else shares
        bins = next(dim for dim in shares.dims if dim.endswith("_bin"))
        rows = [shares.sel(network=name) for name in shares.network.values] if "network" in shares.dims else [shares]
        maps = [numeric(trace.get("z")) for trace in drawing.typed("heatmap").data]
        return all(any(holds(one, row.transpose(..., bins).values, bins) for one in maps) for row in rows)

    def holds(drawn: np.ndarray | None, due: np.ndarray, bins: str) -> bool:
        if drawn is None or drawn.ndim != 2 or len(drawn) != len(due):
            return not np.isfinite(due).any()
        apart = 2 if bins == "magnitude_bin" else 0
        width = drawn.shape[1] - apart
        if apart and not np.allclose(drawn[:, 0], due[:, 0], equal_nan=True, atol=1e-6):
            return False
        for first in range(1 if apart else 0, due.shape[1] - width + 1):
            inside = due[:, first : first + width]
            outside = np.nansum(due[:, (1 if apart else 0) :]) - np.nansum(inside)
            if np.allclose(drawn[:, apart:], inside, equal_nan=True, atol=1e-6) and abs(outside) < 1e-4:
                return True
        return False

    return claim


def heads(drawing: Drawing) -> bool:
    """Every head's map stands in one picture, in the order of layers and heads."""
    weights = drawing.view.last(drawing.view.kind("attention_map"))
    along = next(dim for dim in ("block_number", "layer_number", "layer", "block") if dim in weights.dims)
    weights = weights.squeeze(drop=True) if along in weights.squeeze().dims else weights
    [picture] = [numeric(trace["z"]) for trace in drawing.typed("heatmap").data]
    size = weights.sizes["key"]
    step = size + (picture.shape[1] - weights.sizes["head"] * size) // max(1, weights.sizes["head"] - 1)
    table = weights.transpose(along, "head", "query", "key").values
    return all(
        np.allclose(
            picture[layer * step : layer * step + size, head * step : head * step + size],
            table[layer, head],
            equal_nan=True,
            atol=1e-3,
        )
        for layer in range(table.shape[0])
        for head in range(table.shape[1])
    )


def spread(drawing: Drawing) -> bool:
    """Means as curves, and one spread above and below them."""
    kinds = drawing.view.kinds
    mean, std = (drawing.view.last(kinds[kind]) for kind in ("activation_mean", "activation_std"))
    middle, width = (values.where(np.isfinite(values)).median("seed") for values in (mean, std))
    shares = [kinds[kind] for kind in ("saturation", "dead_units") if kind in kinds]
    shares = [name for name in shares if name in drawing.run]
    return now(*shares)(drawing) and all(shown(drawing, one) for one in (middle, middle - width, middle + width))


def marked(drawing: Drawing) -> bool:
    """A figure beside the diagram has an axis of what its nodes are places of."""
    nodes = [node for part in drawing.layout["meta"]["diagram"]["parts"] for node in part["nodes"]]
    places = {dim for node in nodes for dim in node[-1]}
    for spec in laboratory_of(drawing.view.settings).figures().FIGURES.values():
        if not spec.canvas and spec.drawable(drawing.run):
            meta = spec.draw(drawing.run).to_dict()["layout"].get("meta") or {}
            if places & set((meta.get("linked") or {}).values()):
                return True
    return False


def headroom(drawing: Drawing) -> bool:
    """Between an eighth and sixteen, where the gauge ends, and there with a mark of its own."""
    values = drawing.view.of(drawing.view.kind("headroom")).median("seed")
    drawn = [numeric(trace.get("y")) for trace in drawing.data]
    inside = all((one[np.isfinite(one)] >= 1 / 8).all() and (one[np.isfinite(one)] <= 16).all() for one in drawn)
    return inside and shown(drawing, values)


SHARED = {
    "The training loss.": training,
    "The training loss, beside the loss on unseen data.": both(training, unseen),
    "The training loss, beside the loss on unseen data and that of simple answers.": both(
        training, unseen, simple_answers
    ),
    "Loss on what is learned (dotted) and on what is not.": both(
        dotted(of_kind("evaluated_training_loss")), of_kind("evaluation_loss")
    ),
    "The share of right answers at each step.": of_kind("accuracy"),
    "The length of the whole gradient before clipping.": of_kind("gradient_norm"),
    "The gradient's length before and after clipping.": clipped,
    "The learning rate of every step.": of_kind("learning_rate"),
    "How many times as long a step could be, from 1/8 to 16, before its batch's loss rises.": headroom,
    "How long the gradient of each layer's weights is, over training.": by_layer("gradient_norm_by_layer"),
    "Whether gradients point the right way.": absent("direction", "angle", "cosine"),
    "Shares of saturated and dead units, and each layer's mean and spread.": spread,
    "How the activations are distributed.": binned("activation_histogram"),
    "How large the entries of dL/dh are, and how many are zero or nearly so.": binned("gradient_histogram"),
    "How large the entries of dL/dW are, and how many are zero or nearly so.": binned("weight_gradient_histogram"),
    "How large each step is beside the weights that it changes.": by_layer("update_to_data_by_layer"),
    "How large each layer's gradient is beside its weights.": by_layer("gradient_to_data_by_layer"),
    "The attention of every head in one sequence, at the step in view.": heads,
    "The attention of every head in a stretch of dev text.": heads,
    "The attention of every head in one unseen sentence.": heads,
    "How long dL/dh is at each place.": now_of_kind("state_gradient_norm"),
    "Choose a layer: other figures mark it.": marked,
    "Choose one: other figures mark it.": marked,
    "Choose one: others mark it.": marked,
    "Choose a piece: other figures mark it.": marked,
    "What the network concludes from it.": absent("conclu", "answer", "explain"),
}

OF_LABORATORIES = {
    **captions_by_hand.OF_LABORATORIES,
    **captions_of_gradients.OF_LABORATORIES,
    **captions_of_answers.OF_LABORATORIES,
    **captions_of_readers.OF_LABORATORIES,
    **captions_of_series.OF_LABORATORIES,
    **captions_of_texts.OF_LABORATORIES,
    **captions_of_tables.OF_LABORATORIES,
    **captions_of_forecasts.OF_LABORATORIES,
    **captions_of_markets.OF_LABORATORIES,
    **captions_of_tokens.OF_LABORATORIES,
}
"""Of each laboratory alone, by its name."""
