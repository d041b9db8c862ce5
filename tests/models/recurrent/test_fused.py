"""The fused recurrence against PyTorch's modules, here and where the CPU's tensors are refused."""

import copy

import pytest
import torch
from torch import nn

from goldviz.models.recurrent.fused import FusedRecurrence
from tests.labs.pretended_device import pretended_device

MODULES = {"lstm": nn.LSTM, "gru": nn.GRU}
IN_TF32 = {"atol": 2e-3, "rtol": 0.0}
"""cuDNN multiplies with 10 bits behind the point, unless it is told otherwise."""
KINDS = [(cell, both_ways) for cell in MODULES for both_ways in (False, True)]


@pytest.mark.parametrize(("cell", "both_ways"), KINDS)
def test_states_and_gradients_are_those_of_the_module(cell, both_ways):
    module = MODULES[cell](3, 4, bidirectional=both_ways).double()
    fused = FusedRecurrence(cell, 3, 4, both_ways=both_ways).double()
    fused.load_state_dict({str(place): weight for place, weight in enumerate(module.parameters())})
    inputs = torch.randn(5, 2, 3, dtype=torch.float64)
    expected, last = module(inputs)
    states, at_the_end = fused.read(inputs)
    torch.testing.assert_close(states, expected)
    torch.testing.assert_close(at_the_end, last[0] if cell == "lstm" else last)
    for one, other in zip((expected.square().sum(), states.square().sum()), (module, fused), strict=True):
        one.backward()
        assert all(weight.grad is not None for weight in other.parameters())
    for weight, other in zip(module.parameters(), fused.parameters(), strict=True):
        torch.testing.assert_close(other.grad, weight.grad)


def test_a_gru_goes_on_from_a_state():
    fused, inputs = FusedRecurrence("gru", 3, 4), torch.randn(6, 2, 3)
    whole, _ = fused.read(inputs)
    _, half = fused.read(inputs[:3])
    torch.testing.assert_close(fused.read(inputs[3:], half)[0], whole[3:])


def test_weights_go_to_another_device_once():
    with pretended_device() as device:
        fused = FusedRecurrence("gru", 3, 4).to(device)
        fused.read(torch.ones(2, 1, 3, device=device))[0].sum().backward()
        assert {weight.grad.device for weight in fused.parameters()} == {device}


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")
@pytest.mark.parametrize(("cell", "both_ways"), KINDS)
def test_on_a_gpu_the_weights_lie_side_by_side(cell, both_ways):
    here = FusedRecurrence(cell, 3, 4, both_ways=both_ways)
    there, inputs = copy.deepcopy(here).cuda(), torch.randn(5, 2, 3)
    torch.testing.assert_close(there.read(inputs.cuda())[0].cpu(), here.read(inputs)[0], **IN_TF32)
    assert len({weight.untyped_storage().data_ptr() for weight in there}) == 1
    with torch.no_grad():
        for weight in [*here, *there]:
            weight.mul_(0.5)
    torch.testing.assert_close(copy.deepcopy(there).read(inputs.cuda())[0].cpu(), here.read(inputs)[0], **IN_TF32)
