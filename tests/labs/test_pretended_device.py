"""Every laboratory trains where the CPU's tensors are refused, and learns there what it learns on the CPU."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.labs.pretended_device import MixedDevicesError, pretended_device
from tests.labs.small_runs import SMALL, Small, carried_out, cases, headline, whole
from tests.thinned import TRAINED_AS_WELL, represented

NETWORKS = [(small.lab, small.changes.get("network", small.changes.get("model"))) for small in SMALL]
OF_EVERY_NETWORK = represented(
    (small for number, small in enumerate(SMALL) if NETWORKS.index(NETWORKS[number]) == number), also=TRAINED_AS_WELL
)
"""The first small run of each network of a laboratory."""
OTHER_KERNELS = 1e-5
"""Relative. Off the CPU gradients are always scaled when they are clipped, and attention takes another kernel."""

REFUSED: dict[str, Callable[[torch.device], Tensor]] = {
    "a sum": lambda there: torch.ones(2, device=there) + torch.ones(2),
    "a product with one number": lambda there: torch.ones(1, 1, device=there) @ torch.ones(1, 1),
    "a stack of numbers": lambda there: torch.stack([torch.tensor(1, device=there), torch.tensor(1)]),
    "a number and values here": lambda there: torch.tensor(1, device=there) * torch.ones(2),
    "values put by index": lambda there: torch.zeros(2, device=there).index_put_(
        (torch.tensor([0], device=there),), torch.ones(1), accumulate=True
    ),
    "rows of a table here": lambda there: torch.zeros(2)[torch.tensor([0], device=there)],
    "a generator here": lambda there: torch.rand(2, device=there, generator=torch.Generator()),
    "a list that lost its numbers": lambda there: torch.zeros(2, 2, device=there)[:, [0]],
}
ALLOWED: dict[str, Callable[[torch.device], Tensor]] = {
    "a sum with one number": lambda there: torch.ones(2, device=there) + torch.tensor(1),
    "rows chosen here": lambda there: torch.tensor([1, 2], device=there)[torch.tensor([1, 1])],
    "rows chosen by a list": lambda there: torch.tensor([1, 2], device=there)[[1, 1]],
    "a copy": lambda there: torch.zeros(2, device=there).copy_(torch.tensor([2, 2])),
    "places in it": lambda there: torch.zeros(2, device=there).index_fill_(0, torch.arange(2, device=there), 2),
}


@pytest.fixture
def there() -> Iterator[torch.device]:
    with pretended_device() as device:
        yield device


@pytest.mark.parametrize("small", OF_EVERY_NETWORK, ids=str)
def test_a_laboratory_trains_apart_from_the_cpu(small: Small) -> None:
    pause = getattr(cases(small.lab), "PAUSES", (2,))[0]
    # Every operation goes through Python here: one step beyond the pause does what more would do.
    fewer = {"steps": pause + 1, "pretraining_steps": pause, "fine_tuning_steps": 1}
    settings = small.settings(**{name: fewer[name] for name in small.lab.declared.model_fields if name in fewer})
    with pretended_device():
        first, _ = carried_out(settings, budget=pause)
        second, status = carried_out(settings, start_step=pause, restored=first.states[pause])
    assert status == "finished"
    name = headline(small.lab)
    losses = np.concatenate([kept.records.stacked()[name][1] for kept in (first, second)])
    np.testing.assert_allclose(losses, whole(settings).records.stacked()[name][1], rtol=OTHER_KERNELS)


@pytest.mark.parametrize("mixed", REFUSED.values(), ids=REFUSED)
def test_what_a_gpu_refuses_is_refused(mixed: Callable[[torch.device], Tensor], there: torch.device) -> None:
    with pytest.raises(MixedDevicesError):
        mixed(there)


@pytest.mark.parametrize("allowed", ALLOWED.values(), ids=ALLOWED)
def test_what_a_gpu_takes_is_computed_there(allowed: Callable[[torch.device], Tensor], there: torch.device) -> None:
    found = allowed(there)
    assert found.device == there
    assert found.tolist() == [2, 2]
    with pytest.raises((TypeError, RuntimeError), match="numpy"):
        found.numpy()
