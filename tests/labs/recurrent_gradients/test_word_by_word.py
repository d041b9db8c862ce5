"""Reviews that somebody types: read with the weights of a run, as PyTorch's own networks read them."""

from functools import cache

import numpy as np
import pytest
import torch
import xarray as xr

import goldviz.api
from goldviz.figures.theme import Theme
from goldviz.labs.recurrent_gradients.figures.words import OF_WORDS
from goldviz.labs.recurrent_gradients.reader import SequenceReader, at_start, side_by_side, take_over
from goldviz.labs.recurrent_gradients.reviews import VOCABULARY, generated_reviews
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.labs.recurrent_gradients.train import TESTED
from goldviz.labs.recurrent_gradients.word_by_word import MOST_WORDS, Words, read_words
from goldviz.training.seeds import BATCH_ORDER, stream

UMBRELLA = (
    "I forgot to bring an umbrella in such a heavy rainy weather, and I missed the last bus to go back home. "
    "What a wonderful day!"
)


@cache
def trained(**changes: object) -> xr.Dataset:
    few = {"task": "reviews", "length": 6, "hidden": 12, "steps": 60, "batch": 32, "look_every": 0, **changes}
    return goldviz.api.run(RecurrentGradients.checked(few), progress=False)


def settings_of(run: xr.Dataset) -> RecurrentGradients:
    return RecurrentGradients.checked_json(run.attrs["settings"])


@torch.no_grad()
def reader_of(run: xr.Dataset, lane: str) -> SequenceReader:
    network = at_start(settings_of(run), lane, 0, len(VOCABULARY), 2)
    take_over(network, torch.as_tensor(run["weights"].values[0]))
    network.requires_grad_(False)
    network.double()
    return network


def read(text: str, **changes: object) -> xr.Dataset:
    run = trained(**changes)
    return read_words(settings_of(run), run["weights"].values, text)


def test_a_run_s_weights_judge_as_the_run_did() -> None:
    """The same reviews as its test loss: that loss again, and the same verdict on one read by itself."""
    run = trained(networks="gru")
    drawn = generated_reviews(6, TESTED // 2, stream(0, BATCH_ORDER))
    network = reader_of(run, "gru")
    verdicts = network.read(network(drawn.inputs.double()).hidden[-1])
    loss = torch.nn.functional.cross_entropy(verdicts, drawn.labels)
    assert float(loss) == pytest.approx(float(run["test_loss"].squeeze()), rel=1e-5)
    for number in (0, 100):
        praise = float(read(drawn.text(number), networks="gru")["praise"][0, -1])
        assert praise == pytest.approx(float(verdicts[number].softmax(0)[1]), rel=1e-12)


def test_the_lstm_is_pytorchs() -> None:
    """torch.nn.LSTM with the same weights, and autograd through it."""
    run = trained(networks="lstm")
    network = reader_of(run, "lstm")
    twin = torch.nn.LSTM(len(VOCABULARY), 12).double()
    with torch.no_grad():
        for name, own in (("weight_ih_l0", network.layer.W_x), ("weight_hh_l0", network.layer.W_h)):
            i, f, o, c = own.chunk(4)
            getattr(twin, name).copy_(torch.cat([i, f, c, o]))
        i, f, o, c = network.layer.b.chunk(4)
        twin.bias_ih_l0.data = torch.cat([i, f, c, o])
        twin.bias_hh_l0.data = torch.zeros(48, dtype=torch.float64)
    text = "the rain came and not the sun to town what a wonderful day"
    inputs = Words.of(text).inputs.requires_grad_()
    states, _ = twin(inputs)
    answers = states[:, 0] @ network.W_hy.t() + network.b_y
    (gradient,) = torch.autograd.grad(answers[-1, 1] - answers[-1, 0], inputs)
    found = read(text, networks="lstm").isel(network=0)
    np.testing.assert_allclose(found["state"], states[:, 0].detach(), atol=1e-12)
    np.testing.assert_allclose(found["praise"], answers.detach().softmax(1)[:, 1], atol=1e-12)
    np.testing.assert_allclose(found["word_gradient"], (gradient * inputs).detach().sum((1, 2)), atol=1e-10)


@pytest.mark.parametrize("network", ["rnn", "lstm", "gru"])
def test_a_state_s_gradient_is_the_margin_s_difference_quotient(network: str) -> None:
    """h_t is moved before the next word is read; the length of the differences over all units is the norm."""
    run = trained(networks=network)
    text, step, nudge = "the sun came and not the rain what a lovely day", 4, 1e-5
    reader = reader_of(run, network)
    inputs = Words.of(text).inputs
    trace = reader(inputs[:step])

    def margin(moved: torch.Tensor) -> float:
        start = (moved, trace.cells[-1]) if network == "lstm" else moved
        answer = reader.read(reader.layer(inputs[step:], start).states[-1])[0]
        return float(answer[1] - answer[0])

    h = trace.states[-1]
    units = torch.eye(h.shape[1], dtype=torch.float64) * nudge
    slopes = [(margin(h + unit) - margin(h - unit)) / (2 * nudge) for unit in units]
    found = read(text, networks=network)["state_gradient"].sel(time=step)
    assert float(found.squeeze()) == pytest.approx(float(np.linalg.norm(slopes)), rel=1e-6)


def test_a_word_that_was_never_seen_is_a_step_without_input() -> None:
    words = Words.of(UMBRELLA)
    assert words.words[-4:] == ("what", "a", "wonderful", "day")
    assert [word for word, known in zip(words.words, words.known, strict=True) if known] == [
        "to",
        "a",
        "and",
        "the",
        "bus",
        "to",
        "what",
        "a",
        "wonderful",
        "day",
    ]
    found = read(UMBRELLA)
    unknown = ~np.array(found.attrs["known"])
    assert (found["word_gradient"].values[:, unknown] == 0).all()
    assert not words.inputs[unknown].any()
    assert np.isfinite(found["gate_opening"].sel(network="lstm", gate="forget")).all()
    assert np.isnan(found["gate_opening"].sel(network="rnn")).all()


@pytest.mark.parametrize("text", ["", "?!", "word " * (MOST_WORDS + 1)])
def test_no_words_or_too_many_are_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"The review has \d+ words; allowed are 1 to 200\."):
        Words.of(text)


def test_weights_travel_side_by_side() -> None:
    settings = RecurrentGradients(task="reviews", hidden=5)
    networks = [at_start(settings, lane, 1, 4, 2) for lane in ("rnn", "lstm")]
    rows = side_by_side(networks)
    other = at_start(settings, "rnn", 2, 4, 2)
    take_over(other, rows[0])
    assert all(torch.equal(*pair) for pair in zip(other.parameters(), networks[0].parameters(), strict=True))
    with pytest.raises(ValueError, match="There are 3 weights; the network has"):
        take_over(other, rows[0][:3])


def test_only_reviews_keep_weights() -> None:
    assert "weights" not in trained(task="adding", steps=1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_figure_draws_what_was_read(theme: Theme) -> None:
    found = read("The sun came, umbrella: what a lovely day")
    verdicts = OF_WORDS["verdict"].draw(found, theme=theme).checked()
    assert [trace.name for trace in verdicts.data] == ["RNN", "LSTM", "GRU"]
    np.testing.assert_array_equal(verdicts.data[1].y, found["praise"].sel(network="lstm"))
    assert list(verdicts.layout.xaxis.ticktext)[3] == "(umbrella)"
    heard = OF_WORDS["heard"].draw(found, theme=theme).checked()
    np.testing.assert_allclose(heard.data[2].y, np.log10(found["state_gradient"].sel(network="gru")))
    states = OF_WORDS["states"].draw(found, network="rnn", theme=theme).checked()
    np.testing.assert_allclose(states.data[0].z, found["state"].sel(network="rnn").T, rtol=1e-6)
    assert (states.layout.coloraxis.cmin, states.layout.coloraxis.cmax) == (-1.0, 1.0)
    loud = found.assign(state=-3 * found["state"] / np.abs(found["state"].sel(network="rnn")).max())
    scale = OF_WORDS["states"].draw(loud, network="rnn", theme=theme).checked().layout.coloraxis
    np.testing.assert_allclose((scale.cmin, scale.cmax), (-3.0, 3.0), rtol=1e-6)
    gates = OF_WORDS["word_gates"].draw(found, network="gru", theme=theme).checked()
    assert [trace.name for trace in gates.data] == ["update gate", "reset gate"]
