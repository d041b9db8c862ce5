"""Figures of parts of runs, as a notebook takes them: by ``sel``, ``isel``, ``squeeze``, slices and means."""

import re
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
import xarray as xr

import goldviz
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import SettingsError
from goldviz.figures.reading import GROWING
from goldviz.runs.examples import example
from tests.labs.small_runs import EVERY_TRAINED, REPRESENTED, TRAINED


def recorded(lab: Laboratory) -> Iterator[xr.Dataset]:
    for preset in lab.declared.presets:
        yield example(lab.declared, preset.slug)


def drawn_parts(ds: xr.Dataset) -> Iterator[xr.Dataset]:
    """Parts that every figure draws."""
    growing = [dim for dim in GROWING if dim in ds.dims]
    yield ds.squeeze()
    yield ds.transpose()
    yield ds.isel({growing[-1]: slice(0, 3)})
    yield ds.isel(dict.fromkeys(growing, -1))
    if "seed" in ds.dims:
        yield ds.mean("seed")
        yield ds.isel(seed=-1)
    if "network" in ds.dims:
        yield ds.sel(network=ds["network"].values[0])


def other_parts(ds: xr.Dataset) -> Iterator[xr.Dataset]:
    """Parts that may be refused in a sentence."""
    for dim in ds.dims:
        yield ds.mean(dim)
        yield ds.isel({dim: 0})
        yield ds.isel({dim: slice(0, 1)})
        yield ds.isel({dim: 0}, drop=True)
        yield ds.isel({dim: slice(0, 0)})
    yield xr.concat([ds, ds], dim="run")
    yield ds.drop_vars(list(ds.coords))


def refusal(part: xr.Dataset, name: str) -> str:
    """Why a figure is not drawn of this part; empty where it is."""
    try:
        goldviz.figure(part, name)
    except SettingsError as refused:
        return str(refused)
    return ""


@REPRESENTED
def test_every_figure_draws_the_parts_that_are_asked_for_most(lab: Laboratory) -> None:
    ds = next(recorded(lab))
    growing = [dim for dim in GROWING if dim in ds.dims]
    one_network = {"network": ds["network"].values[0]} if "network" in ds.dims else {}
    for part in (ds.mean("seed").sel(one_network), ds.isel(dict.fromkeys(growing, slice(0, 3))).squeeze()):
        for name in lab.figures().FIGURES:
            assert goldviz.figure(part, name).layout.title.text, name


@pytest.mark.slow
@EVERY_TRAINED
def test_every_part_of_every_run_is_drawn_or_refused_in_a_sentence(lab: Laboratory) -> None:
    known = {frozenset(ds.data_vars): ds for ds in recorded(lab)}
    for ds in known.values():
        for part in drawn_parts(ds):
            for name in lab.figures().FIGURES:
                goldviz.figure(part, name)
        for part in other_parts(ds):
            for name in lab.figures().FIGURES:
                with warnings.catch_warnings():
                    # A mean of what is beside the diagonal, or the logarithm of a label, where a part has none.
                    warnings.simplefilter("ignore", RuntimeWarning)
                    assert re.fullmatch(rf"(The figure '{name}' .*\.)?", refusal(part, name))


def test_a_mean_over_seeds_is_drawn_as_one_seed() -> None:
    ds = example(goldviz.experiments()["depth-gradients"], "as-in-the-document")
    middle = ds.loss.mean("seed").sel(network="plain").values
    curve = next(trace for trace in goldviz.figure(ds.mean("seed"), "loss").data if trace.name == "plain, each epoch")
    np.testing.assert_allclose(curve.y, middle, rtol=1e-6)


def test_one_network_is_drawn_alone() -> None:
    ds = example(goldviz.experiments()["depth-gradients"], "as-in-the-document")
    names = {trace.name for trace in goldviz.figure(ds.sel(network="plain"), "loss").data if trace.showlegend}
    assert "plain" in names
    assert "residual" not in names


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        (lambda ds: ds.mean("network"), r"The figure 'loss' draws loss along the dimension 'network', which this "),
        (lambda ds: xr.concat([ds, ds], "run"), r"The figure 'loss' draws loss, which has the dimension 'run' in this"),
        (lambda ds: ds.mean("seed", keep_attrs=False), r"keeps its attributes, such as ds\.mean\('seed', keep_attrs"),
        (lambda ds: ds.loss, r"does not say in its attributes which experiment it is of"),
        (lambda ds: [1, 2], r"does not say in its attributes which experiment it is of"),
    ],
)
def test_what_no_figure_can_draw_is_said_with_the_dimension(part, sentence) -> None:
    ds = example(goldviz.experiments()["depth-gradients"], "as-in-the-document")
    with pytest.raises(SettingsError, match=sentence):
        goldviz.figure(part(ds), "loss")


def test_an_encoder_is_drawn_without_what_reads_its_last_state() -> None:
    [lab] = [lab for lab in TRAINED if lab.name == "bert-pretraining"]
    ds = next(recorded(lab))
    assert goldviz.figure(ds.isel(part=slice(0, 1)), "network").layout.title.text
