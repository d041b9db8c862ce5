"""What the recorded examples come to: every trap is called by its name, and shuffled days show no skill."""

from typing import Any

import pytest

import goldviz.api
from goldviz.declare.laboratory import laboratory_of
from goldviz.labs.price_tokens import LAB
from goldviz.labs.price_tokens.measures import Reading
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.verdict import score_rows, verdict
from goldviz.runs.examples import example


def seen(slug: Any) -> Any:
    settings, ds = PriceTokens.preset(slug), example(LAB.declared, slug)
    return settings, ds, [finding.kind for finding in laboratory_of(settings).findings(settings, ds)]


@pytest.mark.parametrize(
    "slug", [preset.slug for preset in PriceTokens.presets if preset.name.startswith("Look-ahead")]
)
def test_a_leak_is_called_one_and_its_score_worthless(slug: Any) -> None:
    settings, ds, kinds = seen(slug)
    assert kinds[0] == "knows_future"
    assert not {"size_skill", "no_skill"} & set(kinds)
    assert verdict(ds, settings).startswith("Tokens know the future")


def test_names_that_switch_are_called_so_and_matching_them_mends_it() -> None:
    settings, ds, kinds = seen("break-it-switching-labels")
    assert kinds[0] == "labels_switch"
    assert verdict(ds, settings).startswith("Names switch between fits")
    settings, ds, kinds = seen("fix-it-matched-labels")
    assert "labels_switch" not in kinds
    assert "switch" not in verdict(ds, settings)


def test_codes_that_collapse_are_told() -> None:
    settings, ds, kinds = seen("break-it-codes-that-collapse")
    assert "codes_unused" in kinds
    assert not {"size_skill", "no_skill"} & set(kinds)
    assert verdict(ds, settings).startswith("Most days share one token (perplexity 1.1 of 16)")
    assert "not_regimes" not in kinds, "one token for most days is the cause, not what the token follows"
    assert "codes_unused" not in seen("learned-codes")[2]


@pytest.mark.parametrize(("slug", "words"), [("regimes", "States follow the size"), ("learned-codes", "last 5 moves")])
def test_why_tokens_are_no_regimes_is_said_of_what_they_are_made_of(slug: Any, words: str) -> None:
    settings, ds, kinds = seen(slug)
    assert words in laboratory_of(settings).findings(settings, ds)[kinds.index("not_regimes")].explanation


def test_the_honest_run_has_skill_in_size_and_none_in_sign() -> None:
    settings, ds, kinds = seen("as-in-the-document")
    assert "size_skill" in kinds
    assert "knows_future" not in kinds
    assert not Reading(ds).sign.better
    assert verdict(ds, settings).startswith("The next move's size can be forecast: +0.037 nats a day [")
    assert [row["Model"] for row in score_rows(ds, settings.network)][:2] == ["MLP", "token frequency"]


def test_shuffled_days_are_said_to_show_nothing() -> None:
    settings, ds, kinds = seen("fix-it-shuffled-days")
    assert "shuffled_check_passed" in kinds
    assert "no skill is left, as it must be" in verdict(ds, settings)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("network", ["bigram", "mlp", "gpt"])
def test_no_skill_is_claimed_on_shuffled_days(network: Any, seed: Any) -> None:
    settings = PriceTokens(shuffle_days=True, network=network, market_seed=seed, epochs=4)
    ds = goldviz.api.run(settings, progress=False)
    assert not Reading(ds).own.better
    assert "no skill is left" in verdict(ds, settings)


def test_a_run_that_goes_on_says_how_far_it_is() -> None:
    settings, ds, _ = seen("as-in-the-document")
    early = ds.drop_vars(["score", "score_low", "score_high"]).assign_attrs(status="running")
    assert verdict(early, settings).startswith("So far: ")
    assert verdict(early.drop_vars("nats"), settings).startswith("No forecast yet")
