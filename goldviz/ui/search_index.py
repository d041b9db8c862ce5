"""What the search finds: laboratories, presets, stories, terms, equations, settings and claims, by the field's words.

The browser has the whole list and looks through it by itself (``assets/search.js``); it answers with a number in it.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from goldviz.declare.claims import claims
from goldviz.declare.glossary import terms
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment, description, label
from goldviz.declare.stories import place, stories
from goldviz.ui import chrome
from goldviz.ui.panels import claims as claims_panel
from goldviz.ui.panels import controls, lanes
from goldviz.ui.panels import stories as story_panel

if TYPE_CHECKING:
    from starlette.routing import Route

PATH = "/goldviz/search"
_RANGE = re.compile(r"\b(\d{1,3})(?:-| to )(\d{1,3})\b")
LONGEST_RANGE = 60
"""Of equations that one line names."""
LONGEST_TITLE = 110


@dataclass(frozen=True)
class Entry:
    """One thing to find: its title, what it is, more words that find it, and the page that it stands on."""

    title: str
    kind: str
    words: str
    file: str
    where: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    """What the page's widgets are set to, by their keys."""


@cache
def entries() -> tuple[Entry, ...]:
    """All that can be found, what a person most likely wants first."""
    labs = [lab for lab in laboratories().values() if any(page.path == lab.name for page in chrome.laboratories())]
    by_kind = (_laboratories, _pages, _stories, _presets, _terms, _equations, _settings, _claims)
    return tuple(entry for kind in by_kind for entry in kind(labs))


def _laboratories(labs: list[Laboratory]) -> Iterator[Entry]:
    for lab in labs:
        about = lab.declared.about
        words = f"{about.question} {about.room} {about.door} {about.sought} {about.section}"
        yield Entry(about.title, "Laboratory", words, chrome.page_file(lab), about.section)


def _pages(_labs: list[Laboratory]) -> Iterator[Entry]:
    for page in chrome.pages_of_no_laboratory():
        yield Entry(page.title, "Page", page.sought, page.file)


def _stories(_labs: list[Laboratory]) -> Iterator[Entry]:
    for slug, (_, story) in stories().items():
        file, query = chrome.page_file(laboratories()[place(slug, 1)]), {story_panel.PARAMETER: f"{slug}.1"}
        yield Entry(story.title, "Story", f"{story.questions} {slug}", file, query=query)


def _presets(labs: list[Laboratory]) -> Iterator[Entry]:
    for lab in labs:
        declared = lab.declared
        for preset in declared.presets:
            query = controls.to_link(declared.preset(preset.slug))
            if issubclass(declared, Experiment):
                query[lanes.PARAMETER] = lanes.EXAMPLE + preset.slug
            yield Entry(preset.name, "Preset", preset.words, chrome.page_file(lab), declared.title, query)


def _terms(_labs: list[Laboratory]) -> Iterator[Entry]:
    for term in terms():
        words, state = f"{' '.join(term.forms)} {term.words} {term.source}", {"glossary-sought": term.name}
        yield Entry(term.name, "Term", words, "pages/glossary.py", state=state)


def _equations(labs: list[Laboratory]) -> Iterator[Entry]:
    for lab in labs:
        for sentence in getattr(lab.declared, "equations", ()):
            title = sentence if len(sentence) <= LONGEST_TITLE else f"{sentence[:LONGEST_TITLE]}…"
            words = f"{sentence} {_numbers_between(sentence)} equation"
            yield Entry(title, "Equation", words, chrome.page_file(lab), lab.declared.title)


def _numbers_between(sentence: str) -> str:
    """The numbers of equations that a sentence means by its first and last one.

    >>> _numbers_between("Jacobians (document 001, eq. 6-9)")
    '6 7 8 9'
    """
    ranges = [range(int(first), int(last) + 1) for first, last in _RANGE.findall(sentence)]
    return " ".join(str(number) for numbers in ranges if len(numbers) <= LONGEST_RANGE for number in numbers)


def _settings(labs: list[Laboratory]) -> Iterator[Entry]:
    for lab in labs:
        declared = lab.declared
        for name in declared.model_fields:
            words = f"{description(declared, name)} {name}"
            yield Entry(label(name), "Setting", words, chrome.page_file(lab), declared.title)


def _claims(_labs: list[Laboratory]) -> Iterator[Entry]:
    for claim in claims().values():
        query = {claims_panel.PARAMETER: claim.number}
        title = f"{claim.number} {claim.sentence}"
        yield Entry(title, "Claim", claim.place, chrome.page_file(claim.lab), claim.lab.declared.title, query)


@cache
def as_json() -> str:
    """Title, kind, place and further words of each, for the browser."""
    return json.dumps([[one.title, one.kind, one.where, one.words] for one in entries()], ensure_ascii=False)


@cache
def path() -> str:
    """Where a browser gets the list, which it may keep: that of another process stands elsewhere.

    The list itself is made when somebody asks for it, not while a page is drawn.
    """
    return f"{PATH}/{secrets.token_hex(6)}.json"


def routes(base: str) -> list[Route]:
    """The route of the list under a server's base path."""
    from anyio.to_thread import run_sync
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from goldviz.ui.serving.page_modules import ALLOWED_TO_STAY

    async def listed(request: Request) -> Response:
        if request.url.path.rpartition("/")[2] != path().rpartition("/")[2]:
            return Response("There is no such list. Reload the page.", 404, media_type="text/plain")
        return Response(await run_sync(as_json), headers=ALLOWED_TO_STAY, media_type="application/json")

    return [Route(f"{base}{PATH}/{{edition}}", listed)]
