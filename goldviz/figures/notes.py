"""The words around a figure: escaped for Plotly, and the notes under its title broken into lines."""

from __future__ import annotations

import html
import re
import textwrap

PHONE_LINE = 56
"""Characters of small text that fit on one line of a figure 360 pixels wide."""

NO_BREAK = "\N{NO-BREAK SPACE}"
KEPT_TOGETHER = re.compile(r" (?=%)|(?<=\bp) (?=[=<])|(?<=\bp [=<]) ")
"""Blanks at which no line is broken."""

NOTE_LINE = 17
"""Pixels of one line of notes."""


def as_label(text: str) -> str:
    """Text from anywhere as Plotly's labels and hovers take it: tags are shown, not obeyed.

    Plotly knows no entities for quotation marks, and needs none.

    >>> as_label('<b>"Gold" & silver')
    '&lt;b&gt;"Gold" &amp; silver'
    """
    return html.escape(text, quote=False)


def wrapped(text: str, width: int = PHONE_LINE) -> str:
    """User or computed text as an escaped label, broken into lines that a phone can show.

    No line ends before a per cent sign or within 'p = 0.97'.

    >>> wrapped("<b>loss</b> after 100 %", 16)
    '&lt;b&gt;loss&lt;/b&gt;<br>after 100 %'
    """
    lines = textwrap.wrap(KEPT_TOGETHER.sub(NO_BREAK, text), width)
    return "<br>".join(as_label(line).replace(NO_BREAK, " ") for line in lines)
