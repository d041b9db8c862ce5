"""*Translation with a Transformer*: what its examples recorded, held to what the task and the formulas say."""

import json

import numpy as np
import pytest

from goldviz.labs.translation_transformer.settings import TranslationTransformer
from goldviz.runs.examples import example


def read_example(number):
    return example(TranslationTransformer, TranslationTransformer.presets[number].slug)


@pytest.fixture(scope="module")
def run():
    return read_example(1)


def words(run, dim):
    return [label.split(" ")[1] for label in run[dim].values]


def test_every_row_of_attention_adds_up_to_1_and_nothing_later_is_seen(run):
    for name in ("encoder_attention", "decoder_attention", "cross_attention"):
        np.testing.assert_allclose(run[name].values.sum(-1), 1, atol=1e-5)
    later = np.triu(np.ones(run["decoder_attention"].shape[-2:], bool), 1)
    assert (run["decoder_attention"].values[..., later] == 0).all()


def test_the_letters_are_turned_round_and_cross_attention_runs_backwards(run):
    read, written = words(run, "read"), words(run, "written")
    assert written == [*read[::-1], "end"]
    assert words(run, "told") == ["start", *read[::-1]]
    assert run["aligned"].values.tolist() == [*range(len(read) - 1, -1, -1), -1]
    said = json.loads(run.attrs["words"])
    assert [said[int(number)] for number in run["answer"].values[-1] if number >= 0] == read[::-1]
    assert float(run["sequence_accuracy"].values[-1].item()) >= 0.99
    looks = run["cross_attention"].values[-1, -1].mean(0)[:-1].argmax(-1)
    assert np.abs(looks - run["aligned"].values[:-1]).max() <= 1
    assert (np.diff(looks) <= 0).all()


def test_a_words_state_is_standardised(run):
    stages = run["stage"].values.tolist()
    standardised = stages.index("standardised")
    np.testing.assert_allclose(run["norm_mean"].values[:, standardised], 0, atol=1e-5)
    np.testing.assert_allclose(run["norm_deviation"].values[:, standardised], 1, atol=1e-2)


def test_without_positions_sorting_works_and_turning_round_does_not():
    sorting, turning = (float(read_example(number)["sequence_accuracy"].values[-1].item()) for number in (2, 3))
    assert sorting > 0.9
    assert turning < 0.1


def test_batch_norm_alone_lets_a_pair_depend_on_the_others_of_its_batch():
    run = read_example(4)
    effect = dict(zip(run["network"].values.tolist(), run["neighbour_effect"].values[-1, :, 0].tolist(), strict=True))
    assert effect.pop("batch") > 0.1
    assert max(effect.values()) < 1e-4
