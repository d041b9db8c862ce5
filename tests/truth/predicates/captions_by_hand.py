"""What is claimed under figures of what the documents compute by hand, and of what attention costs."""

import numpy as np

from tests.truth.predicates.drawing import Claim, Drawing, absent, both, gold, numeric, over, same, shown

FIVE = ("W_ax", "W_aa", "b_a", "W_ya", "b_y")
"""The weights of the network of document 003."""


def masked(kind: str) -> Claim:
    """The map of whom each row looks at in one kind of attention, and where another takes its rows from."""

    def claim(drawing: Drawing) -> bool:
        own = drawing.run["looked_at"].sel(masked_by=kind).values
        rows, looks = np.arange(len(own)), own == 1
        distances = [row - key for row, key in zip(*np.nonzero(looks), strict=True)]
        means = (own > 0) & ~looks
        due = {
            "full": set(distances) == set(rows) and not means.any(),
            "log_sparse": 0 in distances and not means.any(),
            "prob_sparse": all(looks[row, : row + 1].all() or means[row].any() for row in rows),
        }
        return due[kind] and min(distances) == 0 and any(np.array_equal(one, own) for one in maps(drawing))

    return claim


def maps(drawing: Drawing) -> list[np.ndarray]:
    return [one for trace in drawing.typed("heatmap").data if (one := numeric(trace["z"])) is not None]


def tables(*due: np.ndarray, drawing: Drawing) -> bool:
    """Whether each of these stands in a heat map, either way up."""
    drawn = maps(drawing)
    return all(any(same(one, table) or same(one, table.T) for one in drawn) for table in map(np.atleast_2d, due))


def five(of: str) -> Claim:
    """The five weights' own tables: ``of`` is what follows their names."""
    return lambda drawing: tables(*(drawing.view.of(f"{name}{of}").values for name in FIVE), drawing=drawing)


def of_step(drawing: Drawing) -> bool:
    """What the step in view adds to each sum: the outer products of its deltas with what it read, and its deltas."""
    step = drawing.run.isel(step=drawing.place - 1)
    delta, after = (step[name].values for name in ("delta_u", "delta_y"))
    parts = (
        np.outer(delta, step["x"].values),
        np.outer(delta, step["h_previous"].values),
        delta,
        np.outer(after, step["h"].values),
        after,
    )
    return tables(*parts, drawing=drawing)


def vectors(drawing: Drawing) -> bool:
    """Of the step in view, what it reads, remembers, sums, makes of it, and expects."""
    step = drawing.run.isel(step=drawing.place - 1)
    names = ("x", "h_previous", "u", "h", "o", "y_hat")
    tanh = np.allclose(np.tanh(step["u"].values), step["h"].values)
    return tanh and tables(*(step[name].values for name in names), drawing=drawing)


def sums_so_far(drawing: Drawing) -> bool:
    """Forward there is nothing yet; on the way back the steps from the last one to the one in view."""
    done = drawing.run.isel(step=slice(drawing.place - 1, None))
    return tables(*(done[f"{name}_term"].values.sum(axis=0) for name in FIVE), drawing=drawing)


def owed(drawing: Drawing) -> bool:
    """The norm of step k's part of the gradient of step t's loss (eq. 6): the outer product's, in logarithms."""
    deltas, before = drawing.view.of("delta_of_loss").values, drawing.view.of("h_previous").values
    norms = np.linalg.norm(deltas, axis=-1) * np.linalg.norm(before, axis=-1)[None]
    with np.errstate(all="ignore"):
        due = np.log10(norms)
    drawn = maps(drawing)[0]
    there = np.isfinite(drawn)
    return bool(there.any() and np.allclose(drawn[there], due[there], atol=1e-4))


def unrolled(drawing: Drawing) -> bool:
    """Cells hold new states of steps up to the one in view, and on the way back deltas beside them."""
    parts = [*drawing.view.of("h").values, *drawing.view.of("delta_u").values]
    cells = [column for one in maps(drawing) for column in one.T if np.isfinite(column).any()]
    return bool(cells) and all(any(same(cell, part) for part in parts) for cell in cells)


def clipped(drawing: Drawing) -> bool:
    """All five as many times as long as before, together no longer than the cap."""
    before = np.concatenate([drawing.view.of(f"{name}_gradient").values.ravel() for name in FIVE])
    after = np.concatenate([drawing.view.of(f"{name}_clipped").values.ravel() for name in FIVE])
    factor = np.linalg.norm(after) / np.linalg.norm(before)
    return bool(np.allclose(after, factor * before)) and five("_clipped")(drawing)


def halves(drawing: Drawing) -> bool:
    """Sizes of dL/dx, and of δ = dL/dx φ′(z), on an axis of powers of ten."""
    arriving, slope = (drawing.view.of(name).values for name in ("arriving", "slope"))
    with np.errstate(all="ignore"):
        due = {"^arrives": np.log10(np.abs(arriving)), "^passes": np.log10(np.abs(arriving * slope))}
    for words, sizes in due.items():
        drawn = np.concatenate([numeric(trace["y"]) for trace in drawing.named(words).data])
        there = np.isfinite(sizes)
        if not np.allclose(np.sort(drawn[np.isfinite(drawn)]), np.sort(sizes[there]), atol=1e-6):
            return False
    return True


def differences(drawing: Drawing) -> bool:
    """A point for each derivative: its size, and how far the other way to it is off; both as powers of ten."""
    names = ("arriving", "delta", "weight_gradient", "bias_gradient")
    for words, end in (("^autograd", "autograd"), ("^central", "nudge")):
        own = np.concatenate([drawing.view.of(name).values.ravel() for name in names])
        other = np.concatenate([drawing.view.of(f"{name}_{end}").values.ravel() for name in names])
        far = np.log10(np.maximum(np.abs(own - other)[np.isfinite(own)], 1e-17))
        drawn = np.concatenate([numeric(trace["y"]) for trace in drawing.named(words).data])
        if not np.isin(np.round(drawn, 4), np.round(far, 4)).all():
            return False
    return True


def beside_delta(drawing: Drawing) -> bool:
    """Across δ by the equations, upwards the quotient of differences."""
    marks = drawing.named("^layer")
    drawn = [np.concatenate([numeric(trace[axis]) for trace in marks.data]) for axis in "xy"]
    due = [drawing.view.of(name).values.ravel() for name in ("delta", "delta_nudge")]
    return all(
        np.allclose(np.sort(one), np.sort(other[np.isfinite(other)]), atol=1e-12)
        for one, other in zip(drawn, due, strict=True)
    )


def after_one_update(drawing: Drawing) -> bool:
    parts = {"^the loss$": "loss_after", "^foreseen": "loss_foreseen"}
    return all(
        np.isin(np.round(numeric(drawing.named(words).data[0]["y"]), 9), np.round(drawing.view.of(name), 9)).all()
        for words, name in parts.items()
    )


def softmax(drawing: Drawing) -> bool:
    """Rows of it sum to zero, and so does what the loss leaves, in the row below."""
    jacobian = drawing.view.of("softmax_jacobian").values
    drawn = maps(drawing)[0]
    rows = drawn[np.isfinite(drawn).all(1)]
    return bool(np.allclose(rows.sum(1), 0, atol=1e-5)) and all(
        any(np.allclose(row, one, atol=1e-6) for one in rows) for row in jacobian.reshape(-1, jacobian.shape[-1])
    )


def products(drawing: Drawing) -> bool:
    names = ("cost_forward", "cost_backward_stored", "cost_backward_anew", "cost_differences")
    due = np.log10([float(drawing.run.attrs[name]) for name in names])
    [bars] = drawing.typed("bar").data
    return bool(np.allclose(np.sort(numeric(bars["x"])), np.sort(due)))


def known(drawing: Drawing) -> bool:
    """A text for each neuron, and lines for each weight: as many as the layers have."""
    texts = [str(text) for trace in drawing.data for text in np.atleast_1d(trace.get("text", ()))]
    neurons = int(np.isfinite(drawing.view.of("x").isel(sample=0)).sum())
    return len([text for text in texts if text]) >= neurons


def graph(drawing: Drawing) -> bool:
    """Every tensor of the passes has its name in it; the gold frame is there once."""
    texts = "\n".join(str(text) for trace in drawing.data for text in np.atleast_1d(trace.get("text", ())))
    frames = [shape for shape in drawing.layout.get("shapes") or () if gold((shape.get("line") or {}).get("color"))]
    names = [str(name) for name in drawing.run.data_vars if not str(name).startswith(("d", "closed", "path"))]
    return all(name in texts for name in names) and bool(frames)


def entries(drawing: Drawing) -> bool:
    """The tensor that the note says is computed, or the derivative that it names."""
    name = drawing.notes.split("=")[0].strip().split()[-1].split("[")[0]
    due = drawing.view.of(name).values
    return tables(due.reshape(due.shape[0], -1) if due.ndim > 1 else due, drawing=drawing)


def logit_changes(drawing: Drawing) -> bool:
    """(P − Y)/n of the closed form, of which each row sums to zero."""
    due = drawing.view.of("closed_logits").values
    return bool(np.allclose(due.sum(1), 0, atol=1e-9)) and tables(due, drawing=drawing)


def column_of_zeros(drawing: Drawing) -> bool:
    """A column more than there are characters: minus what the row sums to."""
    due = drawing.view.of("dnorm_logits").values
    drawn = maps(drawing)[0]
    inside = np.allclose(drawn[:, : due.shape[1]], due, atol=1e-9)
    return bool(inside and np.allclose(drawn[:, -1], -due.sum(1), atol=1e-9))


def three_paths(drawing: Drawing) -> bool:
    paths = drawing.view.of("path")
    total = paths.sum("way").values
    return shown(drawing, paths) and tables(total, drawing=drawing)


def against_score(name: str) -> Claim:
    """A mark for each row, at its exact score and at the other number."""

    def claim(drawing: Drawing) -> bool:
        drawn = [np.concatenate([numeric(trace[axis]) for trace in drawing.typed("scatter").data]) for axis in "xy"]
        due = [drawing.view.of(one).values for one in ("unevenness", name)]
        return all(
            np.isin(np.round(other[np.isfinite(other)], 5), np.round(one, 5)).all()
            for one, other in zip(drawn, due, strict=True)
        )

    return claim


OF_LABORATORIES = {
    "backpropagation-steps": {
        "Each neuron's x and δ, each weight or its dL/dw, after this step.": known,
        "Each neuron's error before and after φ′(z), the two halves of eq. 1 and 2.": halves,
        "How far autograd and central differences are from the equations.": differences,
        "An error that all three share, such as a wrong loss.": absent("error", "wrong"),
        "The change of the loss over a nudge of z, beside δ.": beside_delta,
        "The loss after one update with each η, and what the gradient foresees.": after_one_update,
        "g_i(δ_ij − g_j) of the first sample, and what the loss leaves of it: g − y.": softmax,
        "Products with weights in one pass of each kind.": products,
    },
    "backward-by-hand": {
        "Every tensor from embedding to loss.": graph,
        "Gold: computed; dark frames: read.": graph,
        "What is computed here, entry by entry, and its distance from autograd's.": entries,
        "dlogits = (P − Y)/n: what each logit's change does to the loss.": logit_changes,
        "dnorm_logits, and the sum of each row with a minus: dlogit_maxes.": column_of_zeros,
        "Why the maximum is subtracted.": absent("exp", "overflow"),
        "The three paths of dL/dx through batch norm, and their sum (document 002, 1.4.5).": three_paths,
    },
    "backpropagation-by-hand": {
        "Each step: the character read, the state h, and the chance of the next.": unrolled,
        "Back: each unit's δ.": unrolled,
        "Every vector of this step, as heat maps.": vectors,
        "The five weight matrices, as heat maps.": five(""),
        "What this step adds to each of the five sums.": of_step,
        "The five sums so far, as heat maps.": sums_so_far,
        "What step t's loss owes to the weights at step k (document 001, eq. 6).": owed,
        "Which terms cancel each other.": absent("cancel"),
        "The clipped gradient's five parts.": clipped,
        "The five weight matrices after one SGD step.": five("_updated"),
    },
    "attention-cost": {
        "A row looks at itself and at every row before it.": masked("full"),
        "A row looks at itself and at some rows before it.": masked("log_sparse"),
        "Rows whose attention is uneven look at all before them; the others take a mean.": masked("prob_sparse"),
        "The products that the exact score takes to choose them.": absent("score", "products"),
        "Multiplications of one head by formula; both axes are logarithmic.": both(
            over("multiplications"),
            lambda drawing: all(drawing.layout[axis].get("type") == "log" for axis in ("xaxis", "yaxis")),
        ),
        "Bytes of one head's attention weights in float32, by formula.": over("bytes"),
        "The largest attention weight of every row against its exact score.": against_score("top_weight"),
        "What a network that is trained with it learns to do without.": absent("trained", "learn"),
        "What a kernel really holds.": absent("kernel"),
        "The printed approximation against the exact score of every row.": against_score("max_mean"),
        "After how many LogSparse layers a row hears an earlier cell.": over("layers_to_hear"),
        "Seconds on one thread, the quickest of three.": over("seconds"),
        "Bytes that the tensors of four heads hold at once, counted.": over("peak_bytes"),
    },
}
