"""The diagram at the step in view as a figure, for reports and notebooks; the page has it with buttons.

It measures nothing on axes, and so has a drawing function. Steps of both passes are counted from 0, in their
order, and each says what is known after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme, with_alpha

BACK = ("arriving", "delta", "gradients")
WORDS = {
    "start": "Before the first step",
    "loss": "The loss",
    "forward": "Phase A, layer {layer}: forward",
    "arriving": "Phase B, layer {layer}: what arrives, dL/dx",
    "delta": "Phase B, layer {layer}: the error δ",
    "gradients": "Phase B, layer {layer}: equations 3 and 4",
    "update": "One update",
}


@dataclass(frozen=True)
class Step:
    """One step of a network with so many layers; beyond the last step, the last."""

    number: int
    layers: int

    @property
    def words(self) -> str:
        """What is done, in words.

        >>> Step(2, 3).words, Step(5, 3).words
        ('Phase A, layer 2: forward', 'Phase B, layer 3: what arrives, dL/dx')
        """
        number, last = self.number, self.layers
        if number == 0 or number > 4 * last + 1:
            return WORDS["start" if number == 0 else "update"]
        if number <= last + 1:
            return WORDS["forward" if number <= last else "loss"].format(layer=number)
        back, part = divmod(number - last - 2, len(BACK))
        return WORDS[BACK[part]].format(layer=last - back)

    def knows_output(self, layer: int) -> bool:
        """Whether x of this layer, or the input's for 0, is there."""
        return layer <= self.number

    def knows(self, part: str, layer: int) -> bool:
        """Whether phase B has come to this part of a layer: ``arriving``, ``delta`` or ``gradients``."""
        return self.number >= self.layers + 2 + len(BACK) * (self.layers - layer) + BACK.index(part)


MORE, LESS = "#0e7ac0", "#d55e00"
SIZE = 58
WIDTHS = (0.75, 2.0, 4.0, 7.0)
"""Edges are drawn in so many widths: up to a quarter, a half, three quarters and all of the largest number."""

Spot = tuple[float, float]


@drawn(
    "What is known at this step?",
    name="diagram",
    shows="Each neuron's x and δ, each weight or its dL/dw, after this step.",
)
def diagram(ds: Run, *, theme: Theme = "light") -> Figure:
    """Neurons from the left to the right with their numbers; edges as thick as their number is large."""
    step, figure = Step(int(ds.attrs["step"]), ds.sizes["layer"]), Figure()
    _draw_edges(figure, ds, step)
    _draw_neurons(figure, ds, step, theme)
    notes = [f"{step.words}.", "Edges: w, or dL/dw where phase B has been. Blue is above 0, orange and dashed below."]
    look.apply(figure, theme, title="The network, step by step", notes=notes, legend=False, height=480, hover="closest")
    levels = ds["level"].values
    names = ["input", *(f"layer {level}" for level in levels[1:])]
    figure.update_xaxes(tickvals=levels, ticktext=names, range=[-0.4, levels[-1] + 0.4], showgrid=False, ticklen=0)
    return figure.update_yaxes(visible=False)


def _spots(ds: Run, level: int) -> list[Spot]:
    """Where the neurons of a level stand, the first one on top."""
    count = int(ds["x"].sel(level=level).isel(sample=0).notnull().sum())
    return [(float(level), (count - 1) / 2 - unit) for unit in range(count)]


def _draw_edges(figure: Figure, ds: Run, step: Step) -> None:
    for layer in ds["layer"].values.tolist():
        name = "weight_gradient" if step.knows("gradients", layer) else "weight"
        numbers = ds[name].sel(layer=layer).values
        for width, positive, ends in _bundles(numbers, _spots(ds, layer - 1), _spots(ds, layer)):
            x, y = np.asarray(ends).reshape(-1, 2).T
            line = {"width": width, "color": MORE if positive else LESS, "dash": "solid" if positive else "dash"}
            figure.scatter(x=x, y=y, mode="lines", line=line, opacity=0.6, hoverinfo="skip")


def _bundles(
    numbers: NDArray[np.float64], before: list[Spot], after: list[Spot]
) -> Iterator[tuple[float, bool, list[list[Spot]]]]:
    """The edges of one layer by width and sign, each with a gap behind it."""
    weights = np.nan_to_num(numbers[: len(after), : len(before)])
    thickness = np.ceil(len(WIDTHS) * np.abs(weights) / (np.abs(weights).max() or 1.0))
    gap = (np.nan, np.nan)
    for place, width in enumerate(WIDTHS, start=1):
        for positive in (True, False):
            edges = np.argwhere((thickness == place) & ((weights > 0) == positive))
            if len(edges):
                yield width, positive, [[before[start], after[end], gap] for end, start in edges]


def _draw_neurons(figure: Figure, ds: Run, step: Step, theme: Theme) -> None:
    ink = INKS[theme]
    for level in ds["level"].values.tolist():
        x, y = np.asarray(_spots(ds, level)).T
        tint = with_alpha(LESS, 0.25) if level and step.knows("delta", level) else ink.surface
        # No edge is seen through a neuron.
        figure.scatter(x=x, y=y, mode="markers", marker={"size": SIZE, "color": ink.background}, hoverinfo="skip")
        figure.scatter(
            x=x,
            y=y,
            mode="markers+text",
            text=_numbers(ds, step, level),
            hoverinfo="skip",
            marker={"size": SIZE, "color": tint, "line": {"color": ink.muted, "width": 1.5}},
            textfont={"size": 13, "color": ink.text},
        )


def _numbers(ds: Run, step: Step, level: int) -> list[str]:
    """What stands in the neurons of a level: x as soon as it is there, and δ under it."""
    parts = [ds["x"].sel(level=level)] if step.knows_output(level) else []
    if level and step.knows("delta", level):
        parts.append(ds["delta"].sel(layer=level))
    columns = [part.isel(sample=0).values for part in parts]
    marks = ("", "δ ")
    return [
        "<br>".join(f"{mark}{column[unit]:.2g}".replace("-", "−") for mark, column in zip(marks, columns, strict=False))
        for unit in range(len(_spots(ds, level)))
    ]
