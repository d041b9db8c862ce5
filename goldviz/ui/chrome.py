"""What every page shares: where pages are, headings, notices."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import CHAPTERS, ROOM, question_of
from goldviz.declare.registry import laboratories as registered
from goldviz.syntax_trees import syntax_tree
from goldviz.ui.serving import services
from goldviz.ui.words import plain

CHANGED = "page-changed"
"""In the session state: whether the visitor comes from another page, so that the address may be a link to follow."""
BACK = "back"
"""In the session state: whether the visitor came by the browser's Back or Forward. Then the page shows what the address
says, and nothing of what it was."""

TWICE = "address-twice"
"""In the session state: sentences about parameters that the address gives more than once."""
MOST_COMPLAINTS = 6
"""Of one link; a longer link than people write has thousands."""
OTHERS = "More"
"""The navigation's heading for what is no laboratory."""


@dataclass(frozen=True)
class Page:
    """A page as the navigation and the home page's map show it."""

    file: str
    title: str
    icon: str
    question: str = ""
    path: str = ""
    section: str = ""
    room: str = ""
    door: str = ""
    sought: str = ""


def laboratories() -> list[Page]:
    """The laboratories that have a page, in the navigation's order: those of a heading together."""
    pages = [
        Page(file, about.title, about.icon, about.question, name, about.section, about.room or about.title, about.door)
        for name, lab in registered().items()
        if (folder() / (file := page_file(lab))).is_file()
        for about in [lab.declared.about]
    ]
    headings = [*CHAPTERS, *(page.section for page in pages)]
    return sorted(pages, key=lambda page: headings.index(page.section))


def by_question() -> dict[str, list[Page]]:
    """The laboratories below what they ask; one with a heading of its own stands below that."""
    groups: dict[str, list[Page]] = {}
    for page in laboratories():
        groups.setdefault(question_of(page.section), []).append(page)
    return groups


@cache
def pages_of_no_laboratory() -> list[Page]:
    """Every other file in ``pages/`` but home, by its ``RANK``: its words begin with its title, and it has an ``ICON``,
    a ``SECTION`` where it stands below another heading than the last one, or below none, and words that are ``SOUGHT``.

    The files are read, because a page that is imported draws itself.
    """
    apart = {"home", *(lab.folder for lab in registered().values())}
    files = [file for file in (folder() / "pages").glob("*.py") if file.stem not in apart]
    return [page for _, page in sorted(map(_page_of, files), key=lambda pair: (pair[0], pair[1].path))]


def _page_of(file: Path) -> tuple[int, Page]:
    """The rank of a page's file, and the page."""
    module = syntax_tree(file.read_text(encoding="utf-8"))
    constants = {
        name.id: ast.literal_eval(value)
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for name, value in [(statement.targets[0], statement.value)]
        if isinstance(name, ast.Name) and name.id in ("ICON", "RANK", "SECTION", "SOUGHT")
    }
    title = (ast.get_docstring(module) or file.stem).partition(":")[0]
    icon = constants.get("ICON", ":material/article:")
    return constants.get("RANK", 100), Page(
        f"pages/{file.name}",
        title,
        icon,
        path=file.stem.replace("_", "-"),
        section=constants.get("SECTION", OTHERS),
        sought=constants.get("SOUGHT", ""),
    )


def page_file(lab: Laboratory) -> str:
    """The file by which Streamlit knows a laboratory's page; of one of another package it is ``show.py`` there."""
    own = lab.package.startswith(f"{ROOM}.")
    return f"pages/{lab.folder}.py" if own else str(lab.recorded.with_name("show.py"))


def folder() -> Path:
    """Where ``app.py`` and ``pages/`` lie: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).parents[1]
    inside = package / "_app"
    return inside if inside.is_dir() else package.parent


def heading(title: str, question: str, *, beside: str = "") -> DeltaGenerator:
    """A laboratory's title, with what stands ``beside`` it, its question and room beside them; a story's strip takes
    their place."""
    rooms(title)
    with st.container(key="heading"):
        st.title(f"{title}: {plain(beside)}" if beside else title, anchor=False)
        st.markdown(question)
        return st.container(key="start-from")


def chapter_of(title: str) -> list[Page]:
    """The pages of the chapter in which the laboratory of this title stands."""
    section = next((page.section for page in laboratories() if page.title == title), None)
    return [page for page in laboratories() if page.section == section]


def rooms(title: str) -> None:
    """The rooms of the chapter in which the laboratory of this title stands, the one in view among them, in a row."""
    chapter = chapter_of(title)
    if len(chapter) < 2:
        return
    with st.container(key="rooms", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{chapter[0].section}:", width="content")
        for page in chapter:
            if page.title == title:
                st.markdown(f"**{page.room}**", width="content")
            else:
                st.page_link(page.file, label=page.room)


def arrival(complaints: Sequence[str]) -> DeltaGenerator:
    """A place of its own for what comes and goes, else all below would move and be built anew; with these complaints
    about a link.
    """
    place = st.container(key="arrival")
    sentences = [*st.session_state.get(TWICE, ()), *complaints]
    more = [f"In the link: {len(sentences) - MOST_COMPLAINTS:,} things more are not as a page writes them."]
    for sentence in sentences if len(sentences) <= MOST_COMPLAINTS else sentences[:MOST_COMPLAINTS] + more:
        place.warning(plain(sentence), icon=":material/link_off:")
    return place


def panel_and_figures() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where a laboratory's settings stand, and where its figures do.

    The settings come first, so that a keyboard and a reader reach them before the figures, and may skip them; they
    stand to the right of these, and on a narrow screen in a sheet that a button opens.
    """
    with st.container(key="laboratory"):
        setting_up, looking = st.columns([1, 3], gap="medium")
    panel = setting_up.container(border=True, key="knobs")
    panel.html('<button type="button" class="goldviz-sheet" aria-expanded="false">Settings</button>')
    panel.html('<button type="button" class="goldviz-skip">Skip the settings</button>')
    return panel, looking


def lane_over_figure(title: str) -> None:
    """Whose the figure below is: on a narrow screen, where the lanes' figures lie under one another."""
    st.html(f'<div class="goldviz-lane">{escape(title)}</div>')


def finding(sentence: str, *more: str) -> None:
    """What a run comes to, in a sentence over its figures; what ``more`` is to be known of it stands behind a mark."""
    st.markdown(f"### {plain(sentence)}", help=plain(" ".join(filter(None, more))) or None)


def notices() -> None:
    """What visitors should know of the database; raises StoreError where there is none."""
    store = services.store()
    if full := store.full:
        st.error(plain(full), icon=":material/hard_drive:")
    for sentence in store.notices:
        st.warning(plain(sentence), icon=":material/database:")
