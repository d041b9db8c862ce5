"""Attention is the papers' formulas, written out as loops in float64; answers are what decoding promises."""

import math

import numpy as np
import pytest
import torch

from goldviz.data.pairs.symbols import reversal
from goldviz.labs.attention_interface.instruments import peaks_beside
from goldviz.labs.attention_interface.networks import Translator, initialise
from goldviz.models.text.decoding import beam, greedy

WIDTH, WORDS, LENGTH = 6, 5, 4


def network(score: str, seed: int = 0, *, both_ways: bool = True) -> Translator:
    made = Translator(WORDS, WORDS, WIDTH, score, both_ways=both_ways).double()
    initialise(made, lambda index: torch.Generator().manual_seed(1000 * seed + index))
    return made


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gru(x, h, w_ih, w_hh, b_ih, b_hh):
    """One step of a GRU (Cho et al. 2014, as PyTorch has it)."""
    n = len(h)
    given, own = w_ih @ x + b_ih, w_hh @ h + b_hh
    r, z = sigmoid(given[:n] + own[:n]), sigmoid(given[n : 2 * n] + own[n : 2 * n])
    return (1 - z) * np.tanh(given[2 * n :] + r * own[2 * n :]) + z * h


def by_loop(net: Translator, source: list[int], told: list[int], score: str) -> tuple[np.ndarray, np.ndarray]:
    """Logits and weights of one sequence, number by number."""
    w = {name: value.detach().numpy() for name, value in net.state_dict().items()}
    words = [w["source_table.weight"][word] for word in source]
    half, states = WIDTH // 2, []
    for first, order in ((0, range(len(words))), (4, reversed(range(len(words))))):
        h, own = np.zeros(half), {}
        for place in order:
            own[place] = h = gru(words[place], h, *(w[f"encoder.{first + part}"] for part in range(4)))
        states.append((own, h))
    encoded = [np.concatenate([states[0][0][place], states[1][0][place]]) for place in range(len(words))]
    last = np.concatenate([states[0][1], states[1][1]])
    s = np.tanh(w["first_state.weight"] @ last + w["first_state.bias"])
    logits, weights = [], []
    for word in told:
        scores = []
        for h in encoded:
            if score == "additive":
                inner = w["score.query.weight"] @ s + w["score.query.bias"] + w["score.key.weight"] @ h
                scores.append(float(w["score.total.weight"][0] @ np.tanh(inner)))
            elif score == "dot":
                scores.append(float(s @ h))
            else:
                scores.append(float(s @ (w["score.key.weight"] @ h)))
        total = sum(math.exp(e) for e in scores)
        alpha = [math.exp(e) / total for e in scores]
        context = sum(a * h for a, h in zip(alpha, encoded, strict=True))
        x = np.concatenate([w["target_table.weight"][word], context])
        s = gru(x, s, *(w[f"cell.{name}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")))
        logits.append(w["read_out.weight"] @ np.concatenate([s, context]) + w["read_out.bias"])
        weights.append(alpha)
    return np.array(logits), np.array(weights)


@pytest.mark.parametrize("score", ["additive", "dot", "general"])
def test_attention_is_the_papers_written_as_a_loop(score: str) -> None:
    net = network(score)
    source, target = [3, 0, 2, 1], [1, 4, 4]
    expected, weights = by_loop(net, source, [net.boundary, *target], score)
    with torch.no_grad():
        logits = net(torch.tensor([source]), torch.tensor([target]))[0]
        read = net.read(torch.tensor([source]))
        state, rows = read.state, []
        for word in (net.boundary, *target):
            step = net.step(torch.tensor([word]), state, read)
            state = step.state
            rows.append(step.weights[0])
    np.testing.assert_allclose(logits, expected, atol=1e-12)
    np.testing.assert_allclose(torch.stack(rows), weights, atol=1e-12)
    np.testing.assert_allclose(torch.stack(rows).sum(-1), 1, atol=1e-12)


@pytest.mark.parametrize("score", ["additive", "dot", "general", ""])
def test_a_beam_of_one_is_greedy_and_a_wider_one_is_at_least_as_likely(score: str) -> None:
    wider = 0
    for seed in range(6):
        net, source = network(score, seed, both_ways=False), torch.arange(LENGTH)
        [first] = beam(net, source, 1, 8)
        words = greedy(net, source[None], 9)[0].tolist()
        ended = words.index(net.boundary) if net.boundary in words else None
        assert list(first.words) == (words[:ended] if ended is not None else words)
        assert first.ended == (ended is not None)
        several = beam(net, source, 4, 8)
        assert several[0].log_probability >= first.log_probability
        assert first.words in [one.words for one in several]
        wider += several[0].words != first.words
    assert wider > 0


def test_the_probability_of_an_answer_is_the_product_of_its_steps() -> None:
    net, source = network("general"), torch.tensor([1, 2, 0])
    for answer in beam(net, source, 5, 5):
        told = torch.tensor([answer.words], dtype=torch.long)
        with torch.no_grad():
            logs = net(source[None], told)[0].log_softmax(-1)
        wanted = [*answer.words, net.boundary][: len(answer.words) + answer.ended]
        expected = sum(float(logs[place, word]) for place, word in enumerate(wanted))
        assert answer.log_probability == pytest.approx(expected, abs=1e-10)
        assert answer.weights.shape == (len(wanted), 3)


def test_without_attention_the_writer_has_nothing_but_the_last_state() -> None:
    net = network("")
    read = net.read(torch.tensor([[0, 1, 2]]))
    other = read._replace(encoded=torch.zeros_like(read.encoded))
    step, same = (net.step(torch.tensor([net.boundary]), read.state, one) for one in (read, other))
    assert step.weights is None
    torch.testing.assert_close(step.logits, same.logits)


def test_peaks_are_counted_from_the_word_that_is_stood_for() -> None:
    class Neighbour(torch.nn.Module):
        """Looks one place behind the word that reversal wants."""

        def __init__(self) -> None:
            super().__init__()
            self.place = LENGTH

        def keys(self, encoded):
            return encoded

        def forward(self, state, keys):
            scores = torch.zeros(keys.shape[:2], dtype=keys.dtype)
            scores[:, min(self.place, LENGTH - 1)] = 5
            self.place -= 1
            return scores

    net = network("dot")
    net.score = Neighbour()
    pairs = reversal(WORDS, LENGTH, LENGTH).draw(2, LENGTH, torch.Generator().manual_seed(0))
    offsets = peaks_beside(net, pairs)
    assert offsets.reshape(LENGTH, 2).T.tolist() == [[0, 1, 1, 1]] * 2
