import json

import pytest

import goldviz.api
from goldviz.declare.settings import SettingsError
from goldviz.labs.gold_forecast.models.forecaster import WINDOW_READERS
from goldviz.labs.gold_forecast.settings import NETWORKS, GoldForecast
from goldviz.ui.panels.controls import from_link
from tests.thinned import thinned

TINY = {
    "scheme": "rolling",
    "train_years": 1,
    "test_years": 0.5,
    "refits": 2,
    "window": 4,
    "hidden": 4,
    "epochs": 3,
    "batch": 64,
    "look_every": 2,
}


def test_the_declaration_and_the_models_name_the_same_networks():
    assert list(NETWORKS) == list(WINDOW_READERS)


def test_a_run_of_the_first_version_opens_without_its_final_block_and_a_link_is_told():
    final_block = {"final_days": 60, "open_final": True}
    kept = GoldForecast(window=10).model_dump(mode="json") | final_block
    assert GoldForecast.from_store(1, json.dumps(kept)) == GoldForecast(window=10)
    settings, complaints = from_link(GoldForecast, {"window": "10", "final_days": "60", "open_final": "true"})
    assert settings == GoldForecast(window=10)
    assert complaints == [f"In the link: {GoldForecast.retired[name]}" for name in final_block]
    with pytest.raises(SettingsError, match="keeps no final block, and tests up to the data's end"):
        GoldForecast.checked(final_block)


def test_a_transformer_s_heads_share_the_hidden_units():
    with pytest.raises(SettingsError, match="Hidden units are 30; allowed is a multiple of 4 with a Transformer"):
        GoldForecast.checked({"network": "transformer", "hidden": 30})
    assert "attention" in GoldForecast().without_effect()
    assert not GoldForecast(network="transformer").without_effect()


@pytest.mark.parametrize("slug", thinned([preset.slug for preset in GoldForecast.presets]))
def test_every_preset_can_be_run(slug):
    chosen = GoldForecast.preset(slug)
    assert chosen.steps_planned() == chosen.epochs
    small = chosen.changed(**TINY, seeds=(0,))
    assert goldviz.api.run(small, progress=False).attrs["status"] == "finished"
