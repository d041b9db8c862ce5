"""Cards of *Price tokens*, from minus the log density of each day's move, in nats."""

import numpy as np

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import settings_of
from tests.truth.recorded_cards.significance import Score, interval, p_of_difference

NAMES = ()


def own(run):
    """The network's nats of every day, at the last look, of its one seed."""
    assert run.sizes["seed"] == 1
    return run.nats.isel(look=-1, seed=0).values.astype(np.float64)


def others(run, baseline):
    return run.baseline_nats.sel(baseline=baseline).values.astype(np.float64)


def gain(run, model="network"):
    """Nats a day that a model gains over token frequency, the interval, and Diebold and Mariano's p."""
    nats, frequency = own(run) if model == "network" else others(run, model), others(run, "frequency")
    kept = run.sel(model=model, metric="gain")
    recorded = (float(kept.score_low), float(kept.score_high))
    ends = interval(np.stack([nats, frequency - nats], axis=1), lambda means: means[1], recorded)
    return Score(float((frequency - nats).mean()), *ends, p_of_difference(nats, frequency))


def part(run, of_what):
    """The part of the network's gain that is of the moves' size or sign, and its interval, which a run records.

    The densities that they are parts of are not recorded day by day; both have to sum to the gain.
    """
    kept = {name: run.sel(model="network", metric=f"{name}_gain") for name in ("size", "sign")}
    np.testing.assert_allclose(sum(float(one.score) for one in kept.values()), gain(run).value, rtol=1e-5)
    score = kept[of_what]
    return float(score.score), float(score.score_low), float(score.score_high)


def told(score):
    """A gain with its interval; the test's p stands beside it where the two disagree."""
    return score if score.disputed else score[:3]


def beside_zero(low, high):
    """The ends in words where one would else be printed as 0: four digits or more show on which side of it they are."""
    digits = next(digits for digits in range(3, 9) if round(low, digits) and round(high, digits))
    return (f"[{low:+.{digits}f}, {high:+.{digits}f}]".replace("-", "−"),) if digits > 3 else ()


def confidence(run):
    """The interval's share, and how many days were forecast."""
    return (0.95, run.sizes["time"])


def no_skill(run):
    """Also whether there was anything to forecast, by GARCH."""
    score, something = gain(run), gain(run, "garch").better
    return Card(
        not score.better and not score.worse,
        number=told(score),
        threshold=(0,),
        confidence=confidence(run),
        says=(*(["GARCH finds something"] if something else []), *beside_zero(score.low, score.high)),
    )


def shuffled_check_passed(run):
    score = gain(run)
    return Card(
        not score.better and settings_of(run).shuffle_days,
        number=told(score),
        threshold=(0,),
        confidence=confidence(run),
        says=beside_zero(score.low, score.high),
    )


def worse(run):
    score = gain(run)
    return Card(
        score.worse,
        number=told(score),
        threshold=(0,),
        confidence=confidence(run),
        explanation=(part(run, "sign")[0], part(run, "size")[0]),
        says=beside_zero(score.low, score.high),
    )


def size_skill(run):
    """Both the gain and its part of the size are above zero for sure; the sign gives nothing."""
    (size, low, high), (sign, least, _) = part(run, "size"), part(run, "sign")
    return Card(
        gain(run).better and low > 0 >= least,
        number=(size, low, high, sign),
        threshold=(0,),
        confidence=confidence(run),
        says=beside_zero(low, high),
    )


def worse_than_garch(run):
    score, garch = gain(run), others(run, "garch")
    beside, p = float((others(run, "frequency") - garch).mean()), p_of_difference(own(run), garch)
    return Card(
        beside > score.value and p < 0.05,
        number=(*told(score), beside),
        threshold=(0.05,),
        confidence=(p,),
        explanation=_seen(run),
    )


def _seen(run):
    settings = settings_of(run)
    return () if settings.network == "bigram" else (settings.context,)


def pairs_of(labels):
    """For every two days whether they have the same label."""
    return labels[:, None] == labels


def rand_index(run):
    """Hubert and Arabie's, by pairs of days: 0 is what chance gives with labels as frequent."""
    pairs = np.triu_indices(run.sizes["time"], 1)
    token, regime = (pairs_of(run[name].values)[pairs] for name in ("token", "regime"))
    chance = token.sum() * regime.sum() / len(token)
    return float(((token & regime).sum() - chance) / ((token.sum() + regime.sum()) / 2 - chance))


def not_regimes(run):
    days = settings_of(run).window
    return Card(
        rand_index(run) < 0.2,
        number=(rand_index(run),),
        threshold=(0.2, 0, 1),
        confidence=(run.sizes["time"],),
        explanation=(days,) if settings_of(run).tokeniser != "hmm" else (),
    )


def codes_unused(run):
    """Perplexity, e to the entropy of how often tokens come, mean over the fits; most tokens come in none of them."""
    shares = run.occupancy.astype(np.float64)
    entropy = -(shares * np.log(shares.where(shares > 0, 1))).sum("token_name")
    used, tokens = float(np.exp(entropy).mean()), run.sizes["token_name"]
    never, tokeniser = int((shares == 0).all("fold").sum()), settings_of(run).tokeniser
    return Card(
        used < 0.3 * tokens and never > tokens / 2,
        number=(used, tokens),
        threshold=(0.3,),
        says=({"vqvae": "nearest to no day", "uniform": "bins of equal width"}.get(tokeniser, ""),),
    )


def knows_future(run):
    changed, settings = float(run.changed_by_future), settings_of(run)
    causes = {"all": "fitted on all days", "block": "fitted on the very days", "past": "The smoother reads"}
    return Card(changed > 0, number=(changed,), says=(causes[settings.fitted_on],))


def labels_switch(run):
    """Means over the refits of the recorded shares of past days."""
    same, could = float(run.same_label.mean()), float(run.same_meaning.mean())
    return Card(could - same > 0.1, number=(same, could), threshold=(0.1,))


CARDS = {
    card.__name__: card
    for card in (
        no_skill,
        shuffled_check_passed,
        worse,
        size_skill,
        worse_than_garch,
        not_regimes,
        codes_unused,
        knows_future,
        labels_switch,
    )
}
