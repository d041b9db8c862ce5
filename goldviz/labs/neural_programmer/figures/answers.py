"""How many answers are right, by which programs, and how far weights are from programs."""

from __future__ import annotations

from goldviz.figures.draft import Bar, Figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.neural_programmer.figures.quantities import figure
from goldviz.models.style import NetworkStyle

SHARES = {
    "right": NetworkStyle("right answer", "#0e7ac0", "solid", "circle"),
    "as_asked": NetworkStyle("the question's own program", "#009e73", "dash", "square"),
    "lucky": NetworkStyle("right here, wrong elsewhere", "#d55e00", "dot", "triangle-up"),
}


@figure(
    "Are right answers from right programs?",
    needs=tuple(SHARES),
    title="Right answers, right programs?",
    shows="Right answers of the hardened program. Dotted: right by luck.",
)
def right(plot: Plot) -> Figure:
    """Right answers, right programs, and wrong programs with right answers over training."""
    for name, style in SHARES.items():
        plot.curve(finite(plot.ds[name]).sel(network="programmer"), "programmer", style=style, hover="%{y:.1%}")
    plot.step_grid()
    plot.linear_axis("share", "Unseen questions", tickformat=".0%")
    return plot.finish(plot.drawn())


@figure(
    "How far are weights from a program?",
    needs=("gap",),
    shows="How far the soft answer is from the hardened program's.",
)
def gap(plot: Plot) -> Figure:
    """Soft against hard answers over training."""
    plot.curves(finite(plot.ds["gap"]), hover="%{y:.3f}")
    plot.step_grid()
    plot.linear_axis("gap", "Soft and hard answer apart")
    return plot.finish(plot.drawn())


@figure(
    "Which questions does it answer?",
    needs=("right_by_sort",),
    shows="Right answers by what is asked for and the number of conditions.",
)
def by_sort(plot: Plot) -> Figure:
    """Right answers by sort of question."""
    shares = finite(plot.now["right_by_sort"]).sel(network="programmer")
    plot.add(
        Bar(
            x=[_sort(str(name)) for name in plot.ds["sort"].values],
            y=plot.at_step(shares.mean("seed")),
            marker={"color": plot.look_of("programmer").colour},
            hovertemplate="%{y:.0%}",
            showlegend=False,
            name="right",
        )
    )
    plot.linear_axis("share", "Right answers", tickformat=".0%")
    return plot.finish(plot.drawn(plot.step_in_words("look")), legend=False)


def _sort(name: str) -> str:
    """A sort of question as a label of two lines.

    >>> _sort("sum, 0"), _sort("print, 1")
    ('sum<br>all rows', 'print<br>1 condition')
    """
    aggregate, _, count = name.partition(", ")
    rows = {"0": "all rows", "1": "1 condition"}.get(count, f"{count} conditions")
    return f"{aggregate}<br>{rows}"
