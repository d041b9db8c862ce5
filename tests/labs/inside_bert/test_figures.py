"""The figures of *Inside BERT*: what they draw of hand-made datasets, and that nobody's text becomes markup."""

import html
import re

import numpy as np
import plotly.graph_objects as go
import pytest
import xarray as xr

from goldviz.figures.notes import as_label
from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert.figures import FIGURES, ON_PAGES, picture
from goldviz.labs.inside_bert.figures.embeddings import pieces_table
from goldviz.labs.inside_bert.figures.evidence import beside_points, coloured_text
from goldviz.labs.inside_bert.figures.head import steps_table
from goldviz.labs.inside_bert.figures.pieces import MOST_ROWS, strongest
from goldviz.labs.inside_bert.head import STAGES
from tests.labs.inside_bert.made_readings import HOSTILE, made, with_ends_for

attention_map, mixing, scores, shares = (FIGURES[name] for name in ("map", "mixing", "scores", "shares"))
across, order, positions, evidence = (FIGURES[name] for name in ("across", "order", "positions", "evidence"))
layer_diagram, layer_lengths, neurons = (FIGURES[name] for name in ("layer", "layer_lengths", "neurons"))
agreement, shares_pair, heads_off, tone_without = (
    ON_PAGES[name] for name in ("agreement", "shares_pair", "heads_off", "without")
)


@pytest.mark.untrusted
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_draws_and_escapes_what_came_from_people(name: str, theme: Theme) -> None:
    figure = FIGURES[name](made(), theme=theme)
    assert figure.data
    text = figure.to_json()
    assert HOSTILE not in text
    assert "<b>bad" not in text
    assert "\\u003cimg" not in text


@pytest.mark.parametrize("count", [3, 4, 60, 512])
def test_figures_stay_light_and_readable_however_long_the_text_is(count: int) -> None:
    ds = made(count)
    for draw in (shares, evidence, scores, mixing, agreement, layer_diagram, layer_lengths, neurons, positions):
        figure = draw(ds)
        assert len(figure.to_json()) < 150_000
        assert figure.layout.height < 1100
    rows = shares(ds).layout.yaxis.ticktext
    assert len(rows) == min(count, MOST_ROWS)


def test_a_note_says_how_many_pieces_are_drawn_and_how_much_they_hold() -> None:
    assert f"The {MOST_ROWS} of 60 pieces" in _notes(shares(made(60)))
    assert "The 12 of 60 keys with the largest weights" in _notes(scores(made(60))).replace("<br>", " ")
    assert "12 of" not in _notes(scores(made(8)))


@pytest.mark.parametrize(("method", "heading"), [("maximum flow", "Flow"), ("widest path", "Widest path")])
def test_what_stands_in_for_the_flow_is_not_called_flow_or_a_bound(method: str, heading: str) -> None:
    figure = shares(made().assign_attrs(flow_method=method))
    headings = [note.text.replace("<br>", " ") for note in figure.layout.annotations]
    assert f"<b>{heading}</b>" in headings
    note = _notes(figure).replace("<br>", " ")
    assert ("Shares of the widest single path, in place of the flow" in note) == (method == "widest path")
    assert "bound" not in note


def test_rows_of_products_sum_to_the_scores() -> None:
    ds = made()
    figure = scores(ds)
    rows = np.asarray(figure.data[0].z)
    order = np.argsort(-ds["weight"].values, kind="stable")
    np.testing.assert_allclose(rows.sum(axis=1), ds["score"].values[order], atol=1e-6)
    bars = next(trace for trace in figure.data if isinstance(trace, go.Bar))
    np.testing.assert_allclose(bars.x, ds["weight"].values[order])


def test_rows_of_weighted_values_sum_to_the_output() -> None:
    ds = made()
    np.testing.assert_allclose(np.asarray(mixing(ds).data[0].z).sum(axis=0), ds["output"], atol=1e-6)


def test_numbers_beside_bars_are_no_texts_of_the_bars() -> None:
    """Plotly looks at the whole page to measure each text of a bar: a third of the time of a draw."""
    for figure in (scores(made(8)), mixing(made(8))):
        bars, numbers = figure.data[2], figure.data[3]
        assert (bars.type, numbers.type, numbers.mode) == ("bar", "scatter", "text")
        assert bars.texttemplate is None
        np.testing.assert_array_equal(numbers.x, bars.x)


def test_the_strongest_pieces_of_any_quantity_are_drawn_in_order() -> None:
    assert strongest([9, 0, 0, 0], [0, 0, 0, 0.001], most=2).tolist() == [0, 3]
    assert strongest([np.nan, 1.0], most=1).tolist() == [1]


def test_the_diagram_tells_the_way_of_the_piece_in_view_in_its_order() -> None:
    ds = made()
    at = ds.sel(piece=2)
    boxes = [note.text for note in layer_diagram(ds).layout.annotations if note.text and note.text.startswith("<b>")]
    lengths = [float(at["stage_norm"].sel(stage=stage)) for stage in STAGES]
    said = [float(number) for number in re.findall(r"(?:length|makes) (\d+\.\d\d)", " ".join(boxes))]
    assert said == [round(length, 2) for length in lengths]
    cosines = [*at["added_cosine"].values, float(at["turned"])]
    assert re.findall(r"([+−]\d\.\d\d)", " ".join(boxes)) == [f"{c:+.2f}".replace("-", "−") for c in cosines]
    assert f"{round(8 * float(at['firing']))} of 8 neurons fire" in boxes[4]


def test_neurons_are_drawn_by_the_length_of_what_they_add() -> None:
    ds = made()
    ds["neuron_length"] = 10 * ds["neuron_length"]
    figure = neurons(ds)
    [bars] = figure.data
    low, high = figure.layout.xaxis.range
    assert low == 0
    assert 1 < high / ds["neuron_length"].values.max() < 1.5, "bars fill the axis, with room for their numbers"
    assert list(bars.x) == sorted(ds["neuron_length"].values, reverse=True)
    first = int(ds["neuron_length"].values.argmax())
    assert bars.customdata[0] == ds["neuron_output"].values[first]


def test_a_state_that_did_not_move_leaves_a_gap_on_the_log_axis() -> None:
    ds = made()
    ds["moved"].loc[{"positions": "without", "state": 0}] = 0.0
    with_them, without = order(ds).data
    assert np.isnan(without.y[0])
    np.testing.assert_allclose(with_them.y, ds["moved"].sel(positions="with").median("piece"))


def test_attention_across_is_told_beside_what_even_attention_gives() -> None:
    # 2 pieces of A and 2 of B among 6: each asks 2 of 6.
    assert "Even attention would give 33 %." in _notes(across(made(6)))


def test_a_pair_has_the_same_axes() -> None:
    first, second = made(6, seed=1), made(9, seed=2)
    figures = [
        shares_pair(with_ends_for(first, second), heading="First"),
        shares_pair(with_ends_for(second, first), heading="Second"),
    ]
    ranges = [[figure.layout[f"xaxis{n}"].range for n in ("", "2", "3")] for figure in figures]
    assert ranges[0] == ranges[1]


def test_two_tones_and_two_maps_of_heads_stand_side_by_side() -> None:
    both = ON_PAGES["tones"](made(), second=made(seed=1))
    assert [trace.name for trace in both.data] == ["First", "Second"]
    maps = ON_PAGES["heads_entropy_share"](made(), second=made(seed=1))
    limits = maps.layout.coloraxis
    assert limits.cmax >= max(np.max(trace.z) for trace in maps.data)


def test_distances_in_texts_of_different_lengths_are_compared_as_shares_of_them() -> None:
    short = made(6)
    long = made(60).assign(head_distance=10 * short["head_distance"])
    first, second = ON_PAGES["heads_distance"](short, second=long).data
    np.testing.assert_allclose(first.z, second.z)
    np.testing.assert_allclose(first.z, short["head_distance"] / 6, rtol=1e-4)


def test_heads_that_are_off() -> None:
    change = np.zeros((2, 3, 2))
    change[1, 2, 0] = -0.5
    ds = xr.Dataset(
        {"change": (("layer", "head", "label"), change)},
        coords={"layer": [1, 2], "head": [1, 2, 3], "label": ["a", "b"]},
    )
    assert "layer 2, head 3, −0.500" in _notes(heads_off(ds, label="a"))
    states = xr.Dataset(
        {name: (("state", "label"), np.array([[1.0, -1.0], [0.5, -0.5]])) for name in ("logit", "probability")},
        coords={"state": ["all heads", "without"], "label": ["a", "b"]},
    )
    assert [list(trace.x) for trace in tone_without(states).data] == [[1.0, -1.0], [0.5, -0.5]]


@pytest.mark.untrusted
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_coloured_text_holds_every_character_once_and_escaped(theme: Theme) -> None:
    text = "a<b>&\"' \u202eבג\n🙂 end"
    starts, stops = [0, 0, 2, 3, 9], [0, 1, 4, 6, 11]
    shown = coloured_text(text, starts, stops, [9.0, 1.0, -2.0, np.nan, 0.5], theme=theme)
    assert set(re.findall(r"</?(\w+)", shown)) == {"div", "span"}
    assert html.unescape(re.sub(r"<[^>]*>", "", shown)) == text


def test_the_shade_tells_sign_and_size_and_the_title_the_number() -> None:
    shown = coloured_text("abc", [0, 1, 2], [1, 2, 3], [2.0, -1.0, 0.0], theme="light")
    shades = re.findall(r'rgba\((\d+),\d+,\d+,([\d.]+)\)[^>]*title="([^"]*)"', shown)
    assert shades == [("213", "0.75", "+2"), ("14", "0.38", "-1"), ("14", "0.00", "+0")]


def test_names_of_points_lie_beside_one_another_or_are_left_out() -> None:
    names, where = ["fell", "rose", "prices", "gold"], np.array([0.5, 0.5, 0.5, 0.9])
    sides = beside_points(names, where, np.array([0.5, 0.5, 0.5, 1.0]), [0, 1, 2, 3])
    assert list(sides) == [0, 1, 2, 3]
    assert len({sides[place] for place in (0, 1, 2)}) == 3
    crowd = ["extraordinarily"] * 40
    assert 0 < len(beside_points(crowd, np.ones(40), np.ones(40), range(40))) < 5
    assert beside_points(["x"], np.zeros(1), np.zeros(1), [0]).keys() <= {0}


def test_tables_hold_the_numbers() -> None:
    ds = made()
    table = pieces_table(ds, "abcdefgh")
    assert list(table["In the text"]) == ["", "b", "c", "d", "e", ""]
    assert table["Word"].isna().tolist() == [True, False, False, False, False, True]
    steps = steps_table(ds)
    assert steps["softmax a"].is_monotonic_decreasing
    assert steps["softmax a"].sum() == pytest.approx(1)


def test_the_report_map_and_the_picture_hold_labels_as_text() -> None:
    assert list(attention_map(made()).layout.xaxis.ticktext)[1] == as_label(HOSTILE)
    drawn = picture(made())
    assert drawn.startswith("<svg")
    assert HOSTILE not in drawn
    assert drawn.count("<rect") == 36
    assert picture(made(60)).count("<rect") == 256


def _notes(figure: go.Figure) -> str:
    return str(figure.layout.title.subtitle.text)
