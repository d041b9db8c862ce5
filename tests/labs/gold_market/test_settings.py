"""The declaration of *Gold market*: which settings count, and what is refused."""

import pytest

from goldviz.data.markets.market import MarketError
from goldviz.declare.market_settings import MARKET_SETTINGS
from goldviz.declare.registry import instants
from goldviz.declare.settings import SettingsError
from goldviz.labs.gold_market.settings import GoldMarket

NOT_HELD = "a" * 16


def test_it_is_found_by_its_name() -> None:
    assert instants()["gold-market"] is GoldMarket
    assert GoldMarket.rank == 50


def test_a_share_of_nothing_has_no_effect() -> None:
    settings = GoldMarket(years=2)
    assert settings.without_effect().keys() == {"missing_share"}
    assert settings.changed(missing_share=0.9).compute().identical(settings.compute())
    hiding = settings.changed(missing="random")
    assert not hiding.without_effect()
    assert not hiding.changed(missing_share=0.9).compute().identical(hiding.compute())


def test_presets_leave_market_and_covariate_alone() -> None:
    assert set(MARKET_SETTINGS) | {"channel", "moment"} == set(GoldMarket.kept_by_presets)
    broken = GoldMarket.preset("break-it-join-by-calendar-date").changed(channel=4, market_seed=3)
    preset = broken.like_preset()
    assert preset is not None
    assert preset.slug == "break-it-join-by-calendar-date"


def test_every_preset_is_in_its_own_link_alone() -> None:
    changes = [tuple(sorted(preset.changes.items())) for preset in GoldMarket.presets]
    assert len(set(changes)) == len(changes)
    assert GoldMarket.presets[0].changes == {}


def test_a_market_that_is_not_here_has_a_sentence() -> None:
    settings = GoldMarket(data=NOT_HELD)
    with pytest.raises(MarketError, match=f"does not hold the market {NOT_HELD}"):
        settings.compute()


def test_the_seed_of_the_market_makes_another_market() -> None:
    first, second = (GoldMarket(years=2, market_seed=seed).compute() for seed in (0, 1))
    assert float(first["price"][-1]) != float(second["price"][-1])


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"years": 0}, "Years is 0; allowed is a whole number from 1 to 60."),
        ({"window": 5}, "Window is 5; allowed is a whole number from 20 to 500."),
        (
            {"data": "../x"},
            "Data is '../x'; allowed is 'simulated', or the 16 characters that name data kept on this server.",
        ),
    ],
)
def test_what_is_not_allowed_is_told_in_a_sentence(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        GoldMarket.checked(values)
    assert str(caught.value) == sentence
