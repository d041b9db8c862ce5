"""*Attention between networks*: what its first example recorded, computed once more by numpy from scores and words."""

import json

import numpy as np
import pytest

from goldviz.labs.attention_interface.settings import AttentionInterface
from goldviz.runs.examples import example


@pytest.fixture(scope="module")
def run():
    return example(AttentionInterface, AttentionInterface.presets[0].slug)


def test_weights_are_the_softmax_of_the_scores_and_add_up_to_1(run):
    scores = run["attention_score"].values.astype(np.float64)
    powers = np.exp(scores)
    np.testing.assert_allclose(run["attention"].values, powers / powers.sum(-1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(run["attention"].values.sum(-1), 1, atol=1e-6)


def test_the_probe_s_words_stand_for_each_other_from_end_to_end(run):
    read, written = ([label.split(" ")[1] for label in run[dim].values] for dim in ("read", "written"))
    assert written == [*read[::-1], "end"]
    assert run["aligned"].values.tolist() == [*range(len(read) - 1, -1, -1), -1]
    answer = run["answer"].isel(look=-1).sel(network="attention").values
    words = json.loads(run.attrs["words"])
    assert [words[int(number)] for number in answer if number >= 0] == read[::-1]


def test_accuracy_of_the_trained_lengths_is_the_mean_of_theirs(run):
    trained = run["length"].values <= 8
    by_length = run["length_accuracy"].values[..., trained].mean(-1)
    np.testing.assert_allclose(run["sequence_accuracy"].values, by_length, atol=1e-6)
    np.testing.assert_allclose(run["peak_offset"].values.sum(-1), 1, atol=1e-6)


def test_the_letters_are_turned_round_and_one_vector_forgets_long_ones(run):
    last = run["length_accuracy"].isel(close_look=-1, seed=0)
    assert float(run["sequence_accuracy"].isel(close_look=-1).sel(network="attention")[0]) >= 0.98
    assert float(last.sel(network="fixed_vector", length=8)) < 0.5
    assert float(run["uniform_loss"]) == pytest.approx(np.log(21))
