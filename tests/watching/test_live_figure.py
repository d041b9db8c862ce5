"""A run's figures for its own script, and one that a notebook's cell shows while its loop trains."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from torch import nn

import goldviz
from goldviz.experiments import SettingsError

Network = tuple[nn.Module, torch.optim.Optimizer]


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """IPython in this process, whose displays are captured."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.instance()
    yield
    InteractiveShell.clear_instance()


def train(record: Any, network: Network, steps: int) -> None:
    model, optimiser = network
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimiser.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
        optimiser.step()
        record.step(loss=loss)


@pytest.fixture
def network() -> Network:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    return model, torch.optim.SGD(model.parameters(), 0.05)


@pytest.mark.parametrize("kept", [False, True])
def test_a_script_asks_for_the_map_and_for_figures_by_name(kept: bool, network: Network, tmp_path: Path) -> None:
    with goldviz.watch(*network, to=tmp_path / "run.gv" if kept else None) as record:
        with pytest.raises(SettingsError, match="has no gradient"):
            record.figure()
        train(record, network, 30)
        drawn = record.figure("map", layers="2 : update")
        assert drawn.layout.title.text.startswith("Update")
        assert drawn.data[0].z.shape[0] == 1
        assert record.figure().data[0].z.shape[0] == 2
        assert list(record.figure("loss").data[0].x)[-1] == 30
        with pytest.raises(SettingsError, match="No layer is called 'head'"):
            record.figure(layers="head")
        with pytest.raises(SettingsError, match="There is no figure 'los' yet; there are map, loss"):
            record.figure("los")
        with pytest.raises(SettingsError, match="needs a notebook"):
            record.show()


def test_a_notebook_s_figure_follows_the_loop_in_its_place(notebook: None, network: Network) -> None:
    with capture_output() as captured, goldviz.watch(*network, to=None) as record:
        record.show("loss", every=0.0)
        train(record, network, 12)
    first, *others = captured.outputs
    assert first.data.keys() == {"text/plain"}
    assert len(others) == 13
    assert {one.transient["display_id"] for one in others} == {first.transient["display_id"]}
    drawn = [one.data for one in others if "text/html" in one.data]
    assert [len(one["text/html"]) > 10**6 for one in drawn] == [True] + [False] * (len(drawn) - 1)
    steps = drawn[-1]["application/vnd.plotly.v1+json"]["data"][0]["x"]
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(steps["bdata"]), steps["dtype"]), range(1, 13))
