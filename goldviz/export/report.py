"""A run or a view as one HTML file that moves: the page's own figures, findings and settings, without a network."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from goldviz.data.tables.sealed_names import sealed_text
from goldviz.declare.data_labels import ATTRIBUTE, labelled
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.setting_words import shown, value_in_words
from goldviz.declare.settings import Settings, description, facts, label
from goldviz.declare.text_models import CONTROL
from goldviz.diagnostics.findings import Finding
from goldviz.export.data_said import data_sentences
from goldviz.export.page_scripts import in_one_script
from goldviz.export.report_frames import (
    Carried,
    Drawing,
    LaneFrames,
    as_text,
    carried,
    frames_of_drawings,
    frames_of_run,
    frames_of_view,
)
from goldviz.export.shell_line import shell_line
from goldviz.figures.plotly_script import PLOTLY_SCRIPT
from goldviz.figures.spec import FigureSpec, of_unread_run
from goldviz.figures.theme import FONT, INKS, Theme, inks

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.instant import Instant
    from goldviz.declare.settings import Experiment
    from goldviz.figures.limits import Limits

SEVERITIES = {"bad": ("✕", "#b3261e"), "warning": ("!", "#8a6a00"), "good": ("✓", "#00734f")}

POLICY = "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:"
"""Nothing may be asked for; Plotly's script is unzipped into a blob of the page itself."""

TOO_LARGE = "This figure is too large for this file; its page in goldviz shows it."
TOO_OLD = "The figures need a browser of 2023 or later, with JavaScript; the rest of this page does not."
HOW = "Drag the slider or press ▶. P shows one figure on the whole window: arrows move, N is the next, Esc leaves."

LARGEST = 2_500_000
"""Bytes of a report at most, of which Plotly's script takes four fifths."""

THEME_BUTTON = "<button type=button id=theme class=outlined></button>"
SCRIPT = "export/report.js"
STYLES = ("ui/assets/live_figure.css", "ui/assets/timeline.css", "ui/assets/diagram.css", "export/report.css")


class Setting(NamedTuple):
    """A setting as a report lists it: its name, its value in words, and what it does."""

    name: str
    value: str
    meaning: str = ""


@dataclass(frozen=True)
class Lane:
    """What a report says of one run or view; ``made`` is how its numbers came about, ``findings`` None where nothing
    can be said of what happened. A report opens ``at`` this step, the last one without it."""

    title: str
    frames: LaneFrames
    specs: Mapping[str, FigureSpec]
    settings: Sequence[Setting] = ()
    notes: Sequence[str] = ()
    findings: Sequence[Finding] | None = None
    data: Sequence[str] = ()
    made: Sequence[str] = ()
    at: int | None = None


SECTIONS: dict[str, Callable[[Lane], str]] = {
    "What happened": lambda lane: "" if lane.findings is None else findings_html(lane.findings),
    "Why": lambda lane: _paragraphs(lane.notes),
    "Settings": lambda lane: _settings_html(lane.settings),
    "How it was made": lambda lane: _paragraphs(lane.made),
}
"""A section's heading and its HTML for a lane, in order; one that has nothing to say is left out."""


def report_html(
    title: str,
    settings: Iterable[Setting],
    figures: Iterable[tuple[FigureSpec, Drawing]],
    notes: Iterable[str],
    findings: Iterable[Finding] | None = None,
    data: Iterable[str] = (),
) -> str:
    """The report of ``figures`` that do not move, each beside what it says of itself, drawn in the light theme.

    ``notes`` are the equations in words, ``data`` sentences on where the numbers come from. Without ``findings``
    nothing is said of what happened. All text is escaped.
    """
    pairs = [(spec, drawing) for spec, drawing in figures]
    names = [f"{number}-{spec.name}" for number, (spec, _) in enumerate(pairs)]
    frames = frames_of_drawings({name: drawing for name, (_, drawing) in zip(names, pairs, strict=True)})
    specs = {name: replace(spec, canvas=False) for name, (spec, _) in zip(names, pairs, strict=True)}
    said = None if findings is None else list(findings)
    return report_of_lanes([Lane(title, frames, specs, list(settings), list(notes), said, list(data))])


def report_of_lanes(lanes: Sequence[Lane], subject: str = "", *, still: bool = False) -> str:
    """One HTML file with everything inside, Plotly's script included; its content policy forbids any connection.

    Its title is the ``subject``, or that of the lane. A ``still`` one does without Plotly and is a third as large: its
    figures step, and nobody can zoom or point at them.

    Its figures are drawn by the page's own scripts; those of several lanes stand side by side and move together.
    """
    numbered = {f"lane-{number}": lane for number, lane in enumerate(lanes)}
    title = subject or " · ".join(dict.fromkeys(lane.title for lane in lanes))
    # What has to be there says how much room is left for the figures.
    room = LARGEST - len(_page(title, numbered, Carried("", frozenset(), 0)).encode())
    return _page(title, numbered, carried({name: lane.frames for name, lane in numbered.items()}, room), still=still)


def _page(title: str, lanes: Mapping[str, Lane], frames: Carried, *, still: bool = False) -> str:
    drawn = any(lane.frames.drawn for lane in lanes.values())
    blocks = [
        f"<header><h1>{html.escape(title)}</h1>{THEME_BUTTON if drawn else ''}</header>",
        figures_html(lanes, frames),
        words_html([*lanes.values()]),
        numbers_html(lanes, frames) + _scripts_html(still) if drawn else "",
    ]
    return document(title, f"<style>{style()}</style>", "".join(blocks), POLICY)


def document(title: str, head: str, body: str, policy: str) -> str:
    """An HTML page of this title, with a content policy; ``head`` and ``body`` are HTML."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{html.escape(title)}</title>{head}</head><body>{body}</body></html>\n"
    )


def lane_of_run(
    settings: Experiment, dataset: Run, figures: Mapping[str, FigureSpec], limits: Limits | None = None
) -> Lane:
    """A recorded run with all figures of its laboratory that it recorded something for."""
    titles = json.loads(dataset.attrs.get(ATTRIBUTE, "{}"))
    return Lane(
        sealed_text(str(dataset.attrs.get("title") or settings.title)),
        frames_of_run(dataset, figures, limits),
        figures,
        told(settings, titles),
        settings.equations,
        _findings_in_words(settings, dataset),
        data_sentences(settings, dataset),
        [*_made(dataset), *_again(settings, titles)],
    )


def lane_of_unread_run(complaint: str, dataset: Run, figures: Mapping[str, FigureSpec]) -> Lane:
    """A run whose settings nobody understands any more: they are listed as they were kept."""
    try:
        settings = json.loads(dataset.attrs["settings"])
    except ValueError:
        settings = None
    labels = json.loads(dataset.attrs.get(ATTRIBUTE, "{}"))
    rows = _named(settings | labels) if isinstance(settings, dict) else []
    frames = frames_of_run(dataset, {name: of_unread_run(spec) for name, spec in figures.items()})
    title = sealed_text(str(dataset.attrs.get("title") or dataset.attrs["experiment"]))
    return Lane(title, frames, figures, [Setting("Note", complaint), *rows], made=_made(dataset))


def report_of_run(settings: Experiment, dataset: Run, figures: Mapping[str, FigureSpec], *, still: bool = False) -> str:
    """The report of a recorded run."""
    return report_of_lanes([lane_of_run(settings, dataset, figures)], still=still)


def report_of_unread_run(
    complaint: str, dataset: Run, figures: Mapping[str, FigureSpec], *, still: bool = False
) -> str:
    """The report of a run whose settings nobody understands any more."""
    return report_of_lanes([lane_of_unread_run(complaint, dataset, figures)], still=still)


def report_of_any_run(
    dataset: Run, figures: Mapping[str, FigureSpec], findings: Iterable[Finding], *, still: bool = False
) -> str:
    """The report of a run that no laboratory made; its attributes stand where settings do."""
    rest = {name: value for name, value in dataset.attrs.items() if name not in ("title", "roles", "step_dimension")}
    title = sealed_text(str(dataset.attrs.get("title") or "A run"))
    frames = frames_of_run(dataset, figures)
    return report_of_lanes([Lane(title, frames, figures, _named(rest), findings=list(findings))], still=still)


def report_of_view(settings: Instant, dataset: Run, figures: Mapping[str, FigureSpec]) -> str:
    """The report of an instant page, with these of its figures."""
    return report_of_lanes([lane_of_view(settings, dataset, figures)])


def lane_of_view(
    settings: Instant,
    dataset: Run,
    figures: Mapping[str, FigureSpec],
    numbers_at: Callable[[int], Run] | None = None,
) -> Lane:
    """What an instant page computed, as far as these figures have something to draw; they move along its positions.

    ``numbers_at`` computes another position; without it a figure whose numbers are of one position stands still.
    """
    kind, place = type(settings), settings.position
    models = [name for name in kind.model_fields if facts(kind, name)["control"] == CONTROL]
    titles = {name: str(dataset.attrs[name]) for name in models if name in dataset.attrs}
    able = {name: spec for name, spec in figures.items() if spec.drawable(dataset)}
    first, last = settings.positions() if place else (0, 0)
    at = int(getattr(settings, place, 0))
    return Lane(
        settings.title,
        frames_of_view(dataset, able.values(), at, range(first, last + 1), numbers_at),
        {name: replace(spec, canvas=False) for name, spec in able.items()},
        told(settings, titles),
        [settings.question],
        data=data_sentences(settings, dataset),
        at=at if first < last else None,
    )


def _again(settings: Experiment, titles: Mapping[str, str]) -> list[str]:
    """The shell's line, where it names no file and no model of somebody's: who has its key may use it."""
    models = (name for name in settings.differences() if facts(type(settings), name)["control"] == CONTROL)
    if any(models) or labelled(settings, titles) != settings.model_dump(mode="json"):
        return []
    return [f"The same run again: {shell_line('run', settings, 'run.nc')}"]


def _made(dataset: Run) -> list[str]:
    """With what a run was computed, as far as it says so."""
    versions = json.loads(str(dataset.attrs.get("versions", "{}")))
    programs = ", ".join(f"{name} {version}" for name, version in versions.items())
    device = dataset.attrs.get("device", "")
    return [f"Computed with {programs}{f' on {device}' if device else ''}."] if programs else []


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


def _section_html(heading: str, section: Callable[[Lane], str], lanes: Sequence[Lane]) -> str:
    """One section of all lanes; where there are several, each below its title."""
    parts = [(html.escape(lane.title), section(lane)) for lane in lanes]
    if len({part for _, part in parts}) == 1:
        parts = parts[:1]
    body = "".join(f"<h3>{title}</h3>{part}" if len(parts) > 1 else part for title, part in parts if part)
    return f"<section><h2>{heading}</h2>{body}</section>" if body else ""


def _variables(theme: Theme) -> str:
    """The names that the page's style sheets have for a theme's colours."""
    ink = INKS[theme]
    named = {"text-color": ink.text, "background-color": ink.background, "border-color": ink.grid}
    page = "; ".join(f"--st-{name}: {colour}" for name, colour in {**named, "primary-color": ink.text}.items())
    return f"color-scheme: {theme}; {page}; --goldviz-gold: {ink.accent}; " + "; ".join(
        f"--{name}: {colour}" for name, colour in asdict(ink).items()
    )


@cache
def style() -> str:
    """Light or dark as the reader's system is, or as the reader says; light on paper."""
    font = FONT.replace('"', "'")
    themes = [
        f":root {{ --st-font: {font}; {_variables('light')} }}",
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables('dark')} }} }}",
        *(f":root[data-theme={theme}] {{ {_variables(theme)} }}" for theme in INKS),
    ]
    return "\n".join([*themes, *((files("goldviz") / name).read_text(encoding="utf-8") for name in STYLES)])


@cache
def _plotly() -> str:
    """Plotly's script, zipped."""
    return as_text(PLOTLY_SCRIPT.read_bytes())


def numbers_html(lanes: Mapping[str, Lane], frames: Carried, plotly: str = "") -> str:
    """What ``report.js`` draws the figures of; ``plotly`` is the address of Plotly's script where it is not inside."""
    first = next(iter(lanes.values()))
    about = {
        "lane": next(iter(lanes)),
        "noun": first.frames.dim.capitalize(),
        "first": first.frames.first,
        "last": max(lane.frames.last for lane in lanes.values()),
        "step": first.at,
        "inks": inks(),
        "plotly": plotly,
    }
    return _as_data({"about": json.dumps(about).replace("<", "\\u003c"), "frames": frames.text})


def _as_data(texts: Mapping[str, str]) -> str:
    return "".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in texts.items())


@cache
def _scripts_html(still: bool) -> str:
    """What draws the figures, and Plotly for whoever touches them, unless they are ``still``."""
    return (
        _as_data({} if still else {"plotly": _plotly()})
        + f'<script type="module">{in_one_script(SCRIPT)}</script>'
        + "<script nomodule>document.getElementById('too-old').hidden = false</script>"
    )


def words_html(lanes: Sequence[Lane]) -> str:
    """What is said of the lanes below their figures: findings, equations, settings, and how they were made."""
    return "".join(_section_html(heading, section, lanes) for heading, section in SECTIONS.items())


def figures_html(lanes: Mapping[str, Lane], frames: Carried) -> str:
    """Where the data come from, the timeline, and each figure with the lanes side by side."""
    data = _paragraphs(dict.fromkeys(sentence for lane in lanes.values() for sentence in lane.data))
    if not any(lane.frames.drawn for lane in lanes.values()):
        return data
    specs = {name: spec for lane in lanes.values() for name, spec in lane.specs.items() if name in lane.frames.drawn}
    total = max(len(lane.frames.steps.get(lane.frames.dim, ())) for lane in lanes.values())
    noun = next(iter(lanes.values())).frames.dim
    few = f" Of {total:,} {noun}s, {frames.steps:,} are in this file." if 0 < frames.steps < total else ""
    moves = frames.steps > 1
    return (
        f'{data}<p id="too-old" hidden>{TOO_OLD}</p><noscript><p>{TOO_OLD}</p></noscript>'
        f'<div class="goldviz-scrubber"{"" if moves else " hidden"}><div class="goldviz-timeline">'
        '<button type="button"></button><input type="range" min="1" value="1"><output></output></div></div>'
        + (f"<p class=how><small>{HOW}{few}</small></p>" if moves else "")
        + f'<main class="{"" if len(lanes) > 1 else "alone"}">'
        + "".join(_figure_html(name, spec, lanes, frames) for name, spec in specs.items())
        + "</main>"
    )


def _figure_html(name: str, spec: FigureSpec, lanes: Mapping[str, Lane], frames: Carried) -> str:
    caption = html.escape(spec.caption)
    if name in frames.too_large:
        heading = f"<h3>{html.escape(spec.question)}</h3>"
        return f"<figure class=too-large>{heading}<p>{TOO_LARGE}</p><figcaption>{caption}</figcaption></figure>"
    words = html.escape(f"{spec.question} {spec.shows}".lstrip())
    kind = "diagram" if spec.canvas else "figure"
    places = "".join(
        f"<div>{f'<h3>{html.escape(lane.title)}</h3>' if len(lanes) > 1 else ''}"
        f'<div><div class="goldviz-{kind} goldviz-figure-waiting" role="figure" aria-label="{words}"'
        f' data-lane="{lane_id}" data-name="{html.escape(name)}"></div></div></div>'
        for lane_id, lane in lanes.items()
        if name in lane.frames.drawn
    )
    return f"<figure><div class=lanes>{places}</div><figcaption>{caption}</figcaption></figure>"


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)


def marked(text: str) -> str:
    """A text as HTML, escaped, with what Markdown marks in it as words of another kind or as code.

    >>> marked("As *in the document* where `a<b`, 2 * 3 * 4")
    'As <i>in the document</i> where <code>a&lt;b</code>, 2 * 3 * 4'
    """
    code = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    return re.sub(r"\*(\S(?:[^*]*\S)?)\*", r"<i>\1</i>", code)


def _settings_html(settings: Iterable[Setting]) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th><td>{html.escape(value)}"
        f"{f'<br><small>{marked(meaning)}</small>' if meaning else ''}</td></tr>"
        for name, value, meaning in settings
    )
    return f"<table>{rows}</table>"
