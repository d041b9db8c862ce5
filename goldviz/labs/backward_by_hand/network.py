"""The network as a list of nodes: each with its layer, its shape, its formula and the formula of its gradient.

Document 002, sections 1.4.1-1.4.3: rows are samples, and a layer is x W + b. The formulas are in the grammar of
:mod:`goldviz.labs.backward_by_hand.formulas`, and are what is computed: what the page shows cannot differ from it.

Three places differ from the document's print. dlogit_maxes has its minus sign. dcount_sum spreads over all columns,
which the document writes as a product with "I" and means a matrix of ones. bndiff2 has its gradient written out.

A place says where one is: forward through the formulas, then back through the gradients, one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from goldviz.labs.backward_by_hand.formulas import names_in, parse

Divisor = Literal["n - 1", "n"]

LAYERS = (
    "Embedding",
    "Linear",
    "Batch norm: statistics",
    "Batch norm: normalise",
    "Batch norm: scale and shift",
    "Tanh, linear",
    "Softmax",
    "Softmax, loss",
)
"""What the lines of the network are about, in the order of the forward pass."""

EPSILON = 1e-5
"""Added to the variance (document 002, 1.3.2)."""


@dataclass(frozen=True)
class Node:
    """A tensor on the way from the embedding to the loss.

    ``forward`` is empty for what is learned. ``gradient`` is the formula of dL/d(node); empty for the loss itself.
    """

    name: str
    layer: int
    dims: tuple[str, ...]
    forward: str
    gradient: str

    @property
    def learned(self) -> bool:
        """Whether it is a parameter."""
        return not self.forward


@cache
def nodes(divisor: Divisor) -> dict[str, Node]:
    """All nodes by name, in the order of the forward pass, a layer's parameters before what they make.

    ``divisor`` is what the batch's squared differences are divided by: n - 1 in the document's 1.4.1, n in its 1.3.2.
    """
    sample, hidden, symbol = "sample", "hidden", "symbol"
    batch, row, column, logit = (sample, hidden), ("row", hidden), (sample, "column"), (sample, symbol)
    cat = ("context_feature",)
    by = f"({divisor})" if divisor != "n" else "n"
    network = [
        Node("C", 0, (symbol, "feature"), "", "add_rows(X, demb)"),
        Node("emb", 0, (sample, "place", "feature"), "take(C, X)", "view(demb_cat, n, k, m)"),
        Node("emb_cat", 0, (sample, *cat), "view(emb, n, k * m)", "dh_prebn @ W1.T"),
        Node("W1", 1, (*cat, hidden), "", "emb_cat.T @ dh_prebn"),
        Node("b1", 1, row, "", "sum(dh_prebn, 0)"),
        Node("h_prebn", 1, batch, "emb_cat @ W1 + b1", "dbndiff + dbmean / n"),
        Node("bmean", 2, row, "sum(h_prebn, 0) / n", "-sum(dbndiff, 0)"),
        Node("bndiff", 2, batch, "h_prebn - bmean", "dbnraw * bnvar_inv + dbndiff2 * 2 * bndiff"),
        Node("bndiff2", 2, batch, "bndiff * bndiff", f"dbnvar / {by} * ones(n, n1)"),
        Node("bnvar", 2, row, f"sum(bndiff2, 0) / {by}", "-0.5 * (bnvar + eps) ** -1.5 * dbnvar_inv"),
        Node("bnvar_inv", 3, row, "(bnvar + eps) ** -0.5", "sum(dbnraw * bndiff, 0)"),
        Node("bnraw", 3, batch, "bndiff * bnvar_inv", "dh_preact * bngain"),
        Node("bngain", 4, row, "", "sum(dh_preact * bnraw, 0)"),
        Node("bnbias", 4, row, "", "sum(dh_preact, 0)"),
        Node("h_preact", 4, batch, "bngain * bnraw + bnbias", "dh * (1 - h ** 2)"),
        Node("h", 5, batch, "tanh(h_preact)", "dlogits @ W2.T"),
        Node("W2", 5, (hidden, symbol), "", "h.T @ dlogits"),
        Node("b2", 5, ("row", symbol), "", "sum(dlogits, 0)"),
        Node("logits", 5, logit, "h @ W2 + b2", "dnorm_logits + dlogit_maxes * onehot(argmax(logits))"),
        Node("logit_maxes", 6, column, "max(logits, 1)", "-sum(dnorm_logits, 1)"),
        Node("norm_logits", 6, logit, "logits - logit_maxes", "dcounts * counts"),
        Node("counts", 6, logit, "exp(norm_logits)", "dprobs * count_sum_inv + dcount_sum * ones(n, V)"),
        Node("count_sum", 6, column, "sum(counts, 1)", "-dcount_sum_inv / count_sum ** 2"),
        Node("count_sum_inv", 7, column, "1 / count_sum", "sum(dprobs * counts, 1)"),
        Node("probs", 7, logit, "counts * count_sum_inv", "dlogprobs / probs"),
        Node("logprobs", 7, logit, "log(probs)", "-onehot(Y) / n"),
        Node("loss", 7, (), "-sum(logprobs * onehot(Y)) / n", ""),
    ]
    return {node.name: node for node in network}


BACKWARD = (
    "logprobs",
    "probs",
    "count_sum_inv",
    "count_sum",
    "counts",
    "norm_logits",
    "logit_maxes",
    "logits",
    "W2",
    "b2",
    "h",
    "h_preact",
    "bngain",
    "bnbias",
    "bnraw",
    "bnvar_inv",
    "bnvar",
    "bndiff2",
    "bndiff",
    "bmean",
    "h_prebn",
    "W1",
    "b1",
    "emb_cat",
    "emb",
    "C",
)
"""The order of the backward pass: every formula reads what stands before it (document 002, 1.4.3)."""


@cache
def closed_forms(divisor: Divisor) -> dict[str, str]:
    """Gradients in one line each in place of many: through softmax and loss (1.4.4), through batch norm (1.4.5).

    dlogits = (P - Y) / n. With g = dh_preact and the divisor N of the variance,
    dh_prebn = gamma (sigma^2 + eps)^(-1/2) [g - (1 / n) sum g - (1 / N) xhat sum(g xhat)].
    """
    by = "(n - 1)" if divisor == "n - 1" else "n"
    return {
        "logits": "(probs - onehot(Y)) / n",
        "h_prebn": "bngain * bnvar_inv * (dh_preact - sum(dh_preact, 0) / n "
        f"- bnraw * (sum(dh_preact * bnraw, 0) / {by}))",
    }


@cache
def computed(divisor: Divisor) -> tuple[str, ...]:
    """The nodes that have a formula, in the order of the forward pass."""
    return tuple(node.name for node in nodes(divisor).values() if not node.learned)


@dataclass(frozen=True)
class Place:
    """One formula of the forward pass, or one gradient of the backward pass; ``number`` counts within its pass."""

    node: Node
    backward: bool
    number: int
    of: int

    @property
    def name(self) -> str:
        """What is computed here."""
        return f"d{self.node.name}" if self.backward else self.node.name

    @property
    def formula(self) -> str:
        """By which formula."""
        return self.node.gradient if self.backward else self.node.forward

    @property
    def words(self) -> str:
        """Where one is, in words."""
        return f"{'Backward' if self.backward else 'Forward'} {self.number} of {self.of}: {self.name} = {self.formula}"

    @cached_property
    def reads(self) -> frozenset[str]:
        """The nodes whose value or gradient the formula reads."""
        return frozenset(name.removeprefix("d") for name in names_in(parse(self.formula)))

    def to(self, node: Node) -> int:
        """The place where a node is computed: its gradient on the way back, else its value, if it has both."""
        value, gradient = _forward_places().get(node.name), _backward_places().get(node.name)
        backward = gradient is not None and (self.backward or value is None)
        return len(_forward_places()) + gradient if backward and gradient is not None else value or 1

    def knows_value(self, node: Node) -> bool:
        """Whether this node has its value by now."""
        return self.backward or node.learned or _forward_places()[node.name] <= self.number

    def knows_gradient(self, node: Node) -> bool:
        """Whether this node has its gradient by now; the loss's own is 1."""
        return self.backward and _backward_places().get(node.name, 0) <= self.number


@cache
def place(divisor: Divisor, number: int) -> Place:
    """Place ``number``, from 1: all formulas, then all gradients; beyond either end, the end."""
    forward = computed(divisor)
    number = min(max(number, 1), len(forward) + len(BACKWARD))
    if number <= len(forward):
        return Place(nodes(divisor)[forward[number - 1]], False, number, len(forward))
    number -= len(forward)
    return Place(nodes(divisor)[BACKWARD[number - 1]], True, number, len(BACKWARD))


@cache
def _forward_places() -> dict[str, int]:
    return {name: number for number, name in enumerate(computed("n"), start=1)}


@cache
def _backward_places() -> dict[str, int]:
    return {name: number for number, name in enumerate(BACKWARD, start=1)}
