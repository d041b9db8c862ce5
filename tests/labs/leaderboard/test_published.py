"""Published scores of a public set: recorded where a series is one, and drawn beside the run's own."""

import numpy as np
import pytest
import xarray as xr

import goldviz.api
from goldviz.labs.leaderboard import train
from goldviz.labs.leaderboard.figures import FIGURES
from goldviz.labs.leaderboard.public_sets import PUBLIC_SETS
from goldviz.labs.leaderboard.settings import Leaderboard
from goldviz.runs.examples import example

SMALL = Leaderboard(rows=1200, channels=2, contenders="nlinear", epochs=1, look_back=24)


@pytest.mark.parametrize(("public", "recorded"), [(None, False), (PUBLIC_SETS[1], True)])
def test_published_scores_are_recorded_of_a_public_set_alone(monkeypatch, public, recorded):
    monkeypatch.setattr(train, "recognised", lambda series: public)
    run = goldviz.api.run(SMALL, progress=False)
    assert ("published" in run) == recorded
    if recorded:
        assert run["published"].to_series().to_dict() == pytest.approx(PUBLIC_SETS[1].published(96, "70-10-20"))
        assert run.attrs["public_set"] == PUBLIC_SETS[1].label


def test_a_name_has_both_scores_on_one_row():
    run = example(Leaderboard, "one-forecast-many-scores")
    scores = {"repeat": 0.081, "Autoformer": 0.197}
    published = xr.DataArray([*scores.values()], {"published_model": [*scores]}, "published_model")
    drawn = FIGURES["published"](run.assign(published=published))
    labels = list(drawn.layout.yaxis.ticktext)
    assert labels[0] == "Autoformer"
    by_name = {(trace.name, labels[int(trace.y[0])]): float(trace.x[0]) for trace in drawn.data}
    assert by_name["published", "repeat"] == 0.081
    assert by_name["published", "Autoformer"] == 0.197
    own = float(run["told"].isel(epoch=-1).sel(forecaster="repeat"))
    np.testing.assert_allclose(by_name["this run", "repeat"], own, rtol=1e-6)
    assert ("this run", "Autoformer") not in by_name
