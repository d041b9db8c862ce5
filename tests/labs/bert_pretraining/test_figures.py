import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import xarray as xr

from goldviz.figures.theme import INKS
from goldviz.labs.bert_pretraining.figures import FIGURES, picture, shared_limits
from goldviz.labs.bert_pretraining.figures.reading import (
    PART_STYLES,
    averaged_by_phase,
    change_of_phase,
    steps_of,
)
from goldviz.labs.bert_pretraining.settings import BertPretraining
from tests.labs.bert_pretraining.runs import ANSWER, BAG_BY_KIND, CANDIDATES, KINDS, PIECES, UNIGRAM, build
from tests.labs.figure_words import strings, words
from tests.thinned import thinned

EVERY = pytest.mark.parametrize("name", list(FIGURES))
OF_TONE = ("by_kind", "confusion")


@pytest.fixture
def run():
    return build()


def named(figure, name, axis="y"):
    return next(trace for trace in figure.data if trace.name == name and (trace.yaxis or "y") == axis)


def test_the_runs_of_these_tests_are_what_the_experiment_declares(run):
    declared = BertPretraining.variables
    assert set(run.data_vars) == set(declared)
    assert all(array.dims == declared[name].dims for name, array in run.data_vars.items())


@EVERY
@pytest.mark.parametrize(
    "shape",
    thinned(
        [
            {"words": 1, "tone": 0},
            {"words": 0, "tone": 1},
            {"words": 300, "tone": 0},
            {"words": 0, "tone": 200, "frozen": True},
            {"layers": 1, "heads": 1, "seeds": 2},
            {"layers": 6, "heads": 8, "seeds": 3},
            {"words": 9000, "tone": 1000},
        ],
    ),
)
def test_every_shape_of_run_is_drawn_and_stays_small(name, shape):
    run = build(**shape)
    figure = FIGURES[name](run, limits=shared_limits([run]), epoch=None)
    judged = shape.get("tone", 300) > 0
    assert bool(figure.data) == (judged or name not in OF_TONE)
    assert len(figure.to_json()) < 350_000
    assert FIGURES[name](run, limits=shared_limits([run]), epoch=1).layout.title.text


@pytest.mark.untrusted
@EVERY
def test_text_from_people_is_escaped(run, name):
    evil = "<img src=x onerror=alert(1)>"
    run.attrs |= {"title": evil, "probe_answer": evil}
    run.attrs["marks"] = json.dumps([{"step": 50, "text": "<script>alert(2)</script>"}])
    places = [f"{place} {evil}" for place in range(len(PIECES))]
    run = run.assign_coords(query=places, key=places, candidate=[evil, *CANDIDATES[1:]], kind=[evil, *KINDS[1:]])
    figure = FIGURES[name](run, epoch=1850)
    assert "&lt;img" in words(figure)
    for text in strings(figure.to_plotly_json()):
        assert "<img" not in text
        assert "<script" not in text


@EVERY
def test_lanes_share_their_axes(name):
    lanes = [build(words=200, tone=100), build(words=0, tone=300, seeds=2)]
    shared = shared_limits(lanes)
    drawn = [FIGURES[name](lane, limits=shared) for lane in lanes]
    for axis in ("x", "y"):
        first, second = ([one.range for one in getattr(figure, f"select_{axis}axes")()] for figure in drawn)
        assert first == second
    assert drawn[0].layout.coloraxis.cmax == drawn[1].layout.coloraxis.cmax


def test_learning_draws_both_losses_with_their_lines_and_nothing_of_the_tone_above(run):
    figure = FIGURES["learning"](run)
    training, unseen = named(figure, "in training"), named(figure, "unseen")
    assert training.x[-1] == 1600
    np.testing.assert_allclose(unseen.y, run["unseen_masked_loss"].isel(seed=0))
    assert unseen.x[-1] == 1900
    lines = [shape.y0 for shape in figure.layout.shapes if shape.yref == "y"]
    assert lines == pytest.approx([np.log(1000), UNIGRAM])
    assert "word frequencies: 5.10" in words(figure)
    last = float(run["unseen_masked_loss"].isel(look=-1, seed=0))
    assert f"{last:.2f} nat, as torn between {np.exp(last):,.0f} pieces." in words(figure)


def test_learning_counts_the_tone_by_steps_of_fine_tuning(run):
    figure = FIGURES["learning"](run, epoch=1700)
    own = named(figure, "new patterns", "y2")
    np.testing.assert_array_equal(own.x, [100, 200, 300])
    accuracy = run["unseen_tone_accuracy"].sel(tone_set="new patterns").isel(seed=0)
    np.testing.assert_allclose(own.y, accuracy.dropna("look"))
    bag = named(figure, "bag of words, new patterns", "y2")
    assert list(bag.y) == [0.55, 0.55]
    vertical = {(shape.xref, shape.x0) for shape in figure.layout.shapes if shape.x0 == shape.x1}
    assert {("x", 1600.5), ("x", 1700), ("x2", 100)} <= vertical
    at_look = f"{100 * float(accuracy.sel(look=1700)):.0f} %"
    assert f"new patterns {at_look} (bag of words 55 %)" in words(FIGURES["confusion"](run, epoch=1700))


def test_learning_without_a_step_on_the_tone_says_so():
    assert "No step on the tone so far." in words(FIGURES["learning"](build(tone=0)))
    assert change_of_phase(build(tone=0)) is None


def test_seeds_are_a_band_around_their_median():
    run = build(seeds=3)
    figure = FIGURES["learning"](run)
    np.testing.assert_allclose(named(figure, "unseen").y, run["unseen_masked_loss"].median("seed"))
    band = next(trace for trace in figure.data if trace.legendgroup == "unseen" and trace.fill == "tonexty")
    np.testing.assert_allclose(band.y, run["unseen_masked_loss"].max("seed"))
    assert "Median of 3 seeds" in words(figure)


def test_attention_holds_every_head_of_the_look_in_view_in_one_map(run):
    figure = FIGURES["attention"](run, epoch=1650)
    z, size = np.asarray(figure.data[0].z), len(PIECES)
    assert z.shape == (2 * size + 1, 4 * size + 3)
    for layer in range(2):
        for head in range(4):
            part = z[layer * (size + 1) :, head * (size + 1) :][:size, :size]
            np.testing.assert_allclose(part, run["attention"].sel(look=1600)[layer, head], rtol=1e-6)
            np.testing.assert_allclose(part.sum(1), 1, rtol=1e-5)
    assert np.isnan(z[size]).all()
    assert np.isnan(z[:, size]).all()
    ticks = dict(zip(figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext, strict=True))
    assert ticks[5] == "head 1 · [MASK]"
    assert ticks[size + 1 + 2] == "head 2 · committee"
    assert "“[CLS] the committee decided to [MASK]" in words(figure)
    assert figure.layout.coloraxis.cmin == 0


def test_attention_of_one_head_has_its_pieces_on_the_axes():
    figure = FIGURES["attention"](build(layers=1, heads=1))
    assert figure.layout.xaxis.showticklabels
    assert figure.layout.yaxis.ticktext[5] == "[MASK]"


def test_attention_names_the_surest_head(run):
    run["attention"].loc[{"look": 1900, "layer": 2, "head": 3}] = np.eye(len(PIECES))
    assert "Surest: layer 2, head 3: 0.0 of 3.9 bits." in words(FIGURES["attention"](run))


def test_heads_have_three_measures_and_a_curve_for_each_head(run):
    figure = FIGURES["heads"](run)
    assert len(figure.data) == 3 * 2 * 4
    np.testing.assert_allclose(figure.data[1].y, run["head_entropy"].isel(seed=0, layer=0, head=1), rtol=1e-6)
    assert [trace.name for trace in figure.data if trace.showlegend] == ["layer 1", "layer 2"]
    assert figure.data[0].line.dash != figure.data[1].line.dash


def test_kinds_are_sorted_by_the_bag_of_words_with_the_easiest_on_top(run):
    figure = FIGURES["by_kind"](run)
    order = np.argsort(BAG_BY_KIND)
    np.testing.assert_allclose(named(figure, "bag of words").x, BAG_BY_KIND[order])
    own = run["kind_tone_accuracy"].isel(look=-1, seed=0).values
    np.testing.assert_allclose(named(figure, "this network").x, own[order])
    assert figure.layout.yaxis.ticktext[-1] == "statement (300)"
    gain = int(np.argmax(own - BAG_BY_KIND))
    assert f"Most beyond counted words: {KINDS[gain]}" in words(figure)


def test_a_gain_over_counted_words_takes_texts_enough(run):
    own = run["kind_tone_accuracy"].isel(look=-1, seed=0).values
    first, second = np.argsort(BAG_BY_KIND - own)[:2]
    few = run.copy(deep=True)
    few["kind_count"][first] = 24
    assert f"Most beyond counted words: {KINDS[second]}" in words(FIGURES["by_kind"](few))
    few["kind_count"][:] = 24
    assert "No kind has the 25 texts" in words(FIGURES["by_kind"](few))
    few["kind_count"][second] = 25
    assert f"Most beyond counted words: {KINDS[second]}" in words(FIGURES["by_kind"](few))


def test_a_network_that_gains_on_no_kind_is_not_said_to(run):
    lost = run.copy(deep=True)
    lost["baseline_kind_accuracy"].loc[{"baseline": "bag of words"}] = 1.0
    note = words(FIGURES["by_kind"](lost))
    assert "Counted words do as well or better on every kind" in note
    assert "Most beyond" not in note


@pytest.mark.parametrize("name", OF_TONE)
def test_before_the_tone_is_judged_its_figures_wait(run, name):
    for epoch, judged in ((900, False), (1900, True)):
        figure = FIGURES[name](run, epoch=epoch)
        axes = [*figure.select_xaxes(), *figure.select_yaxes()]
        assert {part.visible for part in (*figure.data, *axes)} == {judged}
        said = [note.text for note in figure.layout.annotations if note.visible]
        assert any("second" in text for text in said) != judged
        assert bool(figure.layout.title.subtitle.text) == judged


def test_confusion_draws_shares_with_tones_downwards(run):
    figure = FIGURES["confusion"](run)
    np.testing.assert_allclose(figure.data[0].z, run["confusion"].isel(look=-1, seed=0).values[0], rtol=1e-6)
    assert figure.layout.yaxis.autorange == "reversed"
    assert [words.text for words in figure.layout.annotations[:2]] == ["<b>New draws</b>", "<b>New patterns</b>"]


def test_masked_place_sorts_by_the_end_and_marks_the_hidden_word(run):
    figure = FIGURES["masked_place"](run)
    end = run["probe_probability"].isel(look=-1).values
    expected = [CANDIDATES[row] for row in np.argsort(end, kind="stable")]
    assert figure.layout.yaxis.ticktext[-1] == f"<b>▸ {ANSWER}</b>"
    assert list(figure.layout.yaxis.ticktext[:-1]) == expected[:-1]
    np.testing.assert_allclose(np.asarray(figure.data[0].z)[-1], np.log10(run["probe_probability"][:, 0]), rtol=1e-5)
    assert figure.layout.coloraxis.cmax == 0
    assert f"“{ANSWER}” 55 %, the hidden word." in words(figure)


def test_masked_place_without_a_noted_answer_marks_none(run):
    del run.attrs["probe_answer"]
    assert "▸" not in "".join(FIGURES["masked_place"](run).layout.yaxis.ticktext)


def test_gradients_keep_the_phases_apart_and_name_what_is_zero():
    run = build(frozen=True)
    figure = FIGURES["gradients"](run)
    embeddings = named(figure, "embeddings")
    inside = run["part_gradient_norm"].sel(part="embeddings", step=steps_of(run, 1)).isel(seed=0)
    assert np.nanmin(embeddings.y) >= float(inside.min())
    assert np.isnan(embeddings.y[-1])
    assert "tone head (masked words)" in words(figure)
    assert "embeddings, block 1, block 2, masked-word head (tone)" in words(figure)
    assert embeddings.line.color == PART_STYLES["embeddings"].colour


def test_means_never_mix_two_phases(run):
    run["gradient_norm"][:] = run["phase"]
    means, said = averaged_by_phase(run, "gradient_norm", most=50)
    assert set(np.unique(means)) == {1.0, 2.0}
    assert "Means of about 38 steps." in said


def test_update_to_data_has_its_line_at_a_thousandth(run):
    figure = FIGURES["update_to_data"](run)
    assert 1e-3 in {shape.y0 for shape in figure.layout.shapes}
    assert figure.layout.yaxis.type == "log"


def test_schedule_draws_the_rate_itself_and_counts_clipped_steps(run):
    run["clipped"][:] = (run["phase"] == 2).astype(float)
    figure = FIGURES["schedule"](run)
    rate = next(trace for trace in figure.data if (trace.yaxis or "y") == "y")
    np.testing.assert_allclose(rate.y[-1], run["learning_rate"][-1])
    assert max(rate.y) == pytest.approx(float(run["learning_rate"].max()), rel=0.02)
    assert "Steps clipped: masked words 0 %, tone 100 %." in words(figure)


def test_changes_on_the_way_are_marked_and_the_scrubber_stands_at_its_step(run):
    run.attrs["marks"] = json.dumps([{"step": 150, "text": "clip 1 → 0"}])
    for name in ("learning", "heads", "gradients", "schedule", "masked_place", "update_to_data"):
        figure = FIGURES[name](run, epoch=205, theme="dark")
        assert {150, 205} <= {shape.x0 for shape in figure.layout.shapes}
        assert "clip 1 → 0" in words(figure)
        assert INKS["dark"].accent in {shape.line.color for shape in figure.layout.shapes}


def test_picture_has_the_network_below_word_frequencies(run):
    root = ET.fromstring(picture(run))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["words", "BERT", "loss", "training step"]
    for empty in (run.isel(look=slice(0, 0)), run.drop_vars("unseen_masked_loss"), build(words=0)):
        assert not list(ET.fromstring(picture(empty)).iter("{http://www.w3.org/2000/svg}text"))


def test_picture_ends_with_the_last_evaluation_of_masked_words(run):
    last = run["look"].values == steps_of(run, 1)[-1]
    assert last.sum() == 1
    assert last.argmax() < len(last) - 1
    looks = np.arange(len(last))
    for moved, counts in ((last, True), (looks > last.argmax(), False)):
        other = run["unseen_masked_loss"] + xr.DataArray(np.where(moved, 1.0, 0.0), dims="look")
        assert (picture(run.assign(unseen_masked_loss=other)) != picture(run)) == counts
