"""What is claimed under figures of texts, their tokens, and networks that read or write them."""

import re

import numpy as np

from tests.truth.predicates.drawing import (
    Claim,
    Drawing,
    absent,
    both,
    dotted,
    in_nodes,
    line_at,
    now,
    numeric,
    of_kind,
    over,
    shown,
)


def guesses(drawing: Drawing) -> bool:
    """A line at the loss of every guess that needs no network; one that no loss came near has no place on the axis."""
    names = drawing.view.kinds.every("baseline_loss")
    losses = [float(drawing.view.of(name).median()) for name in names if name in drawing.run]
    reached = float(drawing.view.of("dev_loss").min())
    drawn = [line_at(loss)(drawing) for loss in losses]
    return any(drawn) and all(there or loss < reached for there, loss in zip(drawn, losses, strict=True))


def smoothed(drawing: Drawing) -> bool:
    """Each network's mean of the last steps, as many as the note says; or every step, where the note says nothing."""
    told = re.search(r"Mean of the last (\d+) steps", drawing.notes.replace("<br>", " "))
    width, losses = int(told[1]) if told else 1, drawing.view.of("loss").transpose("step", ...)
    sums = np.cumsum(np.nan_to_num(losses.values.astype(np.float64)), axis=0)
    counts = np.cumsum(np.isfinite(losses.values), axis=0)
    for one in (sums, counts):
        one[width:] -= one[:-width].copy()
    with np.errstate(invalid="ignore", divide="ignore"):
        means = losses.copy(data=(sums / counts).astype(np.float32))
    curves = [trace for trace in drawing.typed("scatter").data if "lines" in str(trace.get("mode"))]
    due = means.median("seed").values.reshape(len(means), -1)
    places = {int(step): place for place, step in enumerate(losses["step"].values)}

    def is_drawn(network: int) -> bool:
        for trace in curves:
            x, y = numeric(trace["x"]), numeric(trace["y"])
            known = np.isfinite(x)
            at = [places.get(int(step), -1) for step in x[known]]
            if len(at) > 2 and min(at) >= 0 and np.allclose(y[known], due[at, network], rtol=1e-3, equal_nan=True):
                return True
        return False

    return all(map(is_drawn, range(due.shape[1])))


def learned_and_dev(drawing: Drawing) -> bool:
    return dotted(of_kind("evaluated_training_loss"))(drawing) and of_kind("evaluation_loss")(drawing)


def samples(count: int, name: str) -> Claim:
    """So many rows of cells as full as tokens were likely when they were drawn."""

    def claim(drawing: Drawing) -> bool:
        chances = drawing.view.last(name)
        chances = chances.isel(network=0) if "network" in chances.dims else chances
        maps = [numeric(trace["z"]) for trace in drawing.typed("heatmap").data]
        due = np.sort(np.round(chances.values[np.isfinite(chances.values)], 3))
        drawn = [np.sort(np.round(one[np.isfinite(one)], 3)) for one in maps]
        every = np.sort(np.concatenate(drawn))
        return chances.sizes["sample"] == count and (np.isin(every, due).all() and every.size >= 0.9 * due.size)

    return claim


def similar(drawing: Drawing) -> bool:
    """A symmetric table of cosines, on a scale from blue at −1 to red at 1."""
    table = drawing.view.last("position_similarity").values
    scale = drawing.layout.get("coloraxis") or {}
    return (
        now("position_similarity")(drawing)
        and np.allclose(table, table.T, atol=1e-3)
        and (
            scale.get("cmin"),
            scale.get("cmax"),
        )
        == (-1, 1)
    )


def unsure(drawing: Drawing) -> bool:
    return over("logit_entropy")(drawing) and dotted(over("dev_loss"))(drawing)


def mapped(drawing: Drawing) -> bool:
    """Places along the two directions with most of the differences: their spreads are the table's two largest."""
    rows = drawing.view.last("embedding_table").isel(network=0)
    rows = rows.values.reshape(-1, rows.shape[-1])
    spreads = np.sort(np.linalg.eigvalsh(np.cov(rows.T)))[::-1][:2]
    [marks] = [trace for trace in drawing.data if "text" in str(trace.get("mode"))]
    drawn = [np.var(numeric(marks[axis]), ddof=1) for axis in "xy"]
    return bool(np.allclose(drawn, spreads[: len(drawn)], rtol=1e-2))


def vowels(drawing: Drawing) -> bool:
    [marks] = [trace for trace in drawing.data if "text" in str(trace.get("mode"))]
    symbols = marks["marker"]["symbol"]
    pairs = zip(np.atleast_1d(marks["text"]), np.broadcast_to(symbols, len(marks["text"])), strict=True)
    return all((str(text) in "aeiouy") == (symbol == "square") for text, symbol in pairs if str(text).isalpha())


def followers(drawing: Drawing) -> bool:
    """Of counted pairs: each row's counts, each one more or not, as shares; as logarithms."""
    counts = drawing.view.of("count").values
    maps = [numeric(trace["z"]) for trace in drawing.typed("heatmap").data]
    for more in (0, 1):
        with np.errstate(all="ignore"):
            chances = (counts + more) / (counts + more).sum(1, keepdims=True)
            due = np.log10(np.maximum(chances, 1e-4))
        if any(one.shape == due.shape and np.allclose(np.maximum(one, -4), due, atol=1e-3) for one in maps):
            return True
    return any(np.allclose((10**one).sum(1), 1, atol=0.02) for one in maps)


def sizes(drawing: Drawing) -> bool:
    """Cells of a table grow as a power of the characters read; the ring is at the run's own size."""
    [ring] = drawing.named("^this run$").hollow.data[:1]
    table = drawing.named("^table of counts$").data[0]
    read, cells = (numeric(table[axis]) for axis in "xy")
    symbols = len(drawing.run.symbol)
    as_power = np.allclose(np.log(cells) / np.log(symbols), read + 1, rtol=1e-3)
    return as_power and np.isclose(numeric(ring["y"])[0], float(drawing.run.parameter_count.values.ravel()[0]))


def cut(drawing: Drawing) -> bool:
    """A token each time the colour changes in a row, and as many as stand before the number."""
    group = drawing.view.of("group")
    return all(shown(drawing, group.isel(side=side) % 2) or shown(drawing, group.isel(side=side)) for side in (0, 1))


OF_LABORATORIES = {
    "text-tokens": {
        "How many of the learned tokens hold letters, signs, and so on.": over("entries"),
        "Tokens of one sentence and of its translations.": over("sentence_tokens"),
        "How well a model understands the language.": absent("model", "understand"),
        "Where each pattern cuts a number, and how many tokens it becomes.": cut,
    },
    "char-language-model": {
        "The loss, smoothed over steps, beside guesses that need no network.": both(smoothed, guesses),
        "Eight names, letter by letter; fuller cells were held likelier.": samples(8, "sample_probability"),
        "Loss on text that is learned (dotted) and on dev text.": learned_and_dev,
        "The embedding's two widest directions.": mapped,
        "Squares: vowels.": vowels,
        "Other directions.": absent("third"),
        "How likely each character (column) is after each other (row).": followers,
        "Numbers to learn by characters read and by vocabulary (Bengio et al. 2003, section 2); ring: this run.": sizes,
        "The model layer by layer.": in_nodes("layer"),
    },
    "char-gpt": {
        "The loss, smoothed over steps, beside guesses that need no network.": both(smoothed, guesses),
        "Four samples.": samples(4, "sample_probability"),
        "The fuller a cell, the likelier its token was held.": samples(4, "sample_probability"),
        "Other compressors.": absent("zstd", "bzip", "xz", "lzma"),
        "Dotted: counted pairs.": dotted(over("bigram_position_loss")),
        "How alike two places' learned vectors are: red alike, blue opposite.": similar,
        "Loss on text that is learned (dotted) and on dev text.": learned_and_dev,
        "How unsure the guesses on dev text are, and how wrong (dotted).": unsure,
        "The network block by block.": in_nodes("layer"),
    },
}
