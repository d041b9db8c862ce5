"""All that a run needs to go on exactly where it stood, as bytes in the safetensors format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

Network = TypeVar("Network", bound=nn.Module)
Part = nn.Module | Optimizer | torch.Generator


class StateError(ValueError):
    """A packed state that does not belong to these parts."""


def pack(parts: Mapping[str, Part]) -> bytes:
    """Weights and buffers, optimiser moments and counters, and generator states of all ``parts``, by their names.

    Hyperparameters are not packed: they are settings, and the parts to be filled have been built from them.
    """
    # Imported here because an exported script, which never packs, runs without safetensors.
    from safetensors.torch import save

    flat = {f"{name}/{key}": value for name, part in parts.items() for key, value in _tensors(part).items()}
    return save({key: value.detach().cpu().contiguous() for key, value in flat.items()})


def unpack(data: bytes, parts: Mapping[str, Part]) -> None:
    """Fill ``parts`` with what :func:`pack` took from parts of the same names and shapes.

    Raises :class:`StateError` where they differ.
    """
    from safetensors.torch import load

    by_part: dict[str, dict[str, Tensor]] = {name: {} for name in parts}
    for key, value in load(data).items():
        name, _, rest = key.rpartition("/")
        if name not in by_part:
            raise StateError(f"The packed state has a part {name!r}; allowed are {', '.join(parts)}.")
        by_part[name][rest] = value
    for name, part in parts.items():
        try:
            _fill(part, by_part[name])
        except (KeyError, RuntimeError) as error:
            raise StateError(f"The packed state does not fit the part {name!r}: {error}.") from error


def network_at_rest(network: Network, part: str, state: bytes) -> Network:
    """The network with the weights of one part of a packed state, to be asked and not to be trained.

    Raises :class:`StateError` where the state has no such part, or of another shape.
    """
    from safetensors.torch import load

    own = f"{part}/"
    try:
        network.load_state_dict({key.removeprefix(own): one for key, one in load(state).items() if key.startswith(own)})
    except RuntimeError as error:
        raise StateError("The kept state holds no network of these settings.") from error
    return network.eval().requires_grad_(False)


@singledispatch
def _tensors(part: Part) -> dict[str, Tensor]:
    raise TypeError(f"A state is made of modules, optimisers and generators, not of {type(part).__name__}.")


@_tensors.register
def _(part: nn.Module) -> dict[str, Tensor]:
    return dict(part.state_dict())


@_tensors.register
def _(part: Optimizer) -> dict[str, Tensor]:
    state = part.state_dict()["state"]
    return {f"{index}.{key}": value for index, entry in state.items() for key, value in entry.items()}


@_tensors.register
def _(part: torch.Generator) -> dict[str, Tensor]:
    return {"state": part.get_state()}


@singledispatch
def _fill(part: Part, tensors: Mapping[str, Tensor]) -> None:
    raise TypeError(f"A state is made of modules, optimisers and generators, not of {type(part).__name__}.")


@_fill.register
def _(part: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    part.load_state_dict(tensors)


@_fill.register
def _(part: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        index, _, name = key.partition(".")
        state.setdefault(int(index), {})[name] = value
    part.load_state_dict({**part.state_dict(), "state": state})


@_fill.register
def _(part: torch.Generator, tensors: Mapping[str, Tensor]) -> None:
    part.set_state(tensors["state"])
