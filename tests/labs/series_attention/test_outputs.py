"""What is said of a value: losses are those of known distributions, and quantiles turn them round."""

import pytest
import torch
from scipy import stats

from goldviz.labs.series_attention.outputs import FREEDOM, LEVELS, OUTPUTS, SMALLEST

RAW = torch.tensor([0.3, -0.4], dtype=torch.float64)
PLACE, SCALE = 0.3, float(torch.nn.functional.softplus(RAW[1])) + SMALLEST
KNOWN = {"normal": stats.norm(PLACE, SCALE), "student": stats.t(FREEDOM, PLACE, SCALE)}
SHARES = torch.tensor([1e-4, 0.05, 0.3, 0.5, 0.77, 0.95, 0.9999], dtype=torch.float64)


@pytest.mark.parametrize("name", KNOWN)
def test_a_loss_is_the_negative_logarithm_of_the_density(name) -> None:
    values = torch.linspace(-3, 4, 15, dtype=torch.float64)
    losses = OUTPUTS[name].loss(RAW.expand(15, 2), values)
    torch.testing.assert_close(losses, torch.tensor(-KNOWN[name].logpdf(values.numpy())), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", KNOWN)
def test_quantiles_are_the_known_ones(name) -> None:
    quantiles = OUTPUTS[name].quantile(RAW.expand(len(SHARES), 2), SHARES)
    torch.testing.assert_close(quantiles, torch.tensor(KNOWN[name].ppf(SHARES.numpy())), rtol=1e-8, atol=1e-8)
    assert float(OUTPUTS[name].median(RAW)) == pytest.approx(PLACE, abs=1e-8)


def test_five_quantiles_never_cross_and_lines_join_them() -> None:
    raw = 3 * torch.randn(50, len(LEVELS), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    output = OUTPUTS["quantiles"]
    levels = torch.stack([output.quantile(raw, raw.new_full((50,), share)) for share in LEVELS], -1)
    assert bool((levels.diff(dim=-1) > 0).all())
    torch.testing.assert_close(levels[:, 2], raw[:, 2])
    between = output.quantile(raw, raw.new_full((50,), 0.85))
    torch.testing.assert_close(between, (levels[:, 3] + levels[:, 4]) / 2)


def test_the_pinball_loss_is_lowest_at_the_quantiles_of_what_came() -> None:
    values = torch.randn(4000, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    raw = torch.zeros(len(LEVELS), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([raw], 0.05)
    for _ in range(300):
        optimiser.zero_grad()
        OUTPUTS["quantiles"].loss(raw.expand(4000, -1), values).mean().backward()
        optimiser.step()
    levels = torch.stack(
        [OUTPUTS["quantiles"].quantile(raw.detach(), torch.tensor(share).double()) for share in LEVELS]
    )
    torch.testing.assert_close(levels, values.quantile(torch.tensor(LEVELS).double()), rtol=0, atol=0.05)
