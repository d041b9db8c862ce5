"""The figures and tables of *Policy documents*."""

import json

import numpy as np
import pandas as pd
import pytest

from goldviz.figures.theme import Theme
from goldviz.labs.policy_documents.figures import FIGURES, picture, reading
from goldviz.labs.policy_documents.figures.reading import tone_ink
from goldviz.labs.policy_documents.figures.table import documents_table, nearest_table, tone_styles
from tests.labs.policy_documents.views import HOSTILE, change_view, policy_view

document_map, timeline, effects = (FIGURES[name] for name in ("map", "timeline", "effects"))


def said(figure: object) -> str:
    text: str = figure.to_json()  # type: ignore[attr-defined]
    return text


@pytest.mark.untrusted
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_html_in_titles_origins_and_passages_is_text(theme: Theme) -> None:
    ds = policy_view(kinds=3)
    figures = [
        timeline(ds, document=3, theme=theme),
        *(document_map(ds, document=3, colour=colour, theme=theme) for colour in ("date", "tone", "kind")),
    ]
    figures.append(effects(change_view(1), numbers=[1], words=[HOSTILE], theme=theme))
    for figure in figures:
        assert "<img" not in said(figure).replace("\\u003c", "<")


def test_the_timeline_stands_at_the_moments_of_release() -> None:
    ds = policy_view()
    figure = timeline(ds, document=4)
    tone = [trace for trace in figure.data if trace.yaxis == "y"]
    assert sorted(moment for trace in tone for moment in trace.x) == [str(when)[:16] for when in ds["released"].values]
    assert {trace.marker.symbol for trace in tone} == {"circle", "diamond"}
    lines = [shape for shape in figure.layout.shapes if shape.x0 == shape.x1]
    assert {line.x0 for line in lines} == {"2024-02-14T19:00"}
    for trace in tone:
        mine = [moment in trace.x for moment in reading.moments(ds)]
        np.testing.assert_allclose(trace.marker.color, ds["balance"].values[mine])
        sizes, sure = np.array(trace.marker.size), ds["tone"].values[mine].max(1)
        np.testing.assert_array_equal(np.argsort(sizes), np.argsort(sure))


def test_without_a_classifier_the_change_is_drawn_alone_and_it_is_said() -> None:
    figure = timeline(policy_view(toned=False))
    assert {trace.yaxis for trace in figure.data} == {"y"}
    assert "no classifier" in figure.layout.title.subtitle.text


def test_placed_documents_are_open_and_the_arrow_comes_from_the_one_before() -> None:
    ds = policy_view()
    figure = document_map(ds, document=4)
    marks = [trace for trace in figure.data if trace.customdata is not None]
    opened = {trace.marker.symbol.endswith("-open"): len(trace.x) for trace in marks}
    assert opened == {False: 3, True: 3}
    assert sum(len(trace.x) for trace in marks) == ds.sizes["document"]
    [arrow] = [note for note in figure.layout.annotations if note.showarrow]
    assert (arrow.ax, arrow.x) == (ds["coordinate"].values[1, 0], ds["coordinate"].values[3, 0])
    assert "70 % of their differences" in figure.layout.title.subtitle.text.replace("<br>", " ")


def test_a_first_document_has_no_arrow_and_one_beyond_the_last_is_the_last() -> None:
    ds = policy_view()
    assert not [note for note in document_map(ds, document=1).layout.annotations if note.showarrow]
    assert timeline(ds, document=99).layout.shapes[0].x0 == str(ds["released"].values[-1])[:16]


def test_tone_colours_are_centred_on_zero_and_fall_back_without_a_tone() -> None:
    axis = document_map(policy_view(), colour="tone").layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-1, 1)
    assert document_map(policy_view(toned=False), colour="tone").layout.coloraxis.cmin is None


@pytest.mark.parametrize("count", [1, 2])
def test_few_documents_are_drawn(count: int) -> None:
    ds = policy_view(count)
    for figure in (timeline(ds), document_map(ds)):
        json.loads(said(figure))


def test_a_map_without_directions_says_so() -> None:
    ds = policy_view(3).isel(component=slice(0, 0))
    assert "have one vector" in said(document_map(ds))
    one = policy_view(5).isel(component=slice(0, 1))
    assert document_map(one).data


def test_one_kind_has_axes_of_its_own() -> None:
    ds = policy_view()
    figure = document_map(ds, document=4, map_kinds="one")
    marks = [trace for trace in figure.data if trace.customdata is not None]
    assert sorted(x for trace in marks for x in trace.x) == sorted(ds["own_coordinate"].values[1::2, 0])
    opened = {trace.marker.symbol.endswith("-open"): len(trace.x) for trace in marks}
    assert opened == {False: 3, True: 3}
    [arrow] = [note for note in figure.layout.annotations if note.showarrow]
    assert (arrow.ax, arrow.x) == tuple(ds["own_coordinate"].values[[1, 3], 0])
    told = figure.layout.title.subtitle.text.replace("<br>", " ")
    assert "70 % of their differences" in told
    assert "released until 2024-03-13" in told
    assert "Of the kind Minutes alone" in told
    assert "60 %" in figure.layout.xaxis.title.text


def test_how_much_of_the_first_axis_is_the_kind_is_said() -> None:
    ds = policy_view()
    ds["coordinate"][:, 0] = np.where(ds["kind"].values == "Minutes", 3.0, -1.0)
    assert "100 % of component 1 is between the kinds" in said(document_map(ds)).replace("<br>", " ")
    ds["coordinate"][:, 0] = np.arange(12) // 2
    assert "0 % of component 1 is between the kinds" in said(document_map(ds)).replace("<br>", " ")


def test_a_kind_without_directions_says_so() -> None:
    ds = policy_view()
    ds["own_share"][:] = np.nan
    assert "have one vector" in said(document_map(ds, map_kinds="one"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_red_is_more_positive_in_map_effects_and_table(theme: Theme) -> None:
    axis = document_map(policy_view(), colour="tone", theme=theme).layout.coloraxis
    lowered, raised = (tone_ink(sign, theme) for sign in (-1, 1))
    for ink, end in ((raised, axis.colorscale[-1][1]), (lowered, axis.colorscale[0][1])):
        assert red_minus_blue(ink) * red_minus_blue(end) > 0
    assert red_minus_blue(raised) > 0 > red_minus_blue(lowered)
    bars = effects(change_view(), numbers=[1, 2, 3], words=["a", "b", "c"], theme=theme).data[0]
    assert list(bars.marker.color) == [lowered, raised, raised]
    assert tone_styles(pd.Series([-0.2, 0.0, np.nan, 0.3]), theme) == [f"color: {lowered}", "", "", f"color: {raised}"]


def red_minus_blue(colour: str) -> int:
    if colour.startswith("#"):
        return int(colour[1:3], 16) - int(colour[5:7], 16)
    red, _, blue = colour.removeprefix("rgb(").rstrip(")").split(",")
    return int(red) - int(blue)


def test_effects_carry_the_numbers_of_the_text() -> None:
    figure = effects(change_view(), numbers=[2, 5, 9], words=["a", "b", "c"])
    assert [list(bar.y) for bar in figure.data] == [["2", "5", "9"]] * 2
    np.testing.assert_allclose(figure.data[0].x, [-0.2, 0.05, 0.3])
    assert len(effects(change_view(toned=False), numbers=[1, 2, 3], words=["a"] * 3).data) == 1
    assert "No words changed" in said(effects(change_view(0), numbers=[], words=[]))


def test_the_nearest_say_whether_they_were_known() -> None:
    ds = policy_view()
    table = nearest_table(ds, 2)
    assert table["Known by then"].tolist() == ["yes", "no, it is later", "no, it is later"]
    assert len(documents_table(ds)) == ds.sizes["document"]
    assert documents_table(ds)["Out (UTC)"][0] == "2024-01-03 19:00"


def test_there_is_a_picture() -> None:
    assert picture(policy_view()).startswith("<svg")
