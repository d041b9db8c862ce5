"""The factor of the loss against PyTorch's own."""

import math

import torch

from goldviz.training.loss_scale import LossScale


def test_factor_gradients_and_steps_are_those_of_pytorch():
    scale, theirs = (
        LossScale(2.0**10, grows_after=3),
        torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=3),
    )
    weights = [torch.ones(2, requires_grad=True) for _ in range(2)]
    optimisers = [torch.optim.SGD([weight], 0.1) for weight in weights]
    slopes = [1.0, 2.0, 3.0, math.inf, 1.0, math.nan, 1.0, 1.0, 1.0, 1.0]
    for slope in slopes:
        for optimiser in optimisers:
            optimiser.zero_grad()
        scale((weights[0] * slope).sum()).backward()
        if scale.undo([weights[0]]):
            optimisers[0].step()
        theirs.scale((weights[1] * slope).sum()).backward()
        theirs.step(optimisers[1])
        theirs.update()
        torch.testing.assert_close(weights[0], weights[1])
        assert float(scale.factor) == theirs.get_scale()


def test_a_gradient_that_float16_would_lose_is_kept():
    weight = torch.ones(1, requires_grad=True)
    for scale, kept in ((LossScale(1.0), 0.0), (LossScale(), 2.0**-26)):
        weight.grad = None
        scale((weight.half() * 1.0).float().sum() * 2.0**-26).backward()
        assert scale.undo([weight])
        torch.testing.assert_close(weight.grad, torch.tensor([kept]))
