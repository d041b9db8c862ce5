"""What a watched run says in numbers: what its cards, its page and its JSON tell.

A run may come from a file of somebody else's: facts that are not of the kind that they should be are taken for absent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings.finding import Floats, Verdicts
from goldviz.diagnostics.findings.measures import ERRORS, mean, median, noise, rising, share, typical_update
from goldviz.diagnostics.headroom import EDGE
from goldviz.watching.declared import STEP

FIRST_STEPS = 20
"""Within which a missing warm-up shows."""
MOST_LAYERS = 3
"""Layers that a card names."""
PARTS = 65
"""Bounds of parts of a run, each of which is compared with all before it."""
LEAST_STEPS = 100
"""Before so many steps nobody can say that nothing is learned."""
ENOUGH_TARGETS = 128
"""Targets after which one class may be called the only one."""
LEAST_DEPTH = 4
"""Layers or time steps over which a gradient can fade."""
FALLEN_BEHIND = 1.2
"""Times its lowest, an evaluation loss that goes up again."""
GAINED = 0.9
"""Of the best constant answer's loss, what a network has that learns something."""
FALLEN = 0.67
"""Of its start, the loss of a network that learns something."""
USUAL_UPDATE = 1e-3
"""Norm of a step over that of the weights that is usual."""
NO_RATE = 1e-4
"""Of the highest rate: a rate below it moves nothing."""
ALIKE = 2.0
"""Times apart that two rates are at most to be about the same."""
WINDOW = 8
"""Looks that a dead unit takes to be one."""


def facts_of(dataset: Run) -> dict[str, Any]:
    """What was noticed beside numbers."""
    return _mapping(dataset.attrs.get("watched"))


def cause_of(dataset: Run) -> dict[str, Any]:
    """The first cause; empty where every value was finite."""
    cause = facts_of(dataset).get("first_cause")
    if not isinstance(cause, Mapping):
        return {}
    words = ("module", "kind", "passing", "operation", "value", "dtype")
    rows = cause.get("rows")
    numbers = [int(row) for row in rows if isinstance(row, int)] if isinstance(rows, Sequence) else []
    return {
        **{name: str(cause.get(name, ""))[:200] for name in words},
        **{name: _count(cause.get(name)) for name in ("step", "bad_rows", "of_rows")},
        "rows": numbers[:32],
    }


def layers_of(dataset: Run) -> list[tuple[str, str, int]]:
    """Name, kind and number of parameters of each layer."""
    stored = dataset.attrs.get("layers", "[]")
    try:
        rows = json.loads(stored) if isinstance(stored, str) else stored
        return [(str(name), str(kind), _count(count)) for name, kind, count in rows]
    except (ValueError, TypeError, RecursionError):
        return []


def knobs_of(dataset: Run) -> list[str]:
    """The knobs that a run's script lets its page turn; none where it did not ask for any."""
    return _names_under(dataset, "knobs")


def trials_of(dataset: Run) -> list[str]:
    """The kinds of cards whose cures a run's script lets its page try; none where it offered no trial."""
    return _names_under(dataset, "offered_trials")


def _names_under(dataset: Run, fact: str) -> list[str]:
    stored = dataset.attrs.get(fact, "[]")
    try:
        names = json.loads(stored) if isinstance(stored, str) else stored
        return [str(name) for name in names]
    except (ValueError, TypeError, RecursionError):
        return []


def _mapping(value: Any) -> dict[str, Any]:
    try:
        told = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return {}
    return dict(told) if isinstance(told, Mapping) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _counts(value: Any) -> list[int]:
    return [_count(one) for one in (value if isinstance(value, list) else [value])]


def _names(value: Any) -> list[str]:
    return [str(name)[:200] for name in value] if isinstance(value, list) else []


def listed(names: Sequence[str]) -> str:
    """Some layers by name, and how many more.

    >>> listed(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    more = len(names) - MOST_LAYERS
    return ", ".join(names[:MOST_LAYERS]) + (f" and {more} more" if more > 0 else "")


def with_kinds(dataset: Run, names: Sequence[str]) -> list[str]:
    """Layers by name and kind, such as "4 (Tanh)"; the name alone where the kind is not known."""
    kinds = {name: kind for name, kind, _ in layers_of(dataset)}
    return [f"{name} ({kinds[name]})" if kinds.get(name) else name for name in names]


def values(dataset: Run, name: str) -> Floats:
    """A variable's numbers in double precision; empty where it was not recorded."""
    return np.asarray(dataset[name].values, dtype=np.float64) if name in dataset else np.zeros(0)


def tried_of(dataset: Run) -> dict[str, dict[str, Any]]:
    """What cures did when they were tried on this run, by the kind of their card; a placebo is among them."""
    stored = dataset.attrs.get("tried", "[]")
    try:
        results = json.loads(stored) if isinstance(stored, str) else stored
    except (ValueError, RecursionError):
        return {}
    rows = [one for one in results if isinstance(one, Mapping)] if isinstance(results, list) else []
    return {
        str(one.get("kind"))[:100]: {**one, "sentence": str(one.get("sentence", ""))[:300]}
        for one in rows
        if isinstance(one.get("helped"), bool)
    }


def looked_every(dataset: Run) -> int:
    """After how many steps a look comes where the budget stretched that; 0 where it did not."""
    return _count(_mapping(dataset.attrs.get("intervals")).get("looks"))


def last_values(dataset: Run, name: str, layers: int) -> list[float | None]:
    """What was measured last of each layer; None where nothing was."""
    rows = values(dataset, name)
    if rows.ndim != 2 or not len(rows) or rows.shape[1] != layers:
        return [None] * layers
    measured = ~np.isnan(rows)
    last = len(rows) - 1 - np.argmax(measured[::-1], axis=0)
    return [float(rows[last[row], row]) if measured[:, row].any() else None for row in range(layers)]


def rate_factor(dataset: Run) -> float:
    """How many times larger the rate is to be for steps of a thousandth of the weights.

    Of a typical update-to-data ratio u it is 10^ceil(lg(1e-3 / u)), from 10 to a million; 10 where none was measured.
    """
    update = float(WatchedReading(dataset, {}).update[0])
    known = math.isfinite(update) and update > 0
    return 10.0 ** min(max(math.ceil(math.log10(USUAL_UPDATE / update)), 1), 6) if known else 10.0


def is_recurrent(dataset: Run) -> bool:
    """Whether the network has a recurrent module of PyTorch's."""
    return any(kind in ("RNN", "LSTM", "GRU") for _, kind, _ in layers_of(dataset))


def headroom_of(dataset: Run) -> float | None:
    """How many times larger the rate could be, as last probed; None where it never was, or had another rate then."""
    factors = values(dataset, "headroom")
    if factors.ndim != 1 or not len(factors):
        return None
    probed = int(dataset["headroom"][dataset["headroom"].dims[0]].values[-1])
    steps, rates = _rates(dataset)
    since = rates[steps >= probed]
    # A probe tells of the rate that it was made with.
    return None if since.size and since.max() > EDGE * since.min() else float(factors[-1])


def _rates(dataset: Run) -> tuple[np.ndarray, Floats]:
    """The learning rates that are known, and their steps."""
    rates = values(dataset, "learning_rate")
    known = np.isfinite(rates) & (rates > 0)
    steps = dataset["learning_rate"][STEP].values if rates.size else np.zeros(0)
    return np.asarray(steps[known]), rates[known]


def replayed(dataset: Run) -> tuple[str, float] | None:
    """Which recurrent module was replayed, and how far the replay's outputs lay from its own at most."""
    differences = values(dataset, "replay_difference")
    name = facts_of(dataset).get("through_time")
    return (name[:200], float(differences.max())) if isinstance(name, str) and differences.size else None


def share_watching(dataset: Run) -> float:
    """The share of the steps' own time that watching took."""
    price = facts_of(dataset).get("price")
    return float(price) if isinstance(price, int | float) and math.isfinite(price) else math.nan


def _fact(name: str, words: str, of: str = "") -> Any:
    """A measure that is a number among the facts, as a share of another one where that is named; NaN where absent."""

    def read(n: WatchedReading) -> Floats:
        part, whole = (_number(n.facts.get(one)) if one else 1.0 for one in (name, of))
        return share(n._one(part), whole)

    return property(read, doc=words)


def _layers(fact: str, words: str) -> Any:
    """A measure that counts what a fact names."""
    return property(lambda n: n._one(len(told) if isinstance(told := n.facts.get(fact), list) else 0), doc=words)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else math.nan


@dataclass(frozen=True)
class WatchedReading:
    """What was read off a watched run; NaN where nothing was, one value each."""

    dataset: Run
    facts: Mapping[str, Any]
    name: str = ""

    def _one(self, value: float) -> Floats:
        return np.array([value], dtype=np.float64)

    @property
    def losses(self) -> Floats:
        """The loss of each step at which it was a finite number."""
        loss = values(self.dataset, "loss")
        return loss[np.isfinite(loss)]

    @property
    def broken(self) -> Verdicts:
        """Whether a value was no finite number, in the loss or in the gradient."""
        return np.array([bool(cause_of(self.dataset))])

    @property
    def no_measure(self) -> bool:
        """Whether the loss is none of this network's own answers, so that it may rise while all is well."""
        return _count(self.facts.get("answers_read")) >= WINDOW and not self.answers

    @property
    def rising(self) -> Verdicts:
        """Whether the loss went up; of one that goes below 0, as a critic's does, nobody says by how much."""
        loss = self.losses
        told = loss.size and loss.min() >= 0
        return np.atleast_1d(rising(loss[:, None])) if told else np.array([False])

    @property
    def update(self) -> Floats:
        """The typical update-to-data ratio."""
        ratios = values(self.dataset, "update_to_data")
        return self._one(typical_update(ratios) if ratios.size else math.nan)

    @property
    def update_now(self) -> Floats:
        """The typical update-to-data ratio of the steps at about the present rate; NaN where none was measured."""
        ratios = values(self.dataset, "update_to_data")
        steps, rates = _rates(self.dataset)
        if not (ratios.size and rates.size):
            return self.update
        alike = steps[np.abs(np.log(rates / rates[-1])) <= math.log(ALIKE)]
        return self._one(typical_update(ratios[np.isin(self.dataset["update_to_data"][STEP].values, alike)]))

    @property
    def rate_changed(self) -> bool:
        """Whether the present rate is no longer about the one that half of the steps had more than, and half less."""
        _, rates = _rates(self.dataset)
        return bool(rates.size and abs(math.log(float(np.median(rates)) / float(rates[-1]))) > math.log(ALIKE))

    @property
    def first_updates(self) -> Floats:
        """The largest typical update-to-data ratio among the first steps."""
        ratios = values(self.dataset, "update_to_data")[:FIRST_STEPS]
        return self._one(max((typical_update(row) for row in ratios), default=math.nan))

    @property
    def first_rise(self) -> Floats:
        """The highest loss of the first steps over the first one."""
        loss = self.losses[:FIRST_STEPS]
        return self._one(float(loss.max() / loss[0]) if loss.size and loss[0] > 0 else math.nan)

    @property
    def answers(self) -> dict[str, Any]:
        """What the network's targets are, as far as its gradient tells."""
        return _mapping(self.facts.get("answers"))

    @property
    def even_guess(self) -> Floats:
        """The loss of an even guess among the classes: ln C; NaN for a loss that goes below 0, which is another's."""
        classes, losses, factor = _count(self.facts.get("classes")), self.losses, _number(self.answers.get("factor"))
        even = math.log(classes) if classes > 1 and losses.size and losses.min() >= 0 else math.nan
        return self._one(even * (factor if factor > 0 else 1.0))

    @property
    def guess(self) -> Floats:
        """The loss of the best constant answer: the targets' entropy or variance; of an even guess, if not known."""
        return self._one(self._best) if self._best > 0 else self.even_guess

    @property
    def _best(self) -> float:
        return _number(self.answers.get("guess")) * _number(self.answers.get("factor"))

    @property
    def began_over_guess(self) -> Floats:
        """The first loss of the answers over that of an even guess; whatever else is in the loss that is told."""
        began, classes = _number(self.answers.get("began")), _count(self.answers.get("classes"))
        if began > 0 and classes > 1:
            return self._one(began / math.log(classes))
        return self._one(float(self.losses[0]) if self.losses.size else math.nan) / self.even_guess

    @property
    def own_over_guess(self) -> Floats:
        """The last losses of the answers over that of the best constant answer; whatever else is in the loss."""
        return share(self._one(_number(self.answers.get("ended"))), _number(self.answers.get("guess")))

    @property
    def ended_over_guess(self) -> Floats:
        """The last quarter's loss over that of the best constant answer; of the answers alone, if more is in it."""
        loss = self.losses
        if len(loss) < LEAST_STEPS:
            return self._one(math.nan)
        own = self.own_over_guess
        return (
            own if math.isfinite(own[0]) and not self._best > 0 else float(loss[-len(loss) // 4 :].mean()) / self.guess
        )

    @property
    def learns_nothing(self) -> bool:
        """Whether most of a hundred steps and more gained no tenth on the best constant answer.

        Where that is not known, whether the loss did not fall by a third.
        """
        loss = self.losses
        tenth = len(loss) // 10
        if len(loss) >= LEAST_STEPS and self._best > 0:
            return bool(median(loss) > GAINED * self._best)
        return len(loss) >= LEAST_STEPS and bool(loss[-len(loss) // 4 :].mean() > FALLEN * abs(loss[:tenth].mean()))

    @property
    def worth(self) -> Floats:
        """The last quarter's loss over the first one, or an even guess's where that is lower; NaN of few steps.

        NaN also where a loss below 0 or a first one of 0 makes it no share of anything.
        """
        loss = self.losses
        if len(loss) < WINDOW or loss.min() < 0:
            return self._one(math.nan)
        return share(self._one(float(loss[-len(loss) // 4 :].mean())), np.fmin(loss[:1], self.guess))

    def _first_over_last(self) -> list[float]:
        """The gradient's norm at the first layer over that at the last, of weights and of outputs."""
        kinds = layers_of(self.dataset)
        rows = [row for row, (_, kind, n) in enumerate(kinds) if n and "Norm" not in kind and "Embedding" not in kind]
        names = ("gradient_by_layer", "output_gradient")
        ratios = [
            _ends(mean(norms)[rows]) if (norms := values(self.dataset, name)).size else math.nan for name in names
        ]
        return ratios if all(map(math.isfinite, ratios)) else [math.nan]

    @property
    def first_over_last(self) -> Floats:
        """The gradient's norm at the first layer over that at the last, of weights or of outputs: what faded less."""
        return self._one(max(self._first_over_last()))

    @property
    def grown_on_its_way(self) -> Floats:
        """The same, of what grew less."""
        return self._one(min(self._first_over_last()))

    @property
    def first_step_over_last(self) -> Floats:
        """The gradient's norm at a recurrent module's first time step over that at its last."""
        norms = values(self.dataset, "state_gradient")
        return self._one(_ends(mean(norms)) if norms.size else math.nan)

    @property
    def spike(self) -> Floats:
        """The largest gradient norm over the median of those until then: one that falls for good has no spike."""
        norms = values(self.dataset, "gradient_norm" if "gradient_norm" in self.dataset else "used_gradient_norm")
        finite = norms[np.isfinite(norms)]
        bounds = np.unique(np.linspace(WINDOW - 1, max(len(finite), WINDOW - 1), PARTS).astype(int)).tolist()
        parts = [(float(finite[begins:ends].max()), median(finite[:begins])) for begins, ends in pairwise(bounds)]
        return self._one(max((high / middle for high, middle in parts if middle > 0), default=math.nan))

    @property
    def gradient(self) -> Floats:
        """The typical norm of the whole gradient before clipping."""
        norms = values(self.dataset, "gradient_norm")
        return self._one(median(norms) if norms.size else math.nan)

    @property
    def per_root(self) -> Floats:
        """The gradient's typical norm beside that of the weights."""
        weights = values(self.dataset, "weight_norm")
        whole = math.sqrt(float(np.nansum(weights[0] ** 2))) if weights.size else math.nan
        return self.gradient / whole if whole > 0 else self._one(math.nan)

    @property
    def clip(self) -> Floats:
        """What clipping typically left of the gradient."""
        factors = values(self.dataset, "clip_factor")
        return self._one(median(factors) if len(factors) >= 3 else math.nan)

    @property
    def shrunk(self) -> Floats:
        """How many times smaller clipping typically made the gradient."""
        return 1 / np.where(self.clip > 0, self.clip, np.nan)

    def _worst(self, name: str) -> tuple[float, str]:
        shares = values(self.dataset, name)
        if len(shares) < WINDOW or not np.isfinite(shares[-1]).any():
            return math.nan, ""
        row = int(np.nanargmax(np.where(np.isfinite(shares[-1]), shares[-1], np.nan)))
        return float(shares[-1][row]), with_kinds(self.dataset, [str(self.dataset["layer"].values[row])])[0]

    @property
    def dead(self) -> Floats:
        """The share of dead units where it is largest."""
        return self._one(self._worst("dead_units")[0])

    @property
    def dead_layer(self) -> str:
        """Into which layer those units lead."""
        return self._worst("dead_units")[1]

    @property
    def saturation(self) -> Floats:
        """The share of saturated activations or gates where it is largest."""
        return self._one(self._worst("saturation")[0])

    @property
    def saturated_layer(self) -> str:
        """Which layer that is."""
        return self._worst("saturation")[1]

    def _share(self, name: str, whole: str) -> Floats:
        """The share of the whole; where each optimiser was counted apart, the largest of theirs."""
        counted = zip(_counts(self.facts.get(name)), _counts(self.facts.get(whole)), strict=False)
        return self._one(max((part / count for part, count in counted if count >= 3), default=math.nan))

    @property
    def stale(self) -> Floats:
        """The share of looked-at steps that began with an old gradient."""
        return self._share("stale_gradients", "first_gradients")

    @property
    def without_gradient(self) -> Floats:
        """The share of looked-at steps before which no gradient had arrived since the last."""
        return self._share("steps_without_gradient", "first_gradients")

    @property
    def cleared(self) -> Floats:
        """The share of looked-at steps that found none of the gradients that had arrived."""
        return self._share("steps_cleared", "steps_with_gradient")

    @property
    def without_rate(self) -> Floats:
        """The share of steps whose rate was below a ten thousandth of the highest; NaN for few steps."""
        rates = values(self.dataset, "learning_rate")
        rates = rates[np.isfinite(rates)]
        enough = rates.size >= FIRST_STEPS and rates.max() > 0
        return self._one(float((rates < NO_RATE * rates.max()).mean()) if enough else math.nan)

    @property
    def lost(self) -> Floats:
        """The share of looked-at steps that left most weights as they were, though their gradient was not 0."""
        return self._share("updates_lost", "updates")

    @property
    def trained_in_evaluation_mode(self) -> Floats:
        """The share of looked-at training passes that were made in evaluation mode."""
        return self._share("passes_in_evaluation_mode", "passes")

    @property
    def of_one_row(self) -> Floats:
        """The share of looked-at training passes of a single row through batch norm."""
        return self._share("batches_of_one", "passes")

    @property
    def shapes(self) -> str:
        """What a broadcast between predictions and targets did to their shapes; empty where there was none."""
        told = self.facts.get("broadcast")
        return told[:200] if isinstance(told, str) else ""

    @property
    def broadcast(self) -> Verdicts:
        """Whether predictions and targets were broadcast against each other."""
        return np.array([bool(self.shapes)])

    @property
    def softmax_over_one(self) -> Verdicts:
        """Whether a softmax went over a single value, which makes it 1."""
        return np.array([self.facts.get("softmax_over_one") is True])

    @property
    def impossible(self) -> Verdicts:
        """Whether likelihoods of classes do not sum to 1, or end as more than 1: a loss over classes far below 0."""
        loss, classes = self.losses, _count(self.facts.get("classes"))
        enough = classes > 1 and len(loss) >= FIRST_STEPS and self.facts.get("likelihood") is True
        below = enough and bool(loss[-len(loss) // 4 :].mean() < -0.5 * math.log(classes))
        return np.array([self.answers.get("not_normalised") is True or below])

    @property
    def climbs(self) -> Verdicts:
        """Whether steps raise a loss whose targets are known: the loss has the other sign, or the optimiser."""
        told = self.answers.get("climbs")
        return np.array([isinstance(told, bool) and told is not bool(self.facts.get("maximises"))])

    @property
    def of_one_target(self) -> Floats:
        """The share of the targets that the most frequent class has."""
        enough = _count(self.answers.get("seen")) >= ENOUGH_TARGETS
        return self._one(_number(self.answers.get("most")) if enough else math.nan)

    @property
    def pure_batches(self) -> Floats:
        """The share of batches that hold one class each, though there are several."""
        batches = _count(self.answers.get("batches"))
        told = self.answers.get("several") is True and batches >= WINDOW
        return self._one(_count(self.answers.get("pure")) / batches if told else math.nan)

    def _spreads(self, fact: str) -> tuple[float, float]:
        told = self.facts.get(fact)
        return (
            (_number(told[0]), _number(told[1])) if isinstance(told, list) and len(told) == 2 else (math.nan, math.nan)
        )

    def _other_scale(self, one: str, other: str) -> Floats:
        """How many times wider the inputs are than others, or narrower, or how many spreads away."""
        (mean, spread), (away, wide) = self._spreads(one), self._spreads(other)
        if not (spread > 0 and wide > 0):
            return self._one(math.nan)
        return self._one(max(wide / spread, spread / wide, abs(away - mean) / max(spread, wide)))

    @property
    def drifted(self) -> Floats:
        """How far the inputs' scale has moved from that of the first ones."""
        return self._other_scale("inputs_began", "inputs_now")

    @property
    def evaluated_elsewhere(self) -> Floats:
        """How far the scale of what is evaluated lies from that of what is learned from."""
        return self._other_scale("inputs_now", "evaluation_inputs")

    @property
    def largest_dropout(self) -> Floats:
        """The largest share that a dropout drops."""
        told = self.facts.get("largest_dropout")
        return self._one(_number(told[1]) if isinstance(told, list) and len(told) == 2 else math.nan)

    @property
    def weights_left(self) -> Floats:
        """The weights' norm now over that at the first look."""
        norms = values(self.dataset, "weight_norm")
        if len(norms) < WINDOW:
            return self._one(math.nan)
        first, last = (self._one(float(np.nansum(norms[place] ** 2)) ** 0.5) for place in (0, -1))
        return share(last, first)

    repeated = _fact("batches_repeated", "The share of batches that hold the last one's rows.", "batches_compared")
    far = _fact("inputs_far", "The share of batches with entries of another scale.", "inputs_measured")
    farthest = _fact("farthest_input", "The largest entry, in sizes of nine in ten of the others.")
    stuck = _fact("stuck_at_bound", "The share of answers at the end of their range that should be beyond it.")
    gain = _fact("gain", "How many times larger every layer's outputs are than its inputs at the first look.")
    behind = _fact("norms_behind", "How many deviations a batch norm's running mean lies from the batch's own.")
    dropped = _fact("answers_dropped", "The share of passes whose answers were dropped.", "answers_read")
    written = _fact("written_outside", "How often most of a weight was written between two steps.")
    rows_mix = _fact("rows_mix", "Whether a row's answer changes with other rows.")
    sees_ahead = _fact("sees_ahead", "Whether an answer changes with what it is to foretell.")

    @property
    def reshaped(self) -> str:
        """What a reshape did that exchanged two sizes; empty where none did."""
        told = self.facts.get("reshaped")
        return told[:200] if isinstance(told, str) else ""

    @property
    def evaluated_over_trained(self) -> Floats:
        """The last evaluation losses over the training losses beside them, where the former went up meanwhile."""
        told, loss = values(self.dataset, "evaluation_loss"), self.losses
        told = told[np.isfinite(told)]
        quarter = len(told) // 4
        if quarter < 1 or len(loss) < LEAST_STEPS or loss.min() < 0:
            return self._one(math.nan)
        late = told[-quarter:].mean()
        error = float(noise(told)) * math.sqrt(2 / quarter)
        rose = late > FALLEN_BEHIND * told.min() and late - told.min() > ERRORS * error
        return self._one(float(late / max(loss[-len(loss) // 4 :].mean(), 1e-12)) if rose else math.nan)

    @property
    def loss_not_connected(self) -> Verdicts:
        """Whether the loss asked for a gradient though no operation made it."""
        return np.array([self.facts.get("loss_not_connected") is True])

    @property
    def holds_none(self) -> Verdicts:
        """Whether optimisers stepped and none held a parameter of the network."""
        return np.array([self.facts.get("optimizer_holds_none") is True])

    @property
    def constant(self) -> Floats:
        """The share of looked-at batches whose rows were all the same."""
        return self._share("constant_inputs", "inputs")

    @property
    def in_training_mode(self) -> Floats:
        """The share of passes without gradient that were made in training mode."""
        passes = _count(self.facts.get("evaluations"))
        return self._one(_count(self.facts.get("evaluations_in_training_mode")) / passes if passes else math.nan)

    @property
    def softmax_twice(self) -> Verdicts:
        """Whether the loss took a softmax of probabilities."""
        return np.array([self.facts.get("softmax_twice") is True])

    @property
    def scaled(self) -> bool:
        """Whether a ``GradScaler`` was at work."""
        return self.facts.get("scaled") is True

    def layers_without(self, fact: str) -> list[str]:
        """Layers that a fact names: no_gradient, frozen or not_optimised."""
        return _names(self.facts.get(fact))

    no_gradient = _layers("no_gradient", "How many layers never got a gradient.")
    unused = _layers("unused", "How many layers are held by an optimiser and were never called.")
    frozen = _layers("frozen", "How many layers are frozen though an optimiser holds them.")
    not_optimised = _layers("not_optimised", "How many layers get a gradient that no optimiser uses.")
    unregistered = _layers("unregistered", "How many lists hold layers of which no module knows.")
    units_alike = _layers("units_alike", "How many layers have units that are all alike.")
    outputs_alike = _layers("outputs_alike", "How many layers give the same for every row.")
    cut_in_time = _layers("cut_in_time", "How many layers are told of their last call alone.")
    telling = _layers("telling_input", "How many inputs tell the target by themselves.")


def _ends(norms: Floats) -> float:
    """The first over the last of those that are not 0; NaN of fewer than four, of which each is a case of its own."""
    there = norms[np.isfinite(norms) & (norms > 0)]
    return float(there[0] / there[-1]) if there.size >= LEAST_DEPTH else math.nan


def where_it_was(cause: Mapping[str, Any]) -> str:
    """The first cause's place in a sentence."""
    module, operation = cause["module"], cause["operation"]
    likely = f", likely in {operation}" if operation and operation != cause["kind"] else ""
    kind = f" ({cause['kind']})" if cause["kind"] else ""
    return {
        "forward": f"{module}{kind} made it in the forward pass{likely}.",
        "backward": f"The backward pass made it behind {module}{kind}{likely}.",
        "between": f"It was made {operation}, outside every module.",
        "weights": f"{operation} of {module} was no finite number any more: the step before wrote it.",
        "batch": "The batch itself held it.",
        "loss": f"The loss made it{likely}: every module's output was finite.",
    }.get(cause["passing"], "It came in a step that was not looked at: watch with every=1 and budget=None.")


def rows_of(cause: Mapping[str, Any]) -> str:
    """Which rows of the batch it was in."""
    rows = cause["rows"]
    if not rows or not cause["of_rows"]:
        return ""
    some = ", ".join(map(str, rows[:8])) + (" …" if cause["bad_rows"] > 8 else "")
    return f"{cause['bad_rows']} of {cause['of_rows']} rows of the batch: {some}"
