"""What the figures answer that a story's step has in view: from what they draw at that step, and nothing else.

Each answer is a choice and the numbers of the sentence that tells it, in their order; a number that is drawn more
coarsely than it is told stands with how far off it may be.
"""

import importlib
import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from goldviz.declare.registry import laboratories
from goldviz.declare.stories import place, stories
from goldviz.labs.gold_forecast.verdict import verdict as verdict_on_gold
from goldviz.labs.price_tokens.verdict import verdict as verdict_on_tokens
from goldviz.runs.examples import example
from tests.truth.numbers_of_runs import numbers_of

VERDICTS = {
    "gold-forecast": lambda run, settings: verdict_on_gold(run, settings.target),
    "price-tokens": verdict_on_tokens,
}
"""The sentence that stands over the figures."""
MARKS = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Lane:
    """One lane of a step: its figures in view, as they are drawn at the last step of its run, and the verdict."""

    figures: dict
    verdict: str

    def line(self, figure, name, panel=1):
        """The longest line of this name: place across -> value."""
        axis = "y" if panel == 1 else f"y{panel}"
        found = [one for one in self.figures[figure].data if one.get("name") == name and one.get("yaxis", "y") == axis]
        line = max(found, key=lambda one: len(one["x"]))
        return dict(zip(np.asarray(line["x"]).tolist(), np.asarray(line["y"], float).tolist(), strict=True))

    def last(self, figure, name, panel=1):
        return list(self.line(figure, name, panel).values())[-1]

    def end(self, figure, name, panel=1):
        """The mean of a line's last twenty values."""
        return np.mean(list(self.line(figure, name, panel).values())[-20:])

    def map(self, figure, number):
        """A map of a figure, counted from 1: its places across, its values."""
        one = [one for one in self.figures[figure].data if one.get("z") is not None][number - 1]
        return one, np.asarray(one["z"], float)

    def level(self, figure):
        """The height of a figure's only line that goes all across."""
        [shape] = [one for one in self.figures[figure].layout.shapes if one["y0"] == one["y1"]]
        return shape["y0"]

    def note(self, figure, words, number=1):
        """The number behind these words in a figure or under its title, and half a unit of its last digit."""
        layout = self.figures[figure].layout
        texts = [MARKS.sub(" ", str(one["text"])) for one in layout.annotations or ()]
        texts.append(MARKS.sub(" ", str(layout.title.subtitle.text or "")))
        found = [text.partition(words)[2] for text in texts if words in text]
        return next(numbers_of(found[number - 1]))


@cache
def in_view(name):
    """The lanes of a step, named as ``skip.3``."""
    slug, _, number = name.partition(".")
    step, lab = stories()[slug][1].steps[int(number) - 1], laboratories()[place(slug, int(number))]
    page = importlib.import_module(f"{lab.package}.page").PAGE
    first = [one for one in (page.main, page.beside, page.below) if one]
    names = first if not step.figure or step.figure in first else [step.figure]
    return [_lane(lab, preset, names) for preset in step.presets]


def _lane(lab, preset, names):
    run, settings = example(lab.declared, preset), lab.declared.preset(preset)
    specs, last = lab.figures().FIGURES, int(run[run.attrs["step_dimension"]].values[-1])
    figures = {name: specs[name].draw(run, epoch=last).settled() for name in names if not specs[name].canvas}
    return Lane(figures, VERDICTS[lab.name](run, settings) if lab.name in VERDICTS else "")


def _kept(line):
    return line[1] / line[max(line)]


def _yes(holds, *numbers):
    return ("Yes" if holds else "No"), list(numbers)


def _who_learns(lane):
    zero, unit = lane.note("loss", "always 0: ")
    shares = [lane.last("loss", name) / zero for name in ("plain", "residual")]
    words = {(False, False): "Neither", (False, True): "Only the residual one", (True, True): "Both"}
    return words[tuple(share < 0.9 for share in shares)], [(share, share * unit / zero) for share in shares]


def _ends_lower(lane):
    plain, residual = (lane.line("loss_by_depth", name) for name in ("plain", "residual"))
    deepest = max(plain)
    return _yes(residual[deepest] < plain[deepest], deepest, plain[deepest], residual[deepest])


def _adding(lane):
    known, _ = lane.note("loss", "best without memory: ")
    losses = [lane.last("loss", f"{name}, test") for name in ("RNN", "LSTM", "GRU")]
    words = {(False, True, True): "LSTM and GRU, not the RNN", (True, True, True): "All three"}
    return words.get(tuple(loss < known / 2 for loss in losses), "Nobody"), [known, *losses]


def _clipped(lane):
    cut = np.mean(list(lane.line("clipping", "RNN", 2).values()))
    return "Few" if cut < 0.1 else "About half" if cut < 0.6 else "Most", [cut]


def _valve(lane):
    """The openings drawn are means over the units, so their product is of the size of what the best unit keeps."""
    left = np.prod(list(lane.line("gates", "LSTM", 2).values())[1:])
    words = "More than a hundredth" if left > 0.01 else "About a millionth" if left > 1e-9 else "Less than a billionth"
    return words, [(left, 9 * left)]


def _cells(lane):
    """The answer is the second half of what is drawn; one sequence of the many that the number is a mean of."""
    _, weights = lane.map("heads", 2)
    answers = weights[:, -(weights.shape[1] // 2) :]
    cells = np.mean(1 / np.square(answers / answers.sum(0)).sum(0))
    return "About one" if cells < 2 else "A few" if cells < 8 else "Most", [(cells, 0.5), len(weights)]


def _copied(lane):
    line = lane.line("by_length", "NTM")
    word = "As long as in training" if line[12] < 0.5 else "Until the memory is full" if line[18] < 0.5 else "Any"
    return word, [12, line[12], 18, line[18]]


def _turned(lane):
    shares = [lane.line("by_length", f"GRU {how} attention")[8] for how in ("with", "without")]
    return _told_apart(shares, "Only the one that attends", "Only the other"), [8, *shares]


def _told_apart(shares, first, second):
    above = [share > 0.5 for share in shares]
    return "Both" if all(above) else first if above[0] else second if above[1] else "Neither"


def _without_places(*lanes):
    shares = [lane.line("by_length", "Layer norm")[8] for lane in lanes]
    return _told_apart(shares, "Sorting", "Turning round"), [8, *shares]


def _longer_thought(lane):
    line = lane.line("by_difficulty", "τ")
    steps = list(line.values())
    assert steps == sorted(steps)
    return _yes(steps[-1] - steps[0] >= 1, np.corrcoef(list(line), steps)[0, 1])


def _own_programs(lane):
    share = lane.last("right", "the question's own program")
    return "Under half" if share < 0.5 else "Most, not all" if share < 0.99 else "Nearly all", [share]


def _crossing(lane):
    flow, residual = lane.last("loss", "neural ODE"), lane.last("loss", "residual")
    return "The flow" if flow < residual else "The residual step", [flow, residual]


def _neck(lane):
    counts = list(lane.line("evaluations", "neural ODE").values())
    more = counts[-1] / counts[0]
    return "Nothing" if more < 1.2 else "Up to twice as much" if more <= 2 else "More than that", [
        counts[0],
        counts[-1],
    ]


def _lifted(*lanes):
    flat, lifted = (lane.last("loss", "neural ODE") for lane in lanes)
    words = ("Hardly", "Up to a hundred times", "More than that")
    return words[np.searchsorted([2, 100], flat / lifted)], [lifted, flat]


def _refined(big, small):
    own, exact = (big.last("loss", f"neural ODE{more}") for more in ("", ", exact flow"))
    assert abs(small.last("loss", "neural ODE") - small.last("loss", "neural ODE, exact flow")) < 0.01
    return _yes(exact > 2 * own, own, exact)


KNOWN = {
    "ODE-RNN": "The ODE-RNN",
    "GRU": "The GRU",
    "GRU with gaps": "The GRU told the gap",
    "GRU with decay": "The decaying GRU",
}


def _next_value(lane):
    errors = {name: lane.last("error", name) for name in KNOWN}
    return KNOWN[min(errors, key=errors.__getitem__)], sorted(errors.values())


def _after_long_gaps(lane):
    zero, _ = lane.note("error", "predicting zero: ", 2)
    errors = {name: lane.last("error", name, 2) for name in KNOWN}
    below = [name for name, error in errors.items() if error < zero]
    return "Nobody" if not below else "Only the ODE-RNN" if below == ["ODE-RNN"] else "Others too", [
        zero,
        *errors.values(),
    ]


def _spelled(lane):
    (pairs, _), own = lane.note("generalisation", "pairs: "), lane.last("generalisation", "MLP")
    return _yes(pairs - own > 0.1, own, pairs)


def _first_loss(lane):
    [began, *_], (alike, _) = lane.line("loss", "MLP").values(), lane.note("loss", "all alike: ")
    return "Below 4 nats" if began < 4 else "At 4 to 20" if began < 20 else "Above 20", [began, alike]


def _bits(*lanes):
    letters, pieces = (lane.last("bits", "GPT") for lane in lanes)
    return "Pieces" if pieces < letters else "Characters", [letters, pieces]


def _no_mask(lane):
    (pairs, _), own = lane.note("generalisation", "pairs: "), lane.last("generalisation", "GPT")
    words = ("It stays above counted pairs", "It falls a little below", "It falls below half a nat")
    return words[0 if own > pairs else 1 if own > 0.5 else 2], [own, pairs]


def _hidden_words(lane):
    best, (frequency, _) = min(lane.line("learning", "unseen").values()), lane.note("learning", "word frequencies: ")
    return _yes(frequency - best > 1, best, frequency)


def _without_reading(_, lane):
    own, bag = (lane.last("learning", f"{name}new patterns", 2) for name in ("", "bag of words, "))
    return _yes(own - bag > 0.05, own, bag)


def _sines(lane):
    words = ("Transformer, five rows a query", "Transformer, one row a query", "GRU", "Best simple rule")
    errors = [lane.last("training", name) for name in ("Transformer", "Transformer, k = 1", "GRU")]
    errors.append(lane.level("training"))
    return words[int(np.argmin(errors))], errors


def _bumps(lane):
    """The scores of rows that read equal values; how far they are apart on average no single series shows."""
    read = lane.line("similarity", "value")
    bumps = [row for row, value in read.items() if value == max(read.values())]
    assert len(bumps) > 1
    one, five = (
        np.ptp([lane.line("similarity", name, 2)[row] for row in bumps])
        for name in ("Transformer, k = 1", "Transformer")
    )
    assert five > 0.1
    return _yes(one > 1e-6, (one, 1e-5), (five, np.inf))


def _five_days(lane):
    names = ("Transformer", "repeat", "seasonal repeat", "linear map", "AR")
    own, *simple = (np.mean(list(lane.line("horizon", name).values())) for name in names)
    return _yes(own < min(simple), own, min(simple))


def _rows(*lanes):
    lines = [list(lane.line("longer", "Transformer").values()) for lane in lanes]
    grown = [np.mean(line[90:]) / np.mean(line[20:30]) for line in lines]
    return "Hardly" if grown[0] < 1.5 else "Up to 10 times" if grown[0] < 10 else "More than 10 times", grown


def _moves(lane):
    error = lane.last("training", "Transformer")
    return "Clearly better" if error < 0.95 else "About as well" if error < 1.05 else "Worse", [error]


def _score(lane):
    """The GRU's dot, and the ends of its interval, as shares."""
    [own] = [one for one in lane.figures["scoreboard"].data if one.get("name") == "GRU"]
    [value], bars = own["x"], own["error_x"]
    return value / 100, (value - bars["arrayminus"][0]) / 100, (value + bars["array"][0]) / 100


def _skill(lane):
    value, low, high = _score(lane)
    words = "Nobody could tell" if low <= 0 <= high else "A little, surely" if value < 0.05 else "Clearly"
    return words, [value, 0.95, low, high]


def _against_the_mean(lane):
    mean, _ = next(numbers_of(lane.verdict.partition("R² ")[2]))
    return _yes(mean > 0.9, mean, _score(lane)[0])


def _by(lane, part):
    return lane.note("scoreboard", f"{part} ")[0]


def _sign(lane):
    return _yes(_by(lane, "sign") > 0.005, _by(lane, "size"), _by(lane, "sign"))


def _by_later_days(*lanes):
    own, helped = (_by(lane, "size") for lane in lanes)
    words = ("It shrinks", "It grows a little", "It doubles or more")
    return words[0 if helped < 0.9 * own else 1 if helped < 2 * own else 2], [own, helped]


def _changed(lane):
    share, _ = next(numbers_of(lane.verdict.partition("know the future: ")[2]))
    return "None" if share == 0 else "Up to a quarter" if share < 0.25 else "More than a quarter", [share]


def _agreeing(lane):
    """By the days of each token and each regime in the two strips."""
    _, tokens = lane.map("as_text", 1)
    regimes = lane.map("as_text", 2)[0]["text"]
    table = {}
    for token, regime in zip(tokens.ravel().tolist(), np.ravel(regimes).tolist(), strict=True):
        table[token, regime] = table.get((token, regime), 0) + 1
    by_token, by_regime = (dict.fromkeys({key[side] for key in table}, 0) for side in (0, 1))
    for (token, regime), count in table.items():
        by_token[token] += count
        by_regime[regime] += count
    pairs, rows, columns = (
        sum(count * (count - 1) / 2 for count in counts.values()) for counts in (table, by_token, by_regime)
    )
    expected = rows * columns / (tokens.size * (tokens.size - 1) / 2)
    index = (pairs - expected) / ((rows + columns) / 2 - expected)
    assert abs(lane.note("as_text", "Agreement with planted regimes: ")[0] - index) < 0.006
    return "Hardly" if index < 0.1 else "In part" if index < 0.8 else "Nearly always", [index, 1]


def _first_layer(lane):
    kept = _kept(lane.line("gradient_by_layer", "plain"))
    words = "About as much" if kept > 0.3 else "About a hundredth" if kept > 0.003 else "Less than a thousandth"
    return words if kept > 0.003 or kept < 0.001 else "?", [kept]


def _thirty(_, lane):
    left = np.prod(list(lane.line("gradient_factor", "plain").values()))
    words = ("A thousandth or more", "A millionth or so", "Less than a ten-billionth")
    return words[0 if left > 1e-3 else 1 if left > 1e-10 else 2], [left]


def _rnn_reach(lane):
    rnn, lstm = (_kept(lane.line("state_gradient", name)) for name in ("RNN", "LSTM"))
    return "More than a tenth" if rnn > 0.1 else "A thousandth or so" if rnn > 1e-6 else "Less than a millionth", [
        rnn,
        lstm,
    ]


ANSWERS = {
    "deep-plain.1": _first_layer,
    "deep-plain.2": _who_learns,
    "deep-plain.3": _thirty,
    "deep-plain.5": lambda lane: _yes(
        _kept(lane.line("gradient_by_layer", "plain")) > 0.1, _kept(lane.line("gradient_by_layer", "plain"))
    ),
    "skip.3": _ends_lower,
    "memory.1": _adding,
    "memory.2": _rnn_reach,
    "memory.3": lambda small, kept: _yes(
        kept.end("accuracy", "RNN") > 0.9, small.end("accuracy", "RNN"), kept.end("accuracy", "RNN")
    ),
    "memory.5": _clipped,
    "valves.4": _valve,
    "valves.5": lambda _, lane: _yes(lane.end("accuracy", "LSTM") > 0.9, lane.end("accuracy", "LSTM")),
    "memory-to-attention.1": _cells,
    "memory-to-attention.2": _copied,
    "memory-to-attention.3": _turned,
    "memory-to-attention.4": _without_places,
    "memory-to-attention.5": _longer_thought,
    "memory-to-attention.6": _own_programs,
    "flow.3": _crossing,
    "flow.4": _neck,
    "flow.5": _lifted,
    "flow.6": _refined,
    "gaps.2": _next_value,
    "gaps.3": _after_long_gaps,
    "gaps.5": lambda coarse, fine: _yes(
        coarse.last("consistency", "ODE-RNN", 2) > 1.5,
        *(lane.last("consistency", "ODE-RNN", 2) for lane in (coarse, fine)),
    ),
    "spelling.2": _spelled,
    "spelling.3": _first_loss,
    "spelling.5": _bits,
    "spelling.6": _no_mask,
    "attention.4": _hidden_words,
    "attention.5": _without_reading,
    "series.1": _sines,
    "series.2": _bumps,
    "series.3": _five_days,
    "series.4": _rows,
    "series.5": _moves,
    "gold.2": _skill,
    "gold.3": _against_the_mean,
    "gold.4": lambda lane: (
        ("Below 5 %", "5 to 20 %", "Above 20 %")[np.searchsorted([0.05, 0.2], _score(lane)[0])],
        [_score(lane)[0]],
    ),
    "gold.5": lambda lane: _yes(_score(lane)[1] > 0, *_score(lane)[:2]),
    "gold.6": lambda lane: _yes(_score(lane)[1] > 0, *_score(lane)[1:]),
    "prices.2": _sign,
    "prices.3": _by_later_days,
    "prices.4": _changed,
    "prices.5": _agreeing,
}
"""Of every step that asks something, from the lanes that it shows: the right choice and the sentence's numbers."""


def _forgets(run):
    """The mean opening of an LSTM's forget gates at the first look."""
    return float(run["gate_opening"].sel(gate="forget").isel(look=0).mean())


def _tenfold(run):
    """Whether the gradient grows about ten times a step, over the second half of the steps."""
    norms = run["gradient_norm"].values.astype(float).ravel()
    norms = norms[np.isfinite(norms)]
    half = norms[len(norms) // 2 :]
    return abs(np.log10(half[-1] / half[0]) / (len(half) - 1) - 1) < 0.1


def _valve_at(ds):
    return float(ds["opening"].sel(valve="forget").mean())


WORDS = {
    "deep-plain.4": lambda run: not np.isfinite(run["loss"][1]).any(),
    "skip.4": lambda run: (
        (run["evaluation_loss"][-1] > float(run["zero_loss"].squeeze())).all()
        and (run["gradient_norm"][-1].sel(network="residual", layer=slice(1, None)) > 0.1).all()
    ),
    "memory.3": lambda run, _: run["log_jacobian_norm"][-1].sel(lag=50).max() < -12,
    "memory.4": lambda run: (
        _tenfold(run) and not np.isfinite(run["loss"][-1]).any() and np.isfinite(run["loss"][:-1]).all()
    ),
    "valves.2": lambda ds: abs(_valve_at(ds) - 1 / 8) < 0.02 and ds.attrs["reach"] < ds.sizes["step"] / 5,
    "valves.3": lambda ds: abs(_valve_at(ds) - 0.98) < 0.005 and ds.attrs["reach"] == ds.sizes["step"],
    "valves.4": lambda run: abs(_forgets(run) - 0.12) < 0.005,
    "valves.5": lambda _, run: abs(_forgets(run) - 0.73) < 0.005,
    "spelling.7": lambda run: run["position_loss"][-1].mean() > run["bigram_position_loss"].mean(),
}
"""What steps say beside their questions, from the arrays that their figures draw."""
