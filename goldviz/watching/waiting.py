"""A watcher of a network whose lazy layers have no shape yet: it begins behind the pass that gives them one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from torch import nn
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter
from torch.optim.optimizer import Optimizer

from goldviz.experiments import SettingsError
from goldviz.notebook import Findings
from goldviz.watching.hook import Hook
from goldviz.watching.live_figure import notebook
from goldviz.watching.trial import Tried, check
from goldviz.watching.watcher import Watcher

if TYPE_CHECKING:
    import xarray as xr

log = logging.getLogger(__name__)


def has_no_shape(model: nn.Module) -> bool:
    """Whether some of the network's parameters or buffers still wait for a first batch."""
    lazy = UninitializedBuffer | UninitializedParameter
    return any(isinstance(one, lazy) for one in (*model.parameters(), *model.buffers()))


class Waiting(Watcher):
    """It becomes the watcher that it stands for; until then it keeps what it is offered and asked, and nothing else."""

    def __init__(self, model: nn.Module, optimizer: Optimizer | None, **how: Any) -> None:
        # Nothing of a watcher is there before its network has shapes.
        self.name, self.run_id = str(how["name"]), str(how["resume"])
        self._over, self.step_number, self._told = False, 0, False
        self._asked: list[Callable[[], None]] = []
        """What was asked for before there was a run."""
        self._waits = model.register_forward_hook(Hook(lambda *_: self._begin(model, optimizer, how)))

    def _begin(self, model: nn.Module, optimizer: Optimizer | None, how: dict[str, Any]) -> None:
        if has_no_shape(model):
            return
        self._waits.remove()
        self.__class__, asked = Watcher, self._asked  # type: ignore[assignment]
        try:
            Watcher.__init__(self, model, optimizer, **how)
        except Exception as error:  # noqa: BLE001 - nothing may go wrong in somebody's training for this
            log.warning("goldviz does not watch this network: %s: %s", type(error).__name__, error)
            self.__class__ = Waiting
            self._over = self._told = True
            return
        for ask in asked:
            try:
                ask()
            except Exception as error:  # noqa: BLE001 - as above
                log.warning("What %s was asked for is not done: %s: %s", self.name, type(error).__name__, error)

    def step(self, *_: Any, **__: Any) -> None:
        """Say once that nothing is kept: a step is over, and some layers had no part in it."""
        if not self._told:
            self._told = True
            log.warning("%s is watched from the first batch on that each of its lazy layers has seen.", self.name)

    def log(self, **_: Any) -> None:
        """Nothing yet."""

    def keep_evaluation(self, loss: Any) -> None:
        """Nothing yet."""

    def step_once(self) -> None:
        """Say it, too."""
        self.step()

    def offer_trials(
        self,
        step: Callable[[dict[str, Any], int, int], Any],
        state: Mapping[str, Any],
        *,
        steps: int = 50,
        orders: int = 3,
    ) -> None:
        """Offer them as soon as there is a run."""
        check(step, state, steps, orders)
        self._asked.append(partial(Watcher.offer_trials, self, step, state, steps=steps, orders=orders))

    def keep_tried(self, results: Sequence[Tried]) -> None:
        """Nothing yet."""

    def findings(self) -> Findings:
        """None yet."""
        return Findings([])

    def dataset(self) -> xr.Dataset:
        """Nothing is recorded yet, and :class:`goldviz.experiments.SettingsError` says so."""
        raise SettingsError({"model": f"{self.name} has lazy layers that saw no batch yet; nothing is recorded."})

    def show(self, name: str = "map", *, every: float = 2.0, **how: Any) -> None:
        """Show it as soon as there is a run."""
        notebook()
        self._asked.append(partial(Watcher.show, self, name, every=every, **how))

    def close(self, status: str = "finished", message: str = "") -> None:
        """Wait no longer."""
        if not self._over:
            self.step()
        self._over = True
        self._waits.remove()

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"
