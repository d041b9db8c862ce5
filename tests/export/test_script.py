import ast
import json
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import goldviz.api
from goldviz.declare.settings import SettingsError
from goldviz.labs.depth_gradients.settings import DepthGradients

SETTINGS = DepthGradients(
    depth=4,
    width=8,
    samples=100,
    features=4,
    epochs=5,
    batch=32,
    seeds=(0, 7),
    read_out="untied",
    normalisation="batch",
)


def run_alone(script, folder):
    """Run a script in an empty folder where neither goldviz nor jaxtyping can be imported; returns what it kept."""
    (folder / "exported.py").write_text(script, encoding="utf-8")
    start = "import runpy, sys; sys.modules.update(goldviz=None, jaxtyping=None, safetensors=None)"
    command = f"{start}; sys.argv = ['exported.py', 'out.json']; runpy.run_path('exported.py', run_name='__main__')"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([sys.executable, "-I", "-c", command], cwd=folder, env=environment, check=True, timeout=120)
    return json.loads((folder / "out.json").read_text(encoding="utf-8"))


def test_the_script_repeats_the_run_to_the_bit(tmp_path):
    dataset = goldviz.api.run(SETTINGS, progress=False)
    seen = run_alone(SETTINGS.script(), tmp_path)
    assert seen["coordinates"]["seed"] == [0, 7]
    for name, variable in SETTINGS.variables.items():
        values = seen["finals"][name] if variable.once else seen["curves"][name]["values"]
        np.testing.assert_array_equal(np.array(values, np.float32), dataset[name].astype(np.float32), err_msg=name)


def test_changes_hold_from_the_step_after_theirs(tmp_path):
    plain = run_alone(SETTINGS.script(), tmp_path)["curves"]["loss"]["values"]
    changed = run_alone(SETTINGS.script({2: {"learning_rate": 0.3}}), tmp_path)["curves"]["loss"]["values"]
    assert changed[:2] == plain[:2]
    assert changed[2:] != plain[2:]


def test_building_a_script_does_not_load_torch():
    code = (
        "import sys; from goldviz.labs.depth_gradients.settings import DepthGradients; "
        "DepthGradients().script(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_no_name_is_defined_twice():
    tree = ast.parse(SETTINGS.script())
    names = Counter(
        name
        for node in tree.body
        for name in (
            [node.name]
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            else [target.id for target in node.targets if isinstance(target, ast.Name)]
            if isinstance(node, ast.Assign)
            else []
        )
    )
    assert [name for name, count in names.items() if count > 1 and name != "_"] == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"depth": 3}, "Depth cannot change while a run goes on; dropout, learning_rate, clip can."),
        (
            {"learning_rate": "__import__('os')"},
            "Learning rate is \"__import__('os')\"; allowed is a number from 1e-07 to 10.",
        ),
    ],
)
def test_changes_that_are_not_allowed_never_reach_the_script(changes, sentence):
    with pytest.raises(SettingsError) as error:
        SETTINGS.script({1: changes})
    assert str(error.value) == sentence
