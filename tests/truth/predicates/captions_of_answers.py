"""What is claimed under figures of networks whose answers are right or wrong."""

import itertools

import numpy as np
import xarray as xr

from tests.truth.predicates.drawing import (
    Drawing,
    absent,
    both,
    dotted,
    now,
    numeric,
    over,
    shown,
)


def four_stages(drawing: Drawing) -> bool:
    """Bars of four stages of one head at one time, and hollow the last stage of the time before."""
    told = drawing.notes
    time = int(told.split("Time ")[1].split(",")[0])
    reads = "reads" in told
    address = drawing.view.last("address").sel(head="read" if reads else "write")
    before = drawing.only(lambda trace: trace.get("name") == "before")
    hollow = all("rgba(0,0,0,0)" in str((trace.get("marker") or {}).get("color")) for trace in before.data)
    parts = [shown(drawing, address.sel(time=time).isel(stage=place)) for place in range(4)]
    return all(parts) and hollow and (time == 1 or shown(before, address.sel(time=time - 1).isel(stage=-1)))


def memory(drawing: Drawing) -> bool:
    time = int(drawing.notes.split("After time ")[1].split(".")[0])
    return shown(drawing, drawing.view.last("memory").sel(time=time))


def thoughts(drawing: Drawing) -> bool:
    """Of one network a bar at each step of each input as long as its weight, and the budget before it as a line."""
    bars = [np.nan_to_num(numeric(trace["y"])) for trace in drawing.typed("bar").data]
    sums = np.sort(np.concatenate([one.ravel() for one in bars]))

    def of_one(network: str) -> bool:
        parts = [drawing.view.last(name).sel(network=network).values for name in ("weight", "remainder")]
        due = np.sort(np.nan_to_num(np.concatenate([part.ravel() for part in parts])))
        return sums.size == due.size and scaled(sums, due)

    return bool(drawing.typed("scatter").data) and any(map(of_one, drawing.run.network.values))


def steps_taken(drawing: Drawing) -> bool:
    """A bar for each input as long as its weights last."""
    parts = [drawing.view.last(name).sel(network="tau").values for name in ("weight", "remainder")]
    due = ((np.nan_to_num(parts[0]) > 0) | (np.nan_to_num(parts[1]) > 0)).sum(-1)
    return any(np.array_equal(numeric(trace["x"]), due) for trace in drawing.typed("bar").data)


def spent(drawing: Drawing) -> bool:
    """The weights of each input add up to the budget of 1, at the step at which nothing is left of it."""
    weight, remainder, budget = (
        drawing.view.last(name).sel(network="tau") for name in ("weight", "remainder", "budget")
    )
    sums = np.nan_to_num(weight.values).sum(-1) + np.nan_to_num(remainder.values).sum(-1)
    return bool(np.allclose(sums, 1, atol=1e-3) and np.allclose(budget.values[..., 0], 1, atol=1e-3))


def one_is_marked(drawing: Drawing) -> bool:
    """A letter for each step back, a question behind them, and a ring around one of them."""
    texts = next(trace["text"] for trace in drawing.data if trace.get("text") is not None)
    rings = [trace for trace in drawing.data if trace.get("mode") == "markers"]
    return len(texts) == drawing.run.sizes["lag"] + 1 and texts[-1] == "?" and len(numeric(rings[0]["x"])) == 1


def scaled(drawn: np.ndarray, due: np.ndarray) -> bool:
    """The same numbers, all as many times as large."""
    factor = drawn.max() / due.max()
    return bool(factor > 0 and np.allclose(drawn, factor * due, atol=1e-3 * drawn.max()))


def the_way(drawing: Drawing) -> bool:
    return dotted(over("ponder", "accuracy"))(drawing) and shown(drawing.typed("scatter"), drawing.view.last("ponder"))


def pushes(drawing: Drawing) -> bool:
    """Of one network, with a minus: what is above 0 takes the neuron up at a step downhill."""
    parts = [drawing.view.last(name) for name in ("answer_push", "price_push")]
    of_one = [all(shown(drawing, part.sel(network=name)) for part in parts) for name in drawing.run.network.values]
    return any(of_one) and "− dL/dz" in drawing.texts


def level(drawing: Drawing) -> bool:
    """Every network's line begins at 1, so that a level one is one that distance costs nothing."""
    first = drawing.view.last("input_gradient").isel(lag=0).values
    return bool(np.allclose(first[np.isfinite(first)], 1)) and shown(drawing, drawing.view.last("input_gradient"))


def written_by_read(name: str):
    """A table of words written (down) by words read (across); of several heads the last block's mean."""

    def claim(drawing: Drawing) -> bool:
        weights = drawing.view.last(name)
        maps = [numeric(trace["z"]) for trace in drawing.typed("heatmap").data]
        tables = [weights] if "head" not in weights.dims else of_heads(weights)
        return any(
            one.shape == table.shape and np.allclose(one, table.values, atol=1e-4, equal_nan=True)
            for table in tables
            for one in maps
        )

    return claim


def of_heads(weights: xr.DataArray) -> list[xr.DataArray]:
    """What a picture of one map may be of several heads: any one, or their mean, of any block."""
    blocks = [weights.isel(block_number=place) for place in range(weights.sizes["block_number"])]
    return [
        one
        for block in blocks
        for one in (block.mean("head"), *(block.isel(head=h) for h in range(block.sizes["head"])))
    ]


def rings(drawing: Drawing) -> bool:
    """Hollow, at the word that each written one stands for."""
    aligned = drawing.run.aligned.values.astype(float)
    due = {(place, at) for place, at in enumerate(aligned) if np.isfinite(at) and at >= 0}
    [marks] = drawing.hollow.typed("scatter").data
    return len(numeric(marks["x"])) == len(due)


def thicker(drawing: Drawing) -> bool:
    """A line of each weight of a tenth or more of the last block, wider the more it is."""
    lines = [trace for trace in drawing.typed("scatter").data if trace.get("mode") == "lines"]
    weights = drawing.view.last("cross_attention").isel(block_number=-1).mean("head").values
    of_width: dict[float, int] = {}
    for trace in lines:
        ends = numeric(trace["y"])
        count = 0 if ends is None else int(np.isfinite(ends).sum()) // 2
        of_width[trace["line"]["width"]] = of_width.get(trace["line"]["width"], 0) + count
    edges = [0.1, 0.25, 0.5, 0.75, np.inf]
    due = [int(((weights >= low) & (weights < high)).sum()) for low, high in itertools.pairwise(edges)]
    return [of_width[width] for width in sorted(of_width)] == due


def of_written_words(drawing: Drawing) -> bool:
    """Every line ends at the word written that it says it is of, on the axis of these."""
    lines = [trace for trace in drawing.typed("scatter").data if trace.get("mode") == "lines"]
    ends = [(trace["meta"]["written"], np.asarray(trace["y"], float)[1::3]) for trace in lines]
    own = all((at[np.isfinite(at)] == written).all() for written, at in ends)
    return own and len(ends) > 0 and drawing.layout["meta"]["linked"] == {"y": "written"}


def darker(drawing: Drawing) -> bool:
    """The more attention, the darker and wider a line, in steps that their names say."""
    lines = [trace for trace in drawing.typed("scatter").data if trace.get("mode") == "lines"]
    widths = [trace["line"]["width"] for trace in lines]
    shares = [int(str(trace["name"]).split("%")[0]) / 100 for trace in lines]
    weights = drawing.view.last("attention").values
    places = [numeric(trace["x"]) for trace in lines]
    counts = [0 if one is None else int(np.isfinite(one).sum()) // 2 for one in places]
    edges = [*shares, np.inf]
    due = [((weights >= low) & (weights < high)).sum() for low, high in itertools.pairwise(edges)]
    return widths == sorted(set(widths)) and counts == due


def first_at(drawing: Drawing) -> bool:
    """The look at which 99 % are right in the middle seed, of every network that gets there; no bar for others."""
    name = "rate_accuracy" if "rate_accuracy" in drawing.run else "sequence_accuracy"
    shares = drawing.view.of(name)
    steps = shares.look.where(shares >= 0.99).min("look").fillna(np.inf).median("seed")
    due = np.sort(steps.values[np.isfinite(steps.values)].ravel())
    drawn = [numeric(trace.get("y")) for trace in drawing.typed("bar").data]
    heights = np.concatenate([np.zeros(0), *(one[np.isfinite(one)] for one in drawn if one is not None)])
    return np.array_equal(np.sort(heights), due)


def norms(drawing: Drawing) -> bool:
    """At each stage a word's mean, with its spread as a bar."""
    bars = [numeric((trace.get("error_y") or {}).get("array")) for trace in drawing.data]
    spreads = drawing.view.last("norm_deviation").values
    return now("norm_mean")(drawing) and all(
        any(one is not None and np.allclose(one, row, rtol=1e-4) for one in bars) for row in spreads
    )


def choices(drawing: Drawing) -> bool:
    """Operations over columns in one map, a column for each step, and both parts of it sum to 1."""
    parts = [drawing.view.last(name).isel(question=0) for name in ("operation_weight", "column_weight")]
    sums = all(np.allclose(part.sum(part.dims[-1]), 1, atol=1e-3) for part in parts)
    return sums and stacked(drawing, [part.values.T for part in parts])


def stacked(drawing: Drawing, parts: list[np.ndarray]) -> bool:
    """Whether these tables stand on each other in one map, with or without a row between, either way up."""
    for trace in drawing.typed("heatmap").data:
        drawn = numeric(trace["z"])
        rows = {tuple(np.round(row, 4)) for row in drawn}
        if all(tuple(np.round(row, 4)) in rows for part in parts for row in part):
            return True
    return False


def forming(drawing: Drawing) -> bool:
    parts = [drawing.view.of(name).isel(question=0) for name in ("operation_weight", "column_weight")]
    steps = range(parts[0].sizes["iteration"])
    return all(stacked(drawing, [part.isel(iteration=step).values.T for part in parts]) for step in steps)


def selected(drawing: Drawing) -> bool:
    return shown(drawing, drawing.view.last("selection").isel(question=0))


def lit(drawing: Drawing) -> bool:
    """After each step a table whose rows are as dark as they are selected, and a mark at the chosen column."""
    selection = drawing.view.last("selection").isel(question=0).values
    columns = drawing.view.last("column_weight").isel(question=0).values

    def is_true(place: int, trace: dict) -> bool:
        z, text = numeric(trace["z"]), np.array(trace["text"])
        marked = np.char.startswith(text.astype(str), "▸")
        wide = np.repeat(selection[place + 1][:, None], z.shape[1], axis=1)
        return np.allclose(z, wide, atol=1e-3) and marked[:, columns[place].argmax()].all() and marked.sum() == len(z)

    maps = drawing.typed("heatmap").data
    return len(maps) == len(columns) and all(is_true(place, trace) for place, trace in enumerate(maps))


OF_LABORATORIES = {
    "neural-turing-machine": {
        "Each cell's weight after each of four stages.": four_stages,
        "Hollow: the time before.": four_stages,
        "Every number of every cell, after one time.": memory,
    },
    "adaptive-computation": {
        "How each part of the loss pushes the halting neuron.": pushes,
        "A row is an input, a bar a step's weight.": thoughts,
        "Line: the budget of 1 that is left.": spent,
        "The longer the bar, the more steps the network takes for the input, the hardest at the bottom.": steps_taken,
        "Inputs that it was not asked here.": absent("other inputs"),
        "Mean steps of thought by difficulty: bits before STOP, signs, or carries.": now("ponder_by_difficulty"),
        "Whether the time is needed.": absent("need"),
        "Dotted: the way there.": the_way,
        "How many unseen inputs take how many steps of thought.": over("step_share"),
        "Above 0: stop sooner.": pushes,
    },
    "attention-against-recurrence": {
        "One sequence of the task: symbols, one of them marked, and the question at the end.": one_is_marked,
        "Sequences whose mark stands elsewhere.": absent("elsewhere"),
        "Level: distance costs nothing.": level,
        "Whether it is of use.": absent("use"),
        "The time that it takes.": absent("time", "second"),
    },
    "attention-interface": {
        "Rings: the word that it stands for.": rings,
        "What it makes of a word.": absent("means", "makes"),
        "Left what was read, right what is written.": darker,
        "Darker: it looks more.": darker,
        "How many weights each network has.": absent("weights?", "parameters?"),
        "Whether the network errs.": absent("right", "wrong", "err"),
    },
    "translation-transformer": {
        "Thicker: more weight.": thicker,
        "Below a tenth: no line.": thicker,
        "Point at a written word: the others step back.": of_written_words,
        "Rows look at columns.": both(written_by_read("encoder_attention"), written_by_read("decoder_attention")),
        "Left: words read.": written_by_read("encoder_attention"),
        "Right: a word written looks back alone.": written_by_read("decoder_attention"),
        "Rings: the word that it stands for.": rings,
        "No bar: not in this run.": first_at,
        "Each word's mean and spread: as it comes, standardised, and with gain and shift.": norms,
    },
    "neural-programmer": {
        "A column is a step; its weights of operations, and of columns, add up to 1.": choices,
        "Which choices matter.": absent("matter"),
        "The table after each step: filled rows are selected, ▸ marks the chosen column.": lit,
        "Whether the step's operation reads a column.": absent("reads"),
        "A line is a row of the table.": selected,
        "Filled rows are selected.": selected,
        "Weights of operations and columns over training, step by step.": forming,
    },
}
