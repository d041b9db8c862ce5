"""The tables of words and sentences: each stands as TOML beside the module that reads it, under that module's name."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def table_of(module: str) -> dict[str, Any]:
    """The table of a module by the module's full name: ``lexicon.toml`` for ``lexicon.py``."""
    package, _, name = module.rpartition(".")
    return tomllib.loads(files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
