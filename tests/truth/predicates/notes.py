"""The numbers that stand under a figure's title, in their order, once more off the recorded arrays.

An entry is the words of a sentence, as a pattern, and what its numbers have to be. ``ends`` says that it names
networks, each with one number at the end of its part; else all of its numbers count. What a sentence says of the
drawing alone, such as which steps are averaged to a point, is in :data:`OF_THE_DRAWING`.
"""

import re

import numpy as np
import xarray as xr
from scipy.stats import spearmanr

from tests.truth.predicates import texts
from tests.truth.predicates.notes_of_forecasts import GOLD_FORECAST, LEADERBOARD, PRICE_TOKENS
from tests.truth.predicates.told import finite
from tests.truth.predicates.view import Note, View, each, middle, positive, step_of, whole
from tests.truth.recorded_cards.printed import numbers_in

__all__ = ["GOLD_FORECAST", "LEADERBOARD", "OF_THE_DRAWING", "PRICE_TOKENS", "View"]


def cut(view):
    """Over all steps, not those in view."""
    before, after = (view.of(view.kind(kind)) for kind in ("gradient_norm", "clipped_gradient_norm"))
    return (after < before * (1 - 1e-6)).mean(["step", "seed"])


def over_first(values, dim):
    norms = values.median("seed")
    first, highest = norms.isel({dim: 0}, drop=True), norms.max(dim)
    return highest / first.where((first > 0) & np.isfinite(highest))


def surest(view, said):
    """The head whose rows, but for the first, put most on one token."""
    maps = finite(view.last(view.kind("attention_map")))
    along = next(dim for dim in ("block_number", "layer_number", "layer", "block") if dim in maps.dims)
    peaks = maps.transpose(along, "head", "query", "key").values[:, :, 1:].max(-1).mean(-1)
    place = np.unravel_index(int(np.nanargmax(peaks)), peaks.shape)
    return [*(int(one) + 1 for one in place), float(peaks[place])]


def gap(view):
    evaluation, learned = (view.kind(kind) for kind in ("evaluation_loss", "evaluated_training_loss"))
    return middle(view.last(evaluation) - view.last(learned))


NORMS = {"gradient_by_layer": "gradient_norm", "lag_contribution": "lag_contribution"}


def off_the_axis(view, said):
    """In how many places, of how many, every seed of some network is exactly 0, or is no number."""
    name = NORMS.get(view.figure) or view.kind("state_gradient_norm")
    values = view.last(name)
    # Nothing stands before the first step, so the largest lag has no part.
    values = values.isel(lag=slice(0, -1)) if view.figure == "lag_contribution" else values
    [places] = [dim for dim in values.dims if dim not in ("network", "seed")]
    lost = values == 0 if len(said) == 3 else ~np.isfinite(values)
    counts = lost.all("seed").sum(places).values.ravel()
    *zero, count, _ = said
    return [*(0 for _ in zero), int(count) if count in counts else -1, values.sizes[places]]


def best_epochs(view, said):
    """The first and the last epoch at which some fit's loss on unseen data was lowest so far."""
    losses = view.until().of(view.kind("evaluation_loss_by_fit")).transpose("epoch", ...)
    fits = np.where(np.isfinite(losses.values), losses.values, np.inf).reshape(losses.sizes["epoch"], -1)
    best = losses.epoch.values[fits[:, np.isfinite(fits).any(0)].argmin(0)]
    return [int(best.min()), int(best.max())]


SHARED = (
    each(r"(Dotted: after clipping\. )?Steps clipped: ", cut),
    Note(r"Surest: (block|layer) \d+, head \d+, ", surest),
    each(r"(Dev|Test|Unseen) less training, ", gap),
    Note(r"(Exactly 0|Not a finite number), not drawn, in ", off_the_axis),
    Note(r"Best epochs so far: ", best_epochs),
)
"""Of what several laboratories record alike."""

DEPTH_GRADIENTS = (
    each(
        r"Largest norm / layer 1's: ",
        lambda view: over_first(view.last("gradient_norm").sel(layer=slice(1, None)), "layer"),
    ),
    each(
        r"Loss of the deepest over the best: ",
        lambda view: (
            (losses := positive(view.last("loss_by_depth"))).isel(trained_depth=-1) / losses.min("trained_depth")
        ).median("seed"),
    ),
)


def gone_from(view):
    """The lag at which most seeds' signal is below 1/100; none where it never is."""
    signal = view.last("log_jacobian_norm")
    faded = signal < -2
    first = faded.lag.isel(lag=faded.argmax("lag")).where(faded.any("lag"))
    return first.median("seed").where(faded.any("lag").mean("seed") > 0.5)


def nearer_half(view):
    parts = finite(view.last("lag_contribution"))
    shares = parts / parts.sum("lag").where(parts.sum("lag") > 0)
    half = (shares.sizes["lag"] + 1) // 2
    return shares.isel(lag=slice(0, half)).sum("lag", min_count=1).median("seed")


def left_in_lstm(view, said):
    far = [view.last(name).sel(network="lstm").isel(lag=-1) for name in ("log_cell_path", "log_jacobian_norm")]
    return [int(view.run.lag.max()), *(10 ** float(middle(values)) for values in far)]


RECURRENT_GRADIENTS = (
    each(r"Below 1/100 from: ", gone_from),
    each(r"Share of lags below \d+: ", nearer_half),
    whole(
        r"Mean forget gate ",
        lambda view: float(finite(view.last("gate_opening").sel(network="lstm", gate="forget")).mean()),
    ),
    Note(r"Left after ", left_in_lstm),
    whole(r"Most now: ", lambda view: float(middle(view.last("gate_saturation")).max())),
)

FIRST_SEED = {"seed": 0}
CONTINUOUS_DEPTH = (
    each(r"On the right side: ", lambda view: view.last("test_accuracy").isel(FIRST_SEED)),
    each(r"Mean square error: ", lambda view: view.last("test_loss").isel(FIRST_SEED)),
    each(
        r"128 → 256 steps divide it by: ",
        lambda view: (
            (errors := positive(view.of("error_by_blocks"))).isel(steps_taken=-2) / errors.isel(steps_taken=-1)
        ),
    ),
)


def plane(view, said):
    shares = view.last("explained_variance").values.ravel()[:2]
    return [float(shares.sum())]


def reach(view, said):
    """The lowest and the highest mean of the network whose lowest is the one said."""
    rows = view.last("decoded_mean").isel(channel=0).transpose("network", "moment").values
    ends = np.stack([rows.min(1), rows.max(1)], axis=1)
    return ends[np.abs(ends[:, 0] - said[0]).argmin()].tolist()


def before_observations(view):
    """The moments, each of which stands twice where the state jumps, just before the jumps."""
    return np.flatnonzero(np.diff(view.run.moment.values) == 0)


def misses(view):
    ahead = (
        view.last("decoded_mean").isel(channel=0).transpose("network", "moment").values[:, before_observations(view)]
    )
    return xr.DataArray(abs(ahead - view.of("probe_value").values[:, 0])[:, 1:], dims=("network", "observation")).mean(
        "observation"
    )


def flowed(view):
    """The part of the state's way, up to the last jump, that is not jumps."""
    places = before_observations(view)
    states = view.last("state").transpose("network", "moment", "unit").values[:, : places[-1] + 2]
    ways = np.sqrt((np.diff(states, axis=1) ** 2).sum(-1))
    shares = 1 - ways[:, places].sum(1) / ways.sum(1)
    return xr.DataArray(np.maximum(shares, 0), dims="network")


def go_with_gaps(view):
    sizes = finite(view.last("jump").where(view.run.probe_value.notnull().any("channel"))).isel(
        observation=slice(1, None)
    )
    gaps = np.diff(view.run.probe_time.values)
    rows = [
        spearmanr(gaps, row, nan_policy="omit").statistic for row in sizes.transpose("network", "observation").values
    ]
    return xr.DataArray(np.array(rows, dtype=float), dims="network")


ODE_RNN = (
    each(r"Mean miss before looking: ", misses),
    each(r"Way between observations: ", flowed),
    each(r"Rank correlation with the gap: ", go_with_gaps),
    Note(r".* leaves the axis: ", reach),
    Note(r"Axes: ", plane),
)


def nats(view):
    return view.last("dev_loss").median("seed").values.ravel().tolist()


def guesses(of_one):
    """Each network's dev loss in nats and what else it is in."""
    return lambda view, said: [number for loss in nats(view) for number in of_one(view, loss)]


def mapped(view):
    """The share of the differences along the two directions with most of them, by the eigenvalues of their scatter."""
    rows = view.last("embedding_table").isel(
        {dim: 0 for dim in ("network", "seed") if dim in view.run["embedding_table"].dims}
    )
    rows = rows.values.reshape(-1, rows.shape[-1])
    sizes = np.linalg.eigvalsh(np.cov(rows.T))
    return float(sizes[-2:].sum() / sizes.sum())


CHAR_LANGUAGE_MODEL = (
    whole(r"The map shows ", mapped),
    Note(r"Dev, ", guesses(lambda view, loss: (loss, loss / np.log(2), np.exp(min(loss, 700))))),
    Note(
        r"Running means by layer: ",
        lambda view, said: [int(count) for count in view.run.running_values.values.ravel() if count > 0],
    ),
)


def ends_of_block(view, said):
    losses = finite(view.last("position_loss")).median(["network", "seed"]).values
    quarter = max(1, len(losses) // 4)
    return [float(losses[:quarter].mean()), float(losses[-quarter:].mean())]


def alike(view, said):
    """Mean cosines of neighbours and of places half a block apart."""
    cosines = view.last("position_similarity").transpose("position", "other_position").values
    half = len(cosines) // 2
    return [cosines.diagonal(1).mean(), half, cosines.diagonal(half).mean()]


def growth(view, said):
    variance = positive(view.last("residual_variance")).median(["network", "seed"]).values
    return [float(variance[-1] / variance[0])]


CHAR_GPT = (
    Note(r"Dev, ", guesses(lambda view, loss: (loss, loss * float(view.run.tokens_per_byte) / np.log(2)))),
    Note(r"First quarter ", ends_of_block),
    Note(r"Neighbours: ", alike),
    Note(r"It grows ", growth),
    each(r"Loss minus entropy, ", lambda view: middle(view.last("dev_loss") - view.last("logit_entropy"))),
)
ADAPTIVE_COMPUTATION = (each(r"(?=.*: [+−]?\d[\d,]*\.\d\d\.$)", lambda view: middle(view.last("correlation"))),)


def heard_after(view):
    """The first number of blocks after which every row so far is heard."""
    reach = view.run.heard.transpose("depth", "lag").values.astype(bool)
    return int(view.run.depth.values[np.flatnonzero(reach.all(1))[0]])


SERIES_ATTENTION = (whole(r"All heard after ", heard_after),)


def tones(view, said):
    """Of new draws and of new patterns: the network's share, and the bag's."""
    return [
        share
        for patterns in (texts.KNOWN, texts.NEW)
        for share in (
            float(texts.right(view.told, patterns).median("seed")),
            texts.baseline(view.told, "bag of words", patterns),
        )
    ]


def entropies(maps):
    return -(maps * np.log2(np.where(maps > 0, maps, 1))).sum(-1).mean(-1)


def sharpest(view, said):
    maps = finite(view.last("attention")).transpose("layer", "head", "query", "key").values
    bits = entropies(maps)
    place = np.unravel_index(int(np.nanargmin(bits)), bits.shape)
    return [*(int(one) + 1 for one in place), float(bits[place]), float(np.log2(maps.shape[-1]))]


def clipped_by_phase(view, said):
    phases = view.run.phase.values
    clipped = view.of("clipped")
    return [float(clipped.isel(step=phases == phase).mean()) for phase in (1, 2) if (phases == phase).any()]


def torn_between(view, said):
    """Nats on unseen masked pieces, and as many pieces as likely as each other, unless guessing all alike is better."""
    nats = float(middle(view.last("unseen_masked_loss")))
    return [nats] if nats > float(view.run.uniform_loss) else [nats, float(np.exp(nats))]


def likeliest(view, said):
    """The chances of the likeliest word, and of the hidden one where that is another."""
    chances = view.last("probe_probability").values
    own = chances[view.run.candidate.values == view.run.attrs["probe_answer"]]
    return [step_of(view, "look"), float(np.nanmax(chances)), *(float(one) for one in own if one < np.nanmax(chances))]


def widest_gain(view, said):
    """The network's share and the bag's, of the kind of text on which they differ most."""
    right = view.last("kind_tone_accuracy").median("seed").values
    bag = view.of("baseline_kind_accuracy").sel(baseline="bag of words").values
    row = int(np.nanargmax(np.where(view.run.kind_count >= LEAST_TEXTS, right - bag, np.nan)))
    return [float(right[row]), float(bag[row])]


def silent(view, said):
    """The numbers of the blocks without any gradient, phase after phase."""
    norms, phases = view.of("part_gradient_norm"), view.run.phase.values
    names = [
        str(part)
        for phase in (texts.READING, texts.JUDGING)
        if (phases == phase).any()
        for part in norms.part.values
        if (norms.sel(part=part).isel(step=phases == phase) == 0).all()
    ]
    return [0, *(int(one.value) for name in names for one in numbers_in(name))]


LEAST_TEXTS = 25
BERT_PRETRAINING = (
    Note(r"Steps clipped: ", clipped_by_phase),
    Note(r"Tone: new draws ", tones),
    Note(r"Surest: layer \d+, head \d+: ", sharpest),
    Note(r"[\d.]+ nat, ", torn_between),
    whole(r"Step \d+: “” comes first, ", lambda view: step_of(view, "look")),
    Note(r"Step \d+: “”", likeliest),
    whole(
        r"Step \d+: .* of unseen pairs told rightly",
        lambda view: step_of(view, "look"),
        lambda view: float(middle(view.last("unseen_next_sentence_accuracy"))),
    ),
    Note(r"Most beyond counted words: ", widest_gain),
    whole(r"(Counted words do as well|No kind has the \d+ texts)", lambda view: LEAST_TEXTS),
    Note(r"Exactly 0, not drawn: ", silent),
)


OF_THE_DRAWING = re.compile(
    r"(Layer norm, )?([Ss]tep|[Ee]poch) \d[\d,]*\b[^:]{0,60}\.$|Means of (about )?\d+ |Every \d+\w\w \w+\.$"
    r"|Mean of the last \d+ |\d+ of \d+ layers are drawn|(Median|(Line: m|M)ean( forecast)?) of \d+ seeds"
    r"|Means over \d+ seeds|Geometric mean of 16 |Dotted: |Thin: |Band: 90 %|Grey: |Exactly 0 throughout: |Filled: "
    r"|Open: |Below 1 |1: open|After time \d+|Time \d+, |\d dimensions, seen from |“"
    r"|Number: its place in the order, 0 is only read|Far below, not drawn: "
    r"|[\w ]+, (steps of at most|tolerance) |△ 16 or more: "
)
"""Sentences that say how a figure is drawn, or quote a text."""
