import pytest

from goldviz.data.texts.kept_models import SHIPPED_MODEL
from goldviz.data.texts.policy.sentences import TONES as WRITTEN_TONES
from goldviz.data.texts.word_pieces import SMALLEST_VOCABULARY
from goldviz.declare.settings import SettingsError
from goldviz.labs.bert_pretraining.measures import MARGIN
from goldviz.labs.bert_pretraining.settings import TONES, BertPretraining
from goldviz.runs.examples import example

SMALL = BertPretraining(
    texts=60,
    labelled=30,
    vocabulary=300,
    longest=24,
    layers=2,
    heads=2,
    width=8,
    inner=12,
    pretraining_steps=4,
    fine_tuning_steps=3,
    batch=4,
    look_every=3,
    seeds=(0, 7),
)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"width": 66}, "Width is 66; allowed is a multiple of the 4 heads."),
        (
            {"pretraining_steps": 0, "fine_tuning_steps": 0},
            "Pretraining steps and fine tuning steps are both 0; allowed is at least one step in all.",
        ),
        (
            {"corpus": "../../etc/passwd"},
            "Corpus is '../../etc/passwd'; allowed is 'generated', or the 16 characters that name a text kept on this "
            "server.",
        ),
        ({"masked_share": 0}, "Masked share is 0; allowed is a number from 0.02 to 0.9."),
    ],
)
def test_settings_that_are_not_allowed(changes, sentence):
    with pytest.raises(SettingsError) as error:
        BertPretraining.checked(changes)
    assert str(error.value) == sentence


def test_the_declaration_agrees_with_the_texts():
    assert TONES == WRITTEN_TONES
    with pytest.raises(SettingsError):
        BertPretraining.checked({"vocabulary": SMALLEST_VOCABULARY - 1})
    assert BertPretraining.checked({"vocabulary": SMALLEST_VOCABULARY}).vocabulary == SMALLEST_VOCABULARY


def test_presets_leave_the_texts_alone():
    assert BertPretraining(text_seed=3, pretraining_steps=0).like_preset().slug == "break-it-no-pre-training"


def ended(slug):
    """What a recorded run came to: the loss of masked words after each phase, and the tone on both kinds of texts."""
    ds = example(BertPretraining, slug).isel(seed=0)
    words = ds["unseen_masked_loss"].sel(look=ds["look"] <= BertPretraining.preset(slug).pretraining_steps)
    known, new = ds["unseen_tone_accuracy"].isel(look=-1).values
    before = float(words[-1]) if words.size else float("nan")
    return before, float(ds["unseen_masked_loss"][-1]), known, new, ds["baseline_tone_accuracy"]


def test_the_model_that_reads_on_has_little_left_to_learn_from_such_sentences():
    settings = BertPretraining.preset("go-on-from-a-model")
    words = example(BertPretraining, "go-on-from-a-model")["unseen_masked_loss"].isel(seed=0)
    assert settings.start == SHIPPED_MODEL
    assert float(words[0]) == pytest.approx(1.29, abs=0.005)
    assert abs(float(words.sel(look=settings.pretraining_steps) - words[0])) < 0.02


def test_what_presets_say_holds_for_the_recorded_seed():
    read, _, known, new, baselines = ended("as-in-the-document")
    bag, majority = baselines.sel(baseline="bag of words").values, baselines.sel(baseline="majority").values
    _, _, known_without, new_without, _ = ended("break-it-no-pre-training")
    assert 0.025 < new - new_without < 0.125
    assert -0.045 < known - known_without < 0.095
    assert new_without < bag[1] + MARGIN
    _, _, *random, _ = ended("break-it-frozen-at-random")
    assert random == pytest.approx(majority)
    _, _, frozen, _, _ = ended("fix-it-frozen-after-pre-training")
    assert 0.145 < frozen - majority[0] < 0.235
    before, after, *_ = ended("fix-it-rehearse")
    assert after <= before
    fast, *_ = ended("break-it-learning-rate-30")
    unigram = float(example(BertPretraining, "break-it-learning-rate-30")["unigram_loss"])
    assert fast == pytest.approx(unigram, rel=0.01)
    assert ended("break-it-mask-80")[0] > read
    assert 0.6 < ended("break-it-one-head")[0] - read < 1.25
