"""The network unrolled through time: a column a step with numbers in its cells, and the way back on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import arrow
from goldviz.figures.maps import SIGNED, symmetric
from goldviz.figures.notes import as_label
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Ink, Theme
from goldviz.labs.backpropagation_by_hand.measures import pull

COLUMNS = 3
"""Steps in view at once, so that a phone has room for a number in each cell."""
HALF = 0.38
"""Half a column's width, as a share of the way to the next one."""
BACK = "#d55e00"
ROW = 44
"""Pixels of a unit."""


class Place(NamedTuple):
    """A step of the recursion, and whether one goes forward or back."""

    step: int
    backward: bool

    @property
    def arrow(self) -> str:
        """Which way one goes, in words."""
        return "backward, right to left" if self.backward else "forward, left to right"

    def knows_state(self, step: int) -> bool:
        """Whether h of a step is there."""
        return self.backward or step <= self.step

    def knows_delta(self, step: int) -> bool:
        """Whether the way back has come to a step."""
        return self.backward and step >= self.step


def place(ds: Run, number: int) -> Place:
    """Place ``number`` of 1 to 2 T: forward through 1 to T, then back from T to 1."""
    steps = ds.sizes["step"]
    number = min(max(number, 1), 2 * steps)
    return Place(number, False) if number <= steps else Place(2 * steps + 1 - number, True)


def shown(symbol: str) -> str:
    """A character as a label: escaped, spaces and unprintable ones visible.

    >>> shown(" "), shown("<"), shown("\\n")
    ('␣', '&lt;', '\\\\n')
    """
    if symbol == " ":
        return "␣"
    return as_label(symbol if symbol.isprintable() else repr(symbol)[1:-1])


@drawn(
    "What goes forward, and what comes back?",
    shows="Each step: the character read, the state h, and the chance of the next. Back: each unit's δ.",
    at="number",
)
def unrolled(ds: Run, *, number: int, theme: Theme = "light") -> Figure:
    """Columns of steps with h on the left and δᵘ on the right; arrows where the recursion has been."""
    at, ink = place(ds, number), INKS[theme]
    steps = _in_view(at.step, ds.sizes["step"])
    figure = Figure()
    for name, side, is_known, limits in (
        ("h", -1, at.knows_state, (-1.0, 1.0)),
        ("delta_u", 1, at.knows_delta, symmetric(ds["delta_u"].values)),
    ):
        _draw_cells(figure, ds, name, side, [step for step in steps if is_known(step)], limits)
    for step in steps:
        _draw_column(figure, ds, step, at, ink)
    _draw_arrows(figure, ds, steps, at, ink)
    units = ds["unit"].values
    top = len(units) + 1.5
    notes = [_told(ds, at), f"Left in a cell: h. Right: δ, once the way back is there. {_which(steps, ds)}".strip()]
    look.apply(
        figure,
        theme,
        title="What goes forward, and what comes back?",
        notes=notes,
        legend=False,
        height=230 + ROW * (len(units) + 2),
        hover="closest",
    )
    figure.update_xaxes(
        title_text="Step",
        tickvals=list(steps),
        range=[steps[0] - 0.55, steps[-1] + 0.55],
        showgrid=False,
        ticklen=0,
        zeroline=False,
    )
    return figure.update_yaxes(
        tickvals=[-0.2, *(_height(unit, len(units)) for unit in units), top],
        ticktext=["reads", *(f"unit {unit}" for unit in units), "expects"],
        range=[-0.8, top + 0.75],
        showgrid=False,
        ticklen=0,
        zeroline=False,
    )


def _in_view(step: int, last: int) -> range:
    """Up to ``COLUMNS`` steps with the one in view among them.

    >>> list(_in_view(1, 3)), list(_in_view(5, 9)), list(_in_view(9, 9))
    ([1, 2, 3], [4, 5, 6], [7, 8, 9])
    """
    first = max(1, min(step - 1, last - COLUMNS + 1))
    return range(first, min(first + COLUMNS, last + 1))


def _which(steps: range, ds: Run) -> str:
    return "" if len(steps) == ds.sizes["step"] else f"In view: steps {steps[0]} to {steps[-1]} of {ds.sizes['step']}."


def _told(ds: Run, at: Place) -> str:
    """What happens at the place in view, in a sentence."""
    step, last = at.step, ds.sizes["step"]
    if not at.backward:
        before = "an empty memory" if step == 1 else f"what step {step - 1} left"
        return f"Forward, step {step}: “{shown(ds.attrs['text'][step - 1])}” and {before} make the new state."
    own = f"Backward, step {step}: its own answer pulls with {pull(ds, 'from_output', step):.2g}"
    return f"{own}." if step == last else f"{own}, step {step + 1} with {pull(ds, 'from_later', step):.2g}."


def _height(unit: int, units: int) -> float:
    return 1.0 + units - unit


def _draw_cells(
    figure: Figure, ds: Run, name: str, side: int, steps: Sequence[int], limits: tuple[float, float]
) -> None:
    units = ds["unit"].values
    for step in steps:
        values = ds[name].sel(step=step).values
        figure.heatmap(
            z=values[:, None],
            # Both ends of the cells, for a single column has no neighbour to take its width from.
            x=sorted((step, step + side * HALF)),
            y=[_height(unit, len(units)) for unit in units],
            customdata=units[:, None],
            hovertemplate=f"{'h' if name == 'h' else 'δ'} of unit %{{customdata}}, step {step}: "
            "%{z:.4~g}<extra></extra>",
            xgap=2,
            ygap=2,
            texttemplate="%{z:.2f}",
            textfont={"size": 13},
            zmin=limits[0],
            zmax=limits[1],
            colorscale=SIGNED,
            showscale=False,
        )


def _draw_column(figure: Figure, ds: Run, step: int, at: Place, ink: Ink) -> None:
    """The character read below, what was expected above, and the frame of the step in view."""
    count = ds.sizes["unit"]
    figure.add_annotation(
        x=step, y=-0.2, text=f"<b>{shown(ds.attrs['text'][step - 1])}</b>", showarrow=False, font={"size": 16}
    )
    target = int(ds["y"].sel(step=step).values.argmax())
    words = f"“{shown(str(ds['symbol'].values[target]))}”"
    if at.knows_state(step):
        words += f" {float(ds['y_hat'].sel(step=step).values[target]):.0%}"
    if at.knows_delta(step):
        error = f"{float(ds['delta_y'].sel(step=step).values[target]):.2f}".replace("-", "−")
        words += f"<br>δʸ {error}"
    figure.add_annotation(x=step, y=count + 1.5, text=words, showarrow=False, font={"size": 13})
    figure.add_shape(
        type="rect",
        x0=step - HALF,
        x1=step + HALF,
        y0=0.5,
        y1=count + 0.5,
        line={"color": ink.muted, "width": 1},
        fillcolor=ink.surface,
        layer="below",
    )
    if step == at.step:
        figure.add_shape(
            type="rect",
            x0=step - HALF - 0.03,
            x1=step + HALF + 0.03,
            y0=-0.7,
            y1=count + 2.15,
            line={"color": ink.accent, "width": 3},
            layer="above",
        )


def _draw_arrows(figure: Figure, ds: Run, steps: range, at: Place, ink: Ink) -> None:
    """Where the recursion has been: forward in the ink, back in orange with what comes over it."""
    count = ds.sizes["unit"]
    middle = (count + 1) / 2
    for step in steps:
        if at.knows_state(step):
            arrow(figure, (step - 0.12, 0.1), (step - 0.12, 0.5), ink.muted)
            arrow(figure, (step - 0.12, count + 0.5), (step - 0.12, count + 1.0), ink.muted)
        if at.knows_delta(step):
            arrow(figure, (step + 0.12, count + 1.0), (step + 0.12, count + 0.5), BACK)
        if step == steps[-1]:
            break
        if at.knows_state(step + 1):
            arrow(figure, (step + HALF, middle + 0.3), (step + 1 - HALF, middle + 0.3), ink.muted)
        if at.knows_delta(step):
            arrow(figure, (step + 1 - HALF, middle - 0.3), (step + HALF, middle - 0.3), BACK)
