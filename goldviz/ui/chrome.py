"""Navigation and what every page shares."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from goldviz.experiments import experiments

STYLE = """
<style>
  .block-container { padding-top: 4.2rem; padding-bottom: 3rem; max-width: 1500px; }
  h1 { padding-bottom: 0.2rem !important; }
  h5 { font-weight: 400 !important; opacity: 0.85; padding-top: 0 !important; }
  @media (max-width: 640px) {
    .block-container { padding-left: 0.9rem; padding-right: 0.9rem; }
    h1 { font-size: 1.8rem !important; }
  }
</style>
"""


@dataclass(frozen=True)
class Page:
    """A page as the navigation and the home page's map show it."""

    file: str
    title: str
    icon: str
    question: str = ""
    path: str = ""


def laboratories() -> list[Page]:
    """The experiments that have a page: ``pages/<name with underscores>.py``."""
    return [
        Page(f"pages/{name.replace('-', '_')}.py", declared.title, declared.icon, declared.question, name)
        for name, declared in experiments().items()
        if (folder() / "pages" / f"{name.replace('-', '_')}.py").is_file()
    ]


def folder() -> Path:
    """Where ``app.py`` and ``pages/`` lie: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).parents[1]
    inside = package / "_app"
    return inside if inside.is_dir() else package.parent


def main() -> None:
    """Draw the visitor's page inside the shared frame."""
    st.set_page_config(page_title="goldviz", page_icon=str(Path(__file__).parent / "assets" / "icon.svg"), layout="wide")
    st.html(STYLE)
    pages = [st.Page("pages/home.py", title="goldviz", icon=":material/home:", default=True)]
    pages += [st.Page(page.file, title=page.title, icon=page.icon, url_path=page.path) for page in laboratories()]
    pages += [st.Page("pages/runs.py", title="Runs", icon=":material/list:", url_path="runs")]
    st.navigation(pages, position="top").run()
