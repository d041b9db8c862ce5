"""What a loss asks of a network's answers, read off its gradient with respect to them.

Of answers z the usual losses have a gradient g that tells their targets y: s (softmax(z) - y) for cross-entropy,
s (sigmoid(z) - y) for the binary one, -s y where the network gives log probabilities itself, s (z - y) for the mean
squared error, s (m - y) / v and s (1 - (m - y)^2 / v) / 2 for the mean m and log variance of a Gaussian likelihood. A
loss is taken for one of these only where its own numbers say so: the gradient's parts sum to 0 over the classes, they
fit each other, or the loss of the targets found is the loss that was told. Of distances |z - y| the gradient tells the
sign alone, yet not more than how far answers lie from their median can part their loss from a constant's.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import Tensor

from goldviz.diagnostics.findings.finding import Floats
from goldviz.watching.first_cause import OfLoss
from goldviz.watching.layers import tensors_in

MOST_ENTRIES = 1 << 16
"""Entries of an answer that are read."""
KEPT = 32
"""Steps whose targets are kept."""
CLOSE, CLOSE_HALF = 1e-3, 0.02
"""How far numbers may lie apart that should be equal, and in half precision."""
TIED = 8
"""Entries that are exactly alike where an answer stands at the end of its range."""
STEADY = 0.05
"""How far a loss as told may wander beside the loss of the targets, to be a multiple of it."""
MOSTLY = 0.9
"""Of an answer's numbers, what the loss must ask for."""
LAST = 3
"""Looks of which the last loss is the mean."""
ENOUGH = 10
"""Targets for each class that was seen, before their shares tell what a guess costs."""
ROWS, TARGETS = 30, 100
"""Answers of the last looks, before it is told how far they lie from their median; targets before a likelihood is."""
HALVED = 3
"""Of the reductions of squares, the one that PyTorch's own loss has not."""
TRIED = 64
"""Rows that a likelihood is tried on before all are."""


@dataclass(frozen=True)
class Read:
    """The targets of one answer, a row each, and the loss of them; a class of -1 is one that nobody asked for.

    Of a ``"normal"`` likelihood the loss is in nats, without ln 2 pi. Of ``"distances"`` the rows are the answers
    themselves, as far as they move the loss.
    """

    kind: str
    targets: np.ndarray
    loss: float
    out_of: int = 0
    sign: float = 1.0
    normalised: bool = True
    """Whether likelihoods sum to 1."""
    times: float = 1.0
    """Of a likelihood, how many times its mean the loss takes."""


@dataclass(frozen=True)
class _Step:
    """What a step's loss asked for, its own value of that, how many times that was told, and what more was."""

    targets: np.ndarray
    loss: float
    factor: float
    more: float = 0.0


class Answer:
    """Some entries of an answer, their gradient once it is known, and another tensor of its shape beside it."""

    def __init__(self, answer: Tensor, class_dim: int, beside: Tensor | None = None) -> None:
        self.gradients: list[Tensor] = []
        answer.register_hook(lambda gradient: self.gradients.append(_some(gradient.detach(), class_dim)))
        self.some = _some(answer.detach(), class_dim)
        self.whole = self.some.numel() == answer.numel()
        self.beside = Answer(beside, class_dim) if beside is not None else None

    def arrays(self) -> tuple[Floats, Floats] | None:
        """Entries and gradient; None where there is not one gradient."""
        if len(self.gradients) != 1 or self.gradients[0].shape != self.some.shape:
            return None
        return self.some.double().cpu().numpy(), self.gradients[0].double().cpu().numpy()


@dataclass
class Answers:
    """The answers of looked-at steps, and what is known of all their targets."""

    facts: dict[str, Any]
    kept: list[Answer] = field(default_factory=list)
    """Of this step."""
    last: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The classes that the last step's first answers were asked for."""
    _kind: str = ""
    _began: float | None = None
    _steps: deque[_Step | None] = field(default_factory=lambda: deque(maxlen=KEPT))
    """The last steps that were read; None where nothing was found."""
    _stuck: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def saw(self, output: object, class_dim: int) -> None:
        """The network gave an answer: its gradient is to be kept."""
        several = [one for one in tensors_in(output) if one.ndim and one.numel() > 1 and one.requires_grad]
        if several:
            answer, *others = several
            beside = next((one for one in others[:1] if one.shape == answer.shape), None)
            self.kept.append(Answer(answer, class_dim, beside))

    def clear(self) -> None:
        """Forget this step's answers."""
        self.kept, self.last = [], np.zeros(0, dtype=np.int64)

    def read(self, loss: float, scale: float, of_loss: OfLoss) -> None:
        """A step is over whose loss was told: find its targets, and note what they say of the loop."""
        if not self.kept:
            return
        found: list[Read] = []
        for answer in self.kept:
            if (both := answer.arrays()) is None:
                continue
            z, g = both
            self._stuck.append(_stuck(z, g))
            told = loss if len(self.kept) == 1 else math.nan
            close = CLOSE if answer.some.element_size() >= 4 else CLOSE_HALF
            beside = answer.beside.arrays() if answer.beside else None
            spread = beside and (beside[0], beside[1] / scale)
            if (read := read_answer(z, g / scale, told, of_loss, close, whole=answer.whole, spread=spread)) is not None:
                found.append(read)
        if self._stuck:
            self.facts["stuck_at_bound"] = round(float(np.mean(self._stuck)), 4)
        if found and {self._kind or found[0].kind} == {one.kind for one in found}:
            self._kind = found[0].kind
            self._steps.append(self._step(found, loss))
        else:
            self._steps.append(None)
        # What is found at few looks is a chance.
        steps = [one for one in self._steps if one is not None]
        if len(steps) <= len(self._steps) / 2:
            self.facts["answers"] = {}
        elif found:
            self._note(steps, found)

    def _step(self, found: list[Read], loss: float) -> _Step:
        targets = np.concatenate([one.targets for one in found])
        if targets.shape[1] == 1:
            self.last = targets[:, 0]
        if self._kind == "classes":
            targets = targets[targets[:, 0] >= 0]
        # Several answers in a step are compared with each other, or play against each other.
        alone = found[0] if len(found) == 1 else None
        if alone and self._kind == "normal":
            return _Step(targets, alone.loss, alone.times, loss / alone.times - alone.loss)
        own = alone.loss if alone and alone.loss > 0 else math.nan
        self._began = own if not self._steps and math.isfinite(own) else self._began
        return _Step(targets, own, loss / own)

    def _note(self, steps: list[_Step], found: list[Read]) -> None:
        factors, more = (np.array([getattr(one, name) for one in steps]) for name in ("factor", "more"))
        steady = np.isfinite(factors).all() and np.ptp(factors) <= STEADY * abs(np.median(factors))
        ended = float(np.mean([one.loss for one in steps[-LAST:]]))
        told: dict[str, Any] = {
            "kind": self._kind,
            "seen": sum(len(one.targets) for one in steps),
            "began": self._began,
            "ended": ended if math.isfinite(ended) else None,
            "factor": float(np.median(factors)) if steady and self._kind != "normal" else None,
            "climbs": all(one.sign < 0 for one in found),
            "not_normalised": not all(one.normalised for one in found),
        }
        if self._kind == "normal" and steady and np.ptp(more) <= STEADY:
            told |= {"times": float(np.median(factors)), "more": float(np.median(more))}
        self.facts["answers"] = told | _guess(self._kind, [one.targets for one in steps], ended, found[0].out_of)


def _some(answer: Tensor, class_dim: int) -> Tensor:
    """So much of an answer as is read, copied: its first rows, of long ones their first places, with all classes."""
    rows = max(1, MOST_ENTRIES * len(answer) // answer.numel())
    some = answer[:rows]
    if some.numel() > MOST_ENTRIES and some.ndim > 2:
        places = -1 if class_dim == 1 else 1
        few = max(1, MOST_ENTRIES * some.shape[places] // some.numel())
        some = some.narrow(places, 0, min(few, some.shape[places]))
    return some.clone()


def _guess(kind: str, steps: list[np.ndarray], ended: float, out_of: int) -> dict[str, Any]:
    """The loss of the best constant answer: a variance or an entropy, of distances the most that it can be."""
    if kind not in ("numbers", "normal", "distances"):
        return _of_classes(steps, out_of)
    if kind == "distances":
        last = np.concatenate(steps[-LAST:])
        apart = float(np.abs(last - np.median(last, 0)).sum(-1).mean())
        return {"guess": ended + apart if len(last) >= ROWS else None}
    targets = np.concatenate(steps)
    variance = targets.var(0)
    if kind == "numbers":
        return {"guess": float(variance.mean())}
    known = len(targets) >= TARGETS and (variance > 0).all()
    return {"guess": float(np.log(variance).mean() + 1) / 2 if known else None}


def _of_classes(steps: list[np.ndarray], out_of: int) -> dict[str, Any]:
    """How even the classes are, over all steps and within each; their entropy is the loss of the best constant."""
    columns = steps[0].shape[-1]
    counts = [Counter(np.concatenate([one[:, column] for one in steps]).tolist()) for column in range(min(columns, 64))]
    sizes = [one for one in steps if one.size >= TIED]
    pure = [bool((one == one[:1]).all()) for one in sizes]
    whole = sum(counts[0].values())
    return {
        "classes": out_of,
        "most": max(counts[0].values()) / whole if columns == 1 else None,
        "several": len(counts[0]) > 1,
        "batches": len(pure),
        "pure": sum(pure),
        "guess": float(np.mean([_entropy(one) for one in counts])) if whole >= ENOUGH * len(counts[0]) else None,
    }


def _entropy(counts: Counter[Any]) -> float:
    """In nats, with Miller and Madow's correction for few counts: (classes - 1) / 2 n."""
    shares = np.array([*counts.values()], dtype=np.float64) / counts.total()
    return float(-(shares * np.log(shares)).sum() + (len(counts) - 1) / (2 * counts.total()))


def read_answer(
    z: Floats,
    g: Floats,
    loss: float,
    of_loss: OfLoss,
    close: float = CLOSE,
    *,
    whole: bool = True,
    spread: tuple[Floats, Floats] | None = None,
) -> Read | None:
    """The targets of answers z with gradient g; None where the loss is none of the usual ones.

    ``loss`` is the value that was told, NaN for one of several; ``of_loss`` is what its graph says, and
    ``close`` how far numbers may lie apart that should be equal. Of an answer that is not ``whole`` classes alone are
    looked for, row by row. ``spread`` is a second answer of the same shape with its gradient, such as a log variance.
    """
    if not (np.isfinite(z).all() and np.isfinite(g).all() and g.any()):
        return None
    for dim in () if of_loss.distances else dict.fromkeys((of_loss.class_dim, -1, 1)):
        if z.ndim >= 2 and -z.ndim <= dim < z.ndim and z.shape[dim] > 1:
            rows, of = (np.moveaxis(one, dim, -1).reshape(-1, z.shape[dim]) for one in (z, g))
            most = max(MOST_ENTRIES // z.shape[dim], 1)
            if (read := _classes(rows[:most], of[:most], bool(of_loss.over_classes), close)) is not None:
                return read
    if not whole:
        return None
    normal = _normal(z, g, spread, close)
    z, g = (one.reshape(len(one), -1) for one in (z, g))
    return normal or _binary(z, g, close) or _numbers(z, g, loss, of_loss, close)


def _classes(z: Floats, g: Floats, over_classes: bool, close: float) -> Read | None:
    """Of rows of classes: softmax and likelihood, or a likelihood alone."""
    asked = g.any(-1)
    z, g, targets = z[asked], g[asked], np.full((len(z), 1), -1)
    if not len(z):
        return None
    one_each = ((g != 0).sum(-1) == 1).all() and over_classes and (g.sum(-1) < 0).all()
    balanced = (np.abs(g.sum(-1)) <= close * np.abs(g).sum(-1)).all()
    if not (one_each or balanced):
        return None
    with np.errstate(over="ignore", under="ignore"):
        log_sum = z.max(-1) + np.log(np.exp(z - z.max(-1, keepdims=True)).sum(-1))
        p = np.exp(z - log_sum[:, None])
    rows = np.arange(len(z))
    if one_each:
        y = targets[asked, 0] = g.argmin(-1)
        normalised = bool((np.abs(log_sum) < 0.1).mean() > 0.5)
        return Read("classes", targets, float(-z[rows, y].mean()), z.shape[-1], normalised=normalised)
    for sign in (1.0, -1.0):
        y = (sign * g).argmin(-1)
        others = sign * g.copy()
        others[rows, y] = 0.0
        scale = others.sum(-1) / np.maximum(1 - p[rows, y], 1e-12)
        expected = p * scale[:, None]
        expected[rows, y] = 0.0
        fits = np.abs(others - expected).max(-1) <= close * np.maximum(np.abs(others).max(-1), 1e-12)
        # Classes may weigh differently; rows of one class that do are a policy's, whose returns are no targets.
        even = all(np.ptp(scale[y == one]) <= STEADY * scale[y == one].max() for one in np.unique(y))
        if fits.mean() > 0.9 and even:
            targets[asked, 0] = y
            return Read("classes", targets, float((log_sum - z[rows, y]).mean()), z.shape[-1], sign)
    return None


def _binary(z: Floats, g: Floats, close: float) -> Read | None:
    """Of logits, or of probabilities."""
    if np.ptp(g) <= close * np.abs(g).max():
        # The same for all: it asks for more of everything, as a log likelihood's mean does.
        return None
    with np.errstate(over="ignore"):
        sigmoid = 1 / (1 + np.exp(-z))
    within = bool(((z > 0) & (z < 1)).all())
    cases = [(sigmoid, np.ones_like(z))] + ([(z, z * (1 - z))] if within else [])
    for p, slope in cases:
        for count in (z.size, int((g != 0).sum()), 1):
            for sign in (1.0, -1.0):
                wrong = sign * count * g * slope
                y = np.round(p - wrong)
                off = np.abs(p - y - wrong).max()
                if ((y == 0) | (y == 1)).all() and off <= close * np.abs(p - y).max():
                    with np.errstate(divide="ignore"):
                        value = -np.log(np.where(y == 1, p, 1 - p))
                    return Read("binary", y.astype(np.int64), float(value.mean()), 2, sign)
    return None


def _softplus(s: Floats) -> Floats:
    return np.logaddexp(s, 0.0)


def _sigmoid(s: Floats) -> Floats:
    return np.exp(-np.logaddexp(-s, 0.0))


SPREADS: tuple[Callable[[Floats], tuple[Floats, Floats]], ...] = (
    lambda s: (np.exp(s), np.exp(s)),
    lambda s: (np.exp(2 * s), 2 * np.exp(2 * s)),
    lambda s: (_softplus(s), _sigmoid(s)),
    lambda s: (_softplus(s) ** 2, 2 * _softplus(s) * _sigmoid(s)),
    lambda s: (s, np.ones_like(s)),
    lambda s: (s**2, 2 * s),
)
"""A variance and its slope, of the number that a network gives for it: a logarithm of the variance or of the deviation,
either through softplus, or itself."""


def _normal(z: Floats, g: Floats, spread: tuple[Floats, Floats] | None, close: float) -> Read | None:
    """Of means and spreads, in two answers or in the halves of one."""
    if spread is None:
        if z.ndim < 2 or z.shape[-1] % 2:
            return None
        (z, s), (g, of_s) = (np.split(one, 2, -1) for one in (z, g))
    else:
        s, of_s = spread
    z, g, s, of_s = (one.reshape(len(one), -1) for one in (z, g, s, of_s))
    # One number, the count, is read off all entries: where they are few or alike, it would fit anything.
    if not (np.isfinite(s).all() and np.isfinite(of_s).all() and min(z.size, np.unique(of_s).size) >= TIED):
        return None
    for variance_of in SPREADS:
        for rows in (slice(TRIED), slice(None)):
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                variance, slope = variance_of(s[rows])
                of_variance = of_s[rows] / slope
                # g = (m - y) / (n v) of n entries, and (1 / v - (n g)^2) / 2 n of a variance; the sum over all tells n.
                both, squares, needed = of_variance.sum(), (g[rows] ** 2).sum(), (1 / variance).sum()
                root = np.sqrt(both**2 + squares * needed)
                n = needed / (root + both) if both > 0 else (root - both) / squares
                less, more = 1 / variance / (2 * n), n * g[rows] ** 2 / 2
                # Infinities would fit each other.
                fits = 0 < n < np.inf and (variance > 0).all()
                fits = fits and (np.abs(less - more - of_variance) <= close * (less + more)).all()
            if not fits:
                break
        else:
            residual = n * g * variance
            likelihood = float((np.log(variance) + residual**2 / variance).mean() / 2)
            return Read("normal", z - residual, likelihood, times=z.size / float(n))
    return None


def _distances(z: Floats, g: Floats, loss: float) -> Read | None:
    """Of |z - y|, whose slope is the same for all but the smallest errors."""
    slope = float(np.abs(g).max())
    if (np.abs(g) >= (1 - CLOSE) * slope).sum() < TIED or not loss > 0:
        return None
    return Read("distances", z * slope * len(z), loss)


def _numbers(z: Floats, g: Floats, loss: float, of_loss: OfLoss, close: float) -> Read | None:
    """Of squared errors: their mean, their sum or half of these, whichever the loss that was told is.

    Where its graph has squares, the loss may have other terms, too.
    """
    if not math.isfinite(loss):
        return None
    there = (g != 0).sum()
    if there < MOSTLY * z.size:
        return None
    if of_loss.distances:
        return _distances(z, g, loss)
    reductions: tuple[tuple[float, Callable[[Floats], float]], ...] = (
        (z.size / 2, lambda r: float((r**2).mean())),
        (there / 2, lambda r: float((r**2).sum() / there)),
        (0.5, lambda r: float((r**2).sum())),
        (z.size, lambda r: float((r**2).mean() / 2)),
        (len(z) / 2, lambda r: float((r**2).sum() / len(r))),
    )
    for number, (per_entry, value) in enumerate(reductions):
        residual = g * per_entry
        for sign in (1.0, -1.0):
            left = loss - sign * value(residual)
            beside_others = of_loss.squares and number != HALVED and sign > 0 and 0 < left < loss / 2
            if abs(left) <= close * abs(loss) or beside_others:
                return Read("numbers", z - sign * residual, float((residual**2).mean()), sign=sign)
    return None


def _stuck(z: Floats, g: Floats) -> float:
    """The share of entries that stand exactly at the end of their range and that the loss wants beyond it."""
    columns = z.shape[-1] if z.ndim > 1 else 1
    z, g = (one.reshape(-1, columns)[: max(MOST_ENTRIES // columns, 1)] for one in (z, g))
    shares = []
    # A column that is about the same in every row has no range.
    ranges = np.ptp(z, 0) > CLOSE * np.abs(z).max(0)
    for end, wanted in ((z.min(), g > 0), (z.max(), g < 0)):
        beyond = (z == end) & wanted & ranges
        shares.append(float(beyond.mean()) if beyond.sum() >= TIED else 0.0)
    return max(shares)
