"""The numbers on the cards of recorded examples, computed once more off the recorded arrays with plain numpy."""

import json
import re
from functools import cache

import numpy as np
import pytest

from goldviz.declare.registry import experiments
from goldviz.runs.examples import example

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
NUMBER = re.compile(r"[+−]?\d[\d,]*(?:\.\d+)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?(?: %)?")


@cache
def recorded(laboratory, preset):
    declared = experiments()[laboratory]
    run = example(declared, preset)
    return run, {finding.kind: finding.number for finding in declared.preset(preset).findings(run)}


def first_number(words):
    """The first number in a card's words and one unit of its last digit; a percentage as a share."""
    printed = NUMBER.search(words)[0]
    mantissa, _, exponent = printed.removesuffix(" %").replace(",", "").replace("−", "-").partition(" × 10")
    digits = len(mantissa.partition(".")[2]) or len(mantissa.rstrip("0")) - len(mantissa)
    scale = 10.0 ** int(exponent.translate(SUPERSCRIPTS) or 0) / (100 if printed.endswith("%") else 1)
    return float(mantissa) * scale, 10.0**-digits * scale


def of(run, network=None):
    """A run of one seed, of one network."""
    one = run.isel(seed=0) if "seed" in run.sizes else run
    return one.isel(network=0) if network is None else one.sel(network=network)


def gradients(run, network):
    """Mean norms over the epochs of the first and the last hidden layer."""
    norms = of(run, network).gradient_norm
    depth = json.loads(run.attrs["settings"])["depth"]
    return float(norms.sel(layer=1).mean()), float(norms.sel(layer=depth).mean())


def forecast_error(run, other):
    """The sum of squared errors of a forecast lab's network, over that of another forecast."""
    came = run.target.values.astype(float)
    network = run["mean"].isel(look=-1).mean("seed").values
    return ((came - network) ** 2).sum() / ((came - other) ** 2).sum()


def zero(run):
    return run.baseline_mean.sel(baseline="zero").values


def quasi_likelihood(run, scale):
    return np.mean(run.target.values**2 / scale**2 + np.log(scale**2))


def nats_gained(run, of_whom=None):
    """Nats a day below token frequency."""
    nats = run.baseline_nats.sel(baseline=of_whom) if of_whom else run.nats.isel(look=-1).mean("seed")
    return float((run.baseline_nats.sel(baseline="frequency") - nats).mean())


def rand_index(run):
    """Hubert and Arabie's, by pairs of days."""
    token, regime = run.token.values, run.regime.values
    same_token, same_regime = token[:, None] == token, regime[:, None] == regime
    pairs = np.triu_indices(len(token), 1)
    both, one, other = (
        part[pairs].sum() for part in (same_token & same_regime, same_token, same_regime)
    )  # fmt: skip
    chance = one * other / len(pairs[0])
    return (both - chance) / ((one + other) / 2 - chance)


def settled(run, name):
    """The mean over the last quarter of what was looked at."""
    values = of(run)[name].values
    return values[-(len(values) // 4) :].mean()


CARDS = {
    ("depth-gradients", "as-in-the-document", "vanishing"):
        lambda run: np.divide(*gradients(run, "plain")[::-1]),
    ("depth-gradients", "break-it-sigmoid", "vanishing"):
        lambda run: np.divide(*gradients(run, "plain")[::-1]),
    ("depth-gradients", "break-it-sigmoid", "saturated"):
        lambda run: float(of(run, "residual").saturation.isel(epoch=-1).mean()),
    ("depth-gradients", "break-it-deeper-is-worse", "degradation"):
        lambda run: float(of(run, "plain").loss.isel(epoch=-1)),
    ("depth-gradients", "fix-it-clip", "no_better_than_zero"):
        lambda run: float(of(run, "residual").test_loss / of(run, "residual").zero_loss),
    ("recurrent-gradients", "adding-50-steps", "task_solved"): lambda run: float(of(run, "lstm").test_loss),
    ("recurrent-gradients", "fix-it-clip-at-1", "clipping_every_step"): lambda run: float(of(run).clipped.mean()),
    ("recurrent-gradients", "break-it-forget-bias-2", "forget_bias_too_small"):
        lambda run: float(of(run).gate_opening.isel(look=-1).sel(gate="forget").mean()),
    ("continuous-depth", "break-it-two-rings", "nested_classes"): lambda run: settled(run, "test_accuracy"),
    ("continuous-depth", "break-it-one-big-step", "solver_s_map"):
        lambda run: float(of(run).test_loss.isel(look=-1)),
    ("ode-rnn", "as-in-the-document", "holds_in_long_gaps"):
        lambda run: float(of(run, "ode_rnn").long_gap_error.isel(look=-1) / run.zero_error[1]),
    ("ode-rnn", "break-it-euler", "solver_too_coarse"):
        lambda run: float(of(run).refined_error.isel(look=-1) / of(run).error.isel(look=-1)),
    ("char-language-model", "break-it-first-loss-25", "first_loss"): lambda run: float(of(run).loss[0]),
    ("char-language-model", "break-it-few-names", "by_heart"):
        lambda run: float((of(run).dev_loss - of(run).train_loss).isel(close_look=-1)),
    ("char-gpt", "as-in-the-document", "beats_pairs"): lambda run: float(of(run).dev_loss.isel(close_look=-1)),
    ("char-gpt", "break-it-no-mask", "sees_ahead"):
        lambda run: float(of(run).position_loss[-1, -1] - np.median(of(run).position_loss[-1, :-1])),
    ("bert-pretraining", "as-in-the-document", "tone_from_words"):
        lambda run: float(run.unseen_tone_accuracy[-1, 0].sel(tone_set="new patterns")),
    ("bert-pretraining", "break-it-learning-rate-30", "only_word_frequencies"):
        lambda run: float(run.unseen_masked_loss[-1, 0]),
    ("gold-forecast", "as-in-the-document", "no_skill"): lambda run: 1 - forecast_error(run, zero(run)),
    ("gold-forecast", "break-it-leak", "known_leak"): lambda run: 1 - forecast_error(run, zero(run)),
    ("gold-forecast", "break-it-levels", "worthless_level_score"):
        lambda run: 1 - forecast_error(run, run.target.values.mean()),
    ("gold-forecast", "volatility", "volatility_skill"):
        lambda run: quasi_likelihood(run, run.baseline_scale.values[0])
        - quasi_likelihood(run, np.sqrt((run["scale"].isel(look=-1).values ** 2).mean(-1))),
    ("price-tokens", "as-in-the-document", "worse_than_garch"): nats_gained,
    ("price-tokens", "regimes", "not_regimes"): rand_index,
    ("price-tokens", "break-it-codes-that-collapse", "codes_unused"):
        lambda run: float(np.exp(-np.nansum(run.occupancy * np.log(run.occupancy.where(run.occupancy > 0)), 1)).mean()),
}  # fmt: skip


@pytest.mark.parametrize("card", CARDS, ids=" ".join)
def test_a_card_s_number_is_what_the_recorded_arrays_give(card):
    laboratory, preset, kind = card
    run, cards = recorded(laboratory, preset)
    printed, unit = first_number(cards[kind])
    assert printed == pytest.approx(CARDS[card](run), abs=0.51 * unit), cards[kind]
