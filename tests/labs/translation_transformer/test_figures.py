"""The first figures of *Translation with a Transformer*: who looks at whom, word by word."""

import numpy as np
import pytest

from goldviz.labs.translation_transformer.figures import FIGURES
from goldviz.labs.translation_transformer.settings import TranslationTransformer
from goldviz.runs.examples import example


@pytest.fixture(scope="module")
def phrase():
    return example(TranslationTransformer, TranslationTransformer.presets[0].slug)


def test_the_page_opens_on_the_phrase_that_its_preset_is_named_after(phrase) -> None:
    words = [note["text"] for note in FIGURES["pair"].draw(phrase).layout.annotations]
    assert TranslationTransformer.presets[0].name == "European Economic Area"
    for side in (["area", "economic", "european"], ["European", "Economic", "Area"]):
        assert words[words.index(side[0]) :][:3] == side


@pytest.mark.parametrize("step", [1, 700])
def test_a_line_is_where_the_last_block_has_weight(phrase, step: int) -> None:
    drawn = FIGURES["pair"].draw(phrase, epoch=step)
    weights = phrase["cross_attention"].sel(look=step).isel(block_number=-1).mean("head").values
    found = np.zeros(weights.shape, bool)
    for trace in drawn.data:
        if trace.mode == "lines":
            ends = np.asarray(trace.y, float).reshape(-1, 3)
            read, written = ends[np.isfinite(ends[:, 0])].T[:2].astype(int)
            assert (written == trace.meta["written"]).all()
            found[written, read] = True
    np.testing.assert_array_equal(found, weights >= 0.1)
    best = [label.split(" ")[0].strip("█") for label in drawn.data[-1].customdata]
    assert len(best) == len(weights)


def test_a_word_names_those_it_looks_at_the_most_first(phrase) -> None:
    said = FIGURES["pair"].draw(phrase).data[-1].customdata
    assert [one.split("<br>")[0].split(" ")[1] for one in said[:3]] == ["european", "economic", "area"]


def test_every_column_of_a_map_has_its_word(phrase) -> None:
    for name in ("alignment", "own_side"):
        layout = FIGURES[name].draw(phrase).layout
        axes = [layout.xaxis] + ([layout.xaxis2] if name == "own_side" else [])
        for axis in axes:
            assert axis.tickangle == -90
            assert len(axis.ticktext) == len(axis.tickvals) >= 6
