"""What is said of tokens and their forecasts, on scores set by hand."""

import numpy as np
import pytest

from goldviz.labs.price_tokens.findings import findings_of
from goldviz.labs.price_tokens.measures import Reading
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.verdict import SIGN, verdict
from goldviz.runs.examples import example

PLAIN = PriceTokens()
UNDECIDED, WORSE, BETTER = (-0.01, -0.03, 0.02, 0.4), (-0.04, -0.06, -0.02, 1e-4), (0.04, 0.02, 0.06, 1e-4)
KNOWN, UNKNOWN = (4 * SIGN, 2 * SIGN, 6 * SIGN, np.nan), (0.0, -SIGN, SIGN, np.nan)


def scored(gain, sign):
    """The document's run with another gain and another part of the sign: value, both ends and a p-value."""
    run = example(PriceTokens, "as-in-the-document").copy(deep=True)
    for metric, (value, low, high, p) in {"gain": gain, "sign_gain": sign}.items():
        place = {"model": "network", "metric": metric}
        run["score"].loc[place], run["score_low"].loc[place], run["score_high"].loc[place] = value, low, high
        if metric == "gain":
            run["score"].loc[{"model": "network", "metric": "dm_p"}] = p
    return run


def cards(run, settings=PLAIN):
    return {finding.kind: finding for finding in findings_of.all(settings, run)}


@pytest.mark.parametrize("gain", [UNDECIDED, WORSE, BETTER])
def test_a_sign_that_seems_known_is_a_leak_to_look_for_and_no_other_verdict_on_skill(gain):
    assert not {"no_skill", "worse", "size_skill"} & set(cards(scored(gain, KNOWN)))
    assert "sign_skill" in cards(scored(gain, KNOWN))
    assert verdict(scored(gain, KNOWN), PLAIN).startswith("Too good: the sign of the next move seems known (+0.020")
    assert not verdict(scored(gain, UNKNOWN), PLAIN).startswith("Too good")


@pytest.mark.parametrize(("gain", "kind"), [(UNDECIDED, "no_skill"), (WORSE, "worse"), (BETTER, "size_skill")])
def test_a_sign_that_is_not_known_leaves_the_verdict_to_the_gain(gain, kind):
    assert {"no_skill", "worse", "size_skill"} & set(cards(scored(gain, UNKNOWN))) == {kind}


def test_dealing_days_out_is_offered_where_there_is_no_skill_to_doubt():
    assert cards(scored(WORSE, UNKNOWN))["worse"].changes == {"shuffle_days": True}


def test_a_loss_is_parted_into_that_of_the_sign_and_that_of_the_size():
    worse = cards(example(PriceTokens, "learned-codes"), PriceTokens.preset("learned-codes"))["worse"]
    assert worse.number.startswith("−0.025 nats a day")
    assert worse.explanation.startswith("Of that, −0.0233 is of the sign, −0.0017 of the size.")


def test_nothing_to_find_is_not_said_where_garch_finds_something():
    run = example(PriceTokens, "regimes-alone").copy(deep=True)
    words = cards(run, PriceTokens.preset("regimes-alone"))["no_skill"].explanation
    assert words.startswith("GARCH finds something to forecast here.")
    run["score_low"].loc[{"model": "garch", "metric": "gain"}] = -0.01
    assert not cards(run, PriceTokens.preset("regimes-alone"))["no_skill"].explanation


def test_the_size_of_moves_is_called_forecast_only_where_its_own_part_is_proved():
    run = scored(BETTER, UNKNOWN)
    assert "size_skill" in cards(run)
    run["score_low"].loc[{"model": "network", "metric": "size_gain"}] = -0.001
    assert not {"no_skill", "worse", "size_skill"} & set(cards(run))
    assert verdict(run, PLAIN).startswith("Better than token frequency")


def test_equal_bins_are_blamed_only_where_there_are_some():
    run = example(PriceTokens, "as-in-the-document").copy(deep=True)
    run["code_perplexity"][:] = 1.1
    of_each = {
        "uniform": "Of bins of equal width",
        "basis_points": "Rounded tokens lie around zero",
        "vqvae": "A code that is nearest to no day",
    }
    for tokeniser, words in of_each.items():
        assert cards(run, PLAIN.changed(tokeniser=tokeniser))["codes_unused"].explanation.startswith(words)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("own", "frequency", "gain"), [(np.inf, np.inf, np.nan), (np.inf, 1.0, -np.inf), (1.0, 1.5, 0.5)]
)
def test_a_gain_so_far_of_losses_without_end_is_no_number_and_warns_of_nothing(own, frequency, gain):
    run = example(PriceTokens, "as-in-the-document").drop_vars(["score", "score_low", "score_high"])
    both = {"nats": own, "baseline_nats": frequency}
    run = run.assign({name: run[name].copy(data=np.full(run[name].shape, nats)) for name, nats in both.items()})
    np.testing.assert_equal(Reading(run).own.value, gain)
