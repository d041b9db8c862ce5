"""Versions of what a run's numbers depend on, read without importing it."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata


@cache
def versions() -> dict[str, str]:
    """Versions of goldviz, torch, numpy and Python."""
    by_name = {"python": platform.python_version()}
    for package in ("goldviz", "torch", "numpy"):
        try:
            by_name[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            by_name[package] = "not installed"
    return by_name
