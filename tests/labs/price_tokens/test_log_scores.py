from typing import Any

import numpy as np
import pytest

from goldviz.labs.price_tokens.densities import LOG_SCORES, Loss, log_score_table

RNG = np.random.default_rng(0)
BASE = RNG.standard_normal(500)
SIGN = np.full(500, np.log(2))


def table(**nats: Any) -> Any:
    losses = {name: Loss(own, SIGN) for name, own in nats.items()}
    return log_score_table(losses, "base", np.random.default_rng(1))


def test_a_gain_is_what_is_saved_and_all_of_it_is_of_the_size() -> None:
    values, low, high = table(base=BASE, better=BASE - 0.1 + 0.01 * RNG.standard_normal(500))
    better = dict(zip(LOG_SCORES, values[1], strict=True))
    assert better["gain"] == pytest.approx(0.1, abs=0.002)
    assert better["size_gain"] == pytest.approx(better["gain"])
    assert better["sign_gain"] == 0
    assert better["dm_p"] < 1e-6
    assert low[1, 1] < better["gain"] < high[1, 1]


def test_the_reference_gains_nothing() -> None:
    values, low, high = table(base=BASE, other=BASE + 1)
    assert values[0, 1:4].tolist() == low[0, 1:4].tolist() == high[0, 1:4].tolist() == [0, 0, 0]
    assert np.isnan(values[0, 4])


def test_a_loss_that_is_no_number_has_no_score() -> None:
    values, low, _ = table(base=BASE, lost=np.where(np.arange(500) == 3, np.inf, BASE))
    assert np.isnan(values[1]).all()
    assert np.isnan(low[1]).all()


def test_a_model_s_row_is_the_same_in_whatever_company() -> None:
    alone, company = table(base=BASE, one=BASE**2), table(base=BASE, two=BASE + 2, one=BASE**2)
    np.testing.assert_array_equal(alone[1][1], company[1][2])
