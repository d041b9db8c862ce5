"""Every number that a story reveals, computed once more from the recorded arrays by other means.

Nothing here is taken from the laboratories' stories, claims or readings but the sentence itself. Where the records hold
a number twice (a share of right answers and a table of confusions, a ratio of norms and its logarithms layer by layer)
it is computed from those that the story does not read.
"""

import math
import re

import numpy as np
import pytest

from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.declare.stories import place, stories
from goldviz.runs.examples import example
from tests.truth.numbers_of_runs import (
    bag_of_words,
    came_and_forecast,
    numbers_of,
    of,
    saved,
    settings_of,
    tone_right,
)
from tests.truth.stories_in_view import ANSWERS, WORDS, in_view

STEPS = {
    f"{slug}.{number}": (slug, number, step)
    for slug, (_, story) in stories().items()
    for number, step in enumerate(story.steps, 1)
    if step.guess
}


def handed_back(run, network="plain"):
    """First hidden layer's gradient over the last one's in the last epoch, from ln g(l+1) - ln g(l) of every layer."""
    hidden = settings_of(run)["depth"]
    return math.exp(-of(run, "decay_rate", network)[-1, 1:hidden].sum())


def error_left(run, network="plain"):
    """The error's length before the first block over that behind the last, in the last epoch."""
    norms = of(run, "hidden_gradient_norm", network)[-1]
    return norms[0] / norms[-1]


def beside_zero(run, network):
    return float(of(run, "test_loss", network) / of(run, "zero_loss"))


def first_over_last(run, network):
    norms = of(run, "state_gradient_norm", network)[-1]
    return norms[0] / norms[-1]


def right(run, network):
    return of(run, "accuracy", network)[-20:].sum() / 20


def along_the_cell(run):
    """The product of forget gates back to the first step."""
    power = of(run, "log_cell_path", "lstm")[-1, -1]
    gate = run["gate"].values.tolist().index("forget")
    openings = of(run, "gate_opening", "lstm")[-1, gate]
    # The path is that of the unit that keeps most; the mean unit's is smaller, and of the same order.
    assert 1.3 > np.log10(openings[1:]).sum() / power > 0.7
    return 10.0**power


def in_nats(run):
    assert of(run, "uniform_loss") == pytest.approx(math.log(int(run.attrs["vocabulary_size"])), rel=1e-6)
    return float(run["unigram_loss"])


def end(run, side):
    rows, columns = run["model"].values.tolist(), run["metric"].values.tolist()
    return float(run[f"score_{side}"].values[rows.index("network"), columns.index("r2")])


def _gaps(run):
    called = {
        "ode_rnn": "the ODE-RNN",
        "gru": "the GRU",
        "gru_gap": "the GRU told the gap",
        "gru_decay": "the decaying GRU",
    }
    errors = [(of(run, "error", name)[-1], f"{words[:1].upper()}{words[1:]}") for name, words in called.items()]
    return min(errors)[1], sorted(error for error, _ in errors)


def _long_gaps(run):
    networks = ("ode_rnn", "gru", "gru_gap", "gru_decay")
    errors = [of(run, "long_gap_error", name)[-1] for name in networks]
    zero = of(run, "zero_error_by_seed")[run["horizon"].values.tolist().index("long gap")]
    winners = [name for name, error in zip(networks, errors, strict=True) if error < zero]
    return "Only the ODE-RNN" if winners == ["ode_rnn"] else "Others too" if winners else "Nobody", [zero, *errors]


def _yes(holds, *numbers):
    return ("Yes" if holds else "No"), list(numbers)


def _refined(run):
    return of(run, "refined_error")[-1] / of(run, "error", "ode_rnn")[-1]


def _neck(run):
    counts = of(run, "evaluations_forward", "ode")
    more = counts[-1] / counts[0]
    return "More than that" if more > 2 else "Up to twice as much" if more > 1.2 else "Nothing", [counts[0], counts[-1]]


def _adding(run):
    losses = [float(of(run, "test_loss", name)) for name in ("rnn", "lstm", "gru")]
    known = float(of(run, "memoryless_loss"))
    learned = [loss < known / 2 for loss in losses]
    # Two numbers between 0 and 1 are added: whoever says 1 errs by their variance, 1/12 each, give or take the sample.
    assert known == pytest.approx(1 / 6, rel=0.2)
    words = {(False, True, True): "LSTM and GRU, not the RNN", (True, True, True): "All three"}
    return words.get(tuple(learned), "Nobody"), [known, *losses]


def _clipped(run):
    cut = (of(run, "gradient_norm", "rnn") > settings_of(run)["clip"]).mean()
    return "Few" if cut < 0.1 else "About half" if cut < 0.6 else "Most", [cut]


def _leak(run):
    return "Above 20 %", [saved(run)]


def _level(run):
    """Forecasts of the price: against the mean of the prices that came, and against the last one."""
    came, forecast = came_and_forecast(run)
    price = run["price"].values.astype(float)
    errors = np.square(came - forecast).sum()
    return _yes(True, 1 - errors / np.square(came - came.mean()).sum(), 1 - errors / np.square(came - price).sum())


def _sines(run):
    shares = [of(run, "weighted_error", name)[-1] for name in ("transformer", "pointwise", "gru")]
    shares.append(of(run, "simple_weighted").min())
    names = ("Transformer, five rows a query", "Transformer, one row a query", "GRU", "Best simple rule")
    return names[int(np.argmin(shares))], shares


def _bumps(run):
    one, five = (of(run, "bumps_apart", name)[-1] for name in ("pointwise", "transformer"))
    return ("Yes" if one > 1e-6 else "No"), [one, five]


def _five_days(run):
    error = sum(of(run, "horizon_error", "transformer")[-1]) / run.sizes["ahead"]
    simple = min(sum(row) / run.sizes["ahead"] for row in of(run, "simple_error"))
    return _yes(error < simple, error, simple)


def _longer(*runs):
    rows = [of(run, "row_error", "transformer")[-1] for run in runs]
    grown = [sum(row[90:]) / sum(row[20:30]) / 3 for row in rows]
    return "Hardly" if grown[0] < 1.5 else "Up to 10 times" if grown[0] < 10 else "More than 10 times", grown


def _moves(run):
    error = of(run, "weighted_error", "transformer")[-1]
    return "Clearly better" if error < 0.95 else "About as well" if error < 1.05 else "Worse", [error]


def _cells_of_answers(run):
    """What is recorded is a mean over many sequences; in the one whose addresses are kept it is about the same."""
    cells = float(of(run, "cells_used")[-1, run["head"].values.tolist().index("read")])
    weights = run["address"].isel(look=-1).sel(stage="sharpen", head="read").values.astype(float)
    answers = weights.reshape(-1, weights.shape[-1])[int(run.attrs["first_answer"]) - 1 :]
    assert np.mean(1 / np.square(answers).sum(-1)) == pytest.approx(cells, abs=0.5)
    return ("About one" if cells < 2 else "?"), [cells, 16]


def copied(run, length):
    """Sequences of this length without a wrong bit; every bit is right in no smaller a share."""
    place = run["length"].values.tolist().index(length)
    whole, bits = (float(of(run, name, "ntm")[-1, place]) for name in ("sequences_right", "bits_right"))
    assert whole <= bits
    return whole


def turned(run, network):
    return float(of(run, "length_accuracy", network)[-1, run["length"].values.tolist().index(8)])


def _without_places(*runs):
    shares = [turned(run, "layer") for run in runs]
    return ("Sorting" if shares[0] > 0.5 > shares[1] else "?"), [8, *shares]


def _longer_thought(run):
    """From the mean steps of each number of signs: Cov(N, d) and the spread of N, as in the laboratory's own test."""
    correlation = float(of(run, "correlation", "tau")[-1])
    by_difficulty = of(run, "ponder_by_difficulty", "tau")[-1]
    slope = np.polyfit(run["difficulty"].values, by_difficulty, 1)[0]
    assert np.sign(slope) == np.sign(correlation)
    return _yes(correlation > 0.5, correlation)


def _own_programs(run):
    """A program that is the question's own answers rightly, so no more can be than are right, sort by sort."""
    asked, right = (float(of(run, name, "programmer")[-1]) for name in ("as_asked", "right"))
    assert asked <= right
    assert of(run, "right_by_sort", "programmer")[-1].min() <= right <= of(run, "right_by_sort", "programmer")[-1].max()
    return "Under half" if asked < 0.5 else "Most, not all" if asked < 0.99 else "Nearly all", [asked]


def _spelled(run):
    dev, pairs = of(run, "dev_loss", "mlp")[-1], of(run, "bigram_dev_loss")
    return _yes(pairs - dev > 0.1, dev, pairs)


def _first_letters(run):
    began = of(run, "loss", "mlp")[0]
    return "Above 20" if began > 20 else "?", [began, math.log(run.sizes["symbol"])]


def _by_position(run):
    """The dev loss as the mean over the places of the block, which are scored equally often."""
    return of(run, "position_loss", "gpt")[-1].mean()


def _bits_a_byte(*runs):
    letters, pieces = (_by_position(run) * float(run["tokens_per_byte"]) / math.log(2) for run in runs)
    return "Pieces" if pieces < letters else "Characters", [letters, pieces]


def _no_mask(run):
    loss = _by_position(run)
    return "It falls below half a nat" if loss < 0.5 else "?", [loss, of(run, "bigram_position_loss").mean()]


def _score_of(run, metric):
    rows, columns = run["model"].values.tolist(), run["metric"].values.tolist()
    return float(run["score"].values[rows.index("network"), columns.index(metric)])


def _gained_by_size(run):
    """What is gained over frequency in all, day by day, less the part that is of the sign."""
    frequency = run["baseline_nats"].values.astype(float)[run["baseline"].values.tolist().index("frequency")]
    own = run["nats"].values.astype(float)[-1].mean(axis=-1)
    return (frequency - own).mean() - _score_of(run, "sign_gain")


def _by_sign(run):
    sign = _score_of(run, "sign_gain")
    return _yes(sign > 0.005, _gained_by_size(run), sign)


def _helped(*runs):
    own, helped = map(_gained_by_size, runs)
    return "It doubles or more" if helped > 2 * own else "?", [own, helped]


def _future_bins(run):
    share = float(run["changed_by_future"])
    return "More than a quarter" if share > 0.25 else "?", [share]


def _agreeing(run):
    index = float(run["rand_index"])
    return "In part" if 0.1 < index < 0.8 else "?", [index, 1]


REVEALED = {
    "spelling.2": _spelled,
    "spelling.3": _first_letters,
    "spelling.5": _bits_a_byte,
    "spelling.6": _no_mask,
    "prices.2": _by_sign,
    "prices.3": _helped,
    "prices.4": _future_bins,
    "prices.5": _agreeing,
    "deep-plain.1": lambda run: ("Less than a thousandth", [handed_back(run)]),
    "deep-plain.2": lambda run: ("Only the residual one", [beside_zero(run, "plain"), beside_zero(run, "residual")]),
    "deep-plain.3": lambda _, run: ("Less than a ten-billionth", [error_left(run)]),
    "deep-plain.5": lambda run: _yes(handed_back(run) > 0.1, handed_back(run)),
    "skip.3": lambda run: _yes(
        of(run, "loss", "residual")[-1] < of(run, "loss", "plain")[-1],
        settings_of(run)["depth"],
        of(run, "loss", "plain")[-1],
        of(run, "loss", "residual")[-1],
    ),
    "memory.1": _adding,
    "memory.2": lambda run: ("Less than a millionth", [first_over_last(run, "rnn"), first_over_last(run, "lstm")]),
    "memory.3": lambda small, kept: _yes(right(kept, "rnn") > 0.9, right(small, "rnn"), right(kept, "rnn")),
    "memory.5": _clipped,
    "valves.4": lambda run: ("Less than a billionth", [along_the_cell(run)]),
    "valves.5": lambda _, run: _yes(right(run, "lstm") > 0.9, right(run, "lstm")),
    "flow.3": lambda run: (
        "The residual step",
        [of(run, "test_loss", "ode")[-1], of(run, "test_loss", "residual")[-1]],
    ),
    "flow.4": _neck,
    "flow.5": lambda flat, run: (
        "More than that",
        [of(run, "test_loss", "ode")[-1], of(flat, "test_loss", "ode")[-1]],
    ),
    "flow.6": lambda run, _: _yes(True, of(run, "test_loss", "ode")[-1], of(run, "refined_test_loss", "ode")[-1]),
    "gaps.2": _gaps,
    "gaps.3": _long_gaps,
    "gaps.5": lambda coarse, capped: _yes(_refined(coarse) > 1.5, _refined(coarse), _refined(capped)),
    "memory-to-attention.1": _cells_of_answers,
    "memory-to-attention.2": lambda run: (
        "Until the memory is full" if copied(run, 18) < 0.5 < copied(run, 12) else "?",
        [12, copied(run, 12), 18, copied(run, 18)],
    ),
    "memory-to-attention.3": lambda run: (
        "Only the one that attends" if turned(run, "attention") > 0.5 > turned(run, "fixed_vector") else "?",
        [8, turned(run, "attention"), turned(run, "fixed_vector")],
    ),
    "memory-to-attention.4": _without_places,
    "memory-to-attention.5": _longer_thought,
    "memory-to-attention.6": _own_programs,
    "series.1": _sines,
    "series.2": _bumps,
    "series.3": _five_days,
    "series.4": _longer,
    "series.5": _moves,
    "attention.4": lambda run: _yes(True, np.nanmin(of(run, "unseen_masked_loss")), in_nats(run)),
    "attention.5": lambda _, run: _yes(tone_right(run) > bag_of_words(run) + 0.05, tone_right(run), bag_of_words(run)),
    "gold.2": lambda run: ("Nobody could tell", [saved(run), 0.95, end(run, "low"), end(run, "high")]),
    "gold.3": _level,
    "gold.4": _leak,
    "gold.5": lambda run: _yes(end(run, "low") > 0, saved(run), end(run, "low")),
    "gold.6": lambda run: _yes(end(run, "low") > 0, end(run, "low"), end(run, "high")),
}


NUMERALS = {"four": 4, "six": 6, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "sixteen": 16, "eighteen": 18}


def answer_of(name):
    """The choice that is told right, and the sentence's numbers, each with half a unit of its last digit."""
    slug, number, step = STEPS[name]
    declared = laboratories()[place(slug, number)].declared
    found, sentence = step.guess.found(*(example(declared, preset) for preset in step.presets))
    return step.guess.choices[found], list(numbers_of(sentence)), sentence


@pytest.mark.parametrize("name", STEPS)
def test_the_figures_in_view_give_the_answer_and_its_numbers(name):
    choice, numbers = ANSWERS[name](*in_view(name))
    told, said, sentence = answer_of(name)
    assert told == choice
    assert len(said) == len(numbers), sentence
    for (value, unit), drawn in zip(said, numbers, strict=True):
        seen, coarse = drawn if isinstance(drawn, tuple) else (drawn, 0)
        assert value == pytest.approx(seen, abs=1.001 * unit + coarse), sentence


@pytest.mark.parametrize("name", [f"memory-to-attention.{number}" for number in (2, 3)])
def test_a_length_that_is_asked_about_is_the_one_that_is_told(name):
    """Of a figure by length: the lengths that question and choices name are among the numbers of the answer."""
    asked = {
        NUMERALS[word] for word in re.findall(r"[a-z]+", STEPS[name][2].guess.question.lower()) if word in NUMERALS
    }
    assert asked <= {value for value, _ in answer_of(name)[1]}


@pytest.mark.parametrize("name", WORDS)
def test_what_a_step_says_is_so_in_the_runs_that_it_shows(name):
    slug, _, number = name.partition(".")
    step, declared = stories()[slug][1].steps[int(number) - 1], laboratories()[place(slug, int(number))].declared
    trained = issubclass(declared, Experiment)
    shown = [example(declared, one) if trained else declared.preset(one).compute() for one in step.presets]
    assert WORDS[name](*shown)


def test_every_guess_is_answered_here_too():
    assert REVEALED.keys() == ANSWERS.keys() == STEPS.keys()


@pytest.mark.parametrize("name", STEPS)
def test_a_story_reveals_what_the_records_hold(name):
    slug, number, step = STEPS[name]
    declared = laboratories()[place(slug, number)].declared
    runs = [example(declared, preset) for preset in step.presets]
    told, said, sentence = answer_of(name)
    choice, numbers = REVEALED[name](*runs)
    assert told == choice
    assert len(said) == len(numbers), sentence
    for (value, unit), true in zip(said, numbers, strict=True):
        assert value == pytest.approx(true, abs=1.001 * unit), sentence
