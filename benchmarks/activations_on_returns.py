"""Does ReLU lose negative returns? Small networks fit y = x and y = |x| of 1 % returns, with four activations.

Document 002, section 5, prefers GELU because ReLU would throw negative returns away. It acts after a linear map with a
bias, so weights of both signs keep both: what counts is the error of the fit. Ten seeds side by side in one batch of
networks, full batches, Adam. Printed are the share of the variance that is left, units that no input moves (a slope of
0 for all), and the largest gradient's norm over the median one: median of the seeds, and their range.

    python benchmarks/activations_on_returns.py
"""

from __future__ import annotations

import torch
from torch import Tensor

from goldviz.models.feedforward.activations import ACTIVATIONS

SEEDS, ROWS, UNITS, STEPS = 10, 256, 16, 1500
NAMES = ("relu", "gelu", "leaky_relu", "tanh")
TARGETS = {"x": lambda x: x, "|x|": torch.abs}
SCALES = {"as they are": 1.0, "standardised": 100.0}
LEAK = 0.01


def fitted(name: str, target: str, scale: float) -> tuple[Tensor, Tensor, Tensor]:
    """Left variance, dead units and gradients' peak over median, one of each seed."""
    generator = torch.Generator().manual_seed(0)
    x = scale * 0.01 * torch.randn(SEEDS, ROWS, 1, generator=generator)
    y = TARGETS[target](x)
    activation = ACTIVATIONS[name](LEAK)
    first = torch.randn(SEEDS, 1, UNITS, generator=generator) * 2**0.5
    second = torch.randn(SEEDS, UNITS, 1, generator=generator) * (2 / UNITS) ** 0.5
    weights = [first, torch.zeros(SEEDS, 1, UNITS), second, torch.zeros(SEEDS, 1, 1)]
    weights = [weight.requires_grad_() for weight in weights]
    optimiser = torch.optim.Adam(weights, lr=3e-3)
    norms = []
    for _ in range(STEPS):
        sums = x @ weights[0] + weights[1]
        errors = (activation.function(sums) @ weights[2] + weights[3] - y).square().mean((1, 2))
        optimiser.zero_grad()
        errors.sum().backward()
        norms.append(torch.stack([weight.grad.flatten(1).square().sum(1) for weight in weights]).sum(0).sqrt())
        optimiser.step()
    left = errors.detach() / y.var((1, 2))
    sums = (x @ weights[0] + weights[1]).detach().requires_grad_()
    (slopes,) = torch.autograd.grad(activation.function(sums).sum(), sums)
    dead = (slopes == 0).all(1).double().mean(1)
    tail = torch.stack(norms[STEPS // 10 :])
    return left, dead, tail.amax(0) / tail.median(0).values


def main() -> None:
    torch.set_num_threads(1)
    for words, scale in SCALES.items():
        for target in TARGETS:
            print(f"returns {words}, y = {target}: left of the variance | dead units | gradient's peak over median")
            for name in NAMES:
                columns = [
                    f"{float(part.median()):.2g} [{float(part.min()):.2g}, {float(part.max()):.2g}]"
                    for part in fitted(name, target, scale)
                ]
                print(f"  {name:10}", " | ".join(columns))


if __name__ == "__main__":
    main()
