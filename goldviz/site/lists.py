"""Pages of words: the start with its search, stories, claims, glossary, errata, and what needs a server."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from goldviz.declare.claims import DOCUMENTS, Claim, claims
from goldviz.declare.errata import ABOUT, HEADING, Erratum, errata
from goldviz.declare.glossary import Term, terms
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories, question_of
from goldviz.declare.stories import stories
from goldviz.export.report import marked
from goldviz.runs.examples import picture_path
from goldviz.site.figures import preset_path, presets_of, step_path
from goldviz.site.shell import START, SitePage, link

INSTALL = """git clone <where you have goldviz from> goldviz
cd goldviz
make run        # then open http://127.0.0.1:8501
"""


def start_page(pages: Sequence[SitePage]) -> SitePage:
    """The doors, laboratories by chapter, and a search over all ``pages``, claims, terms and errata."""
    shown = [lab for lab in laboratories().values() if presets_of(lab)]
    groups: dict[str, list[Laboratory]] = {}
    for lab in shown:
        groups.setdefault(question_of(lab.declared.section), []).append(lab)
    doors = "".join(_door(lab) for lab in shown if lab.declared.door)
    slug, (_, story) = next(iter(stories().items()))
    body = [
        "<p>Small networks that were trained and recorded. Move through their training, and look inside.</p>",
        f"<p>Begin with a story: {link(step_path(slug, 1), story.title)}</p>",
        '<p><input id=search type=search placeholder="Search" aria-label="Search"></p>',
        f"<ul id=matches hidden>{''.join(_entries(pages))}</ul><p id=nothing hidden>Nothing is called like that.</p>",
        "<div id=map><p class=keeping hidden>"
        "<button type=button id=keep class=outlined></button> <output id=kept></output></p>",
        f"<div class=cards>{doors}</div>",
        *(
            f"<h2>{html.escape(question)}</h2><div class=cards>{''.join(map(_card, labs))}</div>"
            for question, labs in groups.items()
        ),
        "</div>",
    ]
    return SitePage(START, "goldviz", "".join(body))


def _picture(lab: Laboratory) -> str:
    path = picture_path(lab)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _door(lab: Laboratory) -> str:
    """A laboratory's card as home has it: a question, which is the way to the answer, and the picture."""
    way = link(preset_path(lab, presets_of(lab)[0]), lab.declared.door)
    return f"<article>{_picture(lab)}<h3>{way}</h3><p>{html.escape(lab.declared.title)}</p></article>"


def _card(lab: Laboratory) -> str:
    declared = lab.declared
    first, *others = presets_of(lab)
    rest = "".join(f"<li>{link(preset_path(lab, preset), preset.name)}</li>" for preset in others)
    more = f"<details><summary>{len(others)} more</summary><ul>{rest}</ul></details>" if others else ""
    return (
        f"<article><h3>{link(preset_path(lab, first), declared.title)}</h3>"
        f"<p>{html.escape(declared.question)}</p>{more}</article>"
    )


def _entries(pages: Iterable[SitePage]) -> Iterable[str]:
    for page in pages:
        yield _entry(page.path, page.title, page.kind, page.words)
    for claim in claims().values():
        yield _entry(f"claims.html#{claim.number}", f"{claim.number} {claim.sentence}", "Claim", claim.place)
    for term in terms():
        yield _entry(f"glossary.html#{term.slug}", term.name, "Glossary", term.words)
    for number, one in enumerate(errata(), 1):
        sought = f"{one.says} {one.holds}"
        yield _entry(f"errata.html#{_slug(number)}", f"{one.document} {one.place}", "Erratum", sought)


def _entry(path: str, title: str, kind: str, words: str) -> str:
    sought = html.escape(f"{title} {words}".casefold(), quote=True)
    return f'<li data-words="{sought}">{link(path, title)} <small>{kind}</small></li>'


def stories_page() -> SitePage:
    """Every story with a picture, about how long it takes, and what one can do afterwards."""
    cards = (
        f"<article>{_picture(laboratories()[story.picture or name])}<h3>{link(step_path(slug, 1), story.title)}</h3>"
        f"<p>About {story.minutes} minutes. Then you can {html.escape(story.able)}</p></article>"
        for slug, (name, story) in stories().items()
    )
    return SitePage("stories.html", "Stories", f"<div class=cards>{''.join(cards)}</div>")


def claims_page() -> SitePage:
    """Every claim with its verdict and the interval that decided; questions of our own stand apart."""
    every = list(claims().values())
    asked = [claim for claim in every if claim.kind == "question"]
    body = (
        "<p>What the documents claim, and what was measured. The 95 % interval over seeds decides.</p>"
        f"<ul>{_documents()}</ul>{_claims(claim for claim in every if claim.kind != 'question')}"
        f"<h2>Questions of our own</h2>{_claims(asked)}"
    )
    return SitePage("claims.html", "Claims", body)


def _documents() -> str:
    return "".join(f"<li>{number}: {html.escape(name)}</li>" for number, name in DOCUMENTS.items())


def _claims(several: Iterable[Claim]) -> str:
    rows = "".join(
        f"<tr id={claim.number}><th scope=row>{claim.number}<br><small>{html.escape(claim.word)}</small></th>"
        f"<td>{html.escape(claim.sentence)}<br><small>{html.escape(claim.place)}</small>"
        + (
            f"<details><summary>Numbers</summary>{html.escape(claim.verdict.numbers)}</details>"
            if claim.verdict
            else ""
        )
        + "</td></tr>"
        for claim in several
    )
    return f"<table>{rows}</table>"


def glossary_page() -> SitePage:
    """Every term with its two sentences, its equation, and the laboratory where it is seen."""
    return SitePage("glossary.html", "Glossary", "".join(map(_term, terms())))


def _term(term: Term) -> str:
    lab = laboratories()[term.laboratory]
    presets = presets_of(lab)
    seen = f" · Seen in {link(preset_path(lab, presets[0]), lab.declared.title)}" if presets else ""
    return (
        f"<section id={term.slug}><h3>{html.escape(term.name)}</h3><p>{html.escape(term.words)}<br>"
        f"<i>{html.escape(term.equation)}</i></p><small>{html.escape(term.place)}{seen}</small></section>"
    )


def errata_page() -> SitePage:
    """Where the documents are mistaken, and what holds."""
    rows = "".join(_erratum(number, one) for number, one in enumerate(errata(), 1))
    body = f"<p>{ABOUT}</p><ul>{_documents()}</ul><table>{rows}</table>"
    return SitePage("errata.html", HEADING, body)


def _slug(number: int) -> str:
    """What an address of the page of errata ends with, for the one of this number."""
    return f"erratum-{number}"


def _erratum(number: int, one: Erratum) -> str:
    place = f"<th scope=row>{one.document}<br><small>{html.escape(one.place)}</small></th>"
    words = f"<small>It says:</small> {marked(one.says)}<br>{marked(one.holds)}"
    return f"<tr id={_slug(number)}>{place}<td>{words}</td></tr>"


def server_page() -> SitePage:
    """What these files cannot do, and how to get what can."""
    body = (
        "<p>These pages show what was recorded. With goldviz on your machine you train networks and change them while "
        "they learn. You bring your own prices and texts, and watch networks of your own.</p>"
        "<p>It needs Python 3.11 or newer:</p>"
        f"<pre>{html.escape(INSTALL)}</pre>"
    )
    return SitePage("server.html", "With a server", body)
