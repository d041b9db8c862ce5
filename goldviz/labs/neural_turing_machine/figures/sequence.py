"""One sequence step by step: where the machine writes and reads, what it is told, and what every network answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.figures import theme as look
from goldviz.figures.draft import Bar, Figure
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import AtStep, line
from goldviz.figures.maps import SIGNED, cells, colour_bar
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.spec import FigureSpec
from goldviz.labs.neural_turing_machine.figures.quantities import figure, of_machine

STAGES = {
    "content": "1. By content",
    "gate": "2. Gate",
    "shift": "3. Shift",
    "sharpen": "4. Sharpen",
}
CONTROLS = {
    "content": ("strength β {:.2f}", ("strength",)),
    "gate": ("share by content {:.2f}", ("gate",)),
    "shift": ("ahead {:.2f}, stay {:.2f}, back {:.2f}", ("ahead", "stay", "back")),
    "sharpen": ("power γ {:.2f}", ("sharpness",)),
}
"""What the controller tells each stage, in words with its numbers."""


def _sequence_axes(plot: Plot) -> None:
    """Time steps from left to right, and a line in front of the first answer."""
    plot.number_axis("time", "Time in the sequence", "time %{x}", {1: "1"})
    first = float(plot.ds.attrs.get("first_answer", 1)) - 0.5
    plot.figure.add_vline(x=first, line={"color": plot.ink.muted, "width": 2, "dash": "dot"})
    plot.figure.update_xaxes(showgrid=False)
    plot.figure.update_yaxes(showgrid=False)


def _with_bar(plot: Plot, words: str, *notes: str | AtStep, height: int) -> Figure:
    chart = plot.finish(*notes, height=height, legend=False, hover="closest")
    return colour_bar_below(chart, (0.0, 1.0), look.SEQUENTIAL, words)


def of_heads(question: str, *needs: str, shows: str, title: str = "") -> Callable[[Callable[..., Figure]], FigureSpec]:
    """A figure of the machine's memory, which a run without a machine has none of."""
    return figure(question, title=title, shows=shows, needs=needs, instead=of_machine(*needs))


@of_heads(
    "Where does it write, and where does it read?",
    "address",
    "cell_size",
    title="Where does it write and read?",
    shows="The weight of each cell at each time, and its size. Right of the dotted line: answers.",
)
def heads(plot: Plot) -> Figure:
    """Write weights, read weights and the memory over time (Graves et al. 2014, figure 6; document 004, 3.1).

    A line that climbs cell by cell while rows are told, and once more while they are asked, is copying by location.
    """
    plot.panels(["Written to", "Read from", "Size of the numbers in a cell"])
    now = plot.now["address"].sel(stage="sharpen")
    rows = (now.sel(head="write"), now.sel(head="read"), plot.now["cell_size"])
    words = ("%{z:.2f} of the writing to cell %{y}", "%{z:.2f} of the reading from cell %{y}", "cell %{y}: %{z:.2f}")
    for row, (weights, hover) in enumerate(zip(rows, words, strict=True), start=1):
        z = plot.at_step(finite(weights).transpose("look", "slot", "time"))
        heat = cells(z, x=plot.ds["time"].values, y=plot.ds["slot"].values, hover=f"time %{{x}}: {hover}")
        plot.add(heat, row=row)
    plot.figure.update_yaxes(title_text="Cell", range=plot.limit("slot"))
    _sequence_axes(plot)
    return _with_bar(plot, "Weight, or size", plot.step_in_words("look", one_seed=True), height=620)


@figure(
    "What is told, wanted and answered?",
    title="What is told and answered?",
    needs=("told", "wanted", "answer"),
    shows="Bits told, bits wanted, and how likely each network holds a 1.",
)
def answer(plot: Plot) -> Figure:
    """The probe's input, its targets, and each network's answers, of which only those right of the line count."""
    names = [plot.look_of(network).heading for network in plot.networks]
    plot.panels(["Told", "Wanted", *names], heights=[2, 1, *(1 for _ in names)])
    time, bits = plot.ds["time"].values, plot.ds["bit"].values
    channels = [str(name) for name in plot.ds["channel"].values]
    rows = [row for row, name in enumerate(channels) if name.startswith("bit") or plot.ds["told"].values[:, row].any()]
    labels = [channels[row] for row in rows]
    plot.add(cells(plot.ds["told"].values.T[rows], x=time, y=labels, hover="time %{x}, %{y}: %{z:.2g}"), row=1)
    targets = plot.ds["wanted"].values
    plot.add(cells(targets.T, x=time, y=bits, hover="time %{x}, bit %{y}: %{z}", hoverongaps=False), row=2)
    answer_times = np.isfinite(targets[:, 0])
    for row, network in enumerate(plot.networks, start=3):
        likely = finite(plot.now["answer"].sel(network=network)).transpose("look", "bit", "time")
        likely = likely.copy(data=np.where(answer_times, likely.values, np.nan))
        z = plot.at_step(likely)
        plot.add(cells(z, x=time, y=bits, hover="time %{x}, bit %{y}: %{z:.2f}", hoverongaps=False), row=row)
    plot.figure.update_yaxes(title_text="Bit", tickmode="array", tickvals=bits)
    marks = [name for name in labels if not name.startswith("bit")]
    plot.figure.update_yaxes(tickvals=marks, type="category", tickfont={"size": 11}, row=1)
    _sequence_axes(plot)
    words = plot.step_in_words("look", one_seed=True)
    return _with_bar(plot, "Bit, or how likely a 1 is", words, height=450 + 85 * len(plot.networks))


@of_heads(
    "How does a head find its place?",
    "address",
    "controls",
    shows="Each cell's weight after each of four stages. Hollow: the time before.",
)
def stages(plot: Plot, time: int | None = None, head: str = "read") -> Figure:
    """Content, gate, shift and sharpening of one address (Graves et al. 2014, figure 2 and eq. 5-9).

    ``time`` counts from 1; without it it is the first at which an answer is wanted.
    """
    at = int(plot.ds.attrs.get("first_answer", 1)) if time is None else time
    slots = plot.ds["slot"].values
    plot.panels(list(STAGES.values()))
    own = plot.now["address"].sel(head=head)
    told = plot.now["controls"].sel(head=head, time=at)
    for row, stage in enumerate(STAGES, start=1):
        weights = finite(own.sel(stage=stage, time=at))
        if stage == "gate":
            _before(plot, own, at, row)
        plot.add(
            Bar(
                x=slots,
                y=plot.at_step(weights),
                marker={"color": plot.look_of("ntm").colour},
                name=STAGES[stage],
                showlegend=False,
                hovertemplate="cell %{x}: %{y:.3f}<extra></extra>",
            ),
            row=row,
        )
        words, names = CONTROLS[stage]
        _said(plot, row, plot.say(lambda *numbers, form=words: form.format(*map(float, numbers)), *_each(told, names)))
    plot.number_axis("slot", "Cell", "cell %{x}", {1: "1"})
    plot.figure.update_yaxes(range=(0, 1.05), tickvals=[0, 0.5, 1])
    plot.figure.update_layout(barmode="overlay", bargap=0.2)
    note = line(f"Time {at}, the head that {head}s.", plot.step_in_words("look", one_seed=True))
    chart = plot.finish(note, height=620, legend=False)
    return chart.update_layout(margin_t=chart.layout.margin.t + 14)


def _each(controls: Array, names: tuple[str, ...]) -> list[Array]:
    return [controls.sel(control=name) for name in names]


def _before(plot: Plot, own: Array, at: int, row: int) -> None:
    """The weights at the time before, which the gate mixes with those by content."""
    if at < 2:
        return
    plot.add(
        Bar(
            x=plot.ds["slot"].values,
            y=plot.at_step(finite(own.sel(stage="sharpen", time=at - 1))),
            marker={"color": "rgba(0,0,0,0)", "line": {"color": plot.ink.muted, "width": 1.5}},
            name="before",
            showlegend=False,
            hovertemplate="time before, cell %{x}: %{y:.3f}<extra></extra>",
        ),
        row=row,
    )


def _said(plot: Plot, panel: int, words: AtStep) -> None:
    """What the controller told a stage, above the right end of its panel."""
    axis = "" if panel == 1 else panel
    plot.figure.add_annotation(
        text=words,
        x=1,
        y=1,
        xref=f"x{axis} domain",
        yref=f"y{axis} domain",
        xanchor="right",
        yanchor="bottom",
        showarrow=False,
        font={"size": 13, "color": plot.ink.muted},
    )


@of_heads(
    "What stands in the memory?",
    "memory",
    shows="Every number of every cell, after one time.",
)
def memory(plot: Plot, time: int | None = None) -> Figure:
    """The memory M, cells upwards (Graves et al. 2014, eq. 3-4); ``time`` as in :func:`stages`, one earlier."""
    at = max(1, int(plot.ds.attrs.get("first_answer", 2)) - 1) if time is None else time
    now = finite(plot.now["memory"].sel(time=at)).transpose("look", "slot", "column")
    hover = "cell %{y}, number %{x}: %{z:.3f}"
    plot.add(cells(plot.at_step(now), x=plot.ds["column"].values, y=plot.ds["slot"].values, hover=hover))
    plot.figure.update_xaxes(title_text="Number in the cell", dtick=1, showgrid=False)
    plot.figure.update_yaxes(title_text="Cell", range=plot.limit("slot"), showgrid=False)
    words = line(f"After time {at}.", plot.step_in_words("look", one_seed=True))
    plot.finish(words, height=520, legend=False, hover="closest")
    return colour_bar(plot.figure, plot.limit("memory"), SIGNED, "Number")
