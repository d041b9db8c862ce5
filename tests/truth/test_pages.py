"""The numbers that a page tells in its sentences, computed once more from the recorded arrays by other means.

Of each laboratory's first example. Nothing here is taken from a laboratory's measures; a sentence alone is.
"""

import math
import re

import numpy as np
import pytest

from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.runs.examples import example
from tests.labs.small_runs import with_own
from tests.page_words import on_page
from tests.truth.numbers_of_runs import came_and_forecast, numbers_of, of, recurrent_size, saved, settings_of

PARTS = {"backpropagation-by-hand": ("sums", "pairs", "update")}
"""Parts of pages that tell numbers, too."""
ROUNDING = 1e-12
"""Where a sentence tells how little two ways to a number differ, no other way tells it; it is rounding."""


def block_factors(run, network):
    """What each block makes of the error at the last epoch, from the last hidden state to the first."""
    return np.exp(np.diff(np.log(of(run, "hidden_gradient_norm", network)[-1]))[::-1] * -1)


def of_depth(network):
    def numbers(run):
        factors = block_factors(run, network)
        gain = of(run, "jacobian_gain", network)[-1]
        one = [1] if network == "residual" else []  # of its Jacobian, 1 + dF/dh
        return [np.exp(np.log(factors).mean()), np.prod(factors), len(factors), *one, gain.sum() / gain.size]

    return numbers


def of_lags(network):
    def numbers(run):
        steps = np.diff(of(run, "log_jacobian_norm", network)[-1])
        return [10.0 ** steps.mean(), 10, steps.sum()]

    return numbers


def bound(run, slope=1.0):
    return run.sizes["lag"] - 1, (run.sizes["lag"] - 1) * math.log10(slope * run.attrs["spectral_norm"])


def of_machine(run):
    read, write = run["cells_used"].values[-1, 0]
    whole = of(run, "sequences_right", "ntm")[-1]
    return [write, read, whole[run["length"].values.tolist().index(6)]]


def of_series(run):
    error, weighted = (of(run, name, "transformer")[-1] for name in ("horizon_error", "weighted_error"))
    simple = [sum(of(run, "simple_error")[place]) for place in range(run.sizes["simple"])]
    return [sum(error) / len(error), min(simple) / len(error), weighted, sorted(of(run, "simple_weighted"))[0]]


def of_farthest(network):
    def numbers(run):
        gradients = of(run, "input_gradient", network)
        return [of(run, "accuracy_by_distance", network)[-1, -1], gradients[0, -1]]

    return numbers


def of_thought(run):
    shares = of(run, "step_share", "tau")[-1]
    return [shares @ run["ponder_step"].values, of(run, "accuracy", "tau")[-1]]


def of_interface(run):
    offsets = of(run, "peak_offset")[-1]
    own = offsets[len(offsets) // 2]
    return [of(run, "sequence_accuracy", "attention")[-1], own, own + offsets[len(offsets) // 2 - 1 :: 2][:2].sum()]


def of_programmer(run):
    return [of(run, name, "programmer")[-1] for name in ("right", "gap")]


def of_transformer(run):
    shares = of(run, "sequence_accuracy")
    steps = run["look"].values[np.flatnonzero(shares >= 0.99)[0]] if shares.max() >= 0.99 else run["look"].values[-1]
    return [of(run, "told_right")[-1], of(run, "free_right")[-1], steps, 0.99]


def of_lens(run):
    lags, length = run.sizes["lag"] - 1, np.nanmax(run["singular_value"].values[-1])
    return [0, lags, 10, length, 10.0 ** (length / lags)]


def of_bounds(run):
    apart = run["bound"].values - run["asymptote"].values
    norm, radius = (10.0 ** run[name].values[1] for name in ("bound", "asymptote"))
    parted = np.flatnonzero(apart >= 1)[0]
    slope = run["passed"].values.max()
    lags, by_slope = bound(run, slope)
    return [norm, radius, parted, 1, slope, lags, 10, by_slope, 10, bound(run)[1]]


def of_valves(run):
    openings = run["opening"].sel(valve="forget").transpose("step", ...).values
    lengths = run["cell"].values
    products = sorted(openings.prod(axis=0))
    # The geometric mean of the two in the middle: their logarithms are what is averaged.
    typical = math.log10(math.sqrt(products[len(products) // 2] * products[~(len(products) // 2)]))
    back = next(k for k in range(len(lengths)) if 100 * lengths[-1 - k] < lengths[-1])
    by_gates = run["gates_left"].values[run["path"].values.tolist().index("min_gru")]
    return [back, 1, 100, openings.sum() / openings.size, 10, typical, 10, by_gates.min()]


def sums(run):
    return [run[f"{part}_term"].values.sum(axis=0) for part in ("W_ax", "W_aa", "b_a", "W_ya", "b_y")]


def gradient(run):
    return math.sqrt(sum(np.square(one).sum() for one in sums(run)))


def text_loss(run):
    return -(run["y"].values * np.log(run["y_hat"].values)).sum()


def counted_more_than_once(run):
    """Eq. 6 with the loss of step t counted t - k + 1 times for step k, less that counted once."""
    once = np.einsum("tku,ke->tkue", np.nan_to_num(run["delta_of_loss"].values), run["h_previous"].values)
    times = np.arange(len(once))[:, None] - np.arange(len(once))[None]
    more = np.einsum("tk,tkue->ue", np.where(times > 0, times, 0), once)
    return np.linalg.norm(more) / np.linalg.norm(once.sum(axis=(0, 1)))


def nudged_off(run):
    """The largest difference of a nudged derivative of the loss to that by hand; no derivative here is above 1."""
    names = ("arriving", "delta", "weight_gradient", "bias_gradient")
    assert max(np.nanmax(np.abs(run[name].values)) for name in names) < 1
    return max(np.nanmax(np.abs(run[name].values - run[f"{name}_nudge"].values)) for name in names)


def tokens(run, side):
    joined = run["joined"].values[side]
    return 1 + (joined <= 0).sum()


def pieces(run, side):
    return 1 + (run["joined"].values[side] == -1).sum()


def in_all_units(loss):
    return [loss, math.log2(math.exp(loss)), math.exp(loss)]


def of_gpt(run):
    set_to = settings_of(run)
    width, layers = set_to["width"], set_to["layers"]
    table = round(math.exp(float(run["uniform_loss"]))) * width + set_to["block"] * width
    return [
        layers,
        width,
        set_to["heads"],
        width // set_to["heads"],
        layers * (12 * width**2 + 13 * width) + table + 2 * width,
    ]


def head_start(run):
    """The squared length of a token's first vector of N(0, 0.02), over the states' spread after the last block."""
    settings = settings_of(run)
    spread = math.sqrt(of(run, "residual_variance", "gpt")[0, -1])
    return settings["width"] * 4e-4 / spread


def of_depth_flow(network):
    """Evaluations at the last step; at the last look both losses, and the largest norm of the field's Jacobian."""
    names = ("evaluations_forward", "test_loss", "refined_test_loss", "field_stiffness")
    return lambda run: [of(run, name, network)[-1] for name in names]


def of_adjoint(run):
    apart = of(run, "gradient_difference")
    last = sorted(apart[-(len(apart) // 4) :])
    assert len(last) % 2, "the one in the middle is the median"
    return [last[len(last) // 2], of(run, "adjoint_cost")[-1]]


def of_a_gap(run):
    paid = of(run, "interval_evaluations")[-1]
    jump = np.linalg.norm(of(run, "jump", "ode_rnn")[-1], ord=np.inf)
    return [paid[1:].sum() / (len(paid) - 1), jump, of(run, "error", "ode_rnn")[-1], of(run, "refined_error")[-1]]


def of_lost_output(run):
    """The share of the output that is lost at u = 25: by score and by chance."""
    return run["error"].values[:, run["asked"].values == 25][:, 0]


def of_growths(run):
    """The powers with which ProbSparse's multiplications grow from 1,024 to 8,192 rows, three doublings."""
    doublings = np.log2(run["multiplications"].values[2:, -1] / run["multiplications"].values[2:, -4])
    return doublings / 3


def orders(run):
    """What the error of each solver is divided by from one doubling to the next, where rounding does not reach."""
    powers = []
    for errors in run["end_error"].values:
        usable = errors[errors > 1e-9][-3:]
        powers.append(math.log2(usable[-1] / usable[0]) / (len(usable) - 1))
    euler, midpoint, rk4 = (powers[run["solver"].values.tolist().index(name)] for name in ("euler", "midpoint", "rk4"))
    return [euler, midpoint, -2, 4, rk4, -4]


def of_network(run):
    blocks = run.attrs["blocks"]
    euler = run["end_error"].values[run["solver"].values.tolist().index("euler")]
    return [run.attrs["duration"], blocks, run.attrs["duration"] / blocks, euler[run["steps"].values == blocks].item()]


def of_dopri5(run):
    at = np.flatnonzero(np.isclose(run["asked"].values, 1e-4)).item()
    return [1e-4, run["evaluations"].values[at], run["adaptive_error"].values[at]]


def of_steps(run):
    step = run.attrs["duration"] / run.attrs["blocks"]
    rate, steep = run.attrs["fastest_rate"], run.attrs["steepest_slope"]
    return [rate, rate * step, 2, steep * step, 1, 2019]


def moves_of(run):
    return np.diff(np.log(run["price"].values))


def of_moves(run):
    moves, days = moves_of(run), run["day"].values.astype("datetime64[D]").astype(int)
    away = (moves - moves.mean()) / moves.std()
    beyond, expected = (np.abs(away) > 4).sum(), len(moves) * math.erfc(4 / math.sqrt(2))
    return [len(moves), np.ptp(days), moves.mean(), moves.std(), (away**4).mean() - 3, 0, 4, beyond, expected]


def of_memory(run):
    def out(values):
        centred = values - values.mean()
        whole = np.correlate(centred, centred, "full")[len(centred) - 1 :]
        return (np.abs(whole[1:41] / whole[0]) > noise).sum()

    moves = moves_of(run)
    noise = 1.96 / math.sqrt(len(moves))
    return [noise, out((moves - moves.mean()) ** 2), 40, out(moves), 0.05 * 40]


def scored(run, metric, end=""):
    rows, columns = (run[name].values.tolist() for name in ("model", "metric"))
    return run[f"score{end}"].values[rows.index("network"), columns.index(metric)]


def of_forecast(run):
    came, _ = came_and_forecast(run)
    return [saved(run), scored(run, "r2", "_low"), scored(run, "r2", "_high"), scored(run, "dm_p"), len(came)]


def of_gru(run):
    came, forecast = came_and_forecast(run)
    r2, low, high, p, _ = of_forecast(run)
    hits = (np.sign(came) == np.sign(forecast))[came != 0]
    # In basis points; scores of log returns are told so.
    return [
        r2,
        0.95,
        low,
        high,
        p,
        hits.sum() / len(hits),
        1e4 * math.sqrt(np.square(came - forecast).sum() / len(came)),
    ]


def nats_saved(run, over="frequency", by=None):
    names = run["baseline"].values.tolist()
    paid = run["nats"].values[-1].mean(axis=-1) if by is None else run["baseline_nats"].values[names.index(by)]
    return (run["baseline_nats"].values[names.index(over)].astype(float) - paid).mean()


def of_tokens(run):
    ends = [scored(run, "gain", end) for end in ("_low", "_high")]
    return [nats_saved(run), *ends, run.sizes["time"], nats_saved(run, by="garch")]


def of_mlp(run):
    gain, low, high, *_ = of_tokens(run)
    sign = scored(run, "sign_gain")
    return [run["nats"].values[-1].mean(), gain, 0.95, low, high, gain - sign, sign]


def masked_loss(run):
    """That at the last look of the steps on masked words."""
    looks, steps = run["look"].values, run["step"].values
    return of(run, "unseen_masked_loss")[looks <= steps[run["phase"].values == 1].max()][-1]


def of_pretraining(run):
    rows, columns = (run[name].values.tolist() for name in ("baseline", "tone_set"))
    counted = run["baseline_tone_accuracy"].values[rows.index("bag of words")]
    known, new = columns.index("new draws"), columns.index("new patterns")
    told = of(run, "unseen_tone_accuracy")[-1]
    return [masked_loss(run), float(run["unigram_loss"]), told[known], told[new], counted[known], counted[new]]


def of_vocabulary(run):
    count = int(run.attrs["vocabulary_size"])
    return [count, math.log(count), float(run["unigram_loss"])]


def of_schedule(run):
    chosen = settings_of(run)
    steps = chosen["pretraining_steps"]
    return [chosen["learning_rate"], chosen["warm_up"] * steps, steps]


OF_LABORATORIES = {
    "depth-gradients": (
        (r"\*\*plain\*\*: .*", of_depth("plain")),
        (r"\*\*residual\*\*: .*", of_depth("residual")),
    ),
    "recurrent-gradients": (
        *((rf"\*\*{name.upper()}\*\*: .*", of_lags(name)) for name in ("rnn", "lstm", "gru")),
        *(
            (rf"Network: {name.upper()}.*In all: (.*)", lambda run, gates=gates: [recurrent_size(run, gates)])
            for name, gates in (("rnn", 1), ("lstm", 4), ("gru", 3))
        ),
    ),
    "jacobian-lens": (
        (r"Measured from step .*", of_lens),
        (r"Norm .*", of_bounds),
    ),
    "lstm-valves": (
        (r".* steps back it falls .*", of_valves),
        (r"The loss is (.*?)\. By hand", lambda run: [run.attrs["loss"]]),
        (r"differ by at most (\S+)", lambda run: [None]),
    ),
    "backward-by-hand": (
        (r"the loss differs by (\S+) and its gradient by (\S+)\.", lambda run: [None, None]),
        (r"its gradient is (\S+), and", lambda run: [None]),
        (r"the logits differ by (\S+)\.", lambda run: [None]),
        (r"gives its input back, to (\S+)\.", lambda run: [None]),
    ),
    "backpropagation-by-hand": (
        (r"Norm of the gradient: (.*)", lambda run: [gradient(run)]),
        (r"After clipping: (.*)", lambda run: [min(gradient(run), 1)]),
        (r"Loss before: (.*)", lambda run: [text_loss(run)]),
        (r"Loss after: (.*)", lambda run: [run.attrs["loss_after"], run.attrs["loss_after"] - text_loss(run)]),
        *(
            (
                rf"Part: {part}; .*Norm by hand: (\S+); Norm by autograd: (\S+);",
                lambda run, place=place: [np.linalg.norm(sums(run)[place])] * 2,
            )
            for place, part in enumerate(("W_ax", "W_aa", "b_a", "W_ya", "b_y"))
        ),
        (r"largest difference of any entry is (\S+):", lambda run: [None]),
        (r"to (\S+) of its norm", lambda run: [None]),
        (r"then off by (\S+) times", lambda run: [counted_more_than_once(run)]),
    ),
    "backpropagation-steps": (
        (r"differ by at most (\S+), .* by (\S+)\. These", lambda run: [None, nudged_off(run)]),
        (
            r"stores (\S+) numbers \((\S+) bytes\)",
            lambda run: [run.attrs["stored_bytes"] / 8, run.attrs["stored_bytes"]],
        ),
    ),
    "text-tokens": (
        (
            r"Your text is .*",
            lambda run: [1 + run.sizes["boundary"], pieces(run, 0), pieces(run, 1), tokens(run, 0), tokens(run, 1)],
        ),
    ),
    "char-language-model": (
        (r"- all alike: .*", lambda run: in_all_units(math.log(run.sizes["symbol"]))),
        (r"- this run's first loss: .*", lambda run: [of(run, "loss", "mlp")[0]]),
        (
            r"Counting every context takes (.*) cells, and (.*) times as .* by (.*) weights .* by (.*) for one sym",
            lambda run: [27**4, 27, 10 * 200, 10 + 200 + 1],
        ),
        (r"- single characters: .*", lambda run: in_all_units(of(run, "unigram_dev_loss"))),
        (r"- counted pairs: .*", lambda run: in_all_units(of(run, "bigram_dev_loss"))),
        (r"- this run on dev text: .*", lambda run: in_all_units(of(run, "dev_loss", "mlp")[-1])),
    ),
    "char-gpt": (
        (r"- \$n = .*", of_gpt),
        (r"costs \$ln V = (.*?)\$ nat", lambda run: [math.log(run.sizes["token"])]),
        (r"first dev loss is (.*?)\. ", lambda run: [of(run, "dev_loss", "gpt")[0]]),
        (r"favoured, by about (.*?) nat", lambda run: [head_start(run)]),
        (
            r"- this network now: .*",
            lambda run: [
                of(run, "dev_loss", "gpt")[-1],
                math.log2(math.exp(of(run, "dev_loss", "gpt")[-1])) * float(run["tokens_per_byte"]),
            ],
        ),
        (
            r"- on the same text counted pairs: .*",
            lambda run: [float(run["bigram_dev_loss"]), float(run["gzip_dev_bits"])],
        ),
    ),
    "attention-cost": (
        (r"Lost: .*", of_lost_output),
        (r"needs all products for its score: .*", of_growths),
    ),
    "residual-flow": (
        (r"T = 3 .*", of_network),
        (r"Measured over .*", orders),
        (r"dopri5 at .*", of_dopri5),
        (r"Along the flow .*", of_steps),
    ),
    "continuous-depth": (
        (r"In this run, at step .*", lambda run: [run["look"].values.max()]),
        (r"\*\*Neural ODE\*\*: .*", of_depth_flow("ode")),
        (r"\*\*Residual network\*\*: .*", of_depth_flow("residual")),
        (r"\*\*Adjoint\*\*: .*", of_adjoint),
    ),
    "ode-rnn": ((r"a gap costs .*", of_a_gap),),
    "gold-market": (
        (r"K = .*", of_moves),
        (r"none of (.*) covariates' values", lambda run: [np.nansum(run["seen"].values[:, 1:])]),
        (r"Outside the grey band .*", of_memory),
    ),
    "gold-forecast": (
        (r"### .*", of_forecast),
        (r"Model: GRU; .*", of_gru),
        (r"In this run: (\S+) forecasts .* by (\S+) refits", lambda run: [run.sizes["time"], run.sizes["fold"]]),
    ),
    "attention-against-recurrence": tuple(
        (rf"In this run, the {words} is right .*", of_farthest(name))
        for name, words in (("rnn", "RNN"), ("lstm", "LSTM"), ("transformer", "Transformer"))
    ),
    "adaptive-computation": ((r"In this run, at its last look, the network with τ .*", of_thought),),
    "neural-turing-machine": ((r"In this run, at its last look, a row is .*", of_machine),),
    "series-attention": ((r"In this run, at its last look, the Transformer's .*", of_series),),
    "neural-programmer": ((r"In this run, at its last look, hardened .*", of_programmer),),
    "attention-interface": ((r"In this run, at its last count, .*", of_interface),),
    "translation-transformer": ((r"In this run, at its last count, .*", of_transformer),),
    "price-tokens": (
        (r"### .*", of_tokens),
        (r"Model: MLP; (.*); DM p", of_mlp),
    ),
    "bert-pretraining": (
        (r"Masked words, .*", of_pretraining),
        (r"- \$V = .*", of_vocabulary),
        (r"s_w = (.*?)\$", lambda run: of_schedule(run)[1:2]),
        (r"- On unseen texts .*", lambda run: [masked_loss(run), math.exp(masked_loss(run))]),
    ),
}
TOLD = with_own(OF_LABORATORIES, "ON_PAGE")
"""By laboratory: sentences of its page, and the numbers in each; None where it is rounding alone."""


HELD_ELSEWHERE = {
    "inside-bert": "It reads a language model's files; test_inside_bert makes a model, and computes its numbers anew.",
    "policy-documents": "It reads a language model's files, too; test_policy_documents does the same.",
    "leaderboard": "Its sentences hold no number of a run; test_leaderboard and recorded_cards hold table and cards.",
}
"""Why no sentence of these laboratories' pages stands above."""


@pytest.fixture(scope="module")
def pages():
    read = {}

    def page(lab):
        if lab.name not in read:
            declared, slug = lab.declared, lab.declared.presets[0].slug
            settings = declared.preset(slug)
            run = example(declared, slug) if issubclass(declared, Experiment) else settings.compute()
            read[lab.name] = run, "\n".join(on_page(lab, settings, run, PARTS.get(lab.name, ())))
        return read[lab.name]

    return page


def test_every_laboratory_s_page_is_held_or_says_why_not_or_no_number(pages):
    assert {*TOLD, *HELD_ELSEWHERE} <= laboratories().keys()
    for name in laboratories().keys() - TOLD.keys() - HELD_ELSEWHERE.keys():
        said = f"ON_PAGE in tests/labs/{laboratories()[name].folder}/cases.py says what each number on its page is"
        assert list(numbers_of(pages(laboratories()[name])[1])) == [], said


SENTENCES = [(lab, words, numbers) for lab, told in TOLD.items() for words, numbers in told]


@pytest.mark.parametrize(("lab", "words", "numbers"), SENTENCES)
def test_a_page_tells_what_the_records_hold(lab, words, numbers, pages):
    run, text = pages(laboratories()[lab])
    [sentence] = [" ; ".join(match.groups()) or match[0] for match in re.finditer(words, text)]
    said = list(numbers_of(sentence))
    expected = numbers(run)
    assert len(said) == len(expected), sentence
    for (value, unit), true in zip(said, expected, strict=True):
        if true is None:
            assert abs(value) < ROUNDING, sentence
        else:
            assert value == pytest.approx(true, abs=1.001 * unit), sentence
