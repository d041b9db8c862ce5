"""A question of one's own, of a table of one's own: the program that the trained network writes for it."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.labs.neural_programmer.measures import program_text
from goldviz.labs.neural_programmer.operations import COLUMNS
from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.runs.jobs.jobs import Task
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.ui.panels import background
from goldviz.ui.panels.kept_weights import kept_weights, offer_weights
from goldviz.ui.panels.lanes import Lane

if TYPE_CHECKING:
    from goldviz.labs.neural_programmer.asking import Reply

ASKED = "programmer-asked"
"""In the session state: whether the visitor wants questions answered."""
HELP = "sum, count or print, a column, then: where a greater 0.4. A second condition follows and."
CELLS = ("0.12", "0.83", "0.47", "0.65", "0.30", "0.91")


def show(lane: Lane[NeuralProgrammer], step: int | None) -> None:
    """Question and table for a run that has kept its weights."""
    checkpoint = kept_weights(lane, step)
    if checkpoint is None:
        offer_weights(lane, "answers your question here")
        return
    columns = lane.settings.columns
    key = f"programmer-{columns}"
    last = COLUMNS[columns - 1]
    sentence = st.text_input(
        "Question",
        f"sum a where {last} greater 0.4",
        key=f"{key}-question",
        max_chars=2_000,
        persist_state="session",
        help=HELP,
    )
    table = st.text_area(
        f"Table: columns {', '.join(COLUMNS[:columns])}",
        _example(columns),
        key=f"{key}-table",
        max_chars=20_000,
        persist_state="session",
        help="A row a line, numbers from 0 to 1.",
    )
    st.button(
        "Ask",
        type="primary",
        icon=":material/play_arrow:",
        key="programmer-go",
        on_click=lambda: st.session_state.update({ASKED: True}),
    )
    if not st.session_state.get(ASKED):
        return
    reply = background.answer(_task(checkpoint, sentence, table))
    if reply is None:
        return
    _show(reply, checkpoint)


def _example(columns: int) -> str:
    """Six rows of numbers, each column the one before it moved on by a row."""
    return "\n".join(" ".join((CELLS * 2)[row : row + columns]) for row in range(len(CELLS)))


def _task(checkpoint: KeptWeights, sentence: str, table: str) -> Task[Reply]:
    from goldviz.labs.neural_programmer.asking import ask

    return Task.of_arguments("neural-programmer", ask, (checkpoint, sentence, table), "Writing the program", 0.3)


def _show(reply: Reply, checkpoint: KeptWeights) -> None:
    """The program as text with its weights and rows, and the three answers."""
    st.html(_table(reply))
    verdict = "the right answer" if reply.is_right else f"wrong: the right answer is **{reply.right}**"
    st.markdown(f"The program answers **{reply.hard}**, {verdict}. By the weights it is {reply.soft}.")
    st.caption(f"Filled: a row that is selected after the step. Weights of step {checkpoint.step:,}.")


def _table(reply: Reply) -> str:
    cell = "<td style='padding:2px 14px 2px 0'>"
    lines = [f"<tr>{cell}start</td>{cell}</td>{cell}{_marks(reply.rows[0])}</td></tr>"]
    steps = program_text(reply.operations, reply.columns)
    for step, operations, columns, rows in zip(steps, reply.operations, reply.columns, reply.rows[1:], strict=True):
        weights = f"{max(operations):.0%} of the operations, {max(columns):.0%} of the columns"
        lines.append(f"<tr>{cell}<b>{html.escape(step)}</b></td>{cell}{weights}</td>{cell}{_marks(rows)}</td></tr>")
    return f"<div style='overflow-x:auto'><table style='white-space:nowrap'>{''.join(lines)}</table></div>"


def _marks(rows: Iterable[float]) -> str:
    """A row's mark is filled where it is selected."""
    return "".join("●" if weight > 0 else "○" for weight in rows)
