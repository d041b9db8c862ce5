"""What a watched run says in numbers: what its cards, its page and its JSON tell.

A run may come from a file of somebody else's: facts that are not of the kind that they should be are taken for absent.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings.finding import Floats
from goldviz.diagnostics.findings.measures import ERRORS, mean, median, noise, rising, typical_update
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
LONG = 0.1
"""An update-to-data ratio above which a step is a long one."""
ALIKE = 2.0
"""Times apart that two rates are at most to be about the same."""
WINDOW = 8
"""Looks that a dead unit takes to be one."""


def attribute(dataset: Run, name: str) -> Any:
    """What a run says beside its numbers, out of its JSON where that is how it stands; None where it is none."""
    told = dataset.attrs.get(name)
    try:
        return json.loads(told) if isinstance(told, str) else told
    except (ValueError, RecursionError):
        return None


def facts_of(dataset: Run) -> dict[str, Any]:
    """What was noticed beside numbers."""
    return _mapping(attribute(dataset, "watched"))


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
    try:
        return [(str(name), str(kind), _count(count)) for name, kind, count in attribute(dataset, "layers")]
    except (ValueError, TypeError):
        return []


def knobs_of(dataset: Run) -> list[str]:
    """The knobs that a run's script lets its page turn; none where it did not ask for any."""
    return names_in(dataset, "knobs")


def trials_of(dataset: Run) -> list[str]:
    """The kinds of cards whose cures a run's script lets its page try; none where it offered no trial."""
    return names_in(dataset, "offered_trials")


def names_in(dataset: Run, attribute_name: str) -> list[str]:
    """The texts that a run says there; none where it does not."""
    return _names(attribute(dataset, attribute_name))


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63 else 0


def _number(value: Any) -> float:
    # JSON has integers that no float holds.
    held = isinstance(value, int | float) and abs(value) <= sys.float_info.max
    return float(value) if held else math.nan


def _numbers(value: Any) -> tuple[float, float]:
    """Two numbers that a fact holds; NaN where it does not."""
    pair = value if isinstance(value, list) and len(value) == 2 else (None, None)
    return _number(pair[0]), _number(pair[1])


def _names(value: Any) -> list[str]:
    return [str(name)[:200] for name in value] if isinstance(value, list) else []


def _part(part: float, whole: float) -> float:
    """A part of what is above zero; NaN where the whole is not."""
    return part / whole if whole > 0 else math.nan


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
    results = attribute(dataset, "tried")
    return {
        str(one.get("kind"))[:100]: {**one, "sentence": str(one.get("sentence", ""))[:300]}
        for one in (results if isinstance(results, list) else [])
        if isinstance(one, Mapping) and isinstance(one.get("helped"), bool)
    }


def looked_every(dataset: Run) -> int:
    """After how many steps a look comes where the budget stretched that; 0 where it did not."""
    return _count(_mapping(attribute(dataset, "intervals")).get("looks"))


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
    update = WatchedReading(dataset, {}).update
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


def _typical_of_steps(dataset: Run, chosen: np.ndarray | None = None) -> float:
    """The median update-to-data ratio of all steps, of which each measured one stands for those around it.

    The first steps are all measured, later ones as seldom as the budget asks for: counted alike, the long first steps
    would outweigh a run's others on a slow machine alone. NaN where the last half of the steps has no measured one.
    """
    ratios, stands_for, reaches = _ratios_of_steps(dataset, chosen)
    if not ratios.size or (chosen is None and not reaches):
        return math.nan
    order = np.argsort(ratios)
    reached = np.cumsum(stands_for[order]) / stands_for.sum()
    # As a median of alike weights: between two where half lies on either side.
    low, high = (int(np.searchsorted(reached, half)) for half in (0.5 - 1e-9, 0.5 + 1e-9))
    return float(ratios[order][low : high + 1].mean())


def _ratios_of_steps(dataset: Run, chosen: np.ndarray | None = None) -> tuple[Floats, Floats, bool]:
    """The update-to-data ratios that are positive numbers, for how many steps each stands, and whether the last half of
    the steps has one."""
    ratios = values(dataset, "update_to_data")
    if ratios.ndim != 2:
        return np.zeros(0), np.zeros(0), False
    steps = dataset["update_to_data"][STEP].values.astype(np.float64)
    if chosen is not None:
        ratios, steps = ratios[chosen], steps[chosen]
    usable = np.isfinite(ratios) & (ratios > 0)
    measured = usable.any(1)
    at = steps[measured]
    if not at.size:
        return np.zeros(0), np.zeros(0), False
    between = (at[1:] + at[:-1]) / 2
    # Steps are numbered from 1.
    ends = np.array([at[0] - 0.5, *between, max(steps[-1], at[-1]) + 0.5])
    stands_for = np.broadcast_to(np.diff(ends)[:, None], (at.size, ratios.shape[1]))[usable[measured]]
    return ratios[measured][usable[measured]], stands_for, bool(at[-1] >= steps[-1] / 2)


def replayed(dataset: Run) -> tuple[str, float] | None:
    """Which recurrent module was replayed, and how far the replay's outputs lay from its own at most."""
    differences = values(dataset, "replay_difference")
    name = facts_of(dataset).get("through_time")
    return (name[:200], float(differences.max())) if isinstance(name, str) and differences.size else None


def share_watching(dataset: Run) -> float:
    """The share of the steps' own time that watching took."""
    return _number(facts_of(dataset).get("price"))


def _share(fact: str, of: str, words: str) -> Any:
    """A count among the facts as a share of another one; NaN where either is absent."""
    return property(lambda n: _part(_number(n.facts.get(fact)), _number(n.facts.get(of))), doc=words)


def _share_of_steps(fact: str, of: str, words: str) -> Any:
    """The same of at least three; where each optimiser was counted apart, the largest of theirs."""

    def read(n: WatchedReading) -> float:
        counts = (told if isinstance(told := n.facts.get(one), list) else [told] for one in (fact, of))
        pairs = ((_count(part), _count(whole)) for part, whole in zip(*counts, strict=False))
        return max((part / whole for part, whole in pairs if whole >= 3), default=math.nan)

    return property(read, doc=words)


def _fact(name: str, words: str) -> Any:
    """A number among the facts; NaN where it is absent."""
    return property(lambda n: _number(n.facts.get(name)), doc=words)


def _verdict(fact: str, words: str) -> Any:
    """Whether a fact is true."""
    return property(lambda n: n.facts.get(fact) is True, doc=words)


def _text(fact: str, words: str) -> Any:
    """A fact in words; empty where it is none."""
    return property(lambda n: told[:200] if isinstance(told := n.facts.get(fact), str) else "", doc=words)


def _layers(fact: str, words: str) -> Any:
    """How many layers a fact names."""
    return property(lambda n: float(len(n.names(fact))), doc=words)


@dataclass(frozen=True)
class WatchedReading:
    """What was read off a watched run, one value each; NaN where nothing was."""

    dataset: Run
    facts: Mapping[str, Any]

    def names(self, fact: str) -> list[str]:
        """The layers that a fact names, such as no_gradient, frozen or not_optimised."""
        return _names(self.facts.get(fact))

    @property
    def losses(self) -> Floats:
        """The loss of each step at which it was a finite number."""
        loss = values(self.dataset, "loss")
        return loss[np.isfinite(loss)]

    @property
    def _last_loss(self) -> float:
        """The mean of the last quarter of the losses; NaN where there are none."""
        return float(self.losses[-len(self.losses) // 4 :].mean()) if self.losses.size else math.nan

    @property
    def broken(self) -> bool:
        """Whether a value was no finite number, in the loss or in the gradient."""
        return bool(cause_of(self.dataset))

    @property
    def no_measure(self) -> bool:
        """Whether the loss is none of this network's own answers, so that it may rise while all is well."""
        return _count(self.facts.get("answers_read")) >= WINDOW and not self.answers

    @property
    def rising(self) -> bool:
        """Whether the loss went up; of one that goes below 0, as a critic's does, nobody says by how much."""
        return bool(self.losses.size and self.losses.min() >= 0 and rising(self.losses))

    @property
    def update(self) -> float:
        """The typical update-to-data ratio."""
        return _typical_of_steps(self.dataset)

    @property
    def update_now(self) -> float:
        """The typical update-to-data ratio of the steps at about the present rate; NaN where none was measured."""
        ratios = values(self.dataset, "update_to_data")
        steps, rates = _rates(self.dataset)
        if not (ratios.size and rates.size):
            return self.update
        alike = steps[np.abs(np.log(rates / rates[-1])) <= math.log(ALIKE)]
        return _typical_of_steps(self.dataset, np.isin(self.dataset["update_to_data"][STEP].values, alike))

    @property
    def rate_changed(self) -> bool:
        """Whether the present rate is no longer about the one that half of the steps had more than, and half less."""
        _, rates = _rates(self.dataset)
        return bool(rates.size and abs(math.log(float(np.median(rates)) / float(rates[-1]))) > math.log(ALIKE))

    @property
    def without_rate(self) -> float:
        """The share of steps whose rate was below a ten thousandth of the highest; NaN for few steps."""
        rates = values(self.dataset, "learning_rate")
        rates = rates[np.isfinite(rates)]
        enough = rates.size >= FIRST_STEPS and rates.max() > 0
        return float((rates < NO_RATE * rates.max()).mean()) if enough else math.nan

    @property
    def first_updates(self) -> float:
        """The largest typical update-to-data ratio among the first steps."""
        ratios = values(self.dataset, "update_to_data")[:FIRST_STEPS]
        return max((typical_update(row) for row in ratios), default=math.nan)

    @property
    def long_steps(self) -> float:
        """The share of the run's updates that changed a layer by more than a tenth; NaN where none was measured."""
        ratios, stands_for, _ = _ratios_of_steps(self.dataset)
        return float(stands_for[ratios > LONG].sum() / stands_for.sum()) if ratios.size else math.nan

    @property
    def first_rise(self) -> float:
        """The highest loss of the first steps over the first one."""
        loss = self.losses[:FIRST_STEPS]
        return float(loss.max() / loss[0]) if loss.size and loss[0] > 0 else math.nan

    # -- beside what a guess costs ----------------------------------------------------------------------------

    @property
    def answers(self) -> dict[str, Any]:
        """What the network's targets are, as far as its gradient tells."""
        return _mapping(self.facts.get("answers"))

    @property
    def even_guess(self) -> float:
        """The loss of an even guess among the classes: ln C; NaN for a loss that goes below 0, which is another's."""
        classes, losses, factor = _count(self.facts.get("classes")), self.losses, _number(self.answers.get("factor"))
        even = math.log(classes) if classes > 1 and losses.size and losses.min() >= 0 else math.nan
        return even * (factor if factor > 0 else 1.0)

    @property
    def guess(self) -> float:
        """The loss of the best constant answer: the targets' entropy or variance; of an even guess, if not known."""
        return self._best if self._best > 0 else self.even_guess

    @property
    def _best(self) -> float:
        return _number(self.answers.get("guess")) * _number(self.answers.get("factor"))

    @property
    def began_over_guess(self) -> float:
        """The first loss of the answers over that of an even guess; whatever else is in the loss that is told."""
        began, classes = _number(self.answers.get("began")), _count(self.answers.get("classes"))
        if began > 0 and classes > 1:
            return began / math.log(classes)
        return float(self.losses[0]) / self.even_guess if self.losses.size else math.nan

    @property
    def own_over_guess(self) -> float:
        """The last losses of the answers over that of the best constant answer; whatever else is in the loss.

        Of a normal likelihood, which is below 0 at times, the variances of which both are the likelihood.
        """
        ended, guess = (_number(self.answers.get(name)) for name in ("ended", "guess"))
        if self.answers.get("kind") != "normal":
            return _part(ended, guess)
        likelihood = _part(self._last_loss, _number(self.answers.get("times"))) - _number(self.answers.get("more"))
        return math.exp(min(2 * (likelihood - guess), 100.0))

    @property
    def ended_over_guess(self) -> float:
        """The last quarter's loss over that of the best constant answer; of the answers alone, if more is in it."""
        if len(self.losses) < LEAST_STEPS:
            return math.nan
        own = self.own_over_guess
        return own if math.isfinite(own) and not self._best > 0 else self._last_loss / self.guess

    @property
    def learns_nothing(self) -> bool:
        """Whether most of a hundred steps and more gained no tenth on the best constant answer.

        Where that is not known, whether the loss did not fall by a third.
        """
        loss = self.losses
        if len(loss) < LEAST_STEPS:
            return False
        if self._best > 0:
            return median(loss) > GAINED * self._best
        return bool(self._last_loss > FALLEN * abs(loss[: len(loss) // 10].mean()))

    @property
    def worth(self) -> float:
        """The last quarter's loss over the first one, or an even guess's where that is lower; NaN of few steps.

        NaN also where a loss below 0 or a first one of 0 makes it no share of anything.
        """
        loss = self.losses
        if len(loss) < WINDOW or loss.min() < 0:
            return math.nan
        return _part(self._last_loss, float(np.fmin(loss[0], self.guess)))

    @property
    def evaluated_over_trained(self) -> float:
        """The last evaluation losses over the training losses beside them, where the former went up meanwhile."""
        told, loss = values(self.dataset, "evaluation_loss"), self.losses
        told = told[np.isfinite(told)]
        quarter = len(told) // 4
        if quarter < 1 or len(loss) < LEAST_STEPS or loss.min() < 0:
            return math.nan
        late = told[-quarter:].mean()
        error = float(noise(told)) * math.sqrt(2 / quarter)
        rose = late > FALLEN_BEHIND * told.min() and late - told.min() > ERRORS * error
        return float(late / max(self._last_loss, 1e-12)) if rose else math.nan

    # -- gradients and layers ---------------------------------------------------------------------------------

    def _first_over_last(self) -> list[float]:
        """The gradient's norm at the first layer over that at the last, of weights and of outputs."""
        kinds = layers_of(self.dataset)
        rows = [row for row, (_, kind, n) in enumerate(kinds) if n and "Norm" not in kind and "Embedding" not in kind]
        norms = (values(self.dataset, name) for name in ("gradient_by_layer", "output_gradient"))
        ratios = [_ends(mean(one)[rows]) if one.size else math.nan for one in norms]
        return ratios if all(map(math.isfinite, ratios)) else [math.nan]

    @property
    def first_over_last(self) -> float:
        """The gradient's norm at the first layer over that at the last, of weights or of outputs: what faded less."""
        return max(self._first_over_last())

    @property
    def grown_on_its_way(self) -> float:
        """The same, of what grew less."""
        return min(self._first_over_last())

    @property
    def first_step_over_last(self) -> float:
        """The gradient's norm at a recurrent module's first time step over that at its last."""
        norms = values(self.dataset, "state_gradient")
        return _ends(mean(norms)) if norms.size else math.nan

    @property
    def spike(self) -> float:
        """The largest gradient norm over the median of those until then: one that falls for good has no spike."""
        norms = values(self.dataset, "gradient_norm" if "gradient_norm" in self.dataset else "used_gradient_norm")
        finite = norms[np.isfinite(norms)]
        bounds = np.unique(np.linspace(WINDOW - 1, max(len(finite), WINDOW - 1), PARTS).astype(int)).tolist()
        parts = [(float(finite[begins:ends].max()), median(finite[:begins])) for begins, ends in pairwise(bounds)]
        return max((high / middle for high, middle in parts if middle > 0), default=math.nan)

    @property
    def per_root(self) -> float:
        """The gradient's typical norm before clipping beside that of the weights."""
        weights = values(self.dataset, "weight_norm")
        whole = math.sqrt(float(np.nansum(weights[0] ** 2))) if weights.size else math.nan
        return _part(median(values(self.dataset, "gradient_norm")), whole)

    @property
    def shrunk(self) -> float:
        """How many times smaller clipping typically made the gradient."""
        factors = values(self.dataset, "clip_factor")
        return _part(1.0, median(factors)) if len(factors) >= 3 else math.nan

    @property
    def weights_left(self) -> float:
        """The weights' norm now over that at the first look."""
        norms = values(self.dataset, "weight_norm")
        if len(norms) < WINDOW:
            return math.nan
        first, last = (float(np.nansum(norms[place] ** 2)) ** 0.5 for place in (0, -1))
        return _part(last, first)

    def _worst(self, name: str) -> tuple[float, str]:
        """The largest share of any layer, and which layer that is."""
        shares = values(self.dataset, name)
        if len(shares) < WINDOW or not np.isfinite(shares[-1]).any():
            return math.nan, ""
        row = int(np.nanargmax(np.where(np.isfinite(shares[-1]), shares[-1], np.nan)))
        return float(shares[-1][row]), with_kinds(self.dataset, [str(self.dataset["layer"].values[row])])[0]

    @property
    def dead(self) -> float:
        """The share of dead units where it is largest."""
        return self._worst("dead_units")[0]

    @property
    def dead_layer(self) -> str:
        """Into which layer those units lead."""
        return self._worst("dead_units")[1]

    @property
    def saturation(self) -> float:
        """The share of saturated activations or gates where it is largest."""
        return self._worst("saturation")[0]

    @property
    def saturated_layer(self) -> str:
        """Which layer that is."""
        return self._worst("saturation")[1]

    # -- what was noticed -------------------------------------------------------------------------------------

    stale = _share_of_steps(
        "stale_gradients", "first_gradients", "The share of looked-at steps that began with an old gradient."
    )
    without_gradient = _share_of_steps(
        "steps_without_gradient",
        "first_gradients",
        "The share of looked-at steps before which no gradient had arrived since the last.",
    )
    cleared = _share_of_steps(
        "steps_cleared",
        "steps_with_gradient",
        "The share of looked-at steps that found none of the gradients that had arrived.",
    )
    lost = _share_of_steps(
        "updates_lost",
        "updates",
        "The share of looked-at steps that left most weights as they were, though their gradient was not 0.",
    )
    trained_in_evaluation_mode = _share_of_steps(
        "passes_in_evaluation_mode", "passes", "The share of looked-at training passes in evaluation mode."
    )
    of_one_row = _share_of_steps(
        "batches_of_one", "passes", "The share of looked-at training passes of a single row through batch norm."
    )
    constant = _share_of_steps(
        "constant_inputs", "inputs", "The share of looked-at batches whose rows were all the same."
    )
    in_training_mode = _share(
        "evaluations_in_training_mode", "evaluations", "The share of passes without gradient made in training mode."
    )
    repeated = _share("batches_repeated", "batches_compared", "The share of batches that hold the last one's rows.")
    far = _share("inputs_far", "inputs_measured", "The share of batches with entries of another scale.")
    dropped = _share("answers_dropped", "answers_read", "The share of passes whose answers were dropped.")

    farthest = _fact("farthest_input", "The largest entry, in sizes of nine in ten of the others.")
    stuck = _fact("stuck_at_bound", "The share of answers at the end of their range that should be beyond it.")
    gain = _fact("gain", "How many times larger every layer's outputs are than its inputs at the first look.")
    behind = _fact("norms_behind", "How many deviations a batch norm's running mean lies from the batch's own.")
    written = _fact("written_outside", "How often most of a weight was written between two steps.")
    rows_mix = _fact("rows_mix", "Whether a row's answer changes with other rows.")
    sees_ahead = _fact("sees_ahead", "Whether an answer changes with what it is to foretell.")

    softmax_over_one = _verdict("softmax_over_one", "Whether a softmax went over a single value, which makes it 1.")
    softmax_twice = _verdict("softmax_twice", "Whether the loss took a softmax of probabilities.")
    loss_not_connected = _verdict("loss_not_connected", "Whether the loss wants a gradient though nothing made it.")
    holds_none = _verdict("optimizer_holds_none", "Whether optimisers stepped and none held a parameter.")
    scaled = _verdict("scaled", "Whether a ``GradScaler`` was at work.")

    shapes = _text("broadcast", "What a broadcast between predictions and targets did to their shapes.")
    reshaped = _text("reshaped", "What a reshape did that exchanged two sizes.")

    no_gradient = _layers("no_gradient", "How many layers never got a gradient.")
    unused = _layers("unused", "How many layers are held by an optimiser and were never called.")
    frozen = _layers("frozen", "How many layers are frozen though an optimiser holds them.")
    not_optimised = _layers("not_optimised", "How many layers get a gradient that no optimiser uses.")
    unregistered = _layers("unregistered", "How many lists hold layers of which no module knows.")
    units_alike = _layers("units_alike", "How many layers have units that are all alike.")
    outputs_alike = _layers("outputs_alike", "How many layers give the same for every row.")
    cut_in_time = _layers("cut_in_time", "How many layers are told of their last call alone.")
    telling = _layers("telling_input", "How many inputs tell the target by themselves.")

    @property
    def impossible(self) -> bool:
        """Whether likelihoods of classes do not sum to 1, or end as more than 1: a loss over classes far below 0."""
        classes = _count(self.facts.get("classes"))
        enough = classes > 1 and len(self.losses) >= FIRST_STEPS and self.facts.get("likelihood") is True
        return self.answers.get("not_normalised") is True or (enough and self._last_loss < -0.5 * math.log(classes))

    @property
    def climbs(self) -> bool:
        """Whether steps raise a loss whose targets are known: the loss has the other sign, or the optimiser."""
        told = self.answers.get("climbs")
        return isinstance(told, bool) and told is not bool(self.facts.get("maximises"))

    @property
    def of_one_target(self) -> float:
        """The share of the targets that the most frequent class has."""
        enough = _count(self.answers.get("seen")) >= ENOUGH_TARGETS
        return _number(self.answers.get("most")) if enough else math.nan

    @property
    def pure_batches(self) -> float:
        """The share of batches that hold one class each, though there are several."""
        batches = _count(self.answers.get("batches"))
        told = self.answers.get("several") is True and batches >= WINDOW
        return _count(self.answers.get("pure")) / batches if told else math.nan

    def _other_scale(self, one: str, other: str) -> float:
        """How many times wider the inputs are than others, or narrower, or how many spreads away."""
        (mean, spread), (away, wide) = _numbers(self.facts.get(one)), _numbers(self.facts.get(other))
        if not (spread > 0 and wide > 0):
            return math.nan
        return max(wide / spread, spread / wide, abs(away - mean) / max(spread, wide))

    @property
    def drifted(self) -> float:
        """How far the inputs' scale has moved from that of the first ones."""
        return self._other_scale("inputs_began", "inputs_now")

    @property
    def evaluated_elsewhere(self) -> float:
        """How far the scale of what is evaluated lies from that of what is learned from."""
        return self._other_scale("inputs_now", "evaluation_inputs")

    @property
    def largest_dropout(self) -> float:
        """The largest share that a dropout drops."""
        return _numbers(self.facts.get("largest_dropout"))[1]


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
