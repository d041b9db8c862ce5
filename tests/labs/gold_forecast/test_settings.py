import subprocess
import sys

import numpy as np
import pytest

import goldviz.api
from goldviz.labs.gold_forecast.models.forecaster import WINDOW_READERS
from goldviz.labs.gold_forecast.models.heads import QUANTILE_LEVELS
from goldviz.labs.gold_forecast.settings import LEVELS, NETWORKS, GoldForecast
from tests.export.test_script import run_alone

TINY = {
    "scheme": "rolling", "train_years": 1, "test_years": 0.5, "refits": 2, "final_days": 60, "window": 4, "hidden": 3,
    "epochs": 3, "batch": 64, "look_every": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    "settings",
    [
        {"network": "gru_decay", "head": "student", "missing": "random", "seeds": (0, 7)},
        {"network": "mlp", "head": "quantiles", "target": "level", "open_final": True},
    ],
    ids=lambda settings: settings["network"],
)
def test_the_script_repeats_the_run_to_the_bit(tmp_path, settings):
    chosen = GoldForecast(**TINY, **settings)
    dataset = goldviz.api.run(chosen, progress=False)
    seen = run_alone(chosen.script(), tmp_path)
    assert seen["coordinates"]["time"] == list(dataset.time.values)
    for name, variable in GoldForecast.variables.items():
        values = seen["finals"][name] if variable.once else seen["curves"][name]["values"]
        np.testing.assert_array_equal(
            np.array(values, np.float32), dataset[name].astype(np.float32), err_msg=name, strict=False
        )


def test_building_a_script_does_not_load_torch():
    code = (
        "import sys; from goldviz.labs.gold_forecast.settings import GoldForecast; "
        "GoldForecast().script(); sys.exit('torch' in sys.modules or 'arch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_declaration_and_the_models_name_the_same_networks_and_levels():
    assert list(NETWORKS) == list(WINDOW_READERS)
    assert LEVELS == QUANTILE_LEVELS


@pytest.mark.parametrize("slug", [preset.slug for preset in GoldForecast.presets])
def test_every_preset_can_be_run(slug):
    chosen = GoldForecast.preset(slug)
    assert chosen.steps_planned() == chosen.epochs
    small = chosen.changed(**TINY, seeds=(0,))
    assert goldviz.api.run(small, progress=False).attrs["status"] == "finished"


@pytest.mark.parametrize("more", ["window", "hidden", "epochs", "refits"])
def test_more_work_is_estimated_to_take_longer(more):
    few = GoldForecast()
    assert few.changed(**{more: 2 * getattr(few, more)}).estimated_seconds() > few.estimated_seconds() > 0
