"""Kinds of causal attention: an entry of the table each. Settings, labels, networks, costs and figures read it.

An entry takes queries, keys and values (batch, head, time, width). Torch is loaded when one attends, because settings
read the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from goldviz.models.style import NetworkStyle

if TYPE_CHECKING:
    from torch import Tensor

NUMBER = 4
"""Bytes of a float32."""


@dataclass(frozen=True)
class AttentionOptions:
    """What sparse kinds can be told: LogSparse its local ``window`` and ``restart``, ProbSparse the rest.

    ``factor`` is c: u = c ln t rows are active, and as many keys a query are sampled for a score; ``seed`` draws them,
    the same at every call.
    """

    window: int = 1
    restart: int | None = None
    factor: float = 5.0
    seed: int = 0


class HeadCost(NamedTuple):
    """Of one head of one series: multiplications of products and weights, and bytes of float32 weights held at once."""

    multiplications: float
    bytes: float


@dataclass(frozen=True)
class Attention:
    """A kind of causal attention: its label and line, words, how it attends, and its cost by length t and head width d.

    ``growth`` is the order of its multiplications, as text.
    """

    style: NetworkStyle
    words: str
    growth: str
    attend: Callable[[Tensor, Tensor, Tensor, AttentionOptions], Tensor]
    cost: Callable[[int, int, AttentionOptions], HeadCost]

    @property
    def label(self) -> str:
        """What it is called."""
        return self.style.label

    def maps(self, q: Tensor, k: Tensor, options: AttentionOptions) -> Tensor:
        """Its weights as a map (batch, head, time, time), rows summing to 1; for short series.

        The output is linear in the values, so the values of the unit matrix give its weights; a lazy row's are even.
        """
        import torch

        time = q.shape[-2]
        unit = torch.eye(time, dtype=q.dtype, device=q.device).expand(*q.shape[:-2], time, time)
        return self.attend(q, k, unit, options)


def _full(q: Tensor, k: Tensor, v: Tensor, _options: AttentionOptions) -> Tensor:
    from goldviz.models.series.full import full_attention

    return full_attention(q, k, v)


def _full_cost(length: int, width: int, _options: AttentionOptions) -> HeadCost:
    return HeadCost(2 * width * _pairs(length), NUMBER * length**2)


def _log_sparse(q: Tensor, k: Tensor, v: Tensor, options: AttentionOptions) -> Tensor:
    from goldviz.models.series.log_sparse import log_sparse_attention, log_sparse_keys

    keys = log_sparse_keys(q.shape[-2], window=options.window, restart=options.restart)
    return log_sparse_attention(q, k, v, keys)


def _log_sparse_cost(length: int, width: int, options: AttentionOptions) -> HeadCost:
    from goldviz.models.series.log_sparse import log_sparse_keys

    keys = log_sparse_keys(length, window=options.window, restart=options.restart)
    return HeadCost(2 * width * keys.cells, NUMBER * length * len(keys.offsets))


def _prob_sparse_exact(q: Tensor, k: Tensor, v: Tensor, options: AttentionOptions) -> Tensor:
    from goldviz.models.series import prob_sparse

    rows = prob_sparse.rows_by_factor(options.factor, q.shape[-2])
    active = prob_sparse.active_rows(prob_sparse.unevenness(q, k), rows)
    return prob_sparse.prob_sparse_attention(q, k, v, active, prob_sparse.running_mean(v))


def _prob_sparse_sampled(q: Tensor, k: Tensor, v: Tensor, options: AttentionOptions) -> Tensor:
    import torch

    from goldviz.models.series import prob_sparse

    time = q.shape[-2]
    rows = prob_sparse.rows_by_factor(options.factor, time)
    sample = prob_sparse.sampled_keys(time, rows, torch.Generator().manual_seed(options.seed))
    active = prob_sparse.active_rows(prob_sparse.sampled_scores(q, k, sample.to(q.device)), rows)
    return prob_sparse.prob_sparse_attention(q, k, v, active, prob_sparse.running_mean(v))


def _prob_sparse_exact_cost(length: int, width: int, options: AttentionOptions) -> HeadCost:
    return _prob_sparse_cost(length, width, options, width * _pairs(length))


def _prob_sparse_sampled_cost(length: int, width: int, options: AttentionOptions) -> HeadCost:
    from goldviz.models.series.prob_sparse import rows_by_factor

    return _prob_sparse_cost(length, width, options, width * length * rows_by_factor(options.factor, length))


def _prob_sparse_cost(length: int, width: int, options: AttentionOptions, score: float) -> HeadCost:
    """Beside its ``score``: what the active rows see, and a division a value for the running mean.

    Of scores in random order row i is among the u highest so far with the chance u / i, and sees i keys: about u t.
    """
    from goldviz.models.series.prob_sparse import rows_by_factor

    rows = rows_by_factor(options.factor, length)
    pairs = rows * length - rows**2 / 2
    return HeadCost(score + 2 * width * pairs + width * length, NUMBER * pairs)


def _pairs(length: int) -> int:
    """A row and a cell that it sees: t (t + 1) / 2."""
    return length * (length + 1) // 2


ATTENTIONS = {
    "full": Attention(
        NetworkStyle("Full", "#d55e00", "solid", "circle"),
        "Every row sees itself and all rows before it.",
        "t² d",
        _full,
        _full_cost,
    ),
    "log_sparse": Attention(
        NetworkStyle("LogSparse", "#009e73", "dash", "triangle-up"),
        "A row sees itself and the rows 1, 2, 4, 8 … before it.",
        "t ln t d",
        _log_sparse,
        _log_sparse_cost,
    ),
    "prob_sparse": Attention(
        NetworkStyle("ProbSparse, exact score", "#9263cf", "longdash", "square"),
        "The most uneven rows attend, the others take the running mean.",
        "t² d",
        _prob_sparse_exact,
        _prob_sparse_exact_cost,
    ),
    "prob_sparse_sampled": Attention(
        NetworkStyle("ProbSparse, sampled score", "#0e7ac0", "dashdot", "diamond"),
        "As with the exact score, which c ln t sampled keys a row estimate.",
        "t (ln t)² d",
        _prob_sparse_sampled,
        _prob_sparse_sampled_cost,
    ),
}
"""Kind of attention by name, the dearest map first."""
