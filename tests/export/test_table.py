import csv
import io

import numpy as np
import pandas as pd
import pytest
import xarray as xr

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


@pytest.mark.parametrize("label", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", '=HYPERLINK("http://a")'])
def test_no_cell_begins_a_formula_and_numbers_stay_numbers(label):
    dims, coordinates = ("epoch", "network"), {"epoch": [1, 2], "network": [label, "plain"]}
    run = xr.Dataset({label: (dims, np.array([[-1.5, 2.0], [3.0, -4e-9]]), {"units": label})}, coordinates)
    rows = list(csv.reader(io.StringIO(table.curves_csv(run), newline="")))
    texts = [cell for row in rows for cell in row if not is_number(cell)]
    assert not [text for text in texts if text[:1] in set("=+-@\t\r")]
    assert f"'{label.strip()}" in texts
    assert [float(row[-1]) for row in rows[1:]] == [-1.5, 2.0, 3.0, -4e-9]


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return cell not in ("+1", "-1")
