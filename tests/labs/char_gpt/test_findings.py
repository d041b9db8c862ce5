"""What is said of GPTs, on runs made by hand."""

import numpy as np
import pytest

from goldviz.labs.char_gpt.findings import findings_of
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.runs.examples import example

SMALL = CharGpt.preset("small-to-compare")


@pytest.fixture(scope="module")
def healthy():
    return example(CharGpt, "small-to-compare")


def kinds(run, settings=SMALL):
    return [finding.kind for finding in findings_of(settings, run)]


def altered(run, **values):
    return run.assign({name: run[name].copy(data=np.full(run[name].shape, value)) for name, value in values.items()})


def test_a_healthy_run_is_praised(healthy):
    assert kinds(healthy) == ["beats_pairs"]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("learning_rate_too_small", {"update_to_data": 1e-6}),
        ("learning_rate_too_large", {"update_to_data": 0.5}),
        ("by_heart", {"train_loss": 1.0}),
        ("no_better_than_pairs", {"dev_loss": 3.0, "train_loss": 3.0}),
        ("beats_gzip", {"dev_loss": 1.0, "train_loss": 1.0}),
        ("even_attention", {"attention_entropy": 0.999}),
        ("diverged", {"loss": np.nan}),
    ],
)
def test_each_trouble_is_named(healthy, kind, values):
    assert kind in kinds(altered(healthy, **values))


def test_a_network_that_sees_ahead_is_told_so_and_nothing_good():
    settings = CharGpt.preset("break-it-no-mask")
    found = findings_of(settings, example(CharGpt, "break-it-no-mask"))
    assert found[0].kind == "sees_ahead"
    assert found[0].changes == {"masked": True}
    assert not {"beats_pairs", "beats_gzip"} & {one.kind for one in found}
