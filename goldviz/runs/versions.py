"""Versions of what a run's numbers depend on, read without importing it."""

from __future__ import annotations

import platform
from importlib import metadata


def versions() -> dict[str, str]:
    """Versions of goldviz, torch, numpy and Python."""
    found = {"python": platform.python_version()}
    for package in ("goldviz", "torch", "numpy"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found
