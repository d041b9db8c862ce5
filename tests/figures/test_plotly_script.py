"""A browser draws with the small script where it is of the installed Plotly's version."""

import hashlib
from pathlib import Path

import pytest

from goldviz.figures import plotly_script as scripts

PUBLISHED = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"
"""SHA-256 of the distribution's file as its publisher has it."""


def test_the_small_script_is_the_published_one_and_of_the_installed_version() -> None:
    assert hashlib.sha256(scripts.SMALL.read_bytes()).hexdigest() == PUBLISHED
    assert scripts.version_of(scripts.SMALL) == scripts.version_of(scripts.WHOLE) is not None
    assert scripts.plotly_script() == scripts.SMALL


def test_another_plotly_draws_with_its_own_script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    newer = tmp_path / "plotly.min.js"
    newer.write_bytes(b"/**\n* plotly.js v99.0.1\n*/")
    monkeypatch.setattr(scripts, "WHOLE", newer)
    assert scripts.plotly_script.__wrapped__() == newer
