import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr

import goldviz
from goldviz.declare.claims import claim_of
from goldviz.declare.registry import experiment, laboratories
from goldviz.declare.settings import SettingsError
from goldviz.figures.chart import curves, lines, rule
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.examples import example
from goldviz.runs.execution import workers
from goldviz.runs.execution.execution import Executor
from goldviz.runs.store.run_store import Store, UnknownRunError
from tests.runs.conftest import ended, same_records

SMALL = DepthGradients(
    depth=4, width=6, epochs=6, samples=40, features=4, seeds=(0, 3), batch=16, histogram_every=2, headroom=True
)


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    opened = Store()
    yield opened
    opened.close()


def test_page_notebook_and_shell_get_the_same_numbers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its worker loads what this run needs: all that pages may ask for takes seconds.
    monkeypatch.setattr(workers, "WARM_UP", ())
    here = goldviz.run(SMALL, progress=False)
    kept = goldviz.run(SMALL, progress=False, keep=True)
    same_records(kept, here)
    executor = Executor(store, workers=1)
    run_id = executor.submit(SMALL)
    assert ended(store, run_id).status == "finished"
    step = store.checkpoint_steps(run_id)[2]
    fork = executor.fork(run_id, step, SMALL)
    paused = executor.submit(SMALL, budget=2)
    assert ended(store, fork).status == "finished"
    assert ended(store, paused).status == "paused"
    executor.resume(SMALL, paused)
    assert ended(store, paused).status == "finished"
    executor.close()
    for other in (run_id, fork, paused):
        same_records(goldviz.load(other), here)


def test_a_name_with_keywords_is_a_settings_object() -> None:
    named = goldviz.run("depth-gradients", progress=False, **SMALL.differences())
    same_records(named, goldviz.run(SMALL.changed(epochs=9), epochs=6, progress=False))


def test_what_is_loaded_has_its_measures() -> None:
    kept = goldviz.run(SMALL, progress=False, keep=True)
    dataset = goldviz.load(kept.attrs["run_id"])
    numbers = goldviz.measures(dataset)
    assert {"plain.test", "residual.worth"} <= set(dataset.measures) == set(numbers)
    np.testing.assert_array_equal(dataset.measures["plain.test"].values, dataset["test_loss"].sel(network="plain"))
    np.testing.assert_array_equal(kept.measures["residual.worth"].values, numbers["residual.worth"].values)
    one_network = dataset.sel(network=["plain"])
    assert "residual.worth" not in one_network.measures


def test_the_dataset_says_how_it_came_about() -> None:
    dataset = goldviz.run(SMALL, progress=False)
    attributes = dataset.attrs
    assert attributes["experiment"] == "depth-gradients"
    assert DepthGradients.checked_json(attributes["settings"]) == SMALL
    assert attributes["status"] == "finished"
    assert attributes["device"].startswith("CPU")
    assert json.loads(attributes["versions"])["torch"]
    assert 0 < attributes["instrument_seconds"] < attributes["duration"]
    assert all(isinstance(value, str | int | float) for value in attributes.values())
    for name, array in dataset.items():
        declared = DepthGradients.variables[str(name)]
        assert array.dims == declared.dims
        kind = {"kind": declared.kind} if declared.kind else {}
        assert array.attrs == {"long_name": declared.long_name, "units": declared.units, **kind}
    # Only with shallower pairs beside the run.
    assert set(dataset.data_vars) == set(DepthGradients.variables) - {"loss_by_depth"}


def test_nothing_is_kept_unless_asked_for(store: Store) -> None:
    goldviz.run(SMALL, progress=False)
    assert store.list()[1] == 0
    assert goldviz.runs().empty
    dataset = goldviz.run(SMALL, progress=False, keep=True)
    frame = goldviz.runs()
    assert frame["id"].tolist() == [dataset.attrs["run_id"]]
    assert frame["status"].tolist() == ["finished"]
    assert str(frame["created"].dt.tz) == "UTC"
    assert len(goldviz.runs(limit=0)) == 0


def test_progress_is_shown_unless_silenced(capfd: pytest.CaptureFixture[str]) -> None:
    goldviz.run(SMALL, progress=False)
    assert capfd.readouterr() == ("", "")
    goldviz.run(SMALL)
    said = capfd.readouterr()
    assert said.out == ""
    assert "6/6" in said.err


def test_a_run_that_diverges_returns_what_it_recorded() -> None:
    dataset = goldviz.run(SMALL.changed(learning_rate=10.0, optimiser="sgd", gain=10.0, epochs=200), progress=False)
    assert dataset.attrs["status"] == "diverged"
    assert "no longer finite at epoch" in dataset.attrs["message"]
    assert 0 < dataset.sizes["epoch"] < 200


def test_what_is_not_allowed_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"Depth is 0; allowed is a whole number from 1 to 100\."):
        goldviz.run("depth-gradients", depth=0)
    with pytest.raises(SettingsError, match="has no setting 'dept'"):
        goldviz.run("depth-gradients", dept=3)
    with pytest.raises(SettingsError, match=r"There is no experiment 'nothing'; there are .*depth-gradients"):
        goldviz.run("nothing")
    with pytest.raises(UnknownRunError, match="There is no run 'abc'"):
        goldviz.load("abc")
    unknown: Any = 5
    with pytest.raises(UnknownRunError, match="There is no run '5'"):
        goldviz.load(unknown)
    with pytest.raises(SettingsError, match="There is no experiment '5'; there are"):
        goldviz.run(unknown)
    with pytest.raises(SettingsError, match="There is no instant page '5'; there are"):
        goldviz.compute(unknown)
    with pytest.raises(SettingsError, match="There is no claim '5'"):
        goldviz.examine(unknown)


@pytest.mark.parametrize("function", [goldviz.run, goldviz.compute, goldviz.examine, goldviz.market, goldviz.figure])
def test_the_examples_of_docstrings_work(function: Callable[..., Any]) -> None:
    known = {
        "run": lambda name, **settings: experiment(name).checked(settings),
        "compute": goldviz.compute,
        "examine": claim_of,
        "figure": goldviz.figure,
        "ds": example(DepthGradients, "as-in-the-document"),
        "name": "simulated",
        "curves": curves,
    }
    found = re.findall(r"``((?:run|compute|examine|figure|ds)[.(].*?\))``", " ".join((function.__doc__ or "").split()))
    for code in found:
        eval(code, known)
    assert found or function is goldviz.run


def test_importing_goldviz_its_help_and_its_list_of_experiments_is_light() -> None:
    heavy = {"torch", "transformers", "streamlit", "plotly", "distributed", "sqlalchemy", "pandas", "xarray", "scipy"}
    code = f"""
import contextlib, io, sys
import goldviz, goldviz.cli
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    goldviz.cli.main(["--help"])
print(sorted({heavy | {"numpy", "pydantic"}!r} & set(sys.modules)))
assert goldviz.experiments()
print(sorted({heavy - {"pandas", "scipy"}!r} & set(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["[]", "[]"]


def test_every_public_name_is_there_and_named() -> None:
    assert {*goldviz.__all__} <= {*dir(goldviz)}
    assert all(callable(getattr(goldviz, name)) for name in goldviz.__all__)
    with pytest.raises(AttributeError, match="module 'goldviz' has no attribute 'wach'"):
        _ = goldviz.wach


def test_what_notebooks_import_from_experiments_is_there() -> None:
    from goldviz.experiments import SettingsError, experiment

    with pytest.raises(SettingsError, match="nothing"):
        experiment("nothing")
    assert goldviz.experiments.SettingsError is SettingsError
    assert issubclass(goldviz.experiments()["depth-gradients"], goldviz.experiments.Experiment)


def test_every_experiment_is_found_by_its_name() -> None:
    for name, declared in goldviz.experiments().items():
        assert experiment(name) is declared
        assert declared.name == name


def test_a_notebook_gets_the_page_s_figure_of_a_step() -> None:
    ds = goldviz.run(SMALL, progress=False)
    drawn = goldviz.figure(ds, "gradient_by_layer", step=3)
    assert "Epoch 3." in drawn.layout.title.subtitle.text
    assert "Epoch 6." in goldviz.figure(ds, "gradient_by_layer").layout.title.subtitle.text
    assert goldviz.figure(ds, "gradient_by_layer", step=99).data == goldviz.figure(ds, "gradient_by_layer").data


def test_marks_draw_a_figure_of_one_s_own_of_any_dataset() -> None:
    """Axes say what a laboratory declares, or what the dataset's own attributes do."""
    ds = goldviz.run(SMALL, progress=False)
    figure = goldviz.figure(ds, curves("gradient_norm", over="layer"), step=3)
    [plain, residual] = [trace for trace in figure.data if trace.showlegend]
    norms = ds.gradient_norm.sel(epoch=3).median("seed")
    np.testing.assert_allclose(plain.y, norms.sel(network="plain"), rtol=1e-6)
    np.testing.assert_allclose(residual.y, norms.sel(network="residual"), rtol=1e-6)
    assert figure.layout.yaxis.title.text == goldviz.figures(ds)["gradient_by_layer"].layout.yaxis.title.text
    told = {"long_name": "Height above the sea", "units": "m"}
    own = xr.Dataset(
        {"height": (("place", "time"), [[1.0, 3.0], [2.0, 5.0]], told)}, {"place": ["a", "b"], "time": [4, 8]}
    )
    drawn = goldviz.figure(own, lines("height", by="place"), rule(y=2.5, words="snow"), question="How high?")
    assert [(trace.name, list(trace.x), list(trace.y)) for trace in drawn.data] == [
        ("place a", [4, 8], [1.0, 3.0]),
        ("place b", [4, 8], [2.0, 5.0]),
    ]
    assert drawn.layout.yaxis.title.text == "Height above the sea (m)"
    assert drawn.layout.title.text == "How high?"
    assert [note.text for note in drawn.layout.annotations] == ["snow"]


def test_marks_draw_a_part_of_a_run_with_the_dimension_that_was_taken_away() -> None:
    ds = goldviz.run(SMALL, progress=False)
    figure = goldviz.figure(ds.sel(network="plain"), curves("gradient_norm", over="layer"), step=3)
    norms = ds.gradient_norm.sel(epoch=3, network="plain").median("seed")
    [plain] = [trace for trace in figure.data if trace.showlegend is not False]
    np.testing.assert_allclose(plain.y, norms, rtol=1e-6)


def test_marks_of_what_has_no_numbers_are_refused_in_a_sentence() -> None:
    ds = xr.Dataset({"word": (("step",), ["a", "b"]), "loss": (("step",), [1.0, 2.0])}, {"step": [1, 2]})
    with pytest.raises(SettingsError, match="These marks cannot draw word over step"):
        goldviz.figure(ds, curves("word"))


def test_a_run_s_figures_are_listed_with_what_they_ask_and_drawn_when_they_are_asked_for() -> None:
    ds = goldviz.run(SMALL.changed(epochs=1), progress=False)
    figures = goldviz.figures(ds)
    specs = laboratories()["depth-gradients"].figures().FIGURES
    assert list(figures) == list(specs)
    assert len(figures) == len(specs)
    assert all(spec.question in repr(figures) for spec in specs.values())
    assert figures["loss"].data == goldviz.figure(ds, "loss").data
    assert figures.get("nothing") is None
    assert "nothing" not in figures
    with pytest.raises(SettingsError, match="There is no figure 'los'; did you mean 'loss'"):
        figures["los"]
    own = xr.Dataset({"mse": (("iteration",), [1.0, 0.5])})
    with pytest.raises(SettingsError, match="does not say in its attributes"):
        goldviz.figures(own)
    own.mse.attrs["kind"] = "training_loss"
    assert list(goldviz.figures(own)) == ["loss"]


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ({"name": "nothing"}, "depth-gradients has gradient_by_layer"),
        ({"name": "gradient_by_layr"}, "There is no figure 'gradient_by_layr'; did you mean 'gradient_by_layer'"),
        ({"step": 0}, "The step is 0; allowed is a whole number from 1 on"),
        ({"step": "last"}, "The step is 'last'"),
        ({"step": np.array([1, 2])}, r"The step is \[1, 2\]"),
        ({"step": np.float64(2.5)}, r"The step is 2\.5"),
        ({"theme": "grey"}, "The theme is 'grey'; allowed is light or dark"),
        ({"name": ["loss"]}, r"\['loss'\]\" is neither a figure's name nor a mark"),
        ({"name": curves("los")}, "The dataset has no variable 'los'; did you mean 'loss'"),
        ({"name": curves("loss"), "hight": 3}, "unexpected keyword argument 'hight'"),
        ({"stp": 3}, "The figure 'loss' is asked for with stp; allowed are step and theme"),
        ({"name": curves("gradient_norm", over="layr")}, "over is 'layr'; gradient_norm goes over .*layer"),
    ],
)
def test_what_is_no_figure_is_refused_in_a_sentence(what: dict[str, Any], sentence: str) -> None:
    ds = goldviz.run(SMALL.changed(epochs=1), progress=False)
    with pytest.raises(SettingsError, match=sentence):
        goldviz.figure(ds, **{"name": "loss", **what})
    with pytest.raises(SettingsError, match="does not say in its attributes which experiment it is of"):
        goldviz.figure(ds.drop_attrs(), "loss")
    with pytest.raises(SettingsError, match="There is no experiment 'none'"):
        goldviz.figure(ds.assign_attrs(experiment="none"), "loss")


def test_numbers_may_be_those_of_numpy_pandas_xarray_and_torch() -> None:
    plain = SMALL.changed(seeds=(0, 1, 2), learning_rate=0.5)
    for seeds in (
        range(3),
        np.arange(3),
        pd.Index([0, 1, 2]),
        pd.Series([0, 1, 2]),
        xr.DataArray([0, 1, 2]),
        torch.arange(3),
        [np.int64(0), np.uint8(1), 2],
    ):
        assert SMALL.changed(seeds=seeds, learning_rate=np.float32(0.5)) == plain
    assert DepthGradients(depth=np.int64(15), gain=xr.DataArray(1.5)) == DepthGradients(depth=15, gain=1.5)
    with pytest.raises(SettingsError, match=r"Depth is 0; allowed is a whole number from 1 to 100\."):
        goldviz.run("depth-gradients", depth=np.int64(0))
    with pytest.raises(SettingsError, match=r"Seeds is .*; allowed is a list of 1 to 10 different values"):
        goldviz.run("depth-gradients", seeds=np.int64(3))
    ds = goldviz.run(SMALL, progress=False)
    drawn = goldviz.figure(ds, "gradient_by_layer", step=2).data
    for step in (np.int64(2), ds["epoch"][1], np.array(2), torch.tensor(2)):
        assert goldviz.figure(ds, "gradient_by_layer", step=step).data == drawn
