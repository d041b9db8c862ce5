"""What every page of a site has around its own: title, ways to the others, light or dark, and shared files beside."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from importlib.resources import files

from goldviz.export.page_scripts import in_one_script
from goldviz.export.report import THEME_BUTTON, document, style
from goldviz.figures.plotly_script import PLOTLY_SCRIPT

SCRIPT, STYLES, PLOTLY, WORKER = "goldviz.js", "goldviz.css", "plotly.js", "worker.js"
TOO_OLD = "too-old.js"
SHARED = (SCRIPT, STYLES, PLOTLY, TOO_OLD)
"""Files beside the pages, which all of them use."""
POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self'; worker-src 'self'"
)
"""Nothing is asked of another host; from a disk a page reaches the files beside it."""
START = "index.html"
WAYS = {
    START: "Start",
    "stories.html": "Stories",
    "claims.html": "Claims",
    "glossary.html": "Glossary",
    "errata.html": "Errata",
}
SERVER = "server.html"
NEEDS = (
    "Training, your own data, your own text and your own network need goldviz itself: "
    '<a href="{up}server.html">how to install it</a>.'
)


@dataclass(frozen=True)
class SitePage:
    """A page by its ``path`` in the site, such as ``depth-gradients/fix-it-clip.html``.

    ``words`` are what one may look for beside its title. ``body`` is HTML; ``asks`` says that a guess comes before the
    figures; ``kind`` is what a list of pages calls it.
    """

    path: str
    title: str
    body: str
    words: str = ""
    kind: str = ""
    asks: bool = field(default=False, kw_only=True)

    @property
    def html(self) -> str:
        """The whole file."""
        up = up_from(self.path)
        ways = "".join(_way(up, path, name, self.path) for path, name in WAYS.items())
        head = f'<link rel="stylesheet" href="{up}{STYLES}"><script defer src="{up}{SCRIPT}"></script>'
        # A browser that knows no modules reads this alone, and cannot read the other.
        head += f'<script nomodule defer src="{up}{TOO_OLD}"></script>'
        body = (
            f"<nav>{ways}{THEME_BUTTON}</nav><h1>{html.escape(self.title)}</h1>"
            f"{self.body}<footer><small>{NEEDS.format(up=up)}</small></footer>"
        )
        return document(
            f"{self.title} · goldviz", head, f"<div{' class=asks' if self.asks else ''}>{body}</div>", POLICY
        )


def up_from(path: str) -> str:
    """The way from a page's folder to the site's.

    >>> up_from("index.html"), up_from("stories/skip-1.html")
    ('', '../')
    """
    return "../" * path.count("/")


def link(path: str, words: str, up: str = "") -> str:
    """A link to a page of the site."""
    return f'<a href="{html.escape(up + path)}">{html.escape(words)}</a>'


def _way(up: str, path: str, name: str, here: str) -> str:
    return f'<a href="{up}{path}"{" aria-current=page" if path == here else ""}>{name}</a>'


def shared_files() -> dict[str, bytes]:
    """The files that all pages share, by name: the page's own scripts and styles, and Plotly's script."""
    script = f"(() => {{\n{in_one_script('site/site.js')}\n}})();\n"
    styles = style() + (files("goldviz") / "site" / "site.css").read_text(encoding="utf-8")
    return {
        SCRIPT: script.encode(),
        STYLES: styles.encode(),
        PLOTLY: PLOTLY_SCRIPT.read_bytes(),
        TOO_OLD: b"var said = document.getElementById('too-old');\nif (said) said.hidden = false;\n",
    }
