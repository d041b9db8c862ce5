"""What a run of *Character GPT* keeps, and how its parts can be left out."""

import math

import numpy as np
import pytest
import torch

from goldviz.declare.settings import SettingsError
from goldviz.labs.char_gpt.completing import CANDIDATES, complete, explain, loaded, network_of_state
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_gpt.texts import token_text
from goldviz.models.text.completion import Choice
from goldviz.runs.jobs.jobs import Stopped
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.runs.store.run_store import Store
from goldviz.training.devices import ACCELERATORS, DeviceError
from goldviz.training.state import StateError
from tests.labs.char_gpt.cases import SMALL
from tests.labs.small_runs import carried_out, small_run, whole

TINY = CharGpt(**SMALL)


@pytest.fixture(scope="module")
def run():
    return small_run(TINY)


def test_the_first_look_is_of_the_start_and_near_ln_v(run):
    size = run.sizes["token"]
    assert run["close_look"].values[0] == 1
    assert float(run["uniform_loss"]) == pytest.approx(math.log(size), abs=1e-6)
    assert float(run["dev_loss"][0, 0, 0]) == pytest.approx(math.log(size), rel=0.02)
    np.testing.assert_allclose(run["position_loss"].mean("position"), run["dev_loss"], rtol=1e-5)


def test_attention_is_a_causal_triangle_whose_rows_add_up_to_1(run):
    weights = run["attention"].values.astype(np.float64)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=2e-3)
    assert not np.triu(weights, 1).any()


def test_places_are_like_themselves_and_samples_are_tokens(run):
    similar = run["position_similarity"].values.astype(np.float64)
    np.testing.assert_allclose(np.diagonal(similar, axis1=1, axis2=2), 1, atol=1e-2)
    drawn = run["sample_token"].values
    assert drawn.min() >= 0
    assert drawn.max() < run.sizes["token"]
    assert ((run["sample_probability"].values > 0) & (run["sample_probability"].values <= 1)).all()


def test_the_rate_rises_to_its_peak_and_falls():
    rates = small_run(TINY.changed(steps=20, warm_up=0.25, close_looks=0, look_every=0))["learning_rate"].values
    assert rates.argmax() == 4
    assert rates[4] == pytest.approx(TINY.learning_rate)
    assert rates[0] == pytest.approx(TINY.learning_rate / 5)
    assert rates[-1] == pytest.approx(0.01 * TINY.learning_rate, rel=0.1)


def test_a_run_in_float16_goes_on_with_the_factor_that_it_had():
    settings = TINY.changed(precision="float16", close_looks=0, look_every=0)
    complete = whole(settings)
    first, _ = carried_out(settings, budget=3)
    second, status = carried_out(settings, start_step=3, restored=first.states[3])
    assert status == "finished"
    assert second.states[max(complete.states)] == complete.states[max(complete.states)]


def test_lanes_of_one_seed_read_the_same_text_from_the_same_weights():
    plain, unmasked = (small_run(TINY.changed(masked=masked))["loss"].values.ravel() for masked in (True, False))
    assert plain[0] == pytest.approx(unmasked[0], abs=0.02)
    assert not np.array_equal(plain, unmasked)


@pytest.mark.parametrize(("precision", "apart"), [("bfloat16", 0.02), ("float16", 0.01)])
def test_half_precision_learns_what_float32_learns(precision, apart):
    full, half = (
        small_run(TINY.changed(precision=name, close_looks=1, look_every=0))["loss"].values.ravel()
        for name in ("float32", precision)
    )
    np.testing.assert_allclose(half, full, rtol=apart)
    assert not np.array_equal(half, full)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")
@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_half_precision_on_a_gpu_learns_what_the_cpu_learns(precision):
    cpu = small_run(TINY)["loss"].values.ravel()
    cuda = small_run(TINY.changed(device="cuda", precision=precision))["loss"].values.ravel()
    np.testing.assert_allclose(cuda, cpu, rtol=0.03)


def test_a_gpu_without_bfloat16_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setitem(ACCELERATORS, "cuda", ("CUDA GPU", lambda: True))
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    words = r"^Precision is 'bfloat16', but this machine's GPU has no bfloat16; allowed here: float32, float16\.$"
    with pytest.raises(DeviceError, match=words):
        carried_out(TINY.changed(device="cuda", precision="bfloat16"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"width": 30}, "Width is 30; allowed is a multiple of the 4 heads"),
        ({"vocabulary": 200}, "Vocabulary is 200; allowed is a whole number from 256 to 4096"),
        ({"corpus": "../etc"}, "Corpus is '../etc'; allowed is python, names, cities, or the 16 characters"),
        ({"batch": 0}, "Batch is 0; allowed is a whole number from 1 to 256"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_a_sentence(changes, words):
    with pytest.raises(SettingsError, match=words):
        CharGpt().changed(**changes)


def unheard(done, total):
    """Nobody hears."""


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """A small run in a store of its own, with its last state."""
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path}/runs.db")
    loaded.cache_clear()
    kept = whole(TINY)
    monkeypatch.setattr(Store, "checkpoint", lambda store, run, step: kept.states[step])
    return KeptWeights("a", max(kept.states), TINY.model_dump_json())


def test_a_kept_run_writes_on_the_same_with_and_without_its_cache(trained):
    text = token_text("cities", "characters", 512)
    found = [complete(unheard, trained, "san ", 12, Choice(0.8), 0, cached) for cached in (True, False)]
    assert found[0].tokens == found[1].tokens
    assert text.tokens.decode(found[0].prompt) == "san "
    assert found[0].candidates.shape == (12, CANDIDATES)
    assert found[0].seconds > 0
    reason = explain(unheard, trained, (*found[0].prompt, *found[0].tokens[:3]), found[0].tokens[3])
    assert len(reason.places) == 7
    assert reason.weights.shape == (2, 2, 7)
    np.testing.assert_allclose(reason.weights.sum(-1), 1, rtol=1e-5)
    sure = complete(unheard, trained, "a" * 5000, 2, Choice(0.0), 0, with_cache=True)
    np.testing.assert_array_equal(sure.probabilities, 1)


def test_prompts_that_cannot_be_read_are_refused_in_a_sentence(trained):
    for prompt, words in (("", "The prompt is empty"), ("Ω", "has no 'Ω'")):
        with pytest.raises(ValueError, match=words):
            complete(unheard, trained, prompt, 2, Choice(), 0, with_cache=True)


def test_writing_stops_when_nobody_waits(trained):
    def stop(done, total):
        if done == 2:
            raise Stopped

    with pytest.raises(Stopped):
        complete(stop, trained, "san", 400, Choice(), 0, with_cache=True)


def test_a_state_of_other_sizes_is_refused_in_a_sentence():
    state = whole(TINY).states[6]
    with pytest.raises(StateError, match="holds no network of these settings"):
        network_of_state(TINY.changed(width=32), token_text("cities", "characters", 512).size, state)
