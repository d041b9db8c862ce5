"""Where one is on the way: forward through the formulas, then back through the gradients, one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from goldviz.labs.backward_by_hand.formulas import names_in, parse
from goldviz.labs.backward_by_hand.network import BACKWARD, Divisor, Node, computed, nodes


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
