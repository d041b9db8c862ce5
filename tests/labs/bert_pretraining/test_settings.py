import pytest

from goldviz.data.texts.policy.sentences import TONES as WRITTEN_TONES
from goldviz.data.texts.word_pieces import SMALLEST_VOCABULARY
from goldviz.declare.settings import SettingsError
from goldviz.labs.bert_pretraining.settings import TONES, BertPretraining

SMALL = BertPretraining(
    texts=60, labelled=30, vocabulary=300, longest=24, layers=2, heads=2, width=8, inner=12, pretraining_steps=4,
    fine_tuning_steps=3, batch=4, look_every=3, seeds=(0, 7),
)  # fmt: skip


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
