"""What is said of tokens and their forecasts, on scores set by hand."""

import numpy as np
import pytest

from goldviz.labs.price_tokens.findings import findings_of
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


def test_dealing_days_out_is_explained_where_there_is_no_skill_to_doubt():
    worse = cards(scored(WORSE, UNKNOWN))["worse"]
    assert worse.changes == {"shuffle_days": True}
    assert "does not hold in the years that are forecast" in worse.explanation
    assert "If the score stays as low with the days dealt out at random, the years are not to blame." in (
        worse.explanation
    )


def test_tokens_that_overlap_are_named_where_they_forecast_worse():
    settings = PriceTokens.preset("learned-codes")
    worse = cards(example(PriceTokens, "learned-codes"), settings)["worse"]
    assert "Tokens of 5 days overlap" in worse.explanation
