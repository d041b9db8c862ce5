import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.depth_gradients.train import correlated_samples


def draw(n=20_000, features=10, mask_rate=0.3, seed=0):
    return correlated_samples(n, features, mask_rate, torch.Generator().manual_seed(seed))


def test_the_share_of_missing_values_is_the_mask_rate():
    x, _ = draw(mask_rate=0.3)
    assert abs((x == 0).float().mean().item() - 0.3) < 0.01


def test_targets_are_the_samples_plus_noise_of_0_15():
    x, y = draw()
    noise = y - x
    assert abs(noise.std().item() - 0.15) < 0.002
    assert abs(noise.mean().item()) < 0.002
    assert abs(torch.corrcoef(torch.stack([noise.flatten(), x.flatten()]))[0, 1].item()) < 0.01


def test_unmasked_samples_have_the_mean_that_the_formula_gives():
    # E sin(u) = 0 and E cos(2 u) = exp(-2 var u), where var u = 0.8^2 + 9 * 0.3^2 by the columns of C.
    x, _ = draw(n=200_000, mask_rate=0.0)
    expected = torch.tensor(-2 * (0.8**2 + 9 * 0.3**2)).exp()
    torch.testing.assert_close(x.mean(0), expected.expand(10), atol=0.01, rtol=0)


def test_features_are_correlated_through_the_mixing_matrix():
    # sin of two jointly normal u, v: cov = exp(-(var u + var v) / 2) sinh(cov(u, v)); the cosines add their own share.
    x, _ = draw(n=200_000, mask_rate=0.0)
    variance, covariance = 0.8**2 + 9 * 0.3**2, 2 * 0.8 * 0.3 + 8 * 0.3**2
    v, c = torch.tensor(variance).double(), torch.tensor(covariance).double()
    of_sines = (-v).exp() * c.sinh()
    of_cosines = (-4 * v).exp() * ((4 * c).cosh() - 1)
    assert abs(torch.cov(x.T)[0, 1].item() - (of_sines + of_cosines).item()) < 0.01


@given(st.integers(0, 10**6))
def test_the_same_seed_gives_the_same_samples(seed):
    first, second = draw(n=4, seed=seed), draw(n=4, seed=seed)
    assert torch.equal(first[0], second[0])
    assert torch.equal(first[1], second[1])
