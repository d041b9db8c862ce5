"""The numbers that stand under a figure's title, in their order, once more off the recorded arrays.

An entry is the words of a sentence, as a pattern, and what its numbers have to be. ``ends`` says that it names
networks, each with one number at the end of its part; else all of its numbers count. What a sentence says of the
drawing alone, such as which steps are averaged to a point, is in :data:`OF_THE_DRAWING`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.stats import spearmanr

from tests.truth.predicates import series, texts
from tests.truth.predicates.numbers import interval
from tests.truth.predicates.told import LOOKS, Told, finite

GROWING = (*LOOKS, "code_look")


@dataclass(frozen=True)
class View:
    """A run as a figure has it: up to the step in view, and whole."""

    run: xr.Dataset
    settings: Any
    kinds: Mapping[str, str]
    step: int
    figure: str

    def until(self) -> "View":
        """The same without what was recorded after the step in view."""
        run = self.run
        for dim in GROWING:
            if dim in run.dims:
                run = run.isel({dim: slice(0, max(1, int((run[dim].values <= self.step).sum())))})
        return replace(self, run=run)

    def of(self, name: str) -> xr.DataArray:
        return self.run[name].astype(np.float64)

    def last(self, name: str) -> xr.DataArray:
        values = self.until().of(name)
        return values.isel({next(dim for dim in GROWING if dim in values.dims): -1})

    def kind(self, kind: str) -> str:
        return self.kinds[kind]

    @property
    def told(self) -> Told:
        """The run as cards' predicates read it."""
        return Told(self.until().run, self.settings, "", self.kinds)


class Note(NamedTuple):
    """The words of a sentence, and the numbers in it."""

    words: str
    numbers: Callable[[View, list[float]], Any]
    ends: bool = False


def middle(values):
    """The median of the finite seeds."""
    return finite(values).median("seed") if "seed" in values.dims else finite(values)


def positive(values):
    return values.where(np.isfinite(values) & (values > 0))


def by_network(values):
    return values.transpose("network", ...).values.ravel().tolist()


def each(words, value):
    return Note(words, lambda view, said: by_network(value(view)), ends=True)


def whole(words, *values):
    return Note(words, lambda view, said: [value(view) for value in values])


def step_of(view, *dims):
    """The last recorded step in view."""
    steps = view.until().run
    return int(steps[next(dim for dim in dims or GROWING if dim in steps.dims)].values[-1])


def layers(view, kind):
    values = positive(view.last(view.kind(kind)))
    return values.median([dim for dim in values.dims if dim != "network"])


LAYERS = {"update_to_data": "update_to_data_by_layer", "gradient_to_data": "gradient_to_data_by_layer"}


def of_layers(view, said):
    kind = LAYERS.get(view.figure, "gradient_norm_by_layer")
    values = layers(view, kind)
    return by_network(values) if "network" in values.dims else [float(values)]


def cut(view):
    """Over all steps, not those in view."""
    if view.figure == "clipping":
        return middle(finite(view.of(view.kind("clipped"))).mean("step"))
    before, after = (view.of(view.kind(kind)) for kind in ("gradient_norm", "clipped_gradient_norm"))
    return (after < before * (1 - 1e-6)).mean(["step", "seed"])


def scatter(view, said):
    """The spread of the steps that a mean is of: at most a twentieth of all."""
    losses = finite(view.of(view.kind("training_loss")))
    dim = next(dim for dim in GROWING if dim in losses.dims)
    width = max(one for one in (5, 10, 20, 50, 100, 200, 500, 1000) if 20 * one <= losses.sizes[dim])
    return by_network(losses.isel({dim: slice(-width, None)}).std(dim).median("seed"))


def over_first(values, dim):
    norms = values.median("seed")
    first, highest = norms.isel({dim: 0}, drop=True), norms.max(dim)
    return highest / first.where((first > 0) & np.isfinite(highest))


def state_gradient(view):
    values = view.last(view.kind("state_gradient_norm"))
    return over_first(values, next(dim for dim in ("time", "observation") if dim in values.dims))


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


NORMS = {"gradient_by_layer": "gradient_norm", "gradient_by_observation": "state_gradient_norm"}


def off_the_axis(view, said):
    """Counts of places where every seed's gradient is exactly 0, or is no number, each of any network, and all."""
    values = view.last(NORMS[view.figure])
    places = [dim for dim in values.dims if dim not in ("network", "seed")]
    there = (values == 0, ~np.isfinite(values))
    counts = {int(count) for one in there for count in one.all("seed").sum(places).values.ravel()}
    pairs = [one for one in said if one]
    right = {*pairs[::2]} <= counts and {*pairs[1::2]} == {values.isel(network=0, seed=0).size}
    return said if right else [-1.0]


SHARED = (
    Note(r"Median of the layers at \w+ \d+, ", of_layers, ends=True),
    each(r"(Dotted: after clipping\. )?Steps clipped: ", cut),
    Note(r"The last \d+ scatter by ", scatter, ends=True),
    each(r"Largest / first norm: ", state_gradient),
    Note(r"Surest: (block|layer) \d+, head \d+, ", surest),
    each(r"(Dev|Test|Unseen) less training, ", gap),
    Note(r".*: (exactly 0|not a finite number) in \d+ of ", off_the_axis),
)
"""Of what several laboratories record alike."""

DEPTH_GRADIENTS = (
    each(
        r"Largest norm over layer 1's: ",
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


def stuck(view, said):
    shares = middle(view.last("gate_saturation"))
    return [step_of(view, "look"), float(shares.max())]


RECURRENT_GRADIENTS = (
    each(r"Below 1/100 from: ", gone_from),
    each(r"Share of lags below \d+: ", nearer_half),
    whole(
        r"Mean forget gate ",
        lambda view: float(finite(view.last("gate_opening").sel(network="lstm", gate="forget")).mean()),
    ),
    Note(r"Left after ", left_in_lstm),
    Note(r"Most at step ", stuck),
)

FIRST_SEED = {"seed": 0}
CONTINUOUS_DEPTH = (
    each(r"On the right side: ", lambda view: view.last("test_accuracy").isel(FIRST_SEED)),
    each(r"Mean square error: ", lambda view: view.last("test_loss").isel(FIRST_SEED)),
    Note(
        r"Forward: ",
        lambda view, said: [
            float(one)
            for network in view.run.network.values
            for one in view.of("evaluations_forward").sel(network=network).median("seed").values[[0, -1]]
        ],
    ),
    each(
        r"128 → 256 steps divide it by: ",
        lambda view: (
            (errors := positive(view.of("error_by_blocks"))).isel(steps_taken=-2) / errors.isel(steps_taken=-1)
        ),
    ),
    each(r"Stretch at step \d+: ", lambda view: middle(view.last("field_stiffness"))),
    whole(
        r"At step \d+ they differ by ",
        lambda view: step_of(view, "look"),
        lambda view: float(middle(view.last("gradient_difference"))),
    ),
)


def stiffness(view, said):
    first, now = (
        float(positive(values).median("seed"))
        for values in (view.of("field_stiffness").isel(look=0), view.last("field_stiffness"))
    )
    return [step_of(view, "look"), now, first, float(middle(view.last("field_saturation")))]


def evaluations(view, said):
    after_first = {"observation": slice(1, None)}
    counts, errors = (view.last(name).isel(after_first) for name in ("interval_evaluations", "interval_error"))
    errors = positive(errors)
    return [float(counts.min()), float(counts.max()), float(errors.max())]


def plane(view, said):
    shares = view.last("explained_variance").values.ravel()[:2]
    return [float(shares.sum()), *shares.tolist()]


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
    each(r"Part of the way between observations: ", flowed),
    each(r"Rank correlation with the gap: ", go_with_gaps),
    Note(r".* leaves the axis: ", reach),
    each(r"Step \d+, in range: ", lambda view: positive(view.last("error")).median("seed")),
    each(r"Step \d+, long gap: ", lambda view: positive(view.last("long_gap_error")).median("seed")),
    Note(r"The axes hold ", plane),
    Note(r"Step \d+: norm ", stiffness),
    Note(r".*evaluations a gap", evaluations),
    whole(
        r"Step \d+: refining the steps multiplies the error by ",
        lambda view: step_of(view, "look"),
        lambda view: float(
            positive(view.last("refined_error") / view.last("error").sel(network="ode_rnn")).median("seed")
        ),
    ),
    each(r"Step \d+: (?=.* %)", lambda view: middle(view.last("coverage"))),
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
    Note(r"First quarter: ", ends_of_block),
    Note(r"Neighbours: ", alike),
    Note(r"From end to end it grows ", growth),
    each(r"Loss minus entropy, ", lambda view: middle(view.last("dev_loss") - view.last("logit_entropy"))),
)
ATTENTION_INTERFACE = (
    each(r"(?=.*: \d+(\.\d)? %\.$)", lambda view: middle(view.last("sequence_accuracy"))),
    whole(
        r"\d+ % of the peaks are on the word itself",
        lambda view: float(view.last("peak_offset").mean("seed").sel(offset=0)),
    ),
)
NEURAL_PROGRAMMER = (
    whole(
        r"Right answers: ",
        lambda view: float(middle(view.last("right")).squeeze()),
        lambda view: float(middle(view.last("as_asked")).squeeze()),
    ),
)
ADAPTIVE_COMPUTATION = (each(r"(?=.*: [+−]?\d\.\d\d\.$)", lambda view: middle(view.last("correlation"))),)


def errors(view, said):
    if view.figure == "horizon":
        return by_network(positive(view.last("horizon_error")).mean("ahead").median("seed"))
    return by_network(middle(view.last("weighted_error")))


def heard_after(view):
    """The first number of blocks after which every row so far is heard."""
    reach = view.run.heard.transpose("depth", "lag").values.astype(bool)
    return int(view.run.depth.values[np.flatnonzero(reach.all(1))[0]])


SERIES_ATTENTION = (
    whole(r"All is heard after ", heard_after),
    Note(r"(?=.*: [\d.]+( × 10\S+)?\.$)", errors, ends=True),
)


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


BERT_PRETRAINING = (
    Note(r"Steps clipped: ", clipped_by_phase),
    Note(r"Tone: new draws ", tones),
    Note(r"Surest: layer \d+, head \d+: ", sharpest),
)


PRICE_TOKENS = (
    Note(r".*nats a day \[", lambda view, said: interval(series.gain(view.told), test=False)),
    whole(r"Agreement with the planted regimes: ", lambda view: float(view.run.rand_index), lambda _: 0, lambda _: 1),
    whole(
        r"In use",
        lambda view: float(view.of("code_perplexity").values.ravel()[-1]),
        lambda view: view.run.sizes["token_name"],
    ),
    whole(
        r".*bits without merges",
        lambda view: float(view.of("bits").sel(order="as it came").values[0]),
        lambda view: float(view.of("bits").sel(order="as it came").values[-1]),
        lambda view: view.run.sizes["merge"] - 1,
        lambda view: float(view.of("bits").sel(order="shuffled").values[-1]),
    ),
)


def skill(view, said):
    """With its test where that disputes the interval."""
    value, *rest = interval(series.own(view.told), test=False)
    return [value, 0.95, *rest]


GOLD_FORECAST = (Note(r"[^:]*: .*, 95 % .* to ", skill),)
LEADERBOARD = (
    whole(
        r"Repeating has R² ",
        lambda view: float(series.table(view.told, "level_r2").sel(forecaster="repeat")),
    ),
)

OF_THE_DRAWING = re.compile(
    r"(At |Measured at |Layer norm, )?([Ss]tep|[Ee]poch) \d[\d,]*\b[^:]{0,60}[.;]?$|At (step|epoch) \d+; "
    r"|Each point: |Every \d+\w\w \w+ is drawn|Line: mean of the last \d+ |\d+ of \d+ layers are drawn"
    r"|(Median|Mean) of \d+ seeds|Geometric mean of 16 |Dotted( lines)?: |Thin: |Band: 90 %|Near 0 |Above 0 |Grey: "
    r"|Exactly 0 throughout: "
    r"|Filled: |Open: expected|1: open; 0: shut|Shaded: over |After time \d+|At time \d+|\d dimensions, seen from "
    r"|Question: |“|Text: |Wrong: |GRU with(out)? attention: [\d -]+\.$|[\w ]+, (steps of at most|tolerance) "
)
"""Sentences that say how a figure is drawn, or quote a text."""
