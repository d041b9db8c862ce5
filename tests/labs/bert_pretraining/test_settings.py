import subprocess
import sys

import numpy as np
import pytest

import goldviz.api
from goldviz.data.texts.policy.sentences import TONES as WRITTEN_TONES
from goldviz.data.texts.word_pieces import SMALLEST_VOCABULARY
from goldviz.declare.settings import SettingsError
from goldviz.labs.bert_pretraining.settings import TONES, BertPretraining
from tests.export.test_script import run_alone

SMALL = BertPretraining(
    texts=60, labelled=30, vocabulary=300, longest=24, layers=2, heads=2, width=8, inner=12, pretraining_steps=4,
    fine_tuning_steps=3, batch=4, look_every=3, seeds=(0, 7),
)  # fmt: skip


@pytest.mark.timeout(300)
@pytest.mark.parametrize("changes", [{}, {"document_share": 0.5, "frozen": True, "optimiser": "sgd"}])
def test_the_script_repeats_the_run_to_the_bit(tmp_path, changes):
    settings = SMALL.changed(**changes)
    dataset = goldviz.api.run(settings, progress=False)
    seen = run_alone(settings.script(), tmp_path, absent=("goldviz", "jaxtyping"))
    assert seen["coordinates"]["part"] == settings.parts()
    for name, variable in settings.variables.items():
        values = seen["finals"][name] if variable.once else seen["curves"][name]["values"]
        # JSON has no NaN: what is not finite is kept as None.
        expected = dataset[name].astype(np.float32).where(np.isfinite(dataset[name]))
        np.testing.assert_array_equal(np.array(values, np.float32), expected, err_msg=name)


def test_building_a_script_does_not_load_torch():
    code = (
        "import sys; from goldviz.labs.bert_pretraining.settings import BertPretraining; "
        "BertPretraining().script(); sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


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


def test_estimates_grow_with_the_work():
    usual = BertPretraining().estimated_seconds()
    assert 30 < usual < 180
    for more in (
        {"seeds": (0, 1)}, {"pretraining_steps": 2 * BertPretraining().pretraining_steps}, {"layers": 4},
        {"width": 128}, {"batch": 64},
    ):  # fmt: skip
        assert BertPretraining(**more).estimated_seconds() > 1.4 * usual, more
    for less in ({"pretraining_steps": 0}, {"layers": 1, "heads": 1}, {"width": 32}):
        assert BertPretraining(**less).estimated_seconds() < 0.9 * usual, less
