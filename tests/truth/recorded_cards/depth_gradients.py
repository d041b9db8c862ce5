"""Cards of *Gradient flow in depth*, from norms of gradients by layer (document 001, Annex 5.3)."""

import numpy as np

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, of, settings_of

NAMES = ("plain", "residual")
BOTH = ("", "hidden_")
"""Norms are recorded of gradients by weights, and by hidden values."""


def first_over_last(run, network):
    """The first hidden layer's gradient norm over the last one's, means over the epochs."""
    norms = of(run, network).gradient_norm.mean("epoch")
    return float(norms.sel(layer=1) / norms.sel(layer=settings_of(run).depth))


def longest(run, network):
    """The longest gradient of any matrix in any epoch; no preset that is judged by it clips."""
    assert settings_of(run).clip == 0
    return float(of(run, network).gradient_norm.max())


def way_back(run, network, epochs=slice(None)):
    """How many times longer the error dL/dh is at h_0 than at h_L, of means over the epochs."""
    norms = of(run, network).hidden_gradient_norm.isel(epoch=epochs).mean("epoch")
    return float(norms.sel(hidden=0) / norms.sel(hidden=settings_of(run).depth))


def told_of_way_back(run, network):
    """How many blocks there are, and the factor of all."""
    return (settings_of(run).depth, way_back(run, network))


def apart(run, network):
    """By which factor the first and the last hidden layer's gradients differ, whichever is larger."""
    return float(np.exp(abs(np.log(first_over_last(run, network)))))


def changed(run, network):
    """By which factor the error changes on its way back, up or down."""
    return float(np.exp(abs(np.log(way_back(run, network)))))


def fades(run, network):
    return 1 / first_over_last(run, network) > 100


def explodes(run, network):
    """Whether the first layer's gradient is far longer than the last one's, or a long one goes with a growing error."""
    return first_over_last(run, network) > 100 or (longest(run, network) > 1000 and way_back(run, network) > 10)


def worth(run, network):
    """The test loss over that of saying zero."""
    return float(of(run, network).test_loss / run.zero_loss[0])


def vanishing(run):
    named = [name for name in NAMES if fades(run, name)]
    return Card(
        True,
        number=tuple(1 / first_over_last(run, name) for name in named),
        threshold=(100,),
        explanation=joined(told_of_way_back(run, name) for name in named),
        named=named,
    )


def went(run, network):
    """The training loss of the first and the last epoch."""
    return tuple(float(loss) for loss in of(run, network).loss.values[[0, -1]])


def no_better_than_zero(run):
    named = [name for name in NAMES if worth(run, name) >= 0.98]
    return Card(
        True,
        number=tuple(worth(run, name) for name in named),
        threshold=(0.98,),
        explanation=joined(went(run, name) for name in named),
        named=named,
    )


def gradient_kept(run):
    kept = [name for name in NAMES if apart(run, name) <= 10 and changed(run, name) <= 100]
    named = [name for name in kept if not (settings_of(run).clip == 0 and explodes(run, name))]
    others = [name for name in NAMES if name not in named]
    return Card(
        True,
        number=tuple(apart(run, name) for name in named),
        threshold=(10, 100),
        explanation=next(
            iter((apart(run, name),) if apart(run, name) > 10 else told_of_way_back(run, name) for name in others), ()
        ),
        named=named,
    )


def exploding(run):
    """The one that is recorded explodes by the length of its gradient, and its blocks' factors changed in training."""
    named = [name for name in NAMES if explodes(run, name)]
    at_first, at_last = (
        {name: way_back(run, name, epochs) for name in named} for epochs in (slice(1), slice(-1, None))
    )
    return Card(
        all(at_first[name] < 10 < way_back(run, name) for name in named),
        number=tuple(longest(run, name) for name in named),
        threshold=(100, 1000, 10),
        explanation=joined((settings_of(run).depth, at_first[name], at_last[name]) for name in named),
        named=named,
    )


def learning_rate_too_large(run):
    """Steps above 3 % of the weights, by the middle of all layers and epochs; the loss ends above its start."""
    steps = {name: float(np.median(of(run, name).update_to_data)) for name in NAMES}
    named = [name for name in NAMES if steps[name] > 0.03]
    return Card(
        all(went(run, name)[1] > 1.1 * went(run, name)[0] for name in named),
        number=tuple(steps[name] for name in named),
        threshold=(0.03, 0.1),
        named=named,
        says=("the loss rises",),
    )


def large_error(run):
    """A long gradient that the blocks' factors do not explain."""
    named = [name for name in NAMES if longest(run, name) > 1000 and changed(run, name) <= 10]
    began = [float(of(run, name).loss[0]) for name in named]
    return Card(
        named == ["residual"],
        number=tuple(longest(run, name) for name in named),
        threshold=(1000, 10),
        explanation=tuple(began),
        named=named,
    )


def saturated(run):
    """The share on flat ends at the last epoch, mean over the layers."""
    shares = {name: float(of(run, name).saturation.isel(epoch=-1).mean()) for name in NAMES}
    named = [name for name in NAMES if shares[name] > 0.3]
    return Card(
        settings_of(run).activation == "sigmoid",
        number=tuple(shares[name] for name in named),
        threshold=(0.3,),
        named=named,
    )


def no_gradient(run):
    """Every epoch's norm of every weight matrix is zero, and so is that of the error behind each."""
    named = [name for name in NAMES if not any(of(run, name)[f"{of_what}gradient_norm"].any() for of_what in BOTH)]
    return Card(True, number=(0,) * len(named), threshold=(0,), named=named)


def shallower(run, network):
    """The lowest last training loss of fewer layers; the largest depth that was trained is the network's own."""
    ended = of(run, network).loss_by_depth.isel(epoch=-1)
    return float(ended.where(ended.trained_depth < settings_of(run).depth).min())


def degradation(run):
    ended = {name: float(of(run, name).loss[-1]) for name in NAMES}
    named = [name for name in NAMES if ended[name] > 1.5 * shallower(run, name)]
    settings = settings_of(run)
    return Card(
        True,
        number=joined((ended[name], settings.depth, shallower(run, name)) for name in named),
        threshold=(1.5,),
        named=named,
    )


def diverged(run):
    named = [name for name in NAMES if not np.isfinite(of(run, name).loss).all()]
    return Card(
        run.attrs["status"] == "diverged",
        confidence=(run.sizes["epoch"], settings_of(run).epochs),
        explanation=tuple(longest(run, name) for name in named),
        named=named,
    )


CARDS = {
    card.__name__: card
    for card in (
        vanishing,
        no_better_than_zero,
        gradient_kept,
        exploding,
        learning_rate_too_large,
        large_error,
        saturated,
        no_gradient,
        degradation,
        diverged,
    )
}
