"""What should be known of a network's depth before it is trained."""

from __future__ import annotations

from typing import Any

from goldviz.labs.depth_gradients.findings import BRANCH
from goldviz.labs.depth_gradients.settings import DepthGradients

USUAL_DEPTH = 20
"""Layers up to which whole residual branches may be added up; at 30 the residual network ended 6 to 54 times worse
than the plain one on five seeds of five, and with a fifth of each branch 8 to 11 times better."""


def doubts(settings: DepthGradients) -> tuple[str, ...]:
    """What is to be expected of many residual branches that are added up whole."""
    if not _adds_up(settings):
        return ()
    return (
        f"{settings.depth} residual branches are added up whole, and more than {USUAL_DEPTH} mostly leave the residual "
        f"network worse than the plain one. Set Residual scale to {BRANCH:g}, under More settings.",
    )


def beside(settings: DepthGradients) -> dict[str, tuple[str, dict[str, Any]]]:
    """The same in short, where the depth is set, and what cures it."""
    words = f"Above {USUAL_DEPTH} layers, whole branches mostly leave the residual network worse than the plain one."
    return {"depth": (words, {"residual_scale": BRANCH})} if _adds_up(settings) else {}


def _adds_up(settings: DepthGradients) -> bool:
    is_tried = settings.activation == "leaky_relu" and settings.normalisation == "none"
    return settings.depth > USUAL_DEPTH and settings.residual_scale > BRANCH and is_tried
