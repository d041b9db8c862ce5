"""*Price tokens*: what its page shows, recomputed from a market file with numpy, scipy, scikit-learn, statsmodels and
torch.nn.

The market is made up here. Tokens, densities, networks, baselines and scores are made anew; only a network's first
weights are the laboratory's.
"""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from arch.bootstrap import CircularBlockBootstrap, optimal_block_length
from scipy import optimize, stats
from statsmodels.api import OLS, add_constant
from statsmodels.tsa.regime_switching.markov_regression import MarkovRegression
from torch import nn
from torch.nn.functional import cross_entropy

import goldviz
from goldviz.labs.price_tokens.figures import FIGURES
from goldviz.labs.price_tokens.networks import token_network
from goldviz.labs.price_tokens.problem import token_problem
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.verdict import score_rows, verdict
from tests.thinned import thinned
from tests.truth.tokenisers_anew import best_names, fitted, perplexity, written_down

SEEDS, MARKET_SEED = (52, 53), 17
SHARED = {
    "train_years": 1,
    "test_years": 1,
    "refits": 2,
    "market_seed": MARKET_SEED,
    "seeds": list(SEEDS),
    "epochs": 3,
    "look_every": 2,
    "merges": 4,
    "context": 5,
    "hidden": 8,
    "dropout": 0.0,
    "batch": 64,
}
CASES = {
    "quantile, mlp": {"tokens": 4, "network": "mlp", "clip": 0.05, "learning_rate": 0.01},
    "uniform": {"tokeniser": "uniform", "tokens": 5, "network": "bigram", "smoothing": 0.4},
    "kmeans of four days": {
        "tokeniser": "kmeans",
        "tokens": 3,
        "window": 4,
        "network": "bigram",
        "refits": 3,
        "labels": "as_they_come",
    },
    "hmm": {"tokeniser": "hmm", "tokens": 3, "network": "bigram", "epochs": 1},
    "quantile of the block": {"tokens": 4, "network": "bigram", "fitted_on": "block", "merges": 0},
    "vqvae": {"tokeniser": "vqvae", "tokens": 4, "window": 3, "code_steps": 60, "network": "bigram"},
    "mixture": {"tokeniser": "mixture", "tokens": 3, "network": "bigram"},
    "kmeans of one day": {"tokeniser": "kmeans", "tokens": 4, "network": "bigram"},
    "smoother": {"tokeniser": "hmm", "tokens": 2, "network": "bigram", "read": "smoother"},
    "quantile of all days": {"tokens": 3, "network": "bigram", "fitted_on": "all"},
}
ORDINARY = 5
EXACT = {"rtol": 3e-5, "atol": 3e-6}
"""Runs keep float32."""
LEARNT = {"rtol": 2e-3, "atol": 2e-3}
"""Networks learn in float32 there, and in float64 here."""


def prices():
    """Not three years of business days, whose moves come in storms."""
    drawn = np.random.default_rng([90, 6])
    days = pd.bdate_range("2018-03-01", periods=640)
    noise, moves, variance = drawn.standard_t(5, 640), np.empty(640), 1e-4
    for day in range(640):
        moves[day] = np.sqrt(variance) * noise[day]
        variance = 6e-6 + 0.12 * moves[day] ** 2 + 0.8 * variance
    return pd.DataFrame({"Date": days.strftime("%Y-%m-%d"), "Bar": (900 * np.exp(np.cumsum(moves))).round(4)})


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    file = Path(tmp_path_factory.mktemp("markets")) / "bar.csv"
    prices().to_csv(file, index=False)
    return goldviz.market(file)


@pytest.fixture(scope="module")
def ran(market):
    @cache
    def one(name):
        settings = PriceTokens.checked({**SHARED, "data": market} | CASES[name])
        return recomputed(settings, goldviz.run(settings, progress=False))

    return one


def recomputed(settings, run):
    """The problem from the file alone: moves, blocks, what each fit may learn from, and the text."""
    table = prices()
    price, dates = table["Bar"].to_numpy(), pd.DatetimeIndex(table["Date"])
    # The move of a day is forecast on the day before.
    returns, made = np.diff(np.log(price)), dates[:-1]
    asked = np.flatnonzero(made > made[-1] - pd.Timedelta(days=365.25))
    tests, pasts = np.array_split(asked, settings.refits), []
    for test in tests:
        window = np.arange(test[0] - 1)
        held = window[-round(0.15 * len(window)) :]
        pasts.append((window[: len(window) - len(held) - 1], held))
    starts = [int(test[0]) for test in tests]
    tokens, kept, agreed = written_down(settings, returns, starts)
    return SimpleNamespace(
        settings=settings,
        run=run,
        returns=returns,
        tests=tests,
        pasts=pasts,
        starts=starts,
        tokens=tokens,
        kept=kept,
        agreed=agreed,
        asked=asked,
        came=returns[asked],
        dates=table["Date"].to_numpy()[1:][asked],
        price=price[1:][asked],
        chances=None,
    )


EVERY = pytest.mark.parametrize("name", thinned(CASES, ordinary=ORDINARY))
MLP = "quantile, mlp"


@EVERY
def test_moves_blocks_and_tokens_are_those_of_the_file(ran, name):
    one = ran(name)
    run = one.run
    np.testing.assert_allclose(run["came"], one.came, **EXACT)
    np.testing.assert_allclose(run["price"], one.price, rtol=1e-6)
    assert run["time"].values.tolist() == one.dates.tolist()
    assert run["block"].values.tolist() == [block for block, test in enumerate(one.tests) for _ in test]
    np.testing.assert_array_equal(run["token"], one.tokens[one.asked])


@EVERY
def test_what_tokens_stand_for_how_often_they_come_and_what_follows(ran, name):
    one = ran(name)
    count = one.settings.tokens
    for fold, (start, tokeniser) in enumerate(zip(one.starts, one.kept, strict=True)):
        shown, past = one.run.isel(fold=fold), one.returns[:start]
        by_token = pd.Series(past).groupby(tokeniser.tokens(past))
        for variable, values in (("token_mean", by_token.mean()), ("token_deviation", by_token.std(ddof=0))):
            np.testing.assert_allclose(shown[variable], values.reindex(range(count)), **EXACT)
        shares = np.bincount(one.tokens[:start], minlength=count) / start
        np.testing.assert_allclose(shown["occupancy"], shares, **EXACT)
        assert float(shown["code_perplexity"]) == pytest.approx(perplexity(one.tokens[:start], count), rel=1e-5)
    follows = pd.crosstab(one.tokens[:-1], one.tokens[1:], normalize="index")
    np.testing.assert_allclose(
        one.run["transition"], follows.reindex(index=range(count), columns=range(count), fill_value=0), **EXACT
    )
    if one.settings.tokeniser == "vqvae":
        first = one.kept[0].inner
        np.testing.assert_allclose(one.run["codes_in_use"], first.perplexity, rtol=1e-4)


@EVERY
def test_names_agree_with_the_fit_before_and_only_leaks_change_with_the_future(ran, name):
    one = ran(name)
    np.testing.assert_allclose(one.run["same_label"], one.agreed[:, 0], rtol=1e-6)
    np.testing.assert_allclose(one.run["same_meaning"], one.agreed[:, 1], rtol=1e-6)
    start, end = one.starts[0], one.starts[1]
    own, changed, count = one.kept[0].tokens(one.returns), [], one.settings.tokens
    for day in np.linspace(start, end, 5).astype(int)[1:-1]:
        other = np.where(np.arange(len(one.returns)) < day, one.returns, -3 * one.returns)
        before = slice(day - 60, day)
        if one.settings.fitted_on == "past":
            now = one.kept[0].tokens(other)[before]
        else:
            sample = other if one.settings.fitted_on == "all" else other[start:end]
            fresh = fitted(one.settings, sample, MARKET_SEED).tokens(other)[before]
            order = best_names(own[before], fresh, count)
            now = np.array([order.index(token) for token in fresh])
        changed.append((own[before] != now).mean())
    assert float(one.run["changed_by_future"]) == pytest.approx(np.mean(changed), abs=1e-6)
    leaks = one.settings.fitted_on != "past" or one.settings.read == "smoother"
    assert (np.mean(changed) > 0) == leaks


@pytest.mark.parametrize("name", thinned(["hmm", "smoother"]))
def test_states_of_the_last_block_are_those_of_statsmodels_filter_or_smoother(ran, name):
    one = ran(name)
    fit = one.kept[-1].inner
    model = MarkovRegression(one.returns, k_regimes=fit.count, trend="c", switching_variance=True)
    # It begins with the chain's own shares; how a series began is forgotten long before its last block.
    known = {f"p[{i}->{j}]": fit.A[i, j] for i in range(fit.count) for j in range(fit.count - 1)}
    known |= {f"const[{i}]": fit.means[i] for i in range(fit.count)}
    known |= {f"sigma2[{i}]": fit.deviations[i] ** 2 for i in range(fit.count)}
    found = model.smooth([known[parameter] for parameter in model.param_names])
    chances = (
        found.smoothed_marginal_probabilities
        if one.settings.read == "smoother"
        else (found.filtered_marginal_probabilities)
    )
    named = np.array([one.kept[-1].order.index(state) for state in chances.argmax(1)])
    np.testing.assert_array_equal(one.run["token"].values[-len(one.tests[-1]) :], named[one.tests[-1]])
    order = one.kept[-1].order
    np.testing.assert_allclose(one.run["fitted_transition"], fit.A[np.ix_(order, order)], rtol=1e-3, atol=1e-5)


def merged(sequence, pair, token):
    found, rest = [], [*sequence]
    while rest:
        two = tuple(rest[:2]) == pair
        found.append(token if two else rest[0])
        rest = rest[1 + two :]
    return found


@EVERY
def test_bits_a_day_after_each_merge_are_those_of_a_recount(ran, name):
    one = ran(name)
    if one.settings.merges == 0:
        assert "bits" not in one.run
        return
    start, count, drawn = one.starts[0], one.settings.tokens, np.random.default_rng([MARKET_SEED, 5])
    past, later = one.tokens[:start], one.tokens[start:]
    orders = {"as it came": (past, later), "shuffled": (drawn.permutation(past), drawn.permutation(later))}
    for order, both in orders.items():
        before, after = both
        shown, named = one.run.sel(order=order), {token: str(token + 1) for token in range(count)}
        for step in range(one.run.sizes["merge"]):
            counts = np.bincount(before, minlength=count + step) + 1
            bits = -np.log2(counts / counts.sum())[np.asarray(after)].sum() / len(later)
            assert float(shown["bits"][step]) == pytest.approx(bits, rel=1e-5)
            if step == one.run.sizes["motif"]:
                break
            pairs = pd.Series([*pairwise(before)]).value_counts()
            best = min(pairs.index, key=lambda pair, pairs=pairs: (-pairs[pair], pair))
            assert int(shown["motif_count"][step]) == pairs[best]
            named[count + step] = f"{named[best[0]]}-{named[best[1]]}"
            if order == "as it came":
                assert str(one.run["motif"].values[step]) == f"{step + 1}: {named[count + step]}"
            before, after = (merged(part, best, count + step) for part in (before, after))


class Network(nn.Module):
    """Bengio's network of stock layers, in float64, with the laboratory's first weights."""

    def __init__(self, settings, ours):
        super().__init__()
        self.table = nn.Embedding(settings.tokens + 1, 8)
        self.inner, self.outer = (
            nn.Linear(8 * settings.context, settings.hidden),
            nn.Linear(settings.hidden, settings.tokens),
        )
        known = {name.replace("embedding", "table"): one.double() for name, one in ours.state_dict().items()}
        self.double().load_state_dict(known)

    def forward(self, contexts):
        return self.outer(self.inner(self.table(contexts).flatten(1)).tanh())


def learnt(one, fold, seed):
    """Losses of the epochs, and the chances of the next token at each, by the best weights so far."""
    settings, test = one.settings, one.tests[fold]
    train, held = one.pasts[fold]
    padded = np.concatenate([np.full(settings.context, settings.tokens), one.tokens])
    contexts = torch.tensor(np.stack([padded[at : at + len(one.tokens)] for at in range(settings.context)], 1))
    targets, losses, chances = torch.tensor(one.tokens), [], []
    if settings.network == "bigram":
        counts, learned = np.full((settings.tokens, settings.tokens), settings.smoothing), [*train, *held]
        table = lambda: counts / counts.sum(1, keepdims=True)  # noqa: E731
        for part in np.array_split(learned, settings.epochs):
            # Before the first day no token stands, after which all are alike.
            held_likely = [
                table()[one.tokens[day - 1], one.tokens[day]] if day else 1 / settings.tokens for day in part
            ]
            np.add.at(counts, (one.tokens[part[part > 0] - 1], one.tokens[part[part > 0]]), 1)
            validation = -np.log(table()[one.tokens[held - 1], one.tokens[held]]).mean()
            losses.append((-np.log(held_likely).mean(), validation))
            chances.append(table()[one.tokens[test - 1]])
        return losses, chances
    network, lowest, best = Network(settings, token_network(settings, seed)), np.inf, None
    learning = torch.optim.AdamW(network.parameters(), settings.learning_rate)
    order = torch.Generator().manual_seed(1000 * seed + 2)
    for _ in range(settings.epochs):
        shuffled, whole = train[torch.randperm(len(train), generator=order).numpy()], 0.0
        for rows in np.array_split(shuffled, -(-len(train) // settings.batch)):
            loss = cross_entropy(network(contexts[rows]), targets[rows])
            learning.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
            learning.step()
            whole += loss.item() * len(rows)
        with torch.no_grad():
            validation = cross_entropy(network(contexts[held]), targets[held]).item()
            losses.append((whole / len(train), validation))
            if validation < lowest:
                lowest, best = validation, network(contexts[test]).softmax(1).numpy()
        chances.append(best)
    return losses, chances


def forecasts(one):
    """Of every fold and seed the losses, and the chances of the next token at each epoch."""
    if one.chances is None:
        one.chances = [[learnt(one, fold, seed) for seed in SEEDS] for fold in range(len(one.tests))]
    return one.chances


def nats_of(one, fold, chances):
    """-log p(x) of a block's days, and the part of it that is for the sign."""
    x, tokeniser = one.returns[one.tests[fold]], one.kept[fold]
    there, mirrored = ((chances * tokeniser.density(values)).sum(1) for values in (x, -x))
    return -np.log(there), -np.log(there / (there + mirrored))


@EVERY
def test_losses_of_the_next_token_and_nats_of_the_next_move(ran, name):
    one = ran(name)
    how = EXACT if one.settings.network == "bigram" else LEARNT
    for fold, row in enumerate(forecasts(one)):
        days = one.run["block"].values == fold
        for place, (losses, chances) in enumerate(row):
            shown = one.run.isel(fold=fold, seed=place)
            for part, variable in enumerate(("loss", "validation_loss")):
                np.testing.assert_allclose(shown[variable], [epoch[part] for epoch in losses], err_msg=variable, **how)
            for look in one.run["look"].values:
                nats, _ = nats_of(one, fold, chances[look - 1])
                np.testing.assert_allclose(shown["nats"].sel(look=look)[days], nats, **how)


def garch_variances(y, parameters):
    """Variances of y and of the value after it; the squares of its first 75 values, weighted, stand before it."""
    omega, alpha, beta = parameters
    found = [omega + (alpha + beta) * np.average(np.square(y[:75]), weights=0.94 ** np.arange(75))]
    for value in y:
        found.append(omega + alpha * value**2 + beta * found[-1])
    return np.array(found)


def garch_widths(one, past, test):
    """The most likely recursion of the past, carried through the block."""
    y = one.returns[past[0] : past[-1] + 1]
    unit = np.sqrt(np.square(y).mean())

    def surprise(parameters):
        variances = garch_variances(y / unit, parameters)[:-1]
        return float((np.log(variances) + np.square(y / unit) / variances).mean())

    bounds = [(1e-6, 2), (1e-6, 1), (1e-6, 0.9999)]
    starts = ((0.05, 0.1, 0.85), (0.3, 0.2, 0.5))
    omega, alpha, beta = min(
        (optimize.minimize(surprise, at, bounds=bounds) for at in starts), key=lambda fit: fit.fun
    ).x
    return np.sqrt(garch_variances(one.returns[past[0] :], (omega * unit**2, alpha, beta))[test - past[0]])


def simple(one):
    """Nats of each day, and those for the sign, of all simple forecasts but GARCH's."""
    found = {name: [] for name in ("frequency", "bigram", "constant", "ar1")}
    for fold, (test, past) in enumerate(zip(one.tests, one.pasts, strict=True)):
        count, written, x = one.settings.tokens, one.tokens[: test[0]], one.returns[test]
        often = np.bincount(written, minlength=count) + 1
        pairs = np.full((count, count), one.settings.smoothing)
        np.add.at(pairs, (written[:-1], written[1:]), 1)
        found["frequency"].append(nats_of(one, fold, np.tile(often / often.sum(), (len(test), 1))))
        found["bigram"].append(nats_of(one, fold, (pairs / pairs.sum(1, keepdims=True))[one.tokens[test - 1]]))
        learned = np.concatenate(past)
        found["constant"].append(normal_nats(x, 0, np.sqrt(np.square(one.returns[learned]).mean())))
        fit = OLS(one.returns[learned[1:]], add_constant(one.returns[learned[1:] - 1])).fit()
        said = fit.predict(add_constant(one.returns[test - 1], has_constant="add"))
        found["ar1"].append(normal_nats(x, said, one.returns[learned].std()))
    return {name: np.concatenate(blocks, axis=1) for name, blocks in found.items()}


def normal_nats(x, mean, deviation):
    there, mirrored = (stats.norm.pdf(values, mean, deviation) for values in (x, -x))
    return -np.log(there), -np.log(there / (there + mirrored))


@EVERY
def test_baselines_say_what_counts_least_squares_and_likelihood_say(ran, name):
    one = ran(name)
    for model, (nats, _) in simple(one).items():
        np.testing.assert_allclose(
            one.run["baseline_nats"].sel(baseline=model), nats, err_msg=model, rtol=1e-3, atol=2e-4
        )
    if name == MLP:
        widths = [
            garch_widths(one, np.concatenate(past), test) for past, test in zip(one.pasts, one.tests, strict=True)
        ]
        nats, _ = normal_nats(one.came, 0, np.concatenate(widths))
        shown = one.run["baseline_nats"].sel(baseline="garch")
        # The likelihood is flat around its top: optimisers stop at places whose widths differ by up to a hundredth.
        np.testing.assert_allclose(shown, nats, rtol=0.01, atol=0.03)
        assert float(shown.mean()) == pytest.approx(nats.mean(), abs=1e-3)


def whole(one):
    """Nats and the sign's part of the network, its chances averaged over seeds, and of each seed alone."""
    every = forecasts(one)
    mean = [nats_of(one, fold, np.mean([chances[-1] for _, chances in row], axis=0)) for fold, row in enumerate(every)]
    alone = [
        np.concatenate([nats_of(one, fold, row[place][1][-1])[0] for fold, row in enumerate(every)])
        for place in range(len(SEEDS))
    ]
    return np.concatenate(mean, axis=1), alone


@EVERY
def test_scores_are_mean_gains_with_a_t_test(ran, name):
    one = ran(name)
    own, alone = whole(one)
    models = {"network": own, **simple(one)}
    base = models["frequency"]
    slack = {"rel": 2e-3, "abs": 2e-5 if one.settings.network == "bigram" else 5e-4}
    for model, (nats, sign) in models.items():
        shown = {
            str(metric): float(one.run["score"].sel(model=model, metric=metric))
            for metric in ("nats", "gain", "size_gain", "sign_gain", "dm_p")
        }
        assert shown["nats"] == pytest.approx(nats.mean(), **slack)
        assert shown["gain"] == pytest.approx((base[0] - nats).mean(), **slack)
        assert shown["sign_gain"] == pytest.approx((base[1] - sign).mean(), **slack)
        assert shown["size_gain"] == pytest.approx((base[0] - base[1] - nats + sign).mean(), **slack)
        if model != "frequency":
            test = stats.ttest_rel(base[0], nats)
            assert shown["dm_p"] == pytest.approx(test.pvalue, rel=0.05, abs=1e-6), model
    gains = [(base[0] - nats).mean() for nats in alone]
    np.testing.assert_allclose(one.run["seed_gain"], gains, rtol=slack["rel"], atol=slack["abs"])


@pytest.mark.parametrize("name", thinned([MLP, "hmm"]))
def test_intervals_are_those_of_arch_s_block_bootstrap(ran, name):
    one = ran(name)
    (nats, sign), _ = whole(one)
    base = simple(one)["frequency"]
    gain = base[0] - nats
    series = np.stack([nats, gain, base[0] - base[1] - nats + sign, base[1] - sign], axis=1)
    block = int(np.ceil(max(optimal_block_length(series)["circular"].max(), len(gain) ** (1 / 3))))
    drawn = CircularBlockBootstrap(block, gain, seed=4).apply(np.mean, 3000)[:, 0]
    ends = np.quantile(drawn, (0.025, 0.975))
    shown = [float(one.run[f"score_{end}"].sel(model="network", metric="gain")) for end in ("low", "high")]
    np.testing.assert_allclose(shown, ends, atol=0.15 * np.ptp(ends))


@EVERY
def test_quantiles_are_those_of_the_mixture_of_the_tokens_laws(ran, name):
    one = ran(name)
    every, unit = forecasts(one), one.returns[: one.starts[-1]].std()
    fold, chances = len(one.tests) - 1, np.mean([chances[-1] for _, chances in every[-1]], axis=0)
    for place in (-1, -37, -len(chances) // 3):
        for level, shown in zip(one.run["level"].values, one.run["quantile"].values[place], strict=True):
            exact = optimize.brentq(
                lambda x, place=place, level=level: chances[place] @ one.kept[fold].below(x) - level,
                -12 * unit,
                12 * unit,
            )
            # The laboratory reads them off a grid of 0.04 deviations.
            assert float(shown) == pytest.approx(exact, abs=0.04 * unit)
    ends, came = one.run["quantile"].values.T, one.came[-len(one.run["recent"]) :]
    inside = [100 * ((came >= ends[low]) & (came <= ends[high])).mean() for low, high in ((1, 3), (0, 4))]
    said = FIGURES["fan"](one.run).layout.title.subtitle.text
    assert f"Inside the bands: {inside[0]:.0f}% and {inside[1]:.0f}% of {len(came)} days" in said


def printed(text):
    return float(text.replace("−", "-").replace("+", "").split()[0])


@pytest.mark.parametrize("name", [MLP, "quantile of the block"])
def test_the_page_s_sentence_and_its_table_print_these_scores(ran, name):
    one = ran(name)
    rows = {row["Model"]: row for row in score_rows(one.run, one.settings.network)}
    own, _ = whole(one)
    models = {"AR(1)": simple(one)["ar1"], "token frequency": simple(one)["frequency"]}
    models[{"mlp": "MLP", "bigram": "counted pairs"}[one.settings.network]] = own
    base = models["token frequency"]
    for model, (nats, sign) in models.items():
        row, rounding = rows[model], {"abs": 6e-4}
        assert printed(row["Nats a day"]) == pytest.approx(nats.mean(), **rounding)
        if model != "token frequency":
            assert printed(row["Gain"]) == pytest.approx((base[0] - nats).mean(), **rounding)
            assert printed(row["of the sign"]) == pytest.approx((base[1] - sign).mean(), abs=6e-4)
    said = verdict(one.run, one.settings)
    gain = re.search(r"([+−][0-9.]+) nats a day", said)[1]
    assert printed(gain) == pytest.approx((base[0] - own[0]).mean(), abs=6e-4)
    assert f"{len(one.came)} forecasts" in said or one.settings.fitted_on == "block"
    if one.settings.fitted_on == "block":
        changed = float(one.run["changed_by_future"])
        assert said.startswith("Tokens know the future")
        assert f"{100 * changed:.0f} %" in said


SHARES, CHANGE = np.array([0.45, 0.40, 0.15]), 1 / 60
"""Of the planted regimes: a day's regime is drawn anew once in sixty days, by these shares."""


def pair_counted_rand(one, other):
    """Hubert and Arabie's adjusted Rand index, over all pairs of days."""
    same = [labels[:, None] == labels for labels in (one, other)]
    pairs = np.triu_indices(len(one), 1)
    both, first, second = ((part[pairs]).sum() for part in (same[0] & same[1], *same))
    chance = first * second / len(pairs[0])
    return (both - chance) / ((first + second) / 2 - chance)


@pytest.mark.parametrize("returns", thinned(["regimes", "market"]))
def test_agreement_with_planted_regimes_is_counted_over_pairs_of_days(returns):
    settings = PriceTokens(
        returns=returns,
        market_seed=9,
        network="bigram",
        tokens=3,
        test_years=3,
        refits=2,
        epochs=1,
        merges=0,
        tokeniser="mixture",
    )
    run = goldviz.run(settings, progress=False)
    regime, token = run["regime"].values.astype(int), run["token"].values.astype(int)
    assert float(run["rand_index"]) == pytest.approx(pair_counted_rand(regime, token), abs=1e-6)
    # T^g = (1 - c)^g I + (1 - (1 - c)^g) 1 π', for g days to the next trading day.
    days = token_problem(settings).answers.days
    stays = ((1 - CHANGE) ** days).mean()
    np.testing.assert_allclose(run["planted_transition"], stays * np.eye(3) + (1 - stays) * SHARES, rtol=1e-5)
    # What was planted came as often as that says; a regime of 750 days leaves some twelve times.
    met = pd.crosstab(regime[:-1], regime[1:], normalize="index").reindex(index=range(3), columns=range(3)).to_numpy()
    np.testing.assert_allclose(np.diag(met), stays + (1 - stays) * SHARES, atol=0.03)
