"""What the page tells is what attention itself gives; settings that cannot be are refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import xarray as xr

from goldviz.declare.settings import SettingsError
from goldviz.labs.attention_cost import compute, measures
from goldviz.labs.attention_cost.compute import trained_head
from goldviz.labs.attention_cost.settings import AttentionCost
from goldviz.labs.attention_cost.tensor_bytes import peak_bytes

SHORT = {"length": 40, "active_rows": 8}


@pytest.fixture(scope="module")
def settings() -> AttentionCost:
    """A short series as the document has it."""
    return AttentionCost(**SHORT)


@pytest.fixture(scope="module")
def numbers(settings: AttentionCost) -> xr.Dataset:
    return settings.compute()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"length": 20}, "Active rows u are 25; allowed is at most the length t, 20"),
        ({"sampling_factor": 0}, "Sampling factor"),
        ({"length": 7}, "Length"),
        ({"length": 257}, "Length"),
        ({"window": 9, "restart": 8}, "Window is 9; allowed is at most the restart, 8"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(values: dict[str, float], sentence: str) -> None:
    with pytest.raises(SettingsError) as refused:
        AttentionCost.checked(values)
    [told] = refused.value.sentences.values()
    assert sentence in told


@pytest.mark.parametrize("data", ["peaked", "random", "periodic"])
def test_equal_settings_give_equal_numbers_and_data_differ(data: str) -> None:
    settings = AttentionCost(**SHORT, data=data)
    first, second = compute.head(settings), compute.head(settings)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert all(tensor.shape == (1, 1, 40, 16) for tensor in first)
    other = compute.head(settings.changed(seed=1))
    assert not torch.equal(first[0], other[0])


def test_errors_are_those_of_written_out_attention(settings: AttentionCost, numbers: xr.Dataset) -> None:
    q, k, v = (tensor[0, 0].numpy() for tensor in compute.head(settings))
    products = q @ k.T / 4
    output = np.empty_like(v)
    unevenness = np.empty(40)
    for row in range(40):
        seen = np.exp(products[row, : row + 1])
        output[row] = seen @ v[: row + 1] / seen.sum()
        unevenness[row] = np.log(seen.mean()) - products[row, : row + 1].mean()
    sparse = np.tile(v.mean(0), (40, 1))
    active = np.argsort(-unevenness)[:8]
    sparse[active] = output[active]
    expected = np.linalg.norm(sparse - output) / np.linalg.norm(output)
    assert measures.lost_by_score(numbers) == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(numbers["unevenness"], unevenness, atol=1e-12)
    assert set(numbers["row"].values[numbers["attends"].values > 0]) == set(active + 1)


def test_with_all_rows_nothing_is_lost_and_with_one_much(numbers: xr.Dataset) -> None:
    lost = numbers["error"].sel(chosen_by="score")
    assert float(lost.sel(asked=40)) < 1e-12
    assert float(lost.sel(asked=1)) > 0.4
    assert measures.lost_by_score(numbers) < measures.lost_by_chance(numbers)


def test_scores_are_divergences_of_attention(numbers: xr.Dataset) -> None:
    assert measures.off_from_even(numbers) < 1e-12
    assert measures.off_to_even(numbers) > 0.1
    assert bool((numbers["to_even"] >= -1e-12).all())


def test_the_printed_way_sees_the_future_twice_and_the_others_do_not() -> None:
    def share(**changes: str) -> float:
        return measures.EARLIER_MOVED["prob_sparse"](AttentionCost(**SHORT, **changes).compute())

    assert share() > share(lazy_rows="running") > 0
    assert share(lazy_rows="running", chosen_among="so_far") == 0
    for score in ("max_mean", "sampled"):
        assert share(lazy_rows="running", chosen_among="so_far", score=score) == 0


def test_full_and_log_sparse_attention_never_move_the_past(numbers: xr.Dataset) -> None:
    assert measures.EARLIER_MOVED["full"](numbers) == 0
    assert measures.EARLIER_MOVED["log_sparse"](numbers) == 0
    assert bool((numbers["moves"].sel(probed="full") > measures.MOVED).any())


def test_growth_and_crossings_are_those_of_the_formulas(numbers: xr.Dataset) -> None:
    assert measures.GROWTHS["full"](numbers) == pytest.approx(2, abs=1e-3)
    assert measures.GROWTHS["prob_sparse"](numbers) > 1.9
    assert 1 < measures.GROWTHS["log_sparse"](numbers) < 1.2
    assert 1 < measures.GROWTHS["prob_sparse_sampled"](numbers) < 1.2
    for kind, crossing in measures.CROSSINGS.items():
        begin = crossing(numbers)
        full, own = (numbers["multiplications"].sel(kind=name) for name in ("full", kind))
        later = numbers["series_length"] >= begin
        assert bool((own < full)[later].all())
        assert bool((own >= full)[~later].any()) or begin == 64


def test_only_left_out_keys_save_memory(numbers: xr.Dataset) -> None:
    assert measures.HELD_GROWTHS["map"](numbers) == pytest.approx(2, abs=0.05)
    assert measures.HELD_GROWTHS["kernel"](numbers) < 1.1
    assert measures.HELD_GROWTHS["log_sparse"](numbers) < 1.2
    assert measures.mask_saves(numbers) == pytest.approx(1, abs=0.02)


def test_reach_grows_with_layers_and_the_cells_are_counted(numbers: xr.Dataset) -> None:
    assert measures.layers_to_hear_all(numbers) == 5
    one_layer = (numbers["layers_to_hear"] <= 1).sum()
    assert int(one_layer) == numbers.attrs["cells"]
    assert measures.cells_seen(numbers) == pytest.approx(float(one_layer) / (40 * 41 / 2))


def test_peak_bytes_are_those_of_the_tensors_that_are_held_at_once() -> None:
    before = torch.zeros(1000)

    def work() -> torch.Tensor:
        total = before[:500] + 1  # 2,000 bytes; the view of what was there counts nothing
        for _ in range(3):
            total = total * 2  # the one before is let go after the next is made
        return total

    assert peak_bytes(work, before) == 4000


def test_a_trained_head_looks_one_period_back() -> None:
    query, key, value = trained_head(32, 16, 6, 1)
    assert query.shape == key.shape == value.shape == (1, 1, 32, 16)
    weights = (query @ key.mT / 4)[0, 0].masked_fill(torch.ones(32, 32).triu(1).bool(), -torch.inf).softmax(-1)
    # A row holds its own value, so the one before the next value's twin stands five rows before.
    assert [int(row.argmax()) for row in weights[10:]] == list(range(5, 27))
