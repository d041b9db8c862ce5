"""A browser draws with the script that goldviz brings, whose insides are known."""

import hashlib

from goldviz.figures.plotly_script import PLOTLY_SCRIPT, VERSION

PUBLISHED = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"
"""SHA-256 of the distribution's file as its publisher has it."""


def test_the_script_is_the_published_one() -> None:
    assert hashlib.sha256(PLOTLY_SCRIPT.read_bytes()).hexdigest() == PUBLISHED
    assert f"v{VERSION}\n" in PLOTLY_SCRIPT.read_text(encoding="utf-8")[:100]
