"""Numbers of runs, read off their arrays by numpy alone: nothing of a laboratory's own readings is used."""

import json
import math
import re

import numpy as np
import pytest

NUMBER = re.compile(r"(?<![\w.])[−-]?\d[\d,]*(?:\.(\d+))?(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?:e([+-]\d+))?( ?%)?")
DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def numbers_of(sentence):
    """Each number of a sentence, and half a unit of its last digit."""
    for number in NUMBER.finditer(sentence):
        decimals, superscript, power, percent = number.groups()
        scale = 10.0 ** int((superscript or power or "0").translate(DIGITS)) / (100 if percent else 1)
        digits = number[0].split(" ")[0].partition("e")[0].rstrip("%").replace(",", "").translate(DIGITS)
        yield float(digits) * scale, 0.5 * 10.0 ** -len(decimals or "") * scale


def of(run, name, network=None):
    """A recorded array of the first seed, the growing dimension first."""
    dims, values = list(run[name].dims), run[name].values.astype(float)
    places = {"seed": 0, **({"network": run["network"].values.tolist().index(network)} if network else {})}
    for dim, at in places.items():
        if dim in dims:
            values = values.take(at, dims.index(dim))
            dims.remove(dim)
    return values


def settings_of(run):
    return json.loads(run.attrs["settings"])


def tone_right(run, texts="new patterns"):
    """The share of texts judged rightly; the shares of each tone, which differ in number, lie around it."""
    at = run["tone_set"].values.tolist().index(texts)
    right = of(run, "unseen_tone_accuracy")[-1, at]
    by_tone = np.diagonal(of(run, "confusion")[-1, at])
    assert by_tone.min() <= right <= by_tone.max()
    assert right == pytest.approx(by_tone.mean(), abs=0.02)
    return right


def bag_of_words(run):
    rows, columns = (run[name].values.tolist() for name in ("baseline", "tone_set"))
    return run["baseline_tone_accuracy"].values[rows.index("bag of words"), columns.index("new patterns")]


def came_and_forecast(run):
    """What came and what was forecast, a mean of the seeds, at the last look."""
    return run["target"].values.astype(float), run["mean"].values[-1].mean(axis=1).astype(float)


def saved(run):
    came, forecast = came_and_forecast(run)
    return 1 - np.square(came - forecast).sum() / np.square(came).sum()


def first(run, name, *labels):
    """An array without seeds and networks (one of each), at the place of each label of its last dimensions."""
    values, dims = run[name].values.astype(float), list(run[name].dims)
    for dim in ("network", "seed"):
        if dim in dims:
            values = values.take(0, dims.index(dim))
            dims.remove(dim)
    for dim, label in zip(dims[len(dims) - len(labels) :], labels, strict=True):
        values = values.take(run[dim].values.tolist().index(label), dims.index(dim))
        dims.remove(dim)
    return values


def error_kept(run, network):
    norms = of(run, "hidden_gradient_norm", network)
    return norms[:, 0].sum() / norms[:, -1].sum()


def gradient_kept(run):
    norms, hidden = of(run, "gradient_norm", "plain"), settings_of(run)["depth"]
    return norms[:, run["layer"].values == 1].sum() / norms[:, run["layer"].values == hidden].sum()


def deepest_beside_others(run, network):
    losses = dict(
        zip(run["trained_depth"].values.tolist(), of(run, "loss_by_depth", network)[-1].tolist(), strict=True)
    )
    return losses.pop(settings_of(run)["depth"]) / min(losses.values())


def deep_size(run):
    """The tied network: one input layer, blocks, and biases of the output."""
    set_to = settings_of(run)
    width, features = set_to["width"], set_to["features"]
    return width * (features + 1) + set_to["depth"] * width * (width + 1) + features


def recurrent_size(run, gates):
    """Gates of W x + U h + b over two inputs, and a read-out of one number."""
    hidden = settings_of(run)["hidden"]
    return gates * hidden * (2 + hidden + 1) + hidden + 1


def worth(run, network):
    return float(of(run, "test_loss", network) / of(run, "memoryless_loss"))


def loss_of(run, network):
    return float(of(run, "test_loss", network))


def scatter(run):
    losses = of(run, "loss", run["network"].values[0])
    steps = [
        after - before
        for before, after in zip(losses[len(losses) // 2 :], losses[len(losses) // 2 + 1 :], strict=False)
    ]
    return np.std(steps) / math.sqrt(2)


def power_of_batch(*runs):
    x, y = np.log([4, 32, 256]), np.log([scatter(run) for run in runs])
    return ((x - x.mean()) * (y - y.mean())).sum() / np.square(x - x.mean()).sum()


def answers_stay(run, network):
    own, exact = of(run, "test_loss", network)[-1], of(run, "refined_test_loss", network)[-1]
    return float(max(own, exact) <= 0.02 or abs(own - exact) <= 0.1 * max(own, exact))


def end_of_words(run):
    """The loss on masked words at the last look of phase 1, in units of what word frequencies give."""
    end = run["step"].values[run["phase"].values == 1].max()
    return of(run, "unseen_masked_loss")[run["look"].values <= end][-1] / float(run["unigram_loss"])


def agreement(run):
    """Adjusted Rand index by the table of pairs (Hubert and Arabie 1985)."""
    token, regime = run["token"].values, run["regime"].values
    table = np.array([[((token == t) & (regime == r)).sum() for r in np.unique(regime)] for t in np.unique(token)])

    def pairs(counts):
        return (counts * (counts - 1) / 2).sum()

    rows, columns, cells = pairs(table.sum(1)), pairs(table.sum(0)), pairs(table)
    expected = rows * columns / pairs(table.sum(keepdims=True))
    return (cells - expected) / ((rows + columns) / 2 - expected)


def stays(run, name):
    table = run[name].values
    return sum(table[place, place] for place in range(len(table))) / len(table)


def nats(run):
    return float(of(run, "nats")[-1].mean())


def part_of_gain(run, metric):
    rows, columns = run["model"].values.tolist(), run["metric"].values.tolist()
    return float(run["score"].values[rows.index("network"), columns.index(metric)])


def merged(run, order):
    """Bits a later day before and after the merges."""
    bits = run["bits"].values[run["order"].values.tolist().index(order)]
    return bits[0], bits[-1]


def in_use(run):
    """The perplexity of each fit's tokens, from how often each comes; their mean over how many there are."""
    shares = run["occupancy"].values.astype(float)
    entropy = -(shares * np.log(np.where(shares > 0, shares, 1))).sum(1)
    return np.exp(entropy).mean() / shares.shape[1]


def divergence(run, smoothing=0.0):
    """KL of the table that the network holds in the end from the counted one, in nats."""
    counts = run["count"].values + smoothing
    true = counts / np.maximum(counts.sum(1, keepdims=True), 1e-300)
    held, weights = first(run, "table")[-1], run["count"].values.sum(1)
    logs = np.where(true > 0, np.log(np.where(true > 0, true, 1) / held), 0)
    return (weights / weights.sum()) @ (true * logs).sum(1)


def fitted(run):
    return min(divergence(run, count) for count in np.logspace(-2, 4, 61))


def vowels(run):
    numbers, signs = first(run, "embedding_table")[-1], [str(sign) for sign in run["symbol"].values]
    apart = {True: [], False: []}
    for i, one in enumerate(signs):
        for j, other in enumerate(signs):
            if one in "aeiou" and i != j and other.isalpha():
                apart[other in "aeiou"].append(math.dist(numbers[i], numbers[j]))
    return np.mean(apart[True]) / np.mean(apart[False])


def last_dev(run):
    return first(run, "dev_loss")[-1]


def off_by_one(run):
    return max(abs(float(row.sum()) - 1) for row in run["all_attention"].values.reshape(-1, run.sizes["key"]))


def given(run, side):
    """The attention of ordinary pieces to ordinary ones before (-1) or after (1) them, mean over heads and pieces."""
    ordinary = np.flatnonzero(run["special"].values == 0)
    shares = [
        run["all_attention"].values[..., i, [j for j in ordinary if (j - i) * side > 0]].sum(-1) for i in ordinary
    ]
    return float(np.mean(shares))


def on_itself(run):
    weights = run["all_attention"].values
    own = np.diagonal(weights, axis1=2, axis2=3)
    return float((own >= weights.max(-1)).mean())


def relations(run):
    """Of five, how many a layer's heads attend to most, mean over the layers: every weight is dealt to one by hand."""
    special = run["special"].values
    counts = []
    for heads in run["all_attention"].values.astype(float):
        favourites = set()
        for head in heads:
            given = dict.fromkeys(("special", -1, 0, 1, "others"), 0.0)
            for (query, key), weight in np.ndenumerate(head):
                near = key - query if abs(key - query) <= 1 else "others"
                given["special" if special[key] else near] += weight
            favourites.add(max(given, key=given.get))
        counts.append(len(favourites))
    return np.mean(counts)


def moved(run, positions):
    return run["moved"].values[run["positions"].values.tolist().index(positions), -1].mean()


def a_step(run, name):
    """The geometric mean of the factors of all steps that begin at the first one."""
    return 10 ** np.diff(run[name].values[:, 0]).mean()


def order_of(run, solver):
    """Minus the slope of a line through the logarithms of errors over blocks, where rounding does not reach."""
    return -float(run["slope"].values[run["solver"].values.tolist().index(solver)])


def text_sizes(run):
    counts = run["corpus_tokens"].values
    return counts[:, np.isfinite(counts).all(0)][:, -1]


def mixed(run, side):
    entries = run["entries"].values[run["side"].values.tolist().index(side)]
    return entries[run["kind"].values.tolist().index("mixed")] / entries.sum()
