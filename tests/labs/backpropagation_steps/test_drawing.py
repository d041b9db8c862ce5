"""The diagram as a figure: what is known at a step, and nothing else."""

import numpy as np
import pytest

from goldviz.labs.backpropagation_steps.drawing import LESS, MORE, Step, diagram
from goldviz.labs.backpropagation_steps.settings import MOST, BackpropagationSteps


def neurons(step: int) -> list[list[str]]:
    """What stands in the neurons of each level of the network of the document."""
    figure = diagram(BackpropagationSteps(step=step).compute())
    return [list(trace.text) for trace in figure.data if trace.mode == "markers+text"]


def test_neurons_fill_forward_and_then_with_errors_from_the_end() -> None:
    ds = BackpropagationSteps().compute()
    shown = neurons(0)
    assert [len(level) for level in shown] == [3, 4, 4, 2]
    assert all(text for text in shown[0])
    assert not any(text for level in shown[1:] for text in level)
    assert all("δ" not in text for level in neurons(4) for text in level)
    output, hidden = neurons(6)[3], neurons(6)[2]
    assert output[0].endswith(f"δ {float(ds['delta'].sel(layer=3, sample=1, unit=1)):.2g}".replace("-", "−"))
    assert not any("δ" in text for text in hidden)
    assert all("δ" in text for level in neurons(14)[1:] for text in level)


@pytest.mark.parametrize(("step", "name"), [(0, "weight"), (MOST, "weight_gradient")])
def test_every_edge_has_its_sign_and_the_largest_is_the_thickest(step: int, name: str) -> None:
    ds = BackpropagationSteps(step=step).compute()
    edges = [trace for trace in diagram(ds).data if trace.mode == "lines"]
    counts = {
        colour: sum(int(np.isnan(edge.x).sum()) for edge in edges if edge.line.color == colour)
        for colour in (MORE, LESS)
    }
    assert counts == {MORE: int((ds[name] > 0).sum()), LESS: int((ds[name] < 0).sum())}


def test_steps_have_their_names() -> None:
    assert [Step(number, 2).words.split(":")[0] for number in range(11)] == [
        "Before the first step",
        "Phase A, layer 1",
        "Phase A, layer 2",
        "The loss",
        *["Phase B, layer 2"] * 3,
        *["Phase B, layer 1"] * 3,
        "One update",
    ]
    assert Step(MOST, 6).words == "One update" == Step(MOST, 2).words
