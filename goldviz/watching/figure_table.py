"""All figures of the page *Your network* by name, over the steps of a run, and the limits that its runs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.arrays.light import LightDataset
from goldviz.declare.kinds import KindError
from goldviz.figures.by_kind import offered
from goldviz.figures.draft import Figure
from goldviz.figures.elements import worded
from goldviz.figures.limits import Limits, shared_limits
from goldviz.figures.overlay import crosses
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme, looks_of
from goldviz.figures.training_steps import loss
from goldviz.watching.figures import (
    KINDS,
    LABELS,
    QUANTITIES,
    layer_lines,
    layer_map,
    layer_profile,
    of_run,
    scalars,
    through_time,
    understood_watched,
)
from goldviz.watching.network_diagram import network


def limits_of(runs: Sequence[Run]) -> Limits:
    """Limits that several runs share."""
    return shared_limits(QUANTITIES, runs)


@lru_cache(maxsize=64)
def figures_in_view(line: str) -> Mapping[str, FigureSpec]:
    """All figures of a page's runs by name: its own, of the layers that a ``line`` asks for, and those by kind."""
    by_layer = [draw(name, line) for name in LABELS for draw in (layer_map, layer_profile, layer_lines)]
    return {**OF_KINDS, **{spec.name: spec for spec in (_LOSS, scalars, through_time, network, *by_layer)}}


def _of_understood(spec: FigureSpec) -> FigureSpec:
    """A figure by kind, of a run as it was recorded."""

    def of(draw: Callable[..., Figure]) -> Callable[..., Figure]:
        def drawn(ds: Run, *, theme: Theme = "light", **view: Any) -> Figure:
            try:
                return draw(understood_watched(LightDataset.of(ds).dataset).dataset, theme=theme, **view)
            except KindError:
                return worded("Nothing was recorded yet.", title=spec.question, theme=theme)

        return drawn

    return replace(spec, draw=of(spec.draw), frames=spec.frames and of(spec.frames))


def _with_crosses(spec: FigureSpec) -> FigureSpec:
    """The figure of the loss, with a cross at its top where the loss was no finite number."""

    def of(draw: Callable[..., Figure]) -> Callable[..., Figure]:
        def drawn(ds: Run, **view: Any) -> Figure:
            picture = draw(ds, **view)
            if "loss" in ds:
                values = np.asarray(ds["loss"].values, np.float64)
                bad, finite = ds["loss"]["step"].values[np.isinf(values)], values[np.isfinite(values)]
                if bad.size and finite.size:
                    picture.add_trace(crosses(bad.tolist(), [float(finite.max())] * bad.size, "no finite number"))
            return picture

        return drawn

    return replace(spec, draw=of(spec.draw), frames=spec.frames and of(spec.frames))


_make = partial(of_run, look_of=lambda name: looks_of([name])[name])
_LOSS = _with_crosses(_of_understood(loss.of(_make, KINDS, question="Does it learn?")))
OF_KINDS = {name: _of_understood(spec) for name, spec in offered(_make, KINDS, without=("loss",)).items()}
"""The figures that need kinds alone, of a run as it was recorded."""
