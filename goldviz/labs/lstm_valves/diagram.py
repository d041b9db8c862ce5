"""A recurrent cell as its table draws it, with the numbers of one step and one unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import ways
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, NETWORKS, Ink, Theme, with_alpha
from goldviz.models.recurrent.cells import CELLS
from goldviz.models.recurrent.drawings import Box, Drawing, Place

Numbers = Mapping[str, float]

WIDE, HIGH = 19.0, 17.0
"""Sides of a box, per cent: 60 pixels on a phone."""
NODE = 11
"""Radius in pixels of a sign's ring."""
ENDS = {"h before": "h<sub>t−1</sub>", "c before": "c<sub>t−1</sub>", "h": "h<sub>t</sub>", "c": "c<sub>t</sub>"}
WORDS = {"from h": "W<sub>hh</sub>h<sub>t−1</sub>", "from x": "W<sub>xh</sub>x<sub>t</sub>+b"}


@drawn(
    "What goes on inside one step?",
    name="cell",
    at="step",
    shows="The cell as the document draws it, with one unit's numbers.",
)
def cell_diagram(ds: Run, *, step: int | None = None, theme: Theme = "light") -> Figure:
    """Gates with how far they are open, candidate, cell and state of one unit at ``step`` (None: the step in view)."""
    at, unit = int(ds.attrs["step_in_view"] if step is None else step), int(ds.attrs["unit_in_view"])
    kind = str(ds.attrs["cell_in_view"])
    cell, ink, colour = CELLS[kind].diagram, INKS[theme], NETWORKS[kind].colour
    inside = ds["inside"].sel(step=at, unit=unit)
    numbers = dict(zip(map(str, inside["quantity"].values), inside.values.tolist(), strict=True))
    figure = Figure()
    _draw_wires(figure, cell, ink)
    for box in cell.boxes:
        _draw_box(figure, box, numbers, colour, ink)
    for sign, place in cell.signs:
        _draw_sign(figure, sign, place, ink)
    label: dict[str, Any] = {"font": {"size": 13, "color": ink.text}, "showarrow": False}
    for quantity, place, side in cell.ends:
        words = "x<sub>t</sub>" if quantity == "x" else f"{ENDS[quantity]} = <b>{_said(numbers[quantity])}</b>"
        figure.add_annotation(text=words, x=place[0], y=place[1], xanchor=side, yanchor="middle", **label)
    labels = {name: _said(value) if value >= 0 else f"({_said(value)})" for name, value in numbers.items()}
    labels |= {f"result {name}": _said(value) for name, value in numbers.items()}
    equations = [equation.format_map(labels) for equation in cell.equations]
    look.apply(
        figure,
        theme,
        title=f"{cell.title}, unit {unit} at step {at}",
        notes=equations,
        legend=False,
        height=480,
        hover="closest",
    )
    figure.update_xaxes(visible=False, range=[-1, 101], fixedrange=True)
    return figure.update_yaxes(visible=False, range=[2, 96], fixedrange=True)


def _said(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def _draw_wires(figure: Figure, cell: Drawing, ink: Ink) -> None:
    figure.scatter(**ways(cell.wires), mode="lines", line={"color": ink.muted, "width": 2}, hoverinfo="skip")
    dots = {"size": 8, "color": ink.muted}
    figure.scatter(
        x=[x for x, _ in cell.dots],
        y=[y for _, y in cell.dots],
        mode="markers",
        marker=dots,
        hoverinfo="skip",
    )


def _draw_box(figure: Figure, box: Box, numbers: Numbers, colour: str, ink: Ink) -> None:
    """A box with its number; a gate's is filled from the left as far as the gate is open."""
    (x, y), value = box.place, numbers[box.quantity]
    left, low = x - WIDE / 2, y - HIGH / 2
    around: dict[str, Any] = {
        "type": "rect",
        "x0": left,
        "y0": low,
        "y1": low + HIGH,
        "xref": "x",
        "yref": "y",
        "layer": "above",
    }
    figure.add_shape(**around, x1=left + WIDE, fillcolor=ink.surface, line={"color": colour, "width": 1.5})
    if box.function == "σ":
        figure.add_shape(**around, x1=left + WIDE * value, fillcolor=with_alpha(colour, 0.3), line={"width": 0})
    term = f"{box.function}({_said(numbers[f'sum of {box.quantity}'])})" if box.function else ""
    name = WORDS.get(box.quantity, box.quantity)
    words = (
        f"<b>{name} {_said(value)}</b><br><span style='font-size:13px'>{term}</span>"
        if term
        else f"{name}<br><b>{_said(value)}</b>"
    )
    figure.add_annotation(text=words, x=x, y=y, font={"size": 13, "color": ink.text}, showarrow=False)
    figure.scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={"size": 40, "opacity": 0},
        showlegend=False,
        hovertemplate=f"{box.meaning}: {value:.4f}<extra></extra>",
    )


def _draw_sign(figure: Figure, sign: str, place: Place, ink: Ink) -> None:
    wide = NODE + 5 * (len(sign) - 1)
    figure.add_shape(
        type="circle",
        xref="x",
        yref="y",
        xsizemode="pixel",
        ysizemode="pixel",
        xanchor=place[0],
        yanchor=place[1],
        x0=-wide,
        x1=wide,
        y0=-NODE,
        y1=NODE,
        layer="above",
        fillcolor=ink.surface,
        line={"color": ink.muted, "width": 1.5},
    )
    figure.add_annotation(text=sign, x=place[0], y=place[1], font={"size": 13, "color": ink.text}, showarrow=False)
