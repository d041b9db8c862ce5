"""The figures of *What does attention cost?* draw what the dataset has, in both themes."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xarray as xr

from goldviz.figures.draft import Figure
from goldviz.labs.attention_cost import figures, measures
from goldviz.labs.attention_cost.settings import AttentionCost
from goldviz.labs.attention_cost.timing import measure
from goldviz.runs.jobs.jobs import Stopped


@pytest.fixture(scope="module")
def printed() -> xr.Dataset:
    """The document's way, on a short series."""
    return AttentionCost(length=40, active_rows=8).compute()


@pytest.fixture(scope="module")
def causal() -> xr.Dataset:
    """Nothing from the future, on the same series."""
    return AttentionCost(length=40, active_rows=8, chosen_among="so_far", lazy_rows="running").compute()


def numbers(figure: Figure, place: int, letter: str = "y") -> np.ndarray:
    """What a trace of a draft holds."""
    return np.asarray(figure.data[place][letter], dtype=float)


def test_every_figure_of_the_numbers_is_drawn_in_both_themes(printed: xr.Dataset) -> None:
    for spec in figures.FIGURES.values():
        if all(name in printed for name in spec.needs):
            for theme in ("light", "dark"):
                figure = spec(printed, theme=theme)
                assert figure.data, spec.name
                assert len(figure.layout.title.text) <= 40


def mask(ds: xr.Dataset, kind: str) -> np.ndarray:
    """What a mask's figure draws."""
    return np.asarray(figures.FIGURES[f"{kind}_mask"].draw(ds).data[0]["z"], dtype=float)


def test_masks_are_those_by_which_rows_attend(printed: xr.Dataset, causal: xr.Dataset) -> None:
    rows, keys = np.indices((16, 16))
    np.testing.assert_array_equal(mask(printed, "full"), keys <= rows)
    np.testing.assert_array_equal(mask(printed, "log_sparse"), np.isin(rows - keys, (0, 1, 2, 4, 8)))
    for ds, mean in ((printed, np.ones((16, 16))), (causal, keys <= rows)):
        drawn = mask(ds, "prob_sparse")
        attends = drawn.diagonal() == 1
        np.testing.assert_array_equal(drawn[attends], (keys <= rows)[attends])
        np.testing.assert_array_equal(drawn[~attends], 0.5 * mean[~attends])
    scores = printed["unevenness"].values[:16]
    attends = mask(printed, "prob_sparse").diagonal() == 1
    assert set(np.flatnonzero(attends)) == set(scores.argsort()[-3:])


def test_a_masks_words_count_its_pairs(printed: xr.Dataset) -> None:
    for kind in ("full", "log_sparse", "prob_sparse"):
        pairs = int((mask(printed, kind) == 1).sum())
        figure = figures.FIGURES[f"{kind}_mask"].draw(printed)
        assert any(f" {pairs} pairs" in note for note in figure.layout.meta["notes"])
        said = figure.data[0]["customdata"]
        assert said[0][0] in ("looks at 1", "takes the mean of 16 rows")


def test_a_window_widens_the_mask_of_log_sparse() -> None:
    wide = AttentionCost(length=40, active_rows=8, window=8, restart=32).compute()
    assert (mask(wide, "log_sparse")[15, 8:] == 1).all()
    assert "1, 2, 3, 4, 5, 6, 7, 8 before it" in figures.few_pairs(wide)


def test_costs_are_drawn_kind_by_kind(printed: xr.Dataset) -> None:
    figure = figures.FIGURES["multiplications"].draw(printed)
    for place, kind in enumerate(printed["kind"].values):
        np.testing.assert_array_equal(numbers(figure, place), printed["multiplications"].sel(kind=kind))
        assert figure.data[place]["name"] == figures.STYLES[str(kind)].label


def test_the_error_is_drawn_over_the_rows_asked_for_with_the_chosen_number_in_gold(printed: xr.Dataset) -> None:
    figure = figures.FIGURES["error"].draw(printed)
    np.testing.assert_allclose(numbers(figure, 0), 100 * printed["error"].sel(chosen_by="score"))
    np.testing.assert_allclose(numbers(figure, 1), 100 * printed["error"].sel(chosen_by="chance"))
    assert figure.layout.shapes[0]["x0"] == 8


def test_scores_are_sorted_and_active_rows_are_told_apart(printed: xr.Dataset) -> None:
    figure = figures.FIGURES["scores"].draw(printed)
    active = numbers(figure, 0)
    assert len(active) == 8
    assert (np.diff(active) <= 0).all()
    assert set(figure.data[0]["customdata"]) == set(printed["row"].values[printed["attends"].values > 0])
    assert active.min() >= numbers(figure, 1).max()


def test_only_the_printed_way_moves_the_past(printed: xr.Dataset, causal: xr.Dataset) -> None:
    def above(ds: xr.Dataset) -> np.ndarray:
        z = np.asarray(figures.FIGURES["moves"].draw(ds).data[0]["z"])
        return np.isfinite(z[ds["row"].values[:, None] < ds["changed"].values])

    assert above(printed).any()
    assert not above(causal).any()
    assert "rows see the future" in figures.leaks(printed)
    assert "no row sees the future" in figures.leaks(causal)


def test_reach_is_blank_for_the_future_and_zero_for_oneself(printed: xr.Dataset) -> None:
    z = np.asarray(figures.FIGURES["reach"].draw(printed).data[0]["z"])
    assert np.isnan(z[np.triu_indices(40, 1)]).all()
    assert (np.diag(z) == 0).all()
    assert (z[np.tril_indices(40, -1)] >= 1).all()


def test_times_and_bytes_of_this_machine_are_measured_with_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldviz.labs.attention_cost.timing.LENGTHS", (16, 64))
    shares: list[float] = []
    timings = measure(lambda done, total: shares.append(done / total), AttentionCost().model_dump_json())
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] < 1
    assert bool((timings["seconds"] > 0).all())
    held = timings["peak_bytes"].sel(series_length=64)
    # Four heads of 64 x 64 float32: scores, masked scores and weights are three maps, and the output is small.
    assert 2 * 4 * 64 * 64 * 4 <= float(held.sel(timed="full_map")) <= 4 * 4 * 64 * 64 * 4
    assert float(held.sel(timed="full")) < float(held.sel(timed="full_map"))
    for spec in (figures.FIGURES["time"], figures.FIGURES["memory"]):
        assert len(spec.draw(timings).data) == len(timings["timed"])
    quickest = timings.copy()
    quickest["seconds"][:] = [[2.0, 2.0], [1.0, 2.0], [2.0, 1.0], [0.5, 1.5], [0.5, 3.0]]
    assert measures.quicker_from(quickest, "log_sparse") == 64
    assert measures.quicker_from(quickest, "prob_sparse") == 16
    assert measures.quicker_from(quickest, "prob_sparse_sampled") == np.inf
    assert "LogSparse from 64 rows" in figures.quicker(quickest)
    quickest["seconds"].loc[{"timed": "full_map", "series_length": 64}] = np.nan
    assert measures.fused_share(quickest) == (16, 0.5)
    assert figures.fused(quickest).endswith("took 0.50 of the time of the written-out one at 16 rows.")


def test_a_stopped_measurement_ends() -> None:
    def stop(_done: float, _total: float) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        measure(stop, AttentionCost().model_dump_json())


def test_the_picture_has_three_named_curves(printed: xr.Dataset) -> None:
    picture = figures.picture(printed)
    assert picture.count("<path") == 4
    assert all(f">{name}<" in picture for name in ("full", "LogSparse", "ProbSparse"))
    assert json.dumps(picture)
