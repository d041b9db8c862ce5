"""The tanh field is what its equation says, and starts as it is declared."""

import math

import pytest
import torch

from goldviz.models.continuous.vector_field import TanhField


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_layers_are_applied_in_turn_and_time_is_not_looked_at():
    field = TanhField(3, (5, 4), generator(), dtype=torch.float64)
    with torch.no_grad():
        for b in field.biases:
            b.copy_(torch.randn(b.shape, generator=generator(1), dtype=torch.float64))
    h = torch.randn(2, 7, 3, generator=generator(2), dtype=torch.float64)
    (W_1, W_2, W_3), (b_1, b_2, b_3) = field.weights, field.biases
    expected = torch.tanh(torch.tanh(h @ W_1.t() + b_1) @ W_2.t() + b_2) @ W_3.t() + b_3
    assert torch.allclose(field(torch.tensor(0.0), h), expected, atol=1e-14)
    assert torch.equal(field(torch.tensor(5.0), h), field(torch.tensor(0.0), h))


def test_without_widths_the_field_is_linear():
    field = TanhField(4, (), generator(), dtype=torch.float64)
    h = torch.randn(3, 4, generator=generator(1), dtype=torch.float64)
    assert torch.allclose(field(torch.tensor(0.0), h), h @ field.weights[0].t(), atol=1e-15)


def test_weights_have_their_declared_size_and_the_last_layer_is_small():
    field = TanhField(200, (300,), generator(), last_scale=0.05)
    assert float(field.weights[0].detach().std()) * math.sqrt(200) == pytest.approx(1, rel=0.02)
    assert float(field.weights[1].detach().std()) * math.sqrt(300) == pytest.approx(0.05, rel=0.02)
    assert all(not b.any() for b in field.biases)


def test_the_same_generator_gives_the_same_field_in_both_precisions():
    single, double = (TanhField(3, (4,), generator(5), dtype=dtype) for dtype in (torch.float32, torch.float64))
    for ours, theirs in zip(single.parameters(), double.parameters(), strict=True):
        assert torch.equal(ours, theirs.float())
    other = TanhField(3, (4,), generator(6))
    assert not torch.equal(other.weights[0], single.weights[0])


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match="0 units"):
        TanhField(3, (4, 0), generator())
    with pytest.raises(ValueError, match="last layer is -1"):
        TanhField(3, (4,), generator(), last_scale=-1)
