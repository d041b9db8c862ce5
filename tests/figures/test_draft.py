"""Drafts of figures do what Plotly's own figures do."""

import base64
import json
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots as plotlys_subplots

import goldviz.figures.theme  # noqa: F401 - it names the templates
from goldviz.figures import draft


def _readable(value: Any) -> Any:
    """JSON with its packed numbers as lists."""
    if isinstance(value, dict):
        if "bdata" in value:
            numbers = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
            return [None if np.isnan(one) else float(one) for one in numbers.tolist()]
        return {name: _readable(one) for name, one in value.items() if one != {}}
    if isinstance(value, list):
        return [_readable(one) for one in value]
    return round(value, 12) if isinstance(value, float) else value


def _same(mine: draft.Figure, plotlys: go.Figure) -> None:
    assert _readable(json.loads(mine.to_json())) == _readable(json.loads(plotlys.to_json()))
    assert _readable(json.loads(mine.checked().to_json())) == _readable(json.loads(plotlys.to_json()))


def _draw(figure: Any, kinds: Any) -> Any:
    """The same calls on a draft and on Plotly's figure."""
    figure.add_trace(
        kinds.Scatter(
            x=np.arange(3),
            y=np.array([1.5, np.nan, 2.0]),
            marker_color="#d55e00",
            line={"width": 2},
            error_y={"array": [0.1, 0.2, 0.3]},
            error_x=None,
        )
    )
    figure.add_trace(kinds.Heatmap(z=np.ones((2, 3), dtype=np.float32), coloraxis="coloraxis", showscale=False))
    figure.add_trace(kinds.Bar(x=["a", "b"], y=[1, 2], name="bars").update(showlegend=False, hoverinfo="skip"))
    figure.update_layout(
        title_text="A title", title_subtitle_text="under it", margin={"t": 40}, coloraxis={"colorscale": "RdBu_r"}
    )
    figure.update_layout(margin_b=30, template="goldviz_dark", plot_bgcolor="#ffffff", coloraxis_cmin=-1)
    figure.layout.margin.t += 5
    figure.update_layout(plot_bgcolor=None)
    figure.update_xaxes(title_text="x", range=(0, 2), showgrid=False)
    figure.update_yaxes(type="log", title_font_size=14)
    figure.add_annotation(text="words", x=0.5, xref="paper", y=1, yref="y domain", font_size=13)
    figure.add_vline(x=1, line={"color": "#000000"}, opacity=0.5)
    figure.add_hrect(y0=0, y1=1, fillcolor="#123456")
    figure.add_shape(type="line", x0=0, x1=1, xref="x domain", y0=2, y1=2, yref="y")
    return figure


def test_the_same_calls_make_the_same_figure() -> None:
    _same(_draw(draft.Figure(), draft), _draw(go.Figure(), go))


def _draw_panels(figure: Any, kinds: Any) -> Any:
    figure.add_trace(kinds.Scatter(x=[1, 2], y=[3, 4]), row=1, col=1)
    figure.add_trace(kinds.Scatter(x=[1, 2], y=[3, 4]), row=2, col=1)
    figure.add_vline(x=1.5)
    figure.add_hline(y=3, row=2, col=1, line_width=1)
    figure.add_vrect(x0=1, x1=2, layer="below")
    figure.update_xaxes(ticks="outside")
    figure.update_yaxes(title_text="below", row=2, col=1)
    figure.add_annotation(text="here", x=1, y=3, showarrow=False, row=2, col=1)
    figure.add_shape(type="rect", x0=0, x1=1, y0=0, y1=1, row=1, col=2)
    figure.layout["xaxis2"].title.text = "under"
    return figure.update_layout(template="goldviz_light")


def test_panels_have_the_places_that_plotly_gives_them() -> None:
    how = {
        "rows": 2,
        "cols": 2,
        "shared_xaxes": True,
        "vertical_spacing": 0.1,
        "row_heights": [0.7, 0.3],
        "specs": [[{}, {}], [{}, None]],
    }
    _same(
        _draw_panels(draft.make_subplots(**how), draft),  # type: ignore[arg-type]
        _draw_panels(plotlys_subplots(**how), go),
    )


def test_panels_of_the_same_shape_do_not_share_what_is_drawn_on_them() -> None:
    first, second = draft.make_subplots(rows=2), draft.make_subplots(rows=2)
    first.update_xaxes(title_text="only here")
    first.add_trace(draft.Scatter(y=[1]), row=1)
    assert second.layout.xaxis.title.text is None
    assert not second.data


def test_what_plotly_does_not_know_is_refused_where_it_is_checked() -> None:
    with pytest.raises(ValueError, match="colour"):
        draft.Figure(draft.Scatter(y=[1], line_colour="red")).checked()


def test_properties_that_are_not_set_are_none_and_parts_are_empty() -> None:
    figure = draft.Figure(draft.Scatter(y=[1]))
    assert figure.data[0].fill is None
    assert figure.layout.xaxis.title.text is None
    figure.update_layout(height=300).update_layout(height=None)
    assert "height" not in figure.layout


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.array([1, 300]), "i2"),
        (np.array([-5, 5]), "i1"),
        (np.array([0, 200]), "i2"),
        (np.array([0.5], dtype=np.float32), "f4"),
        (np.array([2**31]), "u4"),
    ],
)
def test_numbers_travel_as_the_narrowest_bytes_that_hold_them(values: np.ndarray, dtype: str) -> None:
    packed = json.loads(draft.Figure(draft.Scatter(y=values)).to_json())["data"][0]["y"]
    assert packed["dtype"] == dtype
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(packed["bdata"]), dtype), values)


def test_what_is_no_number_is_null_and_dates_are_words() -> None:
    days = np.array(["2024-01-02", "2024-01-03"], dtype="datetime64[D]")
    trace = draft.Scatter(
        x=days, y=[float("nan"), np.float64("inf")], text=np.array(["a", "b"]), customdata=[np.int64(3)]
    )
    made = json.loads(draft.Figure(trace).to_json())["data"][0]
    assert made == {
        "type": "scatter",
        "x": ["2024-01-02", "2024-01-03"],
        "y": [None, None],
        "text": ["a", "b"],
        "customdata": [3],
    }
