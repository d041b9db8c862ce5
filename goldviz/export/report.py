"""A run or a view as one self-contained HTML file: settings, findings, figures, readable without a network."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from goldviz.data.tables.sealed_names import sealed_text, shown_name
from goldviz.declare.data_labels import ATTRIBUTE, labelled
from goldviz.diagnostics.findings import Finding
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import FONT, INKS
from goldviz.figures.unread import of_unread_run

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.declare.instant import Instant
    from goldviz.declare.settings import Experiment

SEVERITIES = {"bad": ("✕", "#b3261e"), "warning": ("!", "#8a6a00"), "good": ("✓", "#00734f")}

CONFIG = {
    "responsive": True, "displaylogo": False, "plotlyServerURL": "", "modeBarButtonsToRemove": ["sendChartToCloud"],
}  # fmt: skip
"""Of Plotly: a report has no button that sends its figures away."""

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"

_STYLE = f"""
body {{ margin: 0 auto; padding: 1rem; max-width: 60rem; background: {INKS["light"].background};
       color: {INKS["light"].text}; font: 16px/1.5 {FONT.replace('"', "'")}; overflow-wrap: anywhere }}
h1 {{ font-size: 1.7rem; line-height: 1.2 }} h2 {{ font-size: 1.25rem; margin-top: 2.2rem }}
table {{ border-collapse: collapse }} th, td {{ text-align: left; padding: .25rem .9rem .25rem 0; vertical-align: top;
       border-bottom: 1px solid {INKS["light"].grid}; font-weight: 400 }} th {{ color: {INKS["light"].muted} }}
article {{ border-left: 4px solid; padding: .1rem 0 .1rem .9rem; margin: 1rem 0 }}
article h3 {{ margin: 0; font-size: 1.05rem }}
p {{ margin: .35rem 0 }} small, figcaption {{ color: {INKS["light"].muted}; font-size: .9rem }}
figure {{ margin: 1.2rem 0 2rem }} @media print {{ figure, article {{ break-inside: avoid }} }}
"""


def report_html(
    title: str,
    settings: Mapping[str, Any],
    figures: Iterable[tuple[FigureSpec, go.Figure]],
    notes: Iterable[str],
    findings: Iterable[Finding] | None = None,
) -> str:
    """One HTML file with everything inside, plotly.js included; its content policy forbids any connection.

    ``settings`` maps each setting's name, as people read it, to its value; ``figures`` are drawn in the light
    theme; ``notes`` are the equations in words; without ``findings`` nothing is said of what happened. All text is
    escaped.
    """
    drawn = list(figures)
    happened = ["<h2>What happened</h2>", findings_html(findings)] if findings is not None else []
    why = ["<h2>Why</h2>", *(f"<p>{html.escape(note)}</p>" for note in notes)]
    blocks = [
        f"<h1>{html.escape(title)}</h1>",
        *happened,
        "<h2>Figures</h2><noscript><p>The figures need JavaScript; the rest of this page does not.</p></noscript>",
        *(_figure_html(spec, figure, number) for number, (spec, figure) in enumerate(drawn, start=1)),
        *(why if len(why) > 1 else []),
        "<h2>Settings</h2>",
        _settings_html(settings),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style>"
        f"<script>{get_plotlyjs() if drawn else ''}</script></head><body>{''.join(blocks)}</body></html>\n"
    )


def report_of_run(settings: Experiment, dataset: xr.Dataset, figures: Mapping[str, FigureSpec]) -> str:
    """The report of a recorded run: all figures of its laboratory that have something to show."""
    title = sealed_text(str(dataset.attrs.get("title") or settings.title))
    drawn = [(spec, spec(dataset, theme="light")) for spec in figures.values()]
    kept = json.loads(dataset.attrs.get(ATTRIBUTE, "{}"))
    return report_html(title, _named(labelled(settings, kept)), drawn, settings.equations, settings.findings(dataset))


def report_of_unread_run(complaint: str, dataset: xr.Dataset, figures: Mapping[str, FigureSpec]) -> str:
    """The report of a run whose settings nobody understands any more: they are listed as they were kept."""
    try:
        kept = json.loads(dataset.attrs["settings"])
    except ValueError:
        kept = None
    labels = json.loads(dataset.attrs.get(ATTRIBUTE, "{}"))
    listed = _named(kept | labels) if isinstance(kept, dict) else {}
    drawn = [(spec, of_unread_run(spec)(dataset)) for spec in figures.values()]
    title = sealed_text(str(dataset.attrs.get("title") or dataset.attrs["experiment"]))
    return report_html(title, {"Note": complaint, **listed}, drawn, [])


def report_of_view(settings: Instant, dataset: xr.Dataset, figures: Mapping[str, FigureSpec]) -> str:
    """The report of an instant page, with these of its figures."""
    drawn = [(spec, spec(dataset, theme="light")) for spec in figures.values()]
    return report_html(settings.title, _named(labelled(settings)), drawn, [settings.question])


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("_", " ").capitalize(): value for name, value in values.items()}


def findings_html(findings: Iterable[Finding]) -> str:
    """Findings as cards: sign, title, number beside its threshold, how sure, why, and what to try."""
    cards = "".join(_card(finding) for finding in findings)
    return cards or "<p>Nothing stands out in what was recorded.</p>"


def _card(finding: Finding) -> str:
    sign, colour = SEVERITIES[finding.severity]
    changes = ", ".join(f"{name.replace('_', ' ')} = {value}" for name, value in finding.changes.items())
    lines = [
        f"<b>{html.escape(finding.number)}</b> (threshold: {html.escape(finding.threshold)})",
        html.escape(finding.explanation),
        f"Try this: {html.escape(finding.advice)}" if finding.advice else "",
        f"<small>{html.escape(finding.effect)}</small>" if finding.effect else "",
        f"<small>Settings to change: {html.escape(changes)}</small>" if changes else "",
        f"<small>How sure: {html.escape(finding.confidence)}</small>",
    ]
    body = "".join(f"<p>{line}</p>" for line in lines if line)
    return f'<article style="border-color:{colour}"><h3>{sign} {html.escape(finding.title)}</h3>{body}</article>'


def _figure_html(spec: FigureSpec, figure: go.Figure, number: int) -> str:
    plot = figure.to_html(full_html=False, include_plotlyjs=False, div_id=f"figure-{number}", config=CONFIG)
    caption = html.escape(spec.shows)
    if spec.cannot_show:
        caption += f" <em>What it cannot show:</em> {html.escape(spec.cannot_show)}"
    return f"<figure>{plot}<figcaption>{caption}</figcaption></figure>"


def _settings_html(settings: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th><td>{html.escape(_shown(value))}</td></tr>"
        for name, value in settings.items()
    )
    return f"<table>{rows}</table>"


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_shown(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else shown_name(str(value))
