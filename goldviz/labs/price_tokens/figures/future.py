"""A strip of prices whose future can be edited, and the tokens of the days before, which light up where they change."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, handle
from goldviz.figures.limits import padded
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.price_tokens.settings import PriceTokens

LAMPS = 0.95
"""Height of the lamps over a strip of tokens, whose cells reach from -0.5 to 0.5."""
HANDLE = 9
"""Half of what can be taken hold of, in pixels."""
HOW = {"all": "fitted on all days", "block": "fitted on the days to come"}


@drawn(
    "Which tokens know the future?",
    name="future",
    shows="The tokens of earlier days. A lamp is lit where later days changed one.",
    cannot_show="Whether honest tokens forecast anything.",
)
def future(ds: Run, *, theme: Theme = "light") -> Figure:
    """Prices as they came and as they were edited, and a row of tokens for each writer.

    The first and only shape is what can be dragged: it stands at the strip's last price. The line between earlier and
    later days is a trace, because where a page lets shapes be moved it lets all of them.
    """
    ink, place, count = INKS[theme], ds["place"].values, ds.sizes["earlier"]
    settings = PriceTokens.checked_json(str(ds.attrs["settings"]))
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.1, row_heights=[0.62, 0.19, 0.19])
    ends, dates = _ends(ds), ds["date"].values
    later = place >= -1
    figure.scatter(
        x=[-0.5, -0.5], y=ends, mode="lines", line={"color": ink.muted, "width": 1, "dash": "dot"}, hoverinfo="skip"
    )
    figure.scatter(
        x=place,
        y=ds["price"].values,
        mode="lines",
        customdata=dates,
        hovertemplate="%{customdata}: %{y:,.1f}<extra></extra>",
        line={"color": ink.text, "width": 1.6},
    )
    figure.scatter(
        x=place[later],
        y=ds["edited_price"].values[later],
        mode="lines",
        hovertemplate="edited: %{y:,.1f}<extra></extra>",
        line={"color": ink.accent, "width": 2.6},
    )
    changes = ds["changes"].values.tolist()
    peek = "read with the help of later days" if settings.tokeniser == "hmm" else HOW["block"]
    ways = {"Honest": "fitted on the days before", "Looking ahead": HOW.get(settings.fitted_on, peek)}
    for row, (name, how) in enumerate(ways.items(), start=2):
        _strip(figure, ds, row, ink.accent, ink.muted)
        add_heading(figure, row, f"<b>{name}</b>: {how}", font={"size": 13, "color": ink.text})
        figure.update_yaxes(visible=False, range=[-0.5, 1.4], row=row)
    end = handle(float(place[-1]), float(ds["edited_price"].values[-1]), ink.accent, HANDLE)
    figure.update_layout(shapes=[end])
    figure.update_xaxes(range=[place[0] - 1, place[-1] + 2], showgrid=False, zeroline=False)
    figure.layout.xaxis3.title.text = "Days from the edit"
    figure.update_yaxes(title_text="Price", range=ends, nticks=5, row=1)
    told = f"Earlier tokens that change: {changes[0]} of {count} honest ones, {changes[1]} of {count} that look ahead."
    look.apply(
        figure, theme, title="Which tokens know the future?", notes=[told], height=430, legend=False, hover="closest"
    )
    tokens = {"cmin": 1, "cmax": settings.tokens, "colorscale": look.SEQUENTIAL, "showscale": False}
    return figure.update_layout(coloraxis=tokens)


def _strip(figure: Figure, ds: Run, row: int, lit: str, dark: str) -> None:
    """A writer's tokens as they are now, and over each a lamp."""
    x = ds["earlier"].values
    before, now = (ds[name].values[row - 2] for name in ("token", "edited_token"))
    figure.heatmap(
        x=x,
        y=[0],
        z=(now + 1)[None].astype(np.float32),
        coloraxis="coloraxis",
        hovertemplate="token %{z}<extra></extra>",
        row=row,
    )
    height = np.full(len(x), LAMPS)
    figure.scatter(row, x=x, y=height, mode="markers", marker={"size": 3, "color": dark}, hoverinfo="skip")
    figure.scatter(
        row,
        x=x,
        y=np.where(before != now, height, np.nan),
        mode="markers",
        marker={"size": 8, "color": lit, "line": {"width": 0}},
        customdata=before + 1,
        hovertemplate="was token %{customdata}<extra></extra>",
    )


def _ends(ds: Run) -> tuple[float, float]:
    """The limits of the price, with room for what it can be edited to."""
    price, reach = ds["price"].values, float(ds.attrs["reach"])
    end = price[-1]
    far = end * np.exp([-reach, reach]) if ds.attrs["logarithms"] else end + np.array([-reach, reach])
    return padded(float(min(price.min(), far[0])), float(max(price.max(), far[1])))
