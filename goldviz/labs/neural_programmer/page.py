"""Neural programmer: the page's figures, programs as text, a question of one's own, and document 004, 3.4."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.neural_programmer import LAB
from goldviz.labs.neural_programmer.figures import FIGURES
from goldviz.labs.neural_programmer.language import COLUMNS
from goldviz.labs.neural_programmer.measures import Reading, WrittenProgram, program_text, programs_at
from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.ask import Ask
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import drawn_figure
from goldviz.ui.panels.parts import Part

if TYPE_CHECKING:
    from goldviz.labs.neural_programmer.asking import Reply
    from goldviz.runs.jobs.kept_weights import KeptWeights

NUMBERS = (
    "In this run, at its last look, hardened programs answer {right:.1%} of unseen questions rightly. Soft and hard "
    "answers are {gap:.2f} apart."
)
HEADINGS = ("question", "program", "its answer", "by the weights", "right answer", "")
HELP = "sum, count or print, a column, then: where a greater 0.4. A second condition follows and."
CELLS = ("0.12", "0.83", "0.47", "0.65", "0.30", "0.91")


def why(lane: Lane[NeuralProgrammer], draw: Callable[[str], None]) -> None:
    """Document 004, section 3.4, in the formulas of Neelakantan et al. 2016, with the run's own numbers."""
    with words_beside(draw, "gap"):
        st.markdown("At each step a controller attends to operations and to columns (document 004, 3.4):")
        st.latex(r"o_t = \mathrm{softmax}(W_o [z, h_t]), \qquad c_t = \mathrm{softmax}(W_c [z, h_t])")
        st.markdown("All operations are carried out, each by its weight. So do rows get a selection $s_t$:")
        st.latex(r"s_t = o^{\mathrm{stay}} s_{t-1} + \textstyle\sum_j c_j (o^> g_j + o^< l_j) + o^{\land} a_t")
        st.markdown("$g_j$ and $l_j$: rows whose cell is greater or lesser; $a_t$: rows of both steps before.")
        st.markdown("The answer is that of the last step, a sum, a count, or printed cells:")
        st.latex(r"y = o^{\Sigma} \textstyle\sum_{ij} s_i c_j x_{ij} + o^{\#} \sum_i s_i")
        st.markdown(
            "Only the answer is compared with the right one (Neelakantan et al. 2016). The number behind *greater* or "
            "*lesser* is read off the question."
        )
        if lane.dataset.sizes.get("look"):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, "programmer", lane.settings)))


def programs(lane: Lane[NeuralProgrammer], step: int | None) -> None:
    """Every followed question with its hardened program and its answers."""
    written = programs_at(lane.dataset, step)
    if not written:
        st.caption("No program was recorded yet.")
        return
    st.html(_programs_table(written))
    st.caption(
        "Each step takes its operation and column of the largest weight. Of what is printed, the sum stands here. "
        "Another program may give the right answer, too."
    )


def _programs_table(programs: list[WrittenProgram]) -> str:
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
    written = programs_at(lane.dataset, step)
    if not written:
        st.caption("No program was recorded yet.")
        return
    names = [one.question for one in written]
    name = st.selectbox("Question", names, key=f"programmer-question-{lane.id}", persist_state="session")
    for column, figure in zip(st.columns([3, 2]), ("controller", "selection"), strict=True):
        with column:
            drawn_figure(
                FIGURES[figure],
                lane.dataset,
                key=f"programmer-{figure}-{lane.id}",
                subject=f"{lane.id} {names.index(name)}",
                version=lane.version,
                epoch=step,
                question=names.index(name),
            )


def _question(lane: Lane[NeuralProgrammer]) -> tuple[str, str]:
    """A question, and a table to ask it of."""
    columns = lane.settings.columns
    sentence = st.text_input(
        "Question",
        f"sum a where {COLUMNS[columns - 1]} greater 0.4",
        key=f"programmer-{columns}-question",
        max_chars=2_000,
        persist_state="session",
        help=HELP,
    )
    # Six rows of numbers, each column the one before it moved on by a row.
    example = "\n".join(" ".join((CELLS * 2)[row : row + columns]) for row in range(len(CELLS)))
    table = st.text_area(
        f"Table: columns {', '.join(COLUMNS[:columns])}",
        example,
        key=f"programmer-{columns}-table",
        max_chars=20_000,
        persist_state="session",
        help="A row a line, numbers from 0 to 1.",
    )
    return sentence, table


def _show_reply(lane: Lane[NeuralProgrammer], reply: Reply, weights: KeptWeights) -> None:
    """The program as text with its weights and rows, and the three answers."""
    st.html(_reply_table(reply))
    verdict = "the right answer" if reply.is_right else f"wrong: the right answer is **{reply.right}**"
    st.markdown(f"The program answers **{reply.hard}**, {verdict}. By the weights it is {reply.soft}.")
    st.caption(f"Filled: a row that is selected after the step. Weights of step {weights.step:,}.")


def _reply_table(reply: Reply) -> str:
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


ASK = Ask(
    "programmer",
    does="answers your question here",
    button="Ask",
    icon=":material/play_arrow:",
    working="Writing the program",
    asked=_question,
    answer="asking.ask",
    show_answer=_show_reply,
)


PAGE = LaboratoryPage(
    LAB,
    main="table",
    beside="controller",
    below="right",
    why=why,
    parts=(
        Part("programs", "The programs as text", programs),
        Part("question", "One question", one_question),
        Part("ask", "Your own question", ASK.show, shows=lambda settings: True),
    ),
)
