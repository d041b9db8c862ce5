"""What is claimed under figures of BERT: of one reading, and of its training."""

import numpy as np

from tests.truth.predicates.drawing import (
    Drawing,
    absent,
    gold,
    in_nodes,
    line_at,
    numeric,
    over,
    shown,
)


def chances(drawing: Drawing) -> bool:
    probability = drawing.view.of("probability")
    return shown(drawing, probability) and bool(np.isclose(probability.sum(), 1, atol=1e-4))


def added_lengths(drawing: Drawing) -> bool:
    """A bar for each piece: of what attention and the feed-forward network add, and of active neurons."""
    lengths = drawing.view.of("stage_norm").transpose("stage", ...).values
    return sum(of_pieces(drawing, row) for row in lengths) >= 2 and of_pieces(drawing, drawing.view.of("firing").values)


def guesses(drawing: Drawing) -> bool:
    """The likeliest first; the bar of the hidden piece alone is gold, where it is among them."""
    due = drawing.view.of("guess_probability")
    [bars] = drawing.typed("bar").data
    colours = np.atleast_1d((bars.get("marker") or {}).get("color"))
    return shown(drawing, due) and bool((np.diff(due) <= 0).all()) and sum(map(gold, colours)) <= 1


def two_words(drawing: Drawing) -> bool:
    own, others = (drawing.view.of("word_cosine").isel(pair=place) for place in (0, 1))
    return shown(drawing.dashed("solid"), own) and shown(drawing.dashed("dash"), others)


def five_measures(drawing: Drawing) -> bool:
    """Raw weights first, then four others; shares of each sum to 1."""
    share = drawing.view.of("share")
    rows = share.transpose("measure", "piece").values[1:]
    return len(drawing.typed("bar").data) == 5 and all(of_pieces(drawing, row) for row in rows)


def simple_tones(drawing: Drawing) -> bool:
    """Of every kind the network's share and both simple answers', in the figure's own order of kinds."""
    rows = [drawing.view.last("kind_tone_accuracy").median("seed"), *drawing.view.of("baseline_kind_accuracy")]
    due = [np.sort(row.values[np.isfinite(row.values)]) for row in rows]
    marks = [numeric(trace["x"]) for trace in drawing.typed("scatter").data]
    drawn = [np.sort(one[np.isfinite(one)]) for one in marks if one is not None]
    return all(any(one.shape == row.shape and np.allclose(one, row, atol=1e-4) for one in drawn) for row in due)


def two_phases(drawing: Drawing) -> bool:
    """The loss on unseen masked pieces with a line at word frequencies'; shares of tones, and counted words dotted."""
    frequencies = line_at(lambda one: float(one.view.of("unigram_loss")))
    return over("unseen_masked_loss")(drawing) and frequencies(drawing)


def confused(drawing: Drawing) -> bool:
    table = drawing.view.last("confusion").median("seed")
    return all(shown(drawing, table.isel(tone_set=place)) for place in range(table.sizes["tone_set"]))


def rows_of(drawing: Drawing, due: np.ndarray) -> bool:
    """Whether every row of the largest map is one of these."""
    tables = [numeric(trace["z"]) for trace in drawing.typed("heatmap").data]
    table = max(tables, key=len)
    return all(any(np.allclose(row, one, atol=1e-5) for one in due) for row in table)


def query_by_dimension(drawing: Drawing) -> bool:
    """q k / √d_k by dimension; over the dimensions it is the score, and the softmax of scores is the weight."""
    query, keys = (drawing.view.of(name).values for name in ("query_vector", "key_vector"))
    parts = query * keys / np.sqrt(query.size)
    scores, weights = (drawing.view.of(name).values for name in ("score", "weight"))
    powers = np.exp(scores - scores.max())
    softmax = np.allclose(powers / powers.sum(), weights, atol=1e-4)
    return softmax and np.allclose(parts.sum(1), scores, atol=1e-3) and rows_of(drawing, parts)


def like(drawn: np.ndarray, due: np.ndarray) -> bool:
    """The same numbers on a scale of their own."""
    return bool(np.allclose(drawn / np.abs(drawn).max(), due / np.abs(due).max(), atol=1e-3))


def of_pieces(drawing: Drawing, due: np.ndarray) -> bool:
    """Whether bars are of each piece, or of as many as there is room for."""
    bars = [numeric(trace["x"]) for trace in drawing.typed("bar").data]
    some = np.round(due, 5)
    return any(
        np.allclose(bar, due, rtol=1e-3, atol=1e-6) if bar.size == due.size else np.isin(np.round(bar, 5), some).all()
        for bar in bars
        if bar is not None
    )


def weighted_values(drawing: Drawing) -> bool:
    weights, values = (drawing.view.of(name).values for name in ("weight", "value_vector"))
    parts, output = weights[:, None] * values, drawing.view.of("output")
    z = numeric(drawing.typed("heatmap").data[1]["z"])[0]
    return np.allclose(parts.sum(0), output, atol=1e-4) and rows_of(drawing, parts) and like(z, output.values)


def parts_in_words(drawing: Drawing) -> bool:
    """What attention adds to the piece in view stands in words beside its place."""
    piece = drawing.run.attrs["query_piece"] - 1
    lengths = drawing.view.of("stage_norm").isel(piece=piece)
    return f"{float(lengths.sel(stage='attention')):.2f}" in drawing.texts


def evidence(drawing: Drawing) -> bool:
    return all(of_pieces(drawing, drawing.view.of(name).values) for name in ("attribution", "attention_received"))


def number_by_number(drawing: Drawing) -> bool:
    """Each row as a share of a largest number; the sum is that of the three before."""
    parts = drawing.view.of("embedding")
    added = sum(parts.sel(part=part).values for part in ("token", "position", "segment"))
    drawn = numeric(drawing.typed("heatmap").data[0]["z"])
    due = [row / np.abs(row).max() for row in parts.values]
    rows = [row / np.abs(row).max() for row in drawn]
    same = all(any(np.allclose(row, one, atol=1e-4) for one in due) for row in rows)
    return bool(np.allclose(added, parts.sel(part="sum").values, atol=1e-4)) and same


def moved(drawing: Drawing) -> bool:
    moves = drawing.view.of("moved")
    of_pieces = [
        moves.median("piece"),
        moves.mean("piece"),
        *(moves.isel(piece=at) for at in range(moves.sizes["piece"])),
    ]
    return any(shown(drawing, one) for one in of_pieces)


def guessed(drawing: Drawing) -> bool:
    """A bar for each word as long as its probability at the step in view, that of the hidden one in its colour."""
    [bars] = drawing.typed("bar").data
    chances = drawing.view.last("probe_probability")
    due = [float(chances.sel(candidate=word)) for word in bars["y"]]
    blue = [word for word, colour in zip(bars["y"], bars["marker"]["color"], strict=True) if colour == "#0e7ac0"]
    return np.allclose(numeric(bars["x"]), due, rtol=1e-5) and blue == [drawing.run.attrs["probe_answer"]]


def seen_pieces(drawing: Drawing) -> bool:
    """A piece sees those that come before it in the order, and these look otherwise than others."""
    order = np.asarray(drawing.view.until().run["factorisation_order"].values)
    order = order[-1] if order.ndim > 1 else order
    drawn = np.nan_to_num(numeric(drawing.typed("heatmap").data[0]["z"]), nan=-1)
    there = order[None, :] < order[:, None]
    off = ~np.eye(len(order), dtype=bool)
    return not set(drawn[there & off]) & set(drawn[~there & off])


MEASURES = "Raw weights, weighted values (Kobayashi et al. 2020), rollout and flow (Abnar and Zuidema 2020)."
OF_LABORATORIES = {
    "inside-bert": {
        "How much both parts add to a piece, and how many neurons are active.": added_lengths,
        "The softmax of the classifier's logits.": chances,
        "Whether the model is right.": absent("right", "truth"),
        "Every layer's heads, by what they do with this text.": in_nodes("layer", "head"),
        "Choose one to look into it.": in_nodes("layer", "head"),
        "What a head looks at.": absent("looks at"),
        "q k by dimension; the sums are scores, their softmax the weights.": query_by_dimension,
        "Each value times its weight, and their sum z.": weighted_values,
        "What attention and feed-forward network add to one piece, as lengths or cosines.": parts_in_words,
        MEASURES: five_measures,
        "The feed-forward networks.": absent("feed", "ffn"),
        "Integrated gradients (Sundararajan et al. 2017) beside attention received.": evidence,
        "How pieces act together.": absent("together"),
        "The likeliest pieces; gold: the hidden one.": guesses,
        "One piece's three embeddings number by number, their sum, and that normalised.": number_by_number,
        "How far a piece's state moves when the text is read backwards.": moved,
        "The cosine of the word's two vectors.": two_words,
        "Dashed: with the other words of the second sentence.": two_words,
        "What the vector means.": absent("means"),
    },
    "bert-pretraining": {
        "How likely the network takes each of these words at the mask.": guessed,
        "Blue: the hidden one.": guessed,
        "The loss on masked pieces beside word frequencies, then the tone beside counted words.": two_phases,
        "Texts of another kind than those that it learned.": absent("another"),
        "A drawn order of guessing, and what each piece sees.": seen_pieces,
        "Tones judged rightly by kind of text, beside simple answers.": simple_tones,
        "How spread, how far and how much on special pieces each head looks.": over(
            "head_entropy", "head_distance", "head_special"
        ),
        "How large the steps are beside the weights, part by part.": over("update_to_data"),
        "How unseen texts of each tone are judged.": confused,
        "Every layer's heads over its feed-forward network.": in_nodes("layer", "head"),
    },
}
