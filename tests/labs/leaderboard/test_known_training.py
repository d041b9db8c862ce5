"""NLinear trained on a public set comes as near to least squares as it is published to."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from goldviz.labs.leaderboard.multivariate import MultivariateSeries
from goldviz.labs.leaderboard.problem import Problem
from goldviz.labs.leaderboard.splits import Scaling, parts_of
from goldviz.labs.leaderboard.train import learn, learner
from tests.places import REAL_DATA

LEAST_SQUARES = 0.370


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_trained_nlinear_comes_within_0_005_of_least_squares_on_etth1():
    path = REAL_DATA / "series" / "ETTh1.csv"
    if not path.exists():
        pytest.skip(f"needs the real data file {path.name} beside the project")
    values = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 8))
    series = MultivariateSeries(tuple("abcdefg"), values, "hour", "ETTh1")
    parts = parts_of("months-hourly", len(values), 336, 96)
    scaling = Scaling.of(series, parts.train)
    problem = Problem(series, parts, scaling.applied(values), np.ones(7), look_back=336, horizon=96, longer=336)
    settings = SimpleNamespace(learning_rate=5e-3, batch=32, look_back=336, horizon=96, window=50.0, channel=1)
    device = torch.device("cpu")
    one = learner(settings, problem, "nlinear", 0, device)
    for epoch in range(1, 7):
        learn(one, settings, problem, epoch, device)
    assert one.by_validation.errors.windows[-1].mean() == pytest.approx(LEAST_SQUARES, abs=0.005)
