"""How every figure looks: one Plotly template for light, one for dark, and one fixed colour for each thing.

Networks have a colour (Okabe and Ito's palette, darkened where white paper asks for it), a dash and a marker, so
that nothing is told by colour alone. Gold is the accent: the step in view and what is selected, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, Literal

import plotly.graph_objects as go
import plotly.io as pio
from plotly.colors import get_colorscale, sample_colorscale

from goldviz.figures.draft import Figure
from goldviz.figures.frames import Words, changed
from goldviz.figures.notes import as_label
from goldviz.models.baselines.mean_baselines import MEAN_FORECASTS
from goldviz.models.baselines.volatility_baselines import VOLATILITY_FORECASTS
from goldviz.models.recurrent.cells import CELLS
from goldviz.models.series.forecasters.table import FORECASTERS
from goldviz.models.style import NetworkStyle

Theme = Literal["light", "dark"]

FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", "Segoe UI", "Liberation Sans", Arial, sans-serif'
HEADING, TEXT = 16, 13
"""The sizes of a figure's words in pixels: its title, and all others. A page has these, and 26 for its name."""
SEQUENTIAL = "Cividis"
DIVERGING = "RdBu"
DEPTHS: dict[Theme, tuple[float, float]] = {"light": (0.0, 0.6), "dark": (0.4, 1.0)}
"""The part of the sequential scale that stands out from a theme's paper."""


@dataclass(frozen=True)
class Ink:
    """The colours of one theme that are not data: page, text, muted text, grid, gaps in a map and the accent."""

    background: str
    surface: str
    text: str
    muted: str
    grid: str
    gap: str
    accent: str


INKS: dict[Theme, Ink] = {
    "light": Ink("#ffffff", "#f6f4ee", "#1e1e1c", "#5c5a54", "#e3e0d6", "#b9b7b0", "#8a6a00"),
    "dark": Ink("#14161a", "#1e2127", "#eceae4", "#aaa89f", "#33373f", "#6a6c70", "#e3b341"),
}


NETWORKS: dict[str, NetworkStyle] = {
    "plain": NetworkStyle("plain", "#d55e00", "solid", "circle"),
    "residual": NetworkStyle("residual", "#0e7ac0", "dash", "diamond"),
    **{name: cell.style for name, cell in CELLS.items()},
    "ode_rnn": NetworkStyle("ODE-RNN", "#c46a9c", "longdash", "star"),
    "neural_cde": NetworkStyle("Neural CDE", "#b4552d", "dashdot", "star-triangle-up"),
    "mlp": NetworkStyle("MLP", "#7d8f24", "solid", "x"),
    "gru_gap": NetworkStyle("GRU with gaps", "#1f98a8", "dash", "triangle-down"),
    "bigram": NetworkStyle("counted bigram", "#8a7f6a", "dot", "diamond-tall"),
    "neural_bigram": NetworkStyle("neural bigram", "#a77b1c", "dashdot", "star-square"),
    "deep_mlp": NetworkStyle("deep MLP", "#9263cf", "dash", "star-diamond"),
    "wavenet": NetworkStyle("hierarchy", "#cc4b62", "longdash", "hexagram"),
    "gpt": NetworkStyle("GPT", "#5e8c31", "solid", "triangle-nw"),
    "gru_decay": NetworkStyle("GRU with decay", "#7a78d2", "longdash", "pentagon"),
    "transformer": NetworkStyle("Transformer", "#c0504d", "solid", "triangle-se"),
    "pointwise": NetworkStyle("Transformer, k = 1", "#1f8f6b", "dash", "triangle-sw"),
    "ntm": NetworkStyle("NTM", "#b0489a", "solid", "circle-cross"),
    "attention": NetworkStyle("GRU with attention", "#2f6fb5", "solid", "star-triangle-down"),
    "fixed_vector": NetworkStyle("GRU without attention", "#b06a10", "dash", "square-cross"),
    "programmer": NetworkStyle("Programmer", "#2a8f8f", "solid", "diamond-cross"),
    "direct_mlp": NetworkStyle("MLP with direct connections", "#b4654a", "dot", "octagon"),
}

BASELINES = {name: baseline.style for name, baseline in MEAN_FORECASTS.items()} | {
    name: baseline.style for name, baseline in VOLATILITY_FORECASTS.items()
}
"""The simple forecasts that a network is measured against; their lines are thinner than a network's."""

FORECASTS = {name: forecaster.style for name, forecaster in FORECASTERS.items()}
"""The rows of a leaderboard."""


CLASSES = (("#c46a9c", "circle", "solid"), ("#009e73", "square", "dot"))
"""Colour, marker and dash of the two classes of points in a plane."""


def style_of(network: str) -> NetworkStyle:
    """The fixed look of a network or a baseline; raises ``KeyError`` for one that has none."""
    style = NETWORKS.get(network) or BASELINES.get(network) or FORECASTS.get(network)
    if style is None:
        names = ", ".join([*NETWORKS, *BASELINES, *FORECASTS])
        raise KeyError(f"The network {network!r} has no fixed colour; there are {names}.")
    return style


def looks_of(names: Sequence[str]) -> dict[str, NetworkStyle]:
    """A look for each of some networks: its fixed one if it has one, else one of its own in their order.

    >>> looks_of(["mine", "gru", "yours"])["yours"].label
    'yours'
    """
    own = [name for name in names if name not in NETWORKS]
    palette = list(NETWORKS.values())
    places = {name: palette[place % len(palette)] for place, name in enumerate(own)}
    return {name: NETWORKS[name] if name in NETWORKS else replace(places[name], label=name) for name in names}


READABLE = 4.5
"""The least contrast of words to what they stand on (WCAG 2.2, 1.4.3)."""


def contrast(one: str, other: str) -> float:
    """How much two colours differ in brightness, from 1 to 21 (WCAG 2.2).

    >>> round(contrast("#000000", "#ffffff"), 1), round(contrast("#d55e00", "#ffffff"), 2)
    (21.0, 3.87)
    """
    darker, brighter = sorted((_luminance(one), _luminance(other)))
    return (brighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    shares = [channel / 255 for channel in _channels(colour)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@cache
def tone(colour: str, theme: Theme) -> str:
    """The colour for words: itself, or as little nearer to the theme's text as makes it readable on its papers.

    >>> tone("#0e7ac0", "light"), tone("#d55e00", "light")
    ('#0f74b6', '#b45205')
    """
    ink = INKS[theme]
    own, text = _channels(colour), _channels(ink.text)
    blends = (
        "#" + "".join(f"{round(mine + (its - mine) * share / 50):02x}" for mine, its in zip(own, text, strict=True))
        for share in range(51)
    )
    return next(
        shade for shade in blends if min(contrast(shade, paper) for paper in (ink.background, ink.surface)) >= READABLE
    )


def inks() -> dict[str, dict[str, Any]]:
    """What a browser needs to change the theme: each one's colours, the tones of those that have words in them, and the
    part of a scale that ordered lines have."""
    styles = [*NETWORKS.values(), *BASELINES.values(), *FORECASTS.values()]
    return {
        theme: {
            **asdict(ink),
            "tones": {style.colour: tone(style.colour, theme) for style in styles},
            "depths": {"scale": [colour for _, colour in _sequential()], "part": DEPTHS[theme]},
        }
        for theme, ink in INKS.items()
    }


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return red, green, blue


def with_alpha(colour: str, alpha: float) -> str:
    """A colour made transparent, for bands; colour scales give theirs as ``rgb(r, g, b)``.

    >>> with_alpha("#d55e00", 0.2), with_alpha("rgb(1, 2, 3)", 0.5)
    ('rgba(213, 94, 0, 0.2)', 'rgba(1, 2, 3, 0.5)')
    """
    if colour.startswith("rgb("):
        return f"rgba({colour[4:-1]}, {alpha:g})"
    return f"rgba({', '.join(map(str, _channels(colour)))}, {alpha:g})"


def sequential_stops() -> list[list[float | str]]:
    """The sequential scale as stops: where each stands between 0 and 1, and its colour."""
    return [[at, colour] for at, colour in _sequential()]


@cache
def _sequential() -> list[tuple[float, str]]:
    return [(float(at), str(colour)) for at, colour in get_colorscale(SEQUENTIAL)]


def share_scale(theme: Theme) -> list[list[float | str]]:
    """From paper at none to ink at all: the scale of weights, probabilities and other shares.

    >>> share_scale("light")
    [[0.0, '#f6f4ee'], [1.0, '#1e1e1c']]
    """
    return [[0.0, INKS[theme].surface], [1.0, INKS[theme].text]]


def depth_colours(count: int, theme: Theme) -> list[str]:
    """Colours for ordered lines, first to last."""
    start, end = DEPTHS[theme]
    steps = [start + (end - start) * i / max(count - 1, 1) for i in range(count)]
    return [str(colour) for colour in sample_colorscale(SEQUENTIAL, steps)]


def depth_colourscale(theme: Theme) -> list[list[float | str]]:
    """The same part of cividis as a Plotly colour scale, for the bar that explains the lines."""
    colours = depth_colours(9, theme)
    return [[i / 8, colour] for i, colour in enumerate(colours)]


def apply(
    figure: Figure,
    theme: Theme,
    *,
    title: str,
    notes: Sequence[Words] = (),
    height: int = 430,
    legend: bool = True,
    hover: Literal["x unified", "closest"] = "x unified",
) -> Figure:
    """Give a figure its template, heading, margins and behaviour, and return it.

    ``title`` and ``notes`` (the lines under it) are escaped here; an empty note is left out. The notes are the layout's
    ``meta`` until it is known how wide the figure stands; see :func:`goldviz.figures.draft.settle`.
    """
    texts = [changed(note, as_label) for note in notes if note]
    return figure.update_layout(
        template=f"goldviz_{theme}",
        title_text=as_label(title),
        **({"meta": {"notes": texts}} if texts else {}),
        height=height,
        margin={"l": 12, "r": 30, "b": 44, "t": 44 + (34 if legend else 22)},
        showlegend=legend,
        hovermode=hover,
        uirevision="goldviz",
    )


def _axis(ink: Ink) -> dict[str, Any]:
    return {
        "automargin": True,
        "gridcolor": ink.grid,
        "linecolor": ink.muted,
        "ticks": "outside",
        "tickcolor": ink.muted,
        "ticklen": 4,
        "zeroline": False,
        "title": {"standoff": 8, "font": {"size": TEXT}},
        "exponentformat": "power",
    }


def _template(theme: Theme) -> go.layout.Template:
    ink = INKS[theme]
    colour_bar = {
        "orientation": "h",
        "thickness": 12,
        "x": 0.5,
        "yref": "container",
        "y": 0,
        "yanchor": "bottom",
        "ypad": 10,
        "outlinewidth": 0,
        "tickfont": {"size": TEXT},
    }
    layout = go.Layout(
        font={"family": FONT, "size": TEXT, "color": ink.text},
        title={
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": 12, "t": 14},
            "font": {"size": HEADING, "weight": 600},
            "subtitle": {"font": {"size": TEXT, "color": ink.muted}},
        },
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        colorway=[style.colour for style in NETWORKS.values()],
        colorscale={"sequential": SEQUENTIAL, "diverging": DIVERGING},
        coloraxis={"colorbar": colour_bar},
        xaxis=_axis(ink),
        yaxis=_axis(ink),
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "font": {"size": TEXT},
            "itemsizing": "constant",
        },
        hoverlabel={"bgcolor": ink.surface, "bordercolor": ink.muted, "font": {"size": TEXT, "color": ink.text}},
        annotationdefaults={"font": {"size": TEXT, "color": ink.text}, "showarrow": False},
    )
    return go.layout.Template(layout=layout)


for _theme in INKS:
    pio.templates[f"goldviz_{_theme}"] = _template(_theme)
