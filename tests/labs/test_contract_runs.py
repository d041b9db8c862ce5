"""What training keeps in every laboratory: all that is declared, and the same numbers on every way to them."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import xarray as xr

import goldviz.api
from goldviz.declare.laboratory import Laboratory, laboratory_of
from goldviz.declare.settings import Experiment, schemas
from goldviz.runs.examples import example
from goldviz.runs.store.arrays import UNITS_OF
from goldviz.training import seeds
from tests.labs.scripts_alone import run_alone
from tests.labs.small_runs import (
    EVERY_SMALL,
    EVERY_TRAINED,
    SMALL,
    TRAINED,
    Small,
    carried_out,
    cases,
    headline,
    small_run,
    whole,
)
from tests.thinned import REPRESENTATIVES, TRAINED_AS_WELL, represented, thinned

PRESETS = represented(((lab, preset.slug) for lab in TRAINED for preset in lab.declared.presets), also=TRAINED_AS_WELL)
"""Examples that are repeated: one of each representative in the ordinary suite."""
OTHER_CPU = 1e-4
"""Relative. Losses of the first steps on another processor, whose kernels add in another order."""
OF_LARGEST = 0.02
"""Other variables, which may count or divide by what is nearly zero, against the largest value of each."""
FIRST = [small for small in SMALL if small.number == 0]
SCRIPTS = {
    "ordinary": [small for small in FIRST if small.lab.name in (*REPRESENTATIVES, *TRAINED_AS_WELL)],
    "all": [small for small in SMALL if small.number < 3],
}
"""The small runs that are exported: a script takes seconds to make and to run."""
SUMS_OF_NOTHING = 1e-7
"""A variable none of whose values is larger is what is left of sums that ought to be 0."""
ON_A_GPU = 1e-3
"""Relative. Losses of the first steps, which a GPU computes with other kernels."""
DRAWN_ON_THE_DEVICE = ("dropout", "noise")
"""Settings, where a laboratory has them, that are zero where devices are compared: each draws numbers of its own."""

gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")


def pauses(small: Small) -> tuple[int, ...]:
    return getattr(cases(small.lab), "PAUSES", (2,))


def quiet_losses(small: Small, **more: Any) -> np.ndarray:
    """Losses of the first steps, without what is drawn on the device."""
    quiet = {name: 0.0 for name in DRAWN_ON_THE_DEVICE if name in small.lab.declared.model_fields}
    seen, _ = carried_out(small.settings(**quiet, **more), budget=2)
    return seen.records.stacked()[headline(small.lab)][1]


class OtherNumbers(torch.Generator):
    """Draws as another device would: data, order and weights as ever, dropout and noise not."""

    def manual_seed(self, seed: int) -> torch.Generator:
        return super().manual_seed(seed + (seed % seeds.STREAMS == seeds.DROPOUT_AND_NOISE))


def states_and_records_go_on(settings: Experiment, pause: int) -> None:
    complete = whole(settings)
    first, status = carried_out(settings, budget=pause)
    assert status == "paused"
    second, status = carried_out(settings, start_step=pause, restored=first.states[pause])
    assert status == "finished"
    last = max(complete.states)
    assert second.states[last] == complete.states[last]
    for name, values in second.records.values.items():
        np.testing.assert_array_equal(values, complete.records.values[name][-len(values) :], err_msg=name)
    for name in set(second.finals) - {"states"}:
        np.testing.assert_array_equal(second.finals[name], complete.finals[name], err_msg=name)


@EVERY_SMALL
def test_what_is_declared_is_recorded(small: Small) -> None:
    settings = small.settings(seeds=(0, 7))
    dataset = small_run(settings)
    absent = getattr(cases(small.lab), "absent", lambda changes: set())(small.changes)
    assert set(dataset.data_vars) == set(settings.variables) - absent
    # What a variable's unit is depends on the data where a run says so.
    told = json.loads(dataset.attrs.get(UNITS_OF, "{}"))
    for name, array in dataset.data_vars.items():
        declared = settings.variables[str(name)]
        assert array.dims == declared.dims, name
        unit = told.get(name, declared.units)
        assert (array.attrs["long_name"], array.attrs["units"]) == (declared.long_name, unit)
    assert list(dataset.seed) == [0, 7]
    assert list(dataset[settings.step]) == list(range(1, settings.steps_planned() + 1))


@EVERY_SMALL
def test_a_paused_run_goes_on_bit_for_bit(small: Small) -> None:
    for pause in pauses(small):
        states_and_records_go_on(small.settings(seeds=(0, 7)), pause)


@EVERY_SMALL
def test_a_seed_and_a_network_are_the_same_alone_and_in_company(small: Small) -> None:
    company = small_run(small.settings(seeds=(0, 7)))
    alone_there_is = schemas(small.lab.declared).get("networks", {}).get("enum", ())
    lanes = [one for one in company.network.values if one in alone_there_is] if alone_there_is else [None]
    for lane in lanes:
        alone = small_run(small.settings(seeds=(7,), **({"networks": lane} if lane else {})))
        of_lane = {} if lane is None else {"network": lane}
        for name, variable in small.lab.declared.variables.items():
            here = {"seed": 7, **{dim: value for dim, value in of_lane.items() if dim in variable.dims}}
            if "seed" in variable.dims and set(of_lane) <= set(variable.dims) and name in alone:
                np.testing.assert_array_equal(alone[name].sel(here), company[name].sel(here), err_msg=name)


@EVERY_SMALL
def test_looking_more_or_less_often_changes_nothing(small: Small) -> None:
    blind = small.settings(seeds=(0, 7), **getattr(cases(small.lab), "BLIND", {}))
    name = headline(small.lab)
    np.testing.assert_array_equal(small_run(blind)[name], small_run(small.settings(seeds=(0, 7)))[name])


@EVERY_SMALL
def test_what_is_drawn_on_the_device_can_be_silenced(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = quiet_losses(small)
    monkeypatch.setattr(seeds, "torch", SimpleNamespace(Generator=OtherNumbers))
    np.testing.assert_array_equal(quiet_losses(small), expected)


@EVERY_TRAINED
def test_estimates_grow_with_the_work(lab: Laboratory) -> None:
    held = cases(lab)
    usual = lab.declared().estimated_seconds()
    assert held.SECONDS[0] < usual < held.SECONDS[1]
    for more in held.MORE:
        assert lab.declared(**more).estimated_seconds() > 1.15 * usual, more
    for less in held.LESS:
        assert lab.declared(**less).estimated_seconds() < 0.95 * usual, less


@pytest.mark.parametrize(("lab", "slug"), PRESETS, ids=lambda part: part if isinstance(part, str) else part.name)
def test_a_fresh_run_repeats_the_first_steps_of_the_recorded_example(lab: Laboratory, slug: str) -> None:
    settings = lab.declared.preset(slug)
    seen, _ = carried_out(settings, budget=getattr(cases(lab), "FIRST_STEPS", 2))
    recorded = example(lab.declared, slug)
    assert headline(lab) in seen.records.values
    for name, (steps, values) in seen.records.stacked().items():
        kept = recorded[name].sel({settings.variables[name].dims[0]: steps}).values
        assert values.shape == kept.shape, name
        if name == headline(lab):
            np.testing.assert_allclose(values, kept, rtol=OTHER_CPU)
        elif name not in getattr(cases(lab), "ROUNDING", ()) and np.isfinite(kept).any():
            np.testing.assert_array_equal(np.isfinite(values), np.isfinite(kept), err_msg=name)
            largest = np.abs(kept[np.isfinite(kept)]).max()
            if largest < SUMS_OF_NOTHING:
                assert np.nanmax(np.abs(values)) < SUMS_OF_NOTHING, name
                continue
            np.testing.assert_allclose(values, kept, atol=OF_LARGEST * largest, rtol=OF_LARGEST, err_msg=name)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("lab", "slug"), PRESETS, ids=lambda part: part if isinstance(part, str) else part.name)
def test_a_fresh_run_ends_as_the_recorded_example_did(lab: Laboratory, slug: str) -> None:
    """The most serious finding says what a preset is there for; numbers of long trainings differ by processor.

    A training that is broken on purpose may be chaotic: then another, equally serious finding may come before it. Where
    rounding leads a training elsewhere, other seeds do so, too: three that agree among themselves are no accident.
    """
    settings, recorded = lab.declared.preset(slug), example(lab.declared, slug)
    fresh = goldviz.api.run(settings, progress=False)
    assert fresh.attrs["status"] == recorded.attrs["status"]
    expected = {finding.kind for finding in laboratory_of(settings).findings(settings, recorded)[:1]}
    found = most_serious(settings, fresh)
    assert bool(found) == bool(expected)
    if not expected <= found:
        others = (settings.changed(seeds=tuple(seed + more for seed in settings.seeds)) for more in (1, 2))
        assert any(most_serious(other, goldviz.api.run(other, progress=False)) != found for other in others)


def most_serious(settings: Experiment, run: xr.Dataset) -> set[str]:
    found = laboratory_of(settings).findings(settings, run)
    return {finding.kind for finding in found if finding.severity == found[0].severity}


def kept_by_script(script: dict[str, Any], name: str, once: bool) -> np.ndarray:
    # JSON has no infinity and no NaN: what is not finite is kept as None.
    return np.array(script["finals"][name] if once else script["curves"][name]["values"], np.float32)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("suite", thinned(SCRIPTS))
def test_every_script_repeats_its_run_to_the_bit(suite: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    chosen = {str(small): small.settings(seeds=(0, 7)) for small in SCRIPTS[suite]}
    found = run_alone({name: laboratory_of(settings).script(settings) for name, settings in chosen.items()}, tmp_path)
    for name, settings in chosen.items():
        with subtests.test(name):
            dataset = small_run(settings)
            assert found[name]["coordinates"]["seed"] == [0, 7]
            for variable, array in dataset.data_vars.items():
                values = kept_by_script(found[name], str(variable), settings.variables[str(variable)].once)
                expected = array.astype(np.float32).where(np.isfinite(array))
                np.testing.assert_array_equal(values, expected, err_msg=str(variable))


def test_declarations_and_scripts_load_neither_torch_nor_streamlit() -> None:
    code = """
import sys
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiments, laboratories
for lab in laboratories().values():
    lab.declared()
    found = {"torch", "streamlit", "transformers", "arch"} & set(sys.modules)
    assert not found, f"{lab.name} loads {found}"
for name, declared in experiments().items():
    laboratory_of(declared).script(declared())
    found = {"torch", "streamlit", "transformers", "arch"} & set(sys.modules)
    assert not found, f"the script of {name} loads {found}"
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert said.returncode == 0, said.stderr


@gpu
@pytest.mark.gpu
@EVERY_SMALL
def test_a_gpu_takes_the_same_first_steps(small: Small) -> None:
    cpu, cuda = (quiet_losses(small, seeds=(0, 7), device=device) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(cuda, cpu, rtol=ON_A_GPU)


@gpu
@pytest.mark.gpu
@EVERY_SMALL
def test_a_run_that_was_paused_on_a_gpu_goes_on_bit_for_bit(small: Small) -> None:
    states_and_records_go_on(small.settings(seeds=(0, 7), device="cuda"), pauses(small)[0])


@gpu
@pytest.mark.gpu
@pytest.mark.timeout(300)
def test_every_script_repeats_its_run_on_a_gpu(tmp_path: Path, subtests: pytest.Subtests) -> None:
    chosen = {str(small): small.settings(seeds=(0, 7), device="cuda") for small in FIRST}
    found = run_alone({name: laboratory_of(settings).script(settings) for name, settings in chosen.items()}, tmp_path)
    for name, settings in chosen.items():
        with subtests.test(name):
            np.testing.assert_allclose(
                kept_by_script(found[name], "loss", once=False), small_run(settings).loss, rtol=ON_A_GPU
            )
