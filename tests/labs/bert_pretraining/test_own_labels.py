"""Labelled texts of a person's own take the place of generated sentences and their tones."""

import numpy as np
import pytest

import goldviz.api
from goldviz.data.texts.kept_texts import keep_text
from goldviz.data.texts.labelled_texts import labelled_texts
from goldviz.data.texts.pieces import TextError
from goldviz.labs.bert_pretraining.figures import FIGURES
from goldviz.labs.bert_pretraining.findings import findings_of, pretraining_verdict
from goldviz.labs.bert_pretraining.settings import BertPretraining
from goldviz.labs.bert_pretraining.texts import JUDGED_TEXTS, pretraining_texts, texts_with_tones, tones_of
from tests.labs.bert_pretraining.cases import SMALL

STARS = [(f"Dish {n} was {'awful' if n % 4 == 0 else 'fresh'} that day.", f"{1 + n % 4}") for n in range(100)]


@pytest.fixture(scope="module")
def settings():
    name = keep_text("".join(f"{text}\t{label}\n" for text, label in STARS).encode(), "stars.csv").name
    return BertPretraining(**SMALL | {"labelled_texts": name, "labelled": 60, "compare_start": True})


def test_texts_of_the_file_are_learned_and_others_of_it_judged(settings):
    own, (learned, unseen) = labelled_texts(settings.labelled_texts), texts_with_tones(settings)
    written = dict(STARS)
    assert tones_of(settings) == ["1", "2", "3", "4"]
    [judged] = unseen.values()
    assert (len(learned), len(judged)) == (60, 20)
    assert all(written[text] == tone for text, tone, _ in learned + judged)
    assert {text for text, *_ in learned} <= {text for text, _ in own.learned}
    assert {text for text, *_ in judged} == {text for text, _ in own.unseen}
    assert len(judged) <= JUDGED_TEXTS
    assert pretraining_texts(settings).tones == tones_of(settings)


def test_a_run_names_its_classes_and_stands_beside_counting_words_and_the_largest_class(settings):
    run = goldviz.api.run(settings, progress=False)
    assert list(run.tone_set) == ["unseen texts"]
    assert list(run.tone) == list(run.judged) == ["1", "2", "3", "4"]
    assert run.attrs["labelled_texts"] == 60
    assert run.confusion.isel(look=-1).sum("judged").values == pytest.approx(np.ones((1, 1, 4)))
    majority = run.baseline_tone_accuracy.sel(baseline="majority").item()
    assert majority == 0.25
    right = run.unseen_tone_accuracy.isel(look=-1).item()
    assert pretraining_verdict(run).endswith(
        f"Unseen labelled texts: {100 * right:.0f} % right; a bag of words "
        f"{100 * run.baseline_tone_accuracy.sel(baseline='bag of words').item():.0f} %, the largest class 25 %."
    )
    assert not {"tone_from_words", "tone_from_context", "patterns_only"} & {
        finding.kind for finding in findings_of(settings, run)
    }
    assert [list(FIGURES["confusion"].draw(run).data[0][axis]) for axis in "xy"] == [["1", "2", "3", "4"]] * 2
    assert "bag of words, unseen" in [trace["name"] for trace in FIGURES["learning"].draw(run).data]


def test_a_file_that_is_gone_is_named():
    with pytest.raises(TextError, match="does not hold the text 0123456789abcdef"):
        texts_with_tones(BertPretraining(labelled_texts="0123456789abcdef"))
