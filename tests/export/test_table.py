import io

import numpy as np
import pandas as pd
import pytest

from goldviz.export import table


def read(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


def test_every_curve_comes_back(build_run):
    run = build_run(depth=3, epochs=4, seeds=2)
    frame = read(table.curves_csv(run))
    norms = frame[frame["variable"] == "gradient_norm"].set_index(["epoch", "network", "seed", "layer"])["value"]
    for place in [(1, "plain", 0, 0), (4, "residual", 1, 3)]:
        epoch, network, seed, layer = place
        recorded = float(run["gradient_norm"].sel(epoch=epoch, network=network, seed=seed, layer=layer))
        assert norms[place] == pytest.approx(recorded, rel=1e-12)
    assert "activation_histogram" not in set(frame["variable"])
    assert set(frame.loc[frame["variable"] == "decay_rate", "units"]) == {"nat"}


def test_long_runs_are_thinned_to_the_cap(build_run, monkeypatch):
    monkeypatch.setattr(table, "MOST_ROWS", 5000)
    frame = read(table.curves_csv(build_run(epochs=100)))
    assert len(frame) <= 5400
    assert frame["epoch"].max() == 100


def test_an_empty_run_has_a_header(build_run):
    empty = build_run()[["loss"]].isel(epoch=slice(0, 0))
    assert table.curves_csv(empty) == "variable,units,value\n"
    assert np.isnan(read(table.curves_csv(build_run()[["loss"]] * np.nan))["value"]).all()
