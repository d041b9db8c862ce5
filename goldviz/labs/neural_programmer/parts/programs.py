"""Programs as text, with their answers; and one question of those that are followed, in figures."""

from __future__ import annotations

import html

import streamlit as st

from goldviz.labs.neural_programmer.figures import FIGURES
from goldviz.labs.neural_programmer.measures import WrittenProgram, programs_at
from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now

HEADINGS = ("question", "program", "its answer", "by the weights", "right answer", "")


def show(lane: Lane[NeuralProgrammer], step: int | None) -> None:
    """Every followed question with its hardened program and its answers."""
    programs = programs_at(lane.dataset, step)
    if not programs:
        st.caption("No program was recorded yet.")
        return
    st.html(_table(programs))
    st.caption(
        "Each step takes its operation and column of the largest weight. Of what is printed, the sum stands here. "
        "Another program may give the right answer, too."
    )


def _table(programs: list[WrittenProgram]) -> str:
    heads = "".join(f"<th style='text-align:left;padding:2px 12px 2px 0'>{heading}</th>" for heading in HEADINGS)
    lines = []
    for one in programs:
        cells = (
            html.escape(one.question),
            f"<b>{html.escape(' → '.join(one.steps))}</b>",
            f"{one.hard:.2f}",
            f"{one.soft:.2f}",
            f"{one.right:.2f}",
            "✓" if one.is_right else "✗ wrong",
        )
        lines.append("".join(f"<td style='padding:2px 12px 2px 0'>{cell}</td>" for cell in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    table = f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
    return f"<div style='overflow-x:auto'><table style='white-space:nowrap'>{table}</table></div>"


def one_question(lane: Lane[NeuralProgrammer], step: int | None) -> None:
    """Choose a question that is followed, and see its program and the rows that it selects."""
    programs = programs_at(lane.dataset, step)
    if not programs:
        st.caption("No program was recorded yet.")
        return
    names = [one.question for one in programs]
    name = st.selectbox("Question", names, key=f"programmer-question-{lane.id}", persist_state="session")
    left, right = st.columns([3, 2])
    for column, figure in ((left, "controller"), (right, "selection")):
        with column:
            _draw(lane, figure, step, names.index(name))


def _draw(lane: Lane[NeuralProgrammer], name: str, step: int | None, question: int) -> None:
    theme, spec = theme_now(), FIGURES[name]
    figure = services.figure_json(
        (lane.id, lane.version, name, theme, step, str(question)),
        lambda: spec.draw(lane.dataset, epoch=step, theme=theme, question=question),
    )
    live_figure(
        figure,
        key=f"programmer-{name}-{lane.id}",
        subject=f"{lane.id} {question}",
        description=spec.description,
    )
