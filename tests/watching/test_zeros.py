"""What was measured as 0 is drawn as 0, and what was no finite number is called so."""

import json
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from goldviz.watching.figures import layer_lines, layer_map
from goldviz.watching.findings import findings_of
from goldviz.watching.watcher import Watcher
from tests.watching.loops import watching


def dead() -> nn.Module:
    """A network whose first layer never moves: no unit behind it is ever above 0."""
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
    nn.init.constant_(model[0].bias, -100.0)
    return model


def trained(model: nn.Module, steps: int = 12) -> Watcher:
    chosen = torch.optim.SGD(model.parameters(), 0.01)
    with watching(model) as record:
        for step in range(1, steps + 1):
            x = torch.randn(16, 4, generator=torch.Generator().manual_seed(step))
            loss = functional.cross_entropy(model(x), x[:, :2].argmax(1))
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    return record


def test_a_layer_whose_gradient_is_0_has_the_lowest_colour_and_a_word_for_it() -> None:
    told = trained(dead()).dataset()
    gradients = told["gradient_by_layer"].values
    assert (gradients[:4, 0] == 0).all()
    figure = json.loads(layer_map("gradient_by_layer").draw(told).to_json())
    cells, zeros = [trace for trace in figure["data"] if trace["type"] == "heatmap"]
    assert "exactly 0" in zeros["hovertemplate"]
    assert "exactly 0" not in cells["hovertemplate"]
    low = figure["layout"]["coloraxis"]["cmin"]
    known = gradients[(gradients > 0) & np.isfinite(gradients)]
    assert math.isclose(low, math.log10(known.min()), rel_tol=1e-5)
    assert "the lowest colour also of 0" in json.dumps(figure["layout"])
    lines = layer_lines("gradient_by_layer", "[02]").draw(told).to_dict()["data"]
    [marks] = [line for line in lines if line["mode"] == "markers" and "exactly 0" in line["hovertemplate"]]
    assert int(np.isfinite(marks["y"]).sum()) == int((gradients[:, 0] == 0).sum())


def test_a_run_without_zeros_is_drawn_as_before() -> None:
    told = trained(nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2)), steps=4).dataset()
    figure = json.loads(layer_map("gradient_by_layer").draw(told).to_json())
    assert [trace["type"] for trace in figure["data"]] == ["heatmap"]
    assert "of 0" not in json.dumps(figure["layout"])


def test_a_gradient_that_was_no_finite_number_in_some_looks_is_called_so() -> None:
    told = trained(dead()).dataset()
    norms = np.full(told.sizes["look"], 5e6, np.float32)
    norms[::3] = np.inf
    told["gradient_norm"] = told["gradient_norm"].copy(data=norms)
    [card] = [one for one in findings_of(told) if one.kind == "exploding"]
    assert card.number == "5 × 10⁶ typically, 1.0 times that at most, no finite number in 4 of 12 looks"
    [card] = [one for one in findings_of(told.isel(look=slice(0, 6))) if one.kind == "exploding"]
    assert card.number == "5 × 10⁶ typically, no finite number in 2 of 6 looks"
