"""The page *Advice*: every remedy that was tried, in which set-up, and what it did to each seed, with filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.diagnostics.findings.trial import OUTCOMES, Trial
from goldviz.diagnostics.findings.tried import Tried
from goldviz.ui.panels import filters
from goldviz.ui.words import plain


@dataclass(frozen=True)
class Row:
    """A trial and the laboratory that it was made in."""

    lab: Laboratory
    trial: Trial


def show() -> None:
    """Draw the page."""
    st.title("Advice")
    st.markdown("##### What do the cards advise, and what did it do when it was tried?")
    records = {lab: record for lab in laboratories().values() if (record := lab.tried)}
    filters, switch = st.columns([4, 1], vertical_alignment="bottom")
    with filters:
        rows = _filtered([Row(lab, trial) for lab, record in records.items() for trial in record.trials])
    by_seed = switch.toggle("Show each seed", key="advice-by-seed")
    helpful = sum(row.trial.helps for row in rows)
    st.caption(f"{helpful} of {len(rows)} remedies helped.")
    if rows:
        st.dataframe(
            table(rows, by_seed), hide_index=True, width="stretch", column_config={"Remedy": {"width": "large"}}
        )
    else:
        st.caption("No remedy is like that.")
    _explain({row.lab: records[row.lab] for row in rows})


def _filtered(rows: Sequence[Row]) -> list[Row]:
    outcome = filters.one_word("Outcome", [row.trial.outcome for row in rows], OUTCOMES, key="advice-outcome")
    left, right = st.columns(2)
    titles = {row.lab.name: row.lab.declared.title for row in rows}
    lab = filters.one_or_all(
        left, "Laboratory", titles, key="advice-laboratory", words=lambda name: titles.get(name, name)
    )
    kinds = sorted({row.trial.kind for row in rows})
    complaint = filters.one_or_all(right, "Complaint", kinds, key="advice-complaint", words=_in_words)
    return [
        row for row in rows if outcome in (None, row.trial.outcome) and lab(row.lab.name) and complaint(row.trial.kind)
    ]


def table(rows: Sequence[Row], by_seed: bool) -> pd.DataFrame:
    """One line a trial; losses before and after as medians of the seeds complained of, or of every seed."""
    return pd.DataFrame([_line(row, by_seed) for row in rows])


def _line(row: Row, by_seed: bool) -> dict[str, Any]:
    trial = row.trial
    return {
        "Laboratory": row.lab.declared.title,
        "Set-up": trial.where,
        "Complaint": _in_words(trial.kind),
        "Remedy": trial.remedy,
        "Outcome": trial.outcome,
        "Seeds helped": trial.counts,
        "Ruined": " and ".join(trial.ruined),
        "Loss before → after": trial.losses_by_seed() if by_seed else trial.changes_of_loss(),
    }


def _in_words(kind: str) -> str:
    return kind.replace("_", " ")


def _explain(records: dict[Laboratory, Tried]) -> None:
    with st.expander("How it was tried"):
        st.markdown(HOW)
        for lab, record in records.items():
            st.markdown(f"- **{lab.declared.title}**, {plain(record.unit)}: {plain(record.how)}")


HOW = """
Each rule was looked for in its laboratory's presets, on five seeds and in the recorded run. It was also looked for in
settings drawn around them: those set-ups are called *drawn*. Where it fired, each remedy was applied, and both were
trained on the same five seeds.

- A seed was helped if the complaint is gone and the loss is at most 5 % higher. It was also helped if the loss is at
  least 5 % lower.
- Without a loss before, as after a divergence, the loss may end at most at twice a simple answer's.
- A network was ruined if in most seeds its loss is 1.25 times what it was or more.
- A remedy promises one thing: it *takes this away* at no higher loss, or it *lowers the loss* by 5 %.
- Set-ups are dealt into five parts. Four choose the promise, and the fifth counts whether it is kept.
- It is offered if it was kept in 80 % of at least ten such held-out trials, and ruined no network in any.
- A remedy that did not help most seeds of a set-up is not offered there.
- Where a remedy makes its rule stop applying, only a lower loss counts.
- What *mends the measuring* promises no lower loss. There a seed was helped if the complaint is gone.
- What is only to be looked at beside is not tried.
"""
