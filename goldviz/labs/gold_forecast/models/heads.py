"""What a network says of the next value: not one number, but a distribution, and the loss that goes with it.

A head turns the last hidden state into the parameters of a distribution of the standardised next value. All heads start
near the standard normal distribution, so an untrained network forecasts the training mean and variance. A *centred*
head holds its mean at 0 and forecasts the width alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional

from goldviz.labs.gold_forecast.settings import LEVELS
from goldviz.models.losses import normal_loss, pinball_loss, student_loss

SMALLEST_SCALE_SHARE = 1e-2
"""Of the training standard deviation; a likelihood without such a floor grows without bound around a single value."""
START_SHARE = 0.1
"""Read-out weights start at a tenth of the usual N(0, 1/hidden): what they say at first is noise, and it costs."""
LEAST_FREEDOM = 2.1
"""Degrees of freedom of Student's t; at 2 its variance is infinite."""
START_FREEDOM = 5.0


class ForecastHead(nn.Module):
    """A linear read-out of ``outputs`` numbers; what they mean is the subclass's matter.

    ``forward`` gives the parameters (batch, parameters) of one distribution a row; the other methods take such rows.
    """

    def __init__(self, hidden: int, outputs: int, generator: Generator, *, centred: bool) -> None:
        super().__init__()
        self.centred = centred
        self.W = nn.Parameter(torch.randn(outputs, hidden, generator=generator) * (START_SHARE / math.sqrt(hidden)))
        self.b = nn.Parameter(torch.zeros(outputs))

    def read(self, state: Float[Tensor, "batch hidden"]) -> Float[Tensor, "batch outputs"]:
        """The numbers read off a state."""
        return functional.linear(state, self.W, self.b)

    def losses(
        self, parameters: Float[Tensor, "batch parameters"], came: Float[Tensor, " batch"]
    ) -> Float[Tensor, " batch"]:
        """The loss of each forecast, given what came."""
        raise TypeError(f"{type(self).__name__} has no loss")

    def mean(self, parameters: Float[Tensor, "batch parameters"]) -> Float[Tensor, " batch"]:
        """The mean of each distribution."""
        return parameters[:, 0]

    def standard_deviation(self, parameters: Float[Tensor, "batch parameters"]) -> Float[Tensor, " batch"]:
        """The standard deviation of each distribution."""
        return parameters[:, 1]

    def rescaled(
        self, parameters: Float[Tensor, "batch parameters"], centre: Float[Tensor, "batch 1"], unit: float
    ) -> Float[Tensor, "batch parameters"]:
        """The parameters of centre + unit * x, where x has the distribution given."""
        return torch.cat([centre + unit * parameters[:, :1], unit * parameters[:, 1:2], parameters[:, 2:]], 1)


class GaussianHead(ForecastHead):
    """Mean and standard deviation of a Gaussian; the loss is its negative log likelihood, in nats."""

    def __init__(self, hidden: int, generator: Generator, *, centred: bool = False) -> None:
        super().__init__(hidden, 1 if centred else 2, generator, centred=centred)

    def forward(self, state: Float[Tensor, "batch hidden"]) -> Float[Tensor, "batch 2"]:
        """Columns mean and standard deviation."""
        return _located(self.read(state))

    def losses(self, parameters: Float[Tensor, "batch 2"], came: Float[Tensor, " batch"]) -> Float[Tensor, " batch"]:
        """The negative log likelihood."""
        return normal_loss(came, *parameters.unbind(1))


class StudentHead(ForecastHead):
    """Student's t around a mean, with a scale, and one learnt number of degrees of freedom for all forecasts.

    Its tails are as heavy as those of daily returns, so one bad day moves the weights less than with a Gaussian. The
    scale is not the standard deviation, which is scale * sqrt(nu / (nu - 2)).
    """

    def __init__(self, hidden: int, generator: Generator, *, centred: bool = False) -> None:
        super().__init__(hidden, 1 if centred else 2, generator, centred=centred)
        self.raw_freedom = nn.Parameter(torch.tensor(_inverse_softplus(START_FREEDOM - LEAST_FREEDOM)))
        with torch.no_grad():
            self.b[-1] = math.log((START_FREEDOM - 2) / START_FREEDOM) / 2

    @property
    def freedom(self) -> Float[Tensor, ""]:
        """Degrees of freedom nu."""
        return LEAST_FREEDOM + functional.softplus(self.raw_freedom)

    def forward(self, state: Float[Tensor, "batch hidden"]) -> Float[Tensor, "batch 3"]:
        """Columns mean, scale and degrees of freedom."""
        parameters_there = _located(self.read(state))
        return torch.cat([parameters_there, self.freedom.expand(len(parameters_there), 1)], 1)

    def losses(self, parameters: Float[Tensor, "batch 3"], came: Float[Tensor, " batch"]) -> Float[Tensor, " batch"]:
        """The negative log likelihood of mean + scale * t."""
        return student_loss(came, *parameters.unbind(1))

    def standard_deviation(self, parameters: Float[Tensor, "batch 3"]) -> Float[Tensor, " batch"]:
        """scale * sqrt(nu / (nu - 2))."""
        _, scale, nu = parameters.unbind(1)
        return scale * (nu / (nu - 2)).sqrt()


class QuantileHead(ForecastHead):
    """Quantiles at ``levels``, which lie symmetrically around 0.5; no shape is assumed.

    The median is read off, and every other quantile lies a positive distance (softplus) outside of its neighbour, so
    they cannot cross. A centred head has a median of 0 and the same distances on both sides.
    """

    def __init__(
        self, hidden: int, generator: Generator, *, centred: bool = False, levels: Sequence[float] = LEVELS
    ) -> None:
        _check_levels(levels)
        sides = len(levels) // 2
        super().__init__(hidden, sides if centred else len(levels), generator, centred=centred)
        self.sides = sides
        tau = torch.tensor(levels, dtype=torch.float64)
        normal = torch.special.ndtri(tau)
        weights = torch.diff((tau[1:] + tau[:-1]) / 2, prepend=torch.zeros(1), append=torch.ones(1))
        distances = normal[sides:].diff()
        self.levels: Tensor
        self.weights: Tensor
        self.start: Tensor
        self.register_buffer("levels", tau.float(), persistent=False)
        self.register_buffer("weights", weights.float(), persistent=False)
        self.register_buffer("start", distances.expm1().log().float(), persistent=False)
        self.normal_spread = float((weights * normal.square()).sum().sqrt())

    def forward(self, state: Float[Tensor, "batch hidden"]) -> Float[Tensor, "batch levels"]:
        """The quantiles, ascending."""
        read = self.read(state)
        above = functional.softplus(read[:, -self.sides :] + self.start).cumsum(1)
        if self.centred:
            return torch.cat([-above.flip(1), torch.zeros_like(above[:, :1]), above], 1)
        median, below = read[:, :1], functional.softplus(read[:, 1 : self.sides + 1] + self.start).cumsum(1)
        return torch.cat([median - below.flip(1), median, median + above], 1)

    def losses(
        self, parameters: Float[Tensor, "batch levels"], came: Float[Tensor, " batch"]
    ) -> Float[Tensor, " batch"]:
        """The mean pinball loss over the levels."""
        return pinball_loss(came, parameters, self.levels)

    def mean(self, parameters: Float[Tensor, "batch levels"]) -> Float[Tensor, " batch"]:
        """The integral of the quantile function by the trapezium rule, constant beyond the outermost levels."""
        return torch.zeros_like(parameters[:, 0]) if self.centred else parameters @ self.weights

    def standard_deviation(self, parameters: Float[Tensor, "batch levels"]) -> Float[Tensor, " batch"]:
        """The same rule for the variance, times what makes it exact for a Gaussian, whose tails it cuts off too."""
        distances = parameters - self.mean(parameters)[:, None]
        return (distances.square() @ self.weights).sqrt() / self.normal_spread

    def rescaled(
        self, parameters: Float[Tensor, "batch levels"], centre: Float[Tensor, "batch 1"], unit: float
    ) -> Float[Tensor, "batch levels"]:
        """The quantiles of centre + unit * x."""
        return centre + unit * parameters


HEADS: dict[str, Callable[..., ForecastHead]] = {
    "gaussian": GaussianHead,
    "student": StudentHead,
    "quantiles": QuantileHead,
}
"""By name; each takes (hidden, generator, centred=...)."""


def _located(read: Float[Tensor, "batch outputs"]) -> Float[Tensor, "batch 2"]:
    """Mean, 0 where only a width is read, and scale."""
    mean = read[:, :1] if read.shape[1] == 2 else torch.zeros_like(read)
    return torch.cat([mean, SMALLEST_SCALE_SHARE + read[:, -1:].exp()], 1)


def _inverse_softplus(value: float) -> float:
    return math.log(math.expm1(value))


def _check_levels(levels: Sequence[float]) -> None:
    ascending = all(low < high for low, high in pairwise(levels))
    symmetric = all(math.isclose(low, 1 - high) for low, high in zip(levels, reversed(levels), strict=True))
    if not (len(levels) % 2 and len(levels) >= 3 and ascending and symmetric and levels[0] > 0):
        raise ValueError(
            f"The quantile levels are {tuple(levels)}; allowed are three or more ascending numbers between 0 and 1, "
            "symmetric around 0.5, which is one of them."
        )
