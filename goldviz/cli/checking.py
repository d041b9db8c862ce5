"""``goldviz check-lab``: a laboratory of your own, held to what all of them promise."""

from __future__ import annotations

import importlib

from goldviz.cli.errors import FAILED, CommandError
from goldviz.contract import broken
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories, named


def check_lab(name: str) -> int:
    """Say what of the promises a laboratory breaks; ``name`` is its own, or its package's, such as ``walks.random``."""
    sentences = [*broken(_laboratory(name))]
    for sentence in sentences:
        print(sentence)
    if not sentences:
        print(f"{name} keeps what laboratories promise.")
    return FAILED if sentences else 0


def _laboratory(name: str) -> Laboratory:
    if "." not in name and "_" not in name:
        return named(name)
    try:
        lab = importlib.import_module(name).LAB
    except (ImportError, AttributeError) as error:
        raise CommandError(f"The package {name[:60]} has no laboratory: {error}.") from None
    if not isinstance(lab, Laboratory):
        raise CommandError(f"LAB of {name[:60]} is a {type(lab).__name__}; allowed is a Laboratory.")
    return laboratories().get(lab.name, lab)
