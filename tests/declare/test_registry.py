"""What all instant pages promise: declared once, validated, deterministic, and light to import."""

import subprocess
import sys

import numpy as np
import pytest
import torch
import xarray as xr

from goldviz.declare.instant import Instant
from goldviz.declare.registry import experiments, instants, laboratories
from goldviz.declare.settings import SettingsError, facts

PRESETS = [
    pytest.param(declared, preset.slug, marks=[] if preset is declared.presets[0] else [pytest.mark.slow])
    for declared in instants().values()
    for preset in declared.presets
]
"""Each page's first preset; the others are computed in the tests of the pages, and twice in the long suite."""


@pytest.mark.slow
def test_declarations_load_neither_torch_nor_streamlit() -> None:
    code = (
        "import sys; from goldviz.declare.registry import laboratories; laboratories();"
        "print({'torch', 'streamlit'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_instant_pages_are_no_experiments() -> None:
    assert set(instants()) == {name for name, lab in laboratories().items() if lab.has("compute")}
    assert set(experiments()) == {name for name, lab in laboratories().items() if lab.has("train")}
    assert not set(instants()) & set(experiments())


@pytest.mark.parametrize(("declared", "slug"), PRESETS)
def test_every_preset_computes_the_same_numbers_twice(declared: type[Instant], slug: str) -> None:
    settings = declared.preset(slug)
    if declared.name == "inside-bert":
        settings = settings.changed(steps=4)  # The path of integrated gradients is what takes long.
    torch.rand(1)
    first, second = settings.compute(), settings.compute()
    xr.testing.assert_identical(first, second)
    assert all(array.dtype == np.float64 for name, array in first.items() if name != "reach_by_bias")


def test_computing_leaves_the_number_of_threads_alone() -> None:
    before = torch.get_num_threads()
    for declared in instants().values():
        declared().compute()
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("declared", instants().values())
def test_a_position_is_a_setting_out_of_the_knobs(declared: type[Instant]) -> None:
    if not declared.position:
        return
    assert not facts(declared, declared.position)["essential"]
    first, last = declared().positions()
    assert first <= declared().model_dump()[declared.position] <= last


def test_texts_that_are_not_allowed_are_told_in_one_sentence() -> None:
    declared = instants()["backpropagation-by-hand"]
    for text in ("", "x", "x" * 41):
        with pytest.raises(SettingsError) as caught:
            declared.checked({"text": text})
        assert str(caught.value).endswith("allowed is a text of 2 to 40 characters.")
