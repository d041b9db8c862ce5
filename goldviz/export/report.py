"""A run or a view as one self-contained HTML file: settings, findings, figures, readable without a network."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from goldviz.data.tables.sealed_names import sealed_text
from goldviz.declare.data_labels import ATTRIBUTE, labelled
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.setting_words import shown, value_in_words
from goldviz.declare.settings import Settings, description, facts, label
from goldviz.declare.text_models import CONTROL
from goldviz.diagnostics.findings import Finding
from goldviz.export.data_said import data_sentences
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import FONT, INKS, Theme, inks
from goldviz.figures.unread import of_unread_run

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.instant import Instant
    from goldviz.declare.settings import Experiment

SEVERITIES = {"bad": ("✕", "#b3261e"), "warning": ("!", "#8a6a00"), "good": ("✓", "#00734f")}

CONFIG = {
    "responsive": True,
    "displaylogo": False,
    "plotlyServerURL": "",
    "modeBarButtonsToRemove": ["sendChartToCloud"],
}
"""Of Plotly: a report has no button that sends its figures away."""

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"

LARGEST = 1_400_000
"""Bytes that a report's figures may take together; the heaviest are left out, and it is said."""


TOO_LARGE = "This figure is too large for a report; its page shows it."


def _variables(theme: Theme) -> str:
    return "; ".join(f"--{name}: {colour}" for name, colour in asdict(INKS[theme]).items())


_STYLE = f"""
:root {{ color-scheme: light dark; {_variables("light")} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables("dark")} }} }}
body {{ margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--background); color: var(--text);
       font: 16px/1.5 {FONT.replace('"', "'")}; overflow-wrap: anywhere }}
h1 {{ font-size: 1.7rem; line-height: 1.2 }} h2 {{ font-size: 1.25rem; margin-top: 2.2rem }}
table {{ border-collapse: collapse }} th, td {{ text-align: left; padding: .25rem .9rem .25rem 0; vertical-align: top;
       border-bottom: 1px solid var(--grid); font-weight: 400 }} th {{ color: var(--muted); min-width: 7rem }}
article {{ border-left: 4px solid; padding: .1rem 0 .1rem .9rem; margin: 1rem 0 }}
article h3 {{ margin: 0; font-size: 1.05rem }}
p {{ margin: .35rem 0 }} small, figcaption {{ color: var(--muted); font-size: .9rem }}
figure {{ margin: 1.2rem 0 2rem }} @media print {{ figure, article {{ break-inside: avoid }} }}
"""
"""Light or dark as the reader's system is."""


class Setting(NamedTuple):
    """A setting as a report lists it: its name, its value in words, and what it does."""

    name: str
    value: str
    meaning: str = ""


@dataclass(frozen=True)
class Report:
    """What the sections of a report are made of; ``figures`` are their drawings, each beside what it says of itself."""

    settings: Sequence[Setting]
    figures: Sequence[tuple[FigureSpec, str]]
    notes: Sequence[str]
    findings: Iterable[Finding] | None


SECTIONS: dict[str, Callable[[Report], str]] = {
    "What happened": lambda report: "" if report.findings is None else findings_html(report.findings),
    "Figures": lambda report: _figures_html(report.figures),
    "Why": lambda report: _paragraphs(report.notes),
    "Settings": lambda report: _settings_html(report.settings),
}
"""A section's heading and its HTML, in the order of a report; one that has nothing to say is left out."""


def report_html(
    title: str,
    settings: Iterable[Setting],
    figures: Iterable[tuple[FigureSpec, go.Figure]],
    notes: Iterable[str],
    findings: Iterable[Finding] | None = None,
    data: Iterable[str] = (),
) -> str:
    """One HTML file with everything inside, plotly.js included; its content policy forbids any connection.

    ``figures`` are drawn in the light theme, and the file recolours them for a reader whose theme is dark; ``notes``
    are the equations in words, ``data`` sentences on where the numbers come from. Without ``findings`` nothing is said
    of what happened. All text is escaped.
    """
    drawings = _light_enough([(spec, _figure_json(figure)) for spec, figure in figures])
    report = Report(tuple(settings), drawings, tuple(notes), findings)
    sections = {heading: section(report) for heading, section in SECTIONS.items()}
    blocks = [
        f"<h1>{html.escape(title)}</h1>",
        _paragraphs(data),
        *(f"<h2>{heading}</h2>{section}" for heading, section in sections.items() if section),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style>"
        f"<script>{_script() if drawings else ''}</script></head><body>{''.join(blocks)}</body></html>\n"
    )


def report_of_run(settings: Experiment, dataset: Run, figures: Mapping[str, FigureSpec]) -> str:
    """The report of a recorded run: all figures of its laboratory that have something to show."""
    title = sealed_text(str(dataset.attrs.get("title") or settings.title))
    drawings = [(spec, spec(dataset, theme="light")) for spec in figures.values()]
    titles = json.loads(dataset.attrs.get(ATTRIBUTE, "{}"))
    rows, data = told(settings, titles), data_sentences(settings, dataset)
    return report_html(title, rows, drawings, settings.equations, _findings_in_words(settings, dataset), data)


def report_of_any_run(dataset: Run, figures: Mapping[str, FigureSpec], findings: Iterable[Finding]) -> str:
    """The report of a run that no laboratory made; its attributes stand where settings do."""
    rest = {name: value for name, value in dataset.attrs.items() if name not in ("title", "roles", "step_dimension")}
    drawings = [(spec, spec(dataset, theme="light")) for spec in figures.values()]
    return report_html(sealed_text(str(dataset.attrs.get("title") or "A run")), _named(rest), drawings, [], findings)


def report_of_unread_run(complaint: str, dataset: Run, figures: Mapping[str, FigureSpec]) -> str:
    """The report of a run whose settings nobody understands any more: they are listed as they were kept."""
    try:
        settings = json.loads(dataset.attrs["settings"])
    except ValueError:
        settings = None
    labels = json.loads(dataset.attrs.get(ATTRIBUTE, "{}"))
    rows = _named(settings | labels) if isinstance(settings, dict) else []
    drawings = [(spec, of_unread_run(spec)(dataset)) for spec in figures.values()]
    title = sealed_text(str(dataset.attrs.get("title") or dataset.attrs["experiment"]))
    return report_html(title, [Setting("Note", complaint), *rows], drawings, [])


def report_of_view(settings: Instant, dataset: Run, figures: Mapping[str, FigureSpec]) -> str:
    """The report of an instant page, with these of its figures."""
    drawings = [(spec, spec(dataset, theme="light")) for spec in figures.values()]
    models = [name for name in type(settings).model_fields if facts(type(settings), name)["control"] == CONTROL]
    titles = {name: str(dataset.attrs[name]) for name in models if name in dataset.attrs}
    rows, data = told(settings, titles), data_sentences(settings, dataset)
    return report_html(settings.title, rows, drawings, [settings.question], data=data)


def _named(values: Mapping[str, Any]) -> list[Setting]:
    return [Setting(label(name), shown(value)) for name, value in values.items()]


def told(settings: Settings, titles: Mapping[str, str] | None = None) -> list[Setting]:
    """Settings as the page's controls name them, with their units and what they do.

    ``titles`` are labels of data, and titles of models of texts, by the names of their settings.
    """
    kind, rows = type(settings), []
    for name, value in labelled(settings, titles).items():
        title = titles is not None and facts(kind, name)["control"] == CONTROL and value and titles.get(name)
        words = title or value_in_words(kind, name, value)
        rows.append(Setting(label(name), f"{words} {facts(kind, name)['unit']}".strip(), description(kind, name)))
    return rows


def _findings_in_words(settings: Experiment, dataset: Run) -> list[Finding]:
    """A run's findings, what they would change in the words of the page's controls."""

    def told(changes: Mapping[str, Any]) -> dict[str, str]:
        return {name: value_in_words(type(settings), name, value) for name, value in changes.items()}

    return [
        replace(finding, changes=told(finding.changes))
        for finding in laboratory_of(settings).findings(settings, dataset)
    ]


def findings_html(findings: Iterable[Finding]) -> str:
    """Findings as cards: sign, title, number beside its threshold, how sure, why, and what to try."""
    cards = "".join(_card(finding) for finding in findings)
    return cards or "<p>Nothing stands out in what was recorded.</p>"


def _card(finding: Finding) -> str:
    sign, colour = SEVERITIES[finding.severity]
    changes = ", ".join(f"{label(name)}: {value}" for name, value in finding.changes.items())
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


def _script() -> str:
    # A report is one file, which a browser opens from a disk: it imports nothing.
    colours = (files("goldviz.ui") / "assets" / "figure_theme.js").read_text(encoding="utf-8").replace("export ", "")
    draw = (files("goldviz.export") / "report.js").read_text(encoding="utf-8")
    constants = f"const INKS = {json.dumps(inks())}, CONFIG = {json.dumps(CONFIG)};"
    return "\n".join([get_plotlyjs(), colours, constants, draw])


def _figure_json(figure: go.Figure) -> str:
    """Plotly's figure for a script; nothing in it can end the script."""
    drawing = str(figure.to_json())
    return drawing.replace("<", "\\u003c").replace(">", "\\u003e")


def _light_enough(drawings: list[tuple[FigureSpec, str]]) -> list[tuple[FigureSpec, str]]:
    """The figures, without the drawings of those that would make the report too large."""
    room, light = LARGEST, set()
    for spec, drawing in sorted(drawings, key=lambda one: len(one[1])):
        room -= len(drawing)
        light |= {id(spec)} if room >= 0 else set()
    return [(spec, drawing if id(spec) in light else "") for spec, drawing in drawings]


def _figure_html(spec: FigureSpec, drawing: str, number: int) -> str:
    caption = html.escape(spec.shows)
    if spec.cannot_show:
        caption += f" <em>What it cannot show:</em> {html.escape(spec.cannot_show)}"
    if not drawing:
        return f"<figure><p>{html.escape(spec.question)} {TOO_LARGE}</p><figcaption>{caption}</figcaption></figure>"
    name = f"figure-{number}"
    plot = f'<div id="{name}"></div><script>drawFigure("{name}", {drawing})</script>'
    return f"<figure>{plot}<figcaption>{caption}</figcaption></figure>"


def _figures_html(figures: Iterable[tuple[FigureSpec, str]]) -> str:
    without = "<noscript><p>The figures need JavaScript; the rest of this page does not.</p></noscript>"
    pairs = enumerate(figures, start=1)
    return without + "".join(_figure_html(spec, drawing, number) for number, (spec, drawing) in pairs)


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)


def _settings_html(settings: Iterable[Setting]) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th><td>{html.escape(value)}"
        f"{f'<br><small>{html.escape(meaning)}</small>' if meaning else ''}</td></tr>"
        for name, value, meaning in settings
    )
    return f"<table>{rows}</table>"
