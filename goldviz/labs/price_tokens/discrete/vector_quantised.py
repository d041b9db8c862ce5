"""A VQ-VAE of windows of returns: the token is the nearest entry of a learned code book.

Van den Oord, Vinyals and Kavukcuoglu 2017: z_q is the code nearest to z = encoder(x), and the loss is
|x - decoder(z_q)|^2 + |sg z - c|^2 + beta |z - sg c|^2, where sg stops gradients. The gradient at z_q is handed to z as
it is (straight-through). Document 002, section 1.3.4, names learned codes.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

COMMITMENT = 0.25
CODE_SIZE, HIDDEN = 4, 32
FAR_AWAY = 8.0
"""Spread of codes that do not start among the data, beside that of encoded windows, which is about one."""


class VectorQuantised(nn.Module):
    """Encoder, code book (token, 4) and decoder of windows (day, window) in units of their standard deviation."""

    codes: Tensor

    def __init__(self, window: int, count: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(window, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CODE_SIZE))
        self.decoder = nn.Sequential(nn.Linear(CODE_SIZE, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, window))
        self.codes = nn.Parameter(torch.zeros(count, CODE_SIZE))

    def nearest(self, latents: Float[Tensor, "day code"]) -> Int[Tensor, " day"]:
        """The token of each encoded window."""
        return torch.cdist(latents, self.codes).argmin(dim=1)

    def loss(self, windows: Float[Tensor, "day window"]) -> tuple[Tensor, Int[Tensor, " day"]]:
        """The loss of van den Oord et al., eq. 3, and the tokens."""
        latents = self.encoder(windows)
        tokens = self.nearest(latents)
        nearest = self.codes[tokens]
        straight_through = latents + (nearest - latents).detach()
        rebuilt = (windows - self.decoder(straight_through)).square().mean()
        codebook_loss = (latents.detach() - nearest).square().mean()
        commitment_loss = (latents - nearest.detach()).square().mean()
        return rebuilt + codebook_loss + COMMITMENT * commitment_loss, tokens

    @torch.no_grad()
    def tokens(self, windows: Float[np.ndarray, "day window"]) -> Int[np.ndarray, " day"]:
        """The token of each window."""
        return self.nearest(self.encoder(_tensor(windows))).numpy()


def perplexity_of(tokens: Int[np.ndarray, " day"], count: int) -> float:
    """exp(-sum p log p) of how often each token is used: K where all are used alike, 1 where one is used alone.

    >>> perplexity_of(np.array([0, 1, 2, 3]), 4), perplexity_of(np.array([2, 2]), 4)
    (4.0, 1.0)
    """
    shares = np.bincount(tokens, minlength=count) / len(tokens)
    used = shares[shares > 0]
    return round(float(np.exp(-(used * np.log(used)).sum())), 9)


def learned_codes(
    windows: Float[np.ndarray, "day window"],
    count: int,
    generator: torch.Generator,
    *,
    steps: int,
    batch: int = 128,
    rate: float = 3e-3,
    among_data: bool = True,
) -> tuple[VectorQuantised, list[float]]:
    """A network trained on windows, and the perplexity of its codes' use on the way.

    Codes start at encoded windows, or, not ``among_data``, anywhere in a wider room. Those that start far away are
    nearest to nothing, get no gradient, and stay unused: the code book collapses.
    """
    inputs = _tensor(windows)
    network = VectorQuantised(inputs.shape[1], count)
    with torch.no_grad():
        for weights in network.parameters():
            bound = 1 / math.sqrt(weights.shape[-1])
            weights.uniform_(-bound, bound, generator=generator)
        start = torch.randn(network.codes.shape, generator=generator) * FAR_AWAY
        if among_data:
            days = torch.randperm(len(inputs), generator=generator)[:count]
            latents = network.encoder(inputs[days])
            start = latents[torch.arange(count) % len(latents)]
        network.codes.copy_(start)
    optimiser = torch.optim.Adam(network.parameters(), rate)
    used = []
    for step in range(steps):
        loss, _ = network.loss(inputs[torch.randint(len(inputs), (batch,), generator=generator)])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if (step + 1) % max(1, steps // 10) == 0:
            used.append(perplexity_of(network.tokens(windows), count))
    return network, used


def _tensor(windows: Float[np.ndarray, "day window"]) -> Tensor:
    return torch.from_numpy(np.array(windows, np.float32))
