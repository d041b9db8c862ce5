"""What figures share of laboratories whose answers are sequences, right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from goldviz.figures.marks import Rule, rule
from goldviz.figures.plot import Plot


def longer_than_learned(
    longest_asked: Callable[[Plot], int],
) -> tuple[Callable[[Plot], Sequence[Rule]], Callable[[Plot], str]]:
    """A dashed line behind the longest sequence that was learned from, and its words, where longer ones are asked.

    Needs the attribute ``longest_trained``.
    """

    def learned(plot: Plot) -> Sequence[Rule]:
        longest = int(plot.ds.attrs["longest_trained"])
        return [rule(x=longest + 0.5, dash="dash", width=1)] if longest < longest_asked(plot) else []

    def words(plot: Plot) -> str:
        return "Right of the dashed line: longer than learned." if learned(plot) else ""

    return learned, words
