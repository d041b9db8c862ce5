"""No two cards, verdicts or captions of the page contradict each other, on drawn and on recorded runs."""

import re
from functools import lru_cache
from itertools import chain, combinations

import numpy as np
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st

from goldviz.labs.gold_forecast.figures import FIGURES
from goldviz.labs.gold_forecast.findings import RULES, findings_of
from goldviz.labs.gold_forecast.measures import STEADY, Reading
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.gold_forecast.verdict import verdict
from goldviz.runs.examples import example as recorded
from tests.labs.gold_forecast.runs import build
from tests.labs.gold_forecast.test_findings import scored, steady
from tests.thinned import thinned

built = lru_cache(maxsize=None)(build)

JUDGEMENTS = (
    "leak_suspected",
    "worthless_level_score",
    "no_volatility_skill",
    "no_skill",
    "worse_than_simplest",
    "volatility_skill",
    "better_constant",
    "skill",
)
PRAISE = ("volatility_skill", "better_constant", "skill")
BLAME = ("worthless_level_score", "no_volatility_skill", "no_skill", "worse_than_simplest")
OF_A_SCORE = ("one_episode", "refits_disagree", "few_forecasts")
EXCLUDED = {
    **{one: tuple(set(JUDGEMENTS) - {one}) for one in JUDGEMENTS},
    "column_ahead": ("leak_suspected", "known_leak", "skill", "volatility_skill"),
    "known_leak": (*JUDGEMENTS, *OF_A_SCORE, "worse_than_garch", "constant_forecast", "badly_calibrated"),
    "leak_suspected": (*JUDGEMENTS[1:], *OF_A_SCORE, "worse_than_garch", "constant_forecast", "badly_calibrated"),
    "shuffled_skill": ("shuffled_check_passed", *JUDGEMENTS, *OF_A_SCORE),
    "shuffled_check_passed": (*JUDGEMENTS, *OF_A_SCORE),
    "planted_found": (*JUDGEMENTS, "planted_missed", "dealt_out_skill", "dealt_out_passed", "known_leak"),
    "planted_missed": (*PRAISE, "no_skill", "leak_suspected", "dealt_out_skill", "dealt_out_passed", "known_leak"),
    "dealt_out_skill": (*JUDGEMENTS, "dealt_out_passed", "known_leak"),
    "dealt_out_passed": (*PRAISE, "no_skill", "leak_suspected", "known_leak"),
    "one_episode": BLAME,
    "refits_disagree": BLAME,
    "few_forecasts": (*PRAISE, "worse_than_simplest"),
    "constant_forecast": ("volatility_skill", "short_reach"),
    "over_fitting": ("under_trained",),
}
"""By kind: the kinds that no page may have beside it. What is said ``alone`` excludes all others."""

OPENINGS = {
    "Better than zero": ("skill", "planted_found", "dealt_out_skill"),
    "Worse than": ("worse_than_simplest",),
    "No detectable skill over": ("no_skill", "planted_missed", "dealt_out_passed"),
    "No detectable skill in": ("no_volatility_skill",),
    "The size of the next move can": ("volatility_skill",),
    "Better than a constant variance by": ("better_constant",),
    "The targets were dealt out at random, and no": ("shuffled_check_passed",),
    "The targets were dealt out at random, yet": ("shuffled_skill",),
}
PARTS = {
    "covariates are joined by calendar date": ("known_leak",),
    "is a value known later": ("leak_suspected",),
    "nothing was learned about tomorrow": ("worthless_level_score",),
    "something was learned about tomorrow": ("skill",),
}
"""What the verdict says, and the cards of which one must say it too; where such a card is, the verdict must say it."""


def texts(settings: GoldForecast, run: xr.Dataset) -> list[str]:
    """The verdict, all cards, and titles and captions of all figures."""
    cards = findings_of.all(settings, run)
    found = [verdict(run, settings.target)]
    found += [part for card in cards for part in (card.title, card.number, card.confidence, card.explanation)]
    for draw in FIGURES.values():
        title = draw(run).layout.title
        found += [str(title.text), str(title.subtitle.text)]
    return found


def check(settings: GoldForecast, run: xr.Dataset) -> None:
    cards = {card.kind: card for card in findings_of.all(settings, run)}
    kinds = set(cards)
    for one, other in combinations(kinds, 2):
        assert other not in EXCLUDED.get(one, ()), (one, other)
        assert one not in EXCLUDED.get(other, ()), (one, other)
    assert "diverged" not in kinds or kinds in ({"diverged"}, {"diverged", "simulated_market"})
    said = verdict(run, settings.target)
    reading = Reading.of(run)
    if reading.own.sure:
        said_by = [OPENINGS[words] for words in OPENINGS if said.startswith(words)]
        said_by += [PARTS[words] for words in PARTS if words in said]
        assert all(kinds & set(cards) for cards in said_by), said
        assert kinds & {*JUDGEMENTS, "known_leak", "shuffled_skill", "shuffled_check_passed"} <= set(chain(*said_by))
    assert reading.own.p < 0.05 or np.isnan(reading.own.p) or not kinds & {*PRAISE, "worse_than_simplest"}
    worse = cards.get("worse_than_simplest")
    if worse and reading.spread < STEADY.get(settings.target, 0):
        assert "noise" not in worse.explanation
    if len(reading.scored) >= 250:
        assert not any("too few forecasts" in card.title for card in cards.values())


def check_words(settings: GoldForecast, run: xr.Dataset) -> None:
    for text in texts(settings, run):
        assert not re.search(r"\d{4,}(\.\d+)? %|\b1\.0 times|\bnan\b|\binf\b", text), text


PLANTED = {"documents": "generated", "tone_response": 0.3}
SCORES = st.tuples(
    st.sampled_from(["return", "volatility", "level"]),
    st.lists(st.sampled_from([-60.0, -0.03, -0.004, -1e-4, 1e-4, 0.004, 0.03, 0.07, 0.6]), min_size=3, max_size=3),
    st.sampled_from([0.001, 0.049, 0.11, 0.9]),
)


@pytest.mark.slow
@given(
    SCORES,
    st.sampled_from([249, 1500]),
    st.sampled_from([0, 100]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([None, 0.0, 1e-3, 0.5]),
    st.fixed_dictionaries(
        {
            "alignment": st.sampled_from(["release", "date"]),
            "inputs": st.sampled_from(["own", "all"]),
            "shuffle_targets": st.booleans(),
            "network": st.sampled_from(["gru", "mlp"]),
            "documents": st.sampled_from(["none", "generated", "shuffled"]),
            "tone_response": st.sampled_from([0.0, 0.3]),
        }
    ),
    st.sampled_from(["finished", "finished", "finished", "diverged", "running"]),
)
@example(("return", [0.004, 0.001, 0.03], 0.11), 1500, 0, 0.0, None, {}, "finished")
@example(("return", [-0.03, -0.03, -0.004], 0.001), 1500, 0, 0.0, 0.0, {}, "finished")
@example(("volatility", [0.004, 0.03, 0.07], 0.001), 1500, 0, 0.0, 1e-3, {}, "finished")
@example(("return", [0.004, 0.03, 0.07], 0.001), 1500, 0, 0.0, None, {**PLANTED, "alignment": "date"}, "finished")
@example(("return", [0.004, 0.03, 0.07], 0.001), 1500, 0, 0.0, None, PLANTED, "finished")
@example(("return", [0.03, 0.6, 0.6], 0.001), 1500, 0, 0.0, None, PLANTED, "finished")
@example(("volatility", [0.004, 0.03, 0.07], 0.001), 1500, 0, 0.0, 1e-3, {"alignment": "date"}, "finished")
def test_no_drawn_run_contradicts_itself(score, forecasts, final, skill, wave, values, stage):
    target, ends, p = score
    run = built(target=target, forecasts=forecasts, final=final, skill=skill, stage=stage, **values).copy(deep=True)
    low, value, high = sorted(ends)
    if stage == "finished":
        scored(run, value, low, high, p)
    if wave is not None and stage == "finished":
        steady(run, wave)
    check(GoldForecast.checked_json(run.attrs["settings"]), run)


@given(st.lists(st.floats(0.05, 0.999), min_size=3, max_size=3))
def test_card_and_caption_name_the_same_reach(fading):
    run = built(seeds=3).copy(deep=True)
    lags = run["lag"].values[None, :, None]
    run["state_gradient_norm"][:] = np.array(fading) ** lags
    cards = {card.kind: card for card in findings_of.all(GoldForecast.checked_json(run.attrs["settings"]), run)}
    caption = str(FIGURES["gradient_by_lag"](run).layout.title.subtitle.text)
    if "short_reach" in cards:
        assert re.search(r"up to \d+ of 19 rows", cards["short_reach"].number)[0] in caption


@pytest.mark.parametrize("preset", [preset.slug for preset in GoldForecast.presets])
def test_no_recorded_example_contradicts_itself(preset):
    settings, run = GoldForecast.preset(preset), recorded(GoldForecast, preset)
    check(settings, run)
    check_words(settings, run)


@pytest.mark.parametrize("target", ["return", "volatility", "level"])
@pytest.mark.parametrize("factor", thinned([1e9, 300.0, 1.0]))
def test_numbers_of_any_size_can_be_read(target, factor):
    run = built(target=target, final=100).copy(deep=True)
    run["scale" if target == "volatility" else "mean"] *= factor
    scored(run, -60.0 * factor, -70.0 * factor, -50.0 * factor)
    check_words(GoldForecast.checked_json(run.attrs["settings"]), run)


def test_the_table_names_cards_that_there_are():
    kinds = {rule.kind for rule in RULES}
    assert set(EXCLUDED) <= kinds
    assert {other for others in EXCLUDED.values() for other in others} <= kinds
    assert all(kinds & set(cards) for cards in (*OPENINGS.values(), *PARTS.values()))
