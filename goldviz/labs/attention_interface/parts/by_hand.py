"""One row of attention with its numbers: two states, a score, its exponential, and the weight."""

from __future__ import annotations

import html

import streamlit as st

from goldviz.labs.attention_interface.measures import RowByHand, row_by_hand, words_written
from goldviz.labs.attention_interface.settings import AttentionInterface
from goldviz.ui.panels.lanes import Lane

HEADINGS = ("read", "h<sub>j</sub>", "e<sub>ij</sub>", "exp(e<sub>ij</sub> − max)", "α<sub>ij</sub>")


def show(lane: Lane[AttentionInterface], step: int | None) -> None:
    """A slider over the words written, and the row of the one that is chosen."""
    run = lane.dataset
    words = words_written(run)
    if not words:
        st.caption("This run has no attention. Choose *With attention* under *Networks*.")
        return
    key = f"interface-row-{lane.settings.name}-{len(words)}"
    label = st.select_slider("Word to be written", words, key=key, persist_state="session")
    row = row_by_hand(run, step, words.index(label))
    st.markdown(f"Before it writes “{html.escape(row.word)}”, the writer's state begins {_vector(row.state)}.")
    st.html(_table(row))
    st.caption(
        f"The exponentials add up to {row.total:.4f}; each one over that sum is a weight, and the weights add up to 1. "
        f"Of each state the first {len(row.state)} numbers stand here. Step {row.step:,}."
    )


def _vector(numbers: tuple[float, ...]) -> str:
    return f"({', '.join(f'{number:.2f}'.replace('-', '−') for number in numbers)}, …)"


def _table(row: RowByHand) -> str:
    """The row as a table; the darkest weight in bold."""
    heads = "".join(f"<th style='text-align:right;padding:2px 10px'>{heading}</th>" for heading in HEADINGS)
    most = max(one.weight for one in row.words)
    lines = []
    for one in row.words:
        weight = f"<b>{one.weight:.3f}</b>" if one.weight == most else f"{one.weight:.3f}"
        score = f"{one.score:.3f}".replace("-", "−")
        cells = (html.escape(one.word), _vector(one.state), score, f"{one.exponential:.4f}", weight)
        lines.append("".join(f"<td style='text-align:right;padding:2px 10px'>{cell}</td>" for cell in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<div style='overflow-x:auto'><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
