"""The figures of the laboratory *Neural Turing machine*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import (
    Channel,
    Panel,
    at,
    attribute,
    axis,
    bars,
    changed,
    colours,
    curves,
    figure,
    heat,
    lines,
    offered,
    panel,
    rule,
    series,
    size,
    words,
)
from goldviz.figures.plot import Plot
from goldviz.figures.reading import absence, finite
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine

WITHOUT_MACHINE = "No NTM was trained in this run: choose it under Networks."
STAGES = {
    "content": ("1. By content", "strength β {:.2f}", ("strength",)),
    "gate": ("2. Gate", "share by content {:.2f}", ("gate",)),
    "shift": ("3. Shift", "ahead {:.2f}, stay {:.2f}, back {:.2f}", ("ahead", "stay", "back")),
    "sharpen": ("4. Sharpen", "power γ {:.2f}", ("sharpness",)),
}
"""Each stage's name, and what the controller tells it, in words with its numbers."""
ANSWERS = rule(x=attribute("first_answer", -0.5), words="answers begin", width=2)


def without_machine(ds: Run) -> str:
    """Why a run has nothing of a machine to draw; empty where it may have."""
    return WITHOUT_MACHINE if "network" in ds.coords and "ntm" not in ds["network"].values else ""


of_heads = partial(figure, instead=without_machine)


def _address(head: str, **where: object) -> Channel:
    return at("address", head=head, **{"stage": "sharpen", **where})


def _first_answer(plot: Plot, time: int | None, before: int = 0) -> int:
    return max(1, int(plot.ds.attrs.get("first_answer", 1 + before)) - before) if time is None else time


def _answers(plot: Plot) -> Sequence[Panel]:
    """What is told and wanted, and what each network answers where an answer is wanted."""
    channels = [str(name) for name in plot.ds["channel"].values]
    kept = [row for row, name in enumerate(channels) if name.startswith("bit") or plot.ds["told"].values[:, row].any()]
    marks = [channels[row] for row in kept if not channels[row].startswith("bit")]
    wanted = np.isfinite(plot.ds["wanted"].values)

    def when_wanted(answers: Array) -> Array:
        return answers.where(plot.ds["wanted"].copy(data=wanted))

    bits = axis("Bit", tickmode="array", tickvals=plot.ds["bit"].values)
    told = axis("Bit", tickmode="array", tickvals=marks, type="category", range=None)
    gaps = {"hoverongaps": False}
    return [
        panel(
            heat(changed("told", lambda told: told.isel(channel=kept)), "time", "channel"),
            heading="Told",
            y=told,
            height=2,
        ),
        panel(heat("wanted", "time", "bit", more=gaps), heading="Wanted", y=bits),
        *(
            panel(
                heat(changed(at("answer", network=network), when_wanted), "time", "bit", more=gaps),
                heading=plot.look_of(network).heading,
                y=bits,
            )
            for network in plot.networks
        ),
    ]


def _stages(plot: Plot, time: int | None, head: str) -> Sequence[Panel]:
    """A panel for each stage; hollow beside the gate: the weights at the time before, which it mixes in."""
    when = _first_answer(plot, time)
    controls = plot.now["controls"].sel(head=head, time=when)
    before = bars(
        _address(head, time=when - 1),
        name="before",
        marker={"color": "rgba(0,0,0,0)", "line": {"color": plot.ink.muted, "width": 1.5}},
        hover="time before, cell %{x}: %{y:.3f}<extra></extra>",
    )
    panels = []
    for stage, (heading, form, names) in STAGES.items():
        told = plot.say(
            lambda *numbers, form=form: form.format(*map(float, numbers)), *(controls.sel(control=one) for one in names)
        )
        own = bars(
            _address(head, stage=stage, time=when),
            name=heading,
            colour="ntm",
            hover="cell %{x}: %{y:.3f}<extra></extra>",
        )
        beside = [before] if stage == "gate" and when > 1 else []
        panels.append(panel(*beside, own, words(told), heading=heading))
    return panels


FIGURES, shared_limits = offered(
    NeuralTuringMachine,
    # Graves et al. 2014, figure 6; document 004, 3.1. A line that climbs while rows are told, and again while they are
    # asked, is copying by location.
    of_heads(
        "heads",
        "Where does it write, and where does it read?",
        panel(heat(_address("write"), "time", "slot"), heading="Written to"),
        panel(heat(_address("read"), "time", "slot"), heading="Read from"),
        panel(heat("cell_size", "time", "slot")),
        ANSWERS,
        title="Where does it write and read?",
        colour=colours("Weight, or size", ends=(0.0, 1.0)),
        height=620,
    ),
    figure(
        "answer",
        "What is told, wanted and answered?",
        _answers,
        ANSWERS,
        title="What is told and answered?",
        needs=("told", "wanted", "answer"),
        over="time",
        colour=colours("Bit, or how likely a 1 is", ends=(0.0, 1.0)),
        height=lambda plot: 450 + 85 * len(plot.networks),
    ),
    # Graves et al. 2014, figures 4 and 5: is a rule learned, or the lengths of training?
    figure(
        "by_length",
        "How long may a sequence be?",
        panel(curves("sequences_right")),
        panel(curves("bits_right")),
        rule(x=attribute("trained_length"), words="longest learned"),
        rule(x=size("slot"), words="the memory's cells", dash="dash"),
        y=axis(tickvals=[0, 0.5, 1]),
        height=560,
    ),
    "loss",
    # Graves et al. 2014, figure 2 and eq. 5-9; ``time`` counts from 1, and is the first answer's where it is not given.
    of_heads(
        "stages",
        "How does a head find its place?",
        _stages,
        needs=("address", "controls"),
        shows="Each cell's weight after each of four stages. Hollow: the time before.",
        over="slot",
        y=axis(scale="free", range=(0, 1.05), tickvals=[0, 0.5, 1]),
        lead=lambda plot, time, head: f"Time {_first_answer(plot, time)}, the head that {head}s.",
        legend="none",
        height=620,
        looks_at={"time": None, "head": "read"},
        layout={"barmode": "overlay", "bargap": 0.2},
    ),
    # Graves et al. 2014, eq. 3-4; ``time`` as above, one earlier where it is not given.
    of_heads(
        "memory",
        "What stands in the memory?",
        lambda plot, time: [heat(at("memory", time=_first_answer(plot, time, 1)), "column", "slot")],
        needs=("memory",),
        shows="Every number of every cell, after one time.",
        colour=colours("Number", "memory", scale="signed"),
        lead=lambda plot, time: f"After time {_first_answer(plot, time, 1)}.",
        height=520,
        looks_at={"time": None},
    ),
    # exp of the entropy of the weights: is the whole memory changed at each step, or one cell?
    of_heads(
        "spread",
        "Does a head choose one cell?",
        lines(
            "cells_used",
            by="head",
            looks=(series("write", "write head", "ntm"), series("read", "read head", "text", "dash")),
            mode="lines+markers",
            width=2.5,
            hover="%{y:.2f} cells",
        ),
        rule(y=1, words="one cell"),
        y=axis("Cells"),
    ),
)


def picture(ds: Run) -> str:
    """The home page's picture: the cell that is written to most, and the one that is read from most, over time."""
    label = "The memory's cell that is written to, and the one that is read from, at each step of a sequence."
    if absence(ds, "address") or not np.isfinite(ds["address"].values).any():
        return polyline_svg([], label=label)
    weights = finite(ds["address"].isel(look=-1).sel(stage="sharpen"))
    places = {head: weights.sel(head=head).values.argmax(-1) for head in ("write", "read")}
    first = int(ds.attrs["first_answer"]) - 1
    is_input = np.arange(ds.sizes["time"]) < first
    return polyline_svg(
        [
            Curve("write", np.where(is_input, places["write"], np.nan), "#8a6a00"),
            Curve("read", np.where(is_input, np.nan, places["read"]), "#0e7ac0", "dash"),
        ],
        label=label,
        axes=("step", "cell of memory"),
    )
