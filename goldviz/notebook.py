"""What notebooks draw of findings, trials, measures and records: short HTML in which nothing of a run is code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from goldviz.diagnostics.findings import Finding
    from goldviz.diagnostics.measure import MeasuredNumber
    from goldviz.watching.trial import Tried

WORDS = {"bad": "Problem", "warning": "Worth a look", "good": "Healthy"}
"""A card's severity, as pages say it."""


class Findings(list["Finding"]):
    """A list of cards that a notebook draws."""

    def _repr_html_(self) -> str:
        return "".join(map(_card, self)) or "<p>Nothing out of the ordinary.</p>"


class Trials(list["Tried"]):
    """A list of what cures did, which a notebook draws as a table."""

    def _repr_html_(self) -> str:
        rows = [(one.kind.replace("_", " "), "helped" if one.helped else "", one.sentence()) for one in self]
        return _table(("for", "", "result"), rows)


class Measures(dict[str, "MeasuredNumber"]):
    """Measured numbers by name, which a notebook draws as a table."""

    def _repr_html_(self) -> str:
        return _table(("name", "mean", "unit", "what it is"), [_measured(name, one) for name, one in self.items()])


def of_record(name: str, run_id: str, state: str, losses: Sequence[float], findings: Findings) -> str:
    """A watched run: how far it is, its loss, and its cards."""
    loss = f"loss {losses[0]:.4g} to {losses[-1]:.4g}" if len(losses) else "no loss yet"
    told = f"<p><b>{escape(name)}</b>: {escape(state)}, {loss}. <code>{escape(run_id)}</code></p>"
    return f"<div>{told}{findings._repr_html_()}</div>"


def _card(one: Finding) -> str:
    first = f"{WORDS.get(one.severity, one.severity)}: <b>{escape(one.title)}</b>"
    number = f"{escape(one.number)} (limit: {escape(one.threshold)}). {escape(one.explanation)}".rstrip()
    advice = f"<br>{escape(one.advice)}" if one.advice else ""
    cure = f"<pre>{escape(one.cure)}</pre>" if one.cure else ""
    return f"<div><p>{first}<br>{number}{advice}</p>{cure}</div>"


def _measured(name: str, one: MeasuredNumber) -> tuple[str, ...]:
    values = np.asarray(one.values, dtype=np.float64)
    mean = f"{values.mean():.4g}" if values.size else ""
    several = f" ({values.min():.4g} to {values.max():.4g})" if values.size > 1 else ""
    return name, mean + several, one.unit, one.words


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(one)}</td>' for one in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
