"""A watcher of a network whose lazy layers have no shape yet: it begins behind the pass that gives them one."""

from __future__ import annotations

import logging
from typing import Any

from torch import nn
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter
from torch.optim.optimizer import Optimizer

from goldviz.notebook import Findings
from goldviz.watching.watcher import Watcher

log = logging.getLogger(__name__)


def has_no_shape(model: nn.Module) -> bool:
    """Whether some of the network's parameters or buffers still wait for a first batch."""
    lazy = UninitializedBuffer | UninitializedParameter
    return any(isinstance(one, lazy) for one in (*model.parameters(), *model.buffers()))


class Waiting(Watcher):
    """It becomes the watcher that it stands for; until then it takes words and keeps none."""

    run_id = ""

    def __init__(self, model: nn.Module, optimizer: Optimizer | None, **how: Any) -> None:
        # Nothing of a watcher is there before its network has shapes.
        self.name = str(how["name"])
        self._over, self.step_number = False, 0
        self._waits = model.register_forward_hook(lambda *_: self._begin(model, optimizer, how))

    def _begin(self, model: nn.Module, optimizer: Optimizer | None, how: dict[str, Any]) -> None:
        if has_no_shape(model):
            return
        self._waits.remove()
        del self._waits
        self.__class__ = Watcher  # type: ignore[assignment]
        try:
            Watcher.__init__(self, model, optimizer, **how)
        except Exception as error:  # noqa: BLE001 - nothing may go wrong in somebody's training for this
            log.warning("goldviz does not watch this network: %s: %s", type(error).__name__, error)
            self.__class__ = Waiting
            self._over = True

    def step(self, *_: Any, **__: Any) -> None:
        """Nothing yet."""

    def log(self, **_: Any) -> None:
        """Nothing yet."""

    def keep_evaluation(self, loss: Any) -> None:
        """Nothing yet."""

    def findings(self) -> Findings:
        """None yet."""
        return Findings([])

    def close(self, status: str = "finished", message: str = "") -> None:
        """Wait no longer."""
        self._over = True
        if hasattr(self, "_waits"):
            self._waits.remove()

    def _repr_html_(self) -> str:
        return f"<p>{self!r}</p>"
