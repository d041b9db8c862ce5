"""A watched run's figures for its script: as they are now, and in a notebook as they become while its loop trains."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from goldviz.declare.settings import SettingsError

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import xarray as xr


def figure_of(dataset: xr.Dataset, name: str, layers: str, theme: Literal["light", "dark"]) -> go.Figure:
    """The map of one quantity, of which ``layers`` ask as the page's line does, or a figure by its name."""
    from goldviz.watching.figures import LABELS, figures_of_watched, layer_map, query, understood_watched
    from goldviz.watching.measures import layers_of

    if name != "map":
        own = understood_watched(dataset)
        if name not in (specs := figures_of_watched(own)):
            raise SettingsError({"name": f"There is no figure {name[:60]!r} yet; there are map, {', '.join(specs)}."})
        return specs[name](own.dataset, theme=theme)
    asked = query(layers, [name for name, _, _ in layers_of(dataset)], "gradient_by_layer")
    quantity = asked.quantities[0]
    if asked.complaint or quantity not in dataset:
        nothing = f"The run has no {LABELS[quantity].lower()} yet."
        raise SettingsError({"layers": asked.complaint if quantity in dataset else nothing})
    return layer_map(quantity, layers)(dataset, theme=theme)


def notebook() -> Any:
    """IPython, which a notebook has loaded, so that nothing else needs it; SettingsError where no notebook is."""
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        raise SettingsError({"show": "A live figure needs a notebook; in a script, record.figure() gives it."})
    return ipython


class LiveFigure:
    """A figure in the output of a notebook's cell, drawn anew in its place.

    Raises :class:`goldviz.experiments.SettingsError` where no notebook is.
    """

    def __init__(self, draw: Callable[[], go.Figure], every: float) -> None:
        ipython = notebook()
        self._draw, self._every, self._has_script = draw, every, False
        self._handle = ipython.display.display(self._bundle(), raw=True, display_id=True)
        self._drawn_at = time.perf_counter()

    def follow(self, *, at_once: bool = False) -> None:
        """Draw it anew where its time has come."""
        if at_once or time.perf_counter() - self._drawn_at >= self._every:
            self._handle.update(self._bundle(), raw=True)
            self._drawn_at = time.perf_counter()

    def _bundle(self) -> dict[str, Any]:
        try:
            figure = self._draw()
        except ValueError as error:
            # Before its first steps a run has not what the figure draws.
            return {"text/plain": str(error)}
        # Plotly's own display opens a new output each time. What knows no figures of Plotly's takes the HTML, of which
        # the first brings the script.
        html = figure.to_html(full_html=False, include_plotlyjs=not self._has_script)
        self._has_script = True
        told = json.loads(figure.to_json())
        return {"application/vnd.plotly.v1+json": told, "text/html": html, "text/plain": "A figure of Plotly's."}
