"""What ``torch.compile`` took, seen without a hook in it: its batch passes once more, uncompiled, beside the training.

A hook inside would break the compiler's graph. So the watcher stands before and behind what is called, and at a look
sends a copy of the batch through the same modules without gradient. Afterwards buffers and random streams are what
they were, bit for bit, and no hook is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree

from goldviz.diagnostics.random_streams import as_it_was
from goldviz.watching.hook import Hook
from goldviz.watching.layers import Region

Before = Callable[[Region, tuple[Any, ...], Mapping[str, Any]], None]
Behind = Callable[[Region, tuple[Any, ...], Mapping[str, Any], Any], None]


class Entrances:
    """Stands at compiled regions: ``before`` is called with what one is given, ``behind`` also with what it gives."""

    def __init__(self, regions: Sequence[Region], before: Before, behind: Behind) -> None:
        self._leaves: list[Callable[[], None]] = []
        for region in regions:
            self._stand_at(region, before, behind)

    def _stand_at(self, region: Region, before: Before, behind: Behind) -> None:
        entry = region.entry
        if (own := entry._compiled_call_impl) is not None:
            # Compiled in place, its own hooks are compiled, too.
            entry._compiled_call_impl = _Entrance(region, own, before, behind)
            self._leaves.append(lambda: setattr(entry, "_compiled_call_impl", own))
            return
        first = entry.register_forward_pre_hook(
            Hook(lambda _, given, named: before(region, given, named)), with_kwargs=True
        )
        last = entry.register_forward_hook(
            Hook(lambda _, given, named, output: behind(region, given, named, output)), with_kwargs=True
        )
        self._leaves += [first.remove, last.remove]

    def close(self) -> None:
        """Stand there no longer."""
        for leave in self._leaves:
            leave()
        self._leaves.clear()


class _Entrance:
    """Stands around the compiled call of a module that was compiled in place."""

    def __init__(self, region: Region, own: Callable[..., Any], before: Before, behind: Behind) -> None:
        self.region, self.own, self.before, self.behind = region, own, before, behind

    def __call__(self, *given: Any, **named: Any) -> Any:
        if torch.compiler.is_compiling():
            return self.own(*given, **named)
        self.before(self.region, given, named)
        output = self.own(*given, **named)
        self.behind(self.region, given, named, output)
        return output


@torch.no_grad()
def pass_beside(
    region: Region, given: tuple[Any, ...], named: Mapping[str, Any], hooks: Mapping[str, Callable[..., None]]
) -> None:
    """Send a copied batch through a region uncompiled, off the training graph, with a forward hook on each module.

    ``hooks`` are by the names of the region's modules. Raises what the module raises.
    """
    cached = torch.is_autocast_cache_enabled()
    handles = [region.inside[name].register_forward_hook(hook, with_kwargs=True) for name, hook in hooks.items()]
    try:
        # In PyTorch 2.6 a weight that autocast rounds and keeps in a pass without gradient has none in the next pass.
        torch.set_autocast_cache_enabled(False)
        with as_it_was(region.module), torch.compiler.set_stance("force_eager"):
            region.module._call_impl(*given, **named)
    finally:
        torch.set_autocast_cache_enabled(cached)
        for handle in handles:
            handle.remove()


def copied(given: Any) -> Any:
    """What a module is given, with copies of its tensors: a module may write into them."""
    return _pytree.tree_map_only(Tensor, lambda one: one.detach().clone(), given)
