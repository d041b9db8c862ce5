"""Callbacks that watch what a trainer of others trains: Hugging Face's ``Trainer``, and Lightning's.

``goldviz.watching.callbacks.for_trainer(name="my run")`` goes into ``Trainer(callbacks=[...])``, and ``for_lightning``
into ``lightning.Trainer(callbacks=[...])``. Gradients and steps are noticed at the optimiser, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from goldviz.watching.arguments import watched
from goldviz.watching.hook import Hook
from goldviz.watching.watcher import Watcher

LIGHTNING = ("lightning.pytorch", "pytorch_lightning")


def for_trainer(**settings: Any) -> Any:
    """A ``transformers.TrainerCallback``; ``settings`` are those of :func:`goldviz.watch`.

    The loss is the one that the model returns for its labels. Of accumulated parts it is their mean, or their sum where
    each was divided by the whole batch's items, as the trainer asks of language models.
    """
    from transformers import TrainerCallback

    class GoldvizCallback(_Following, TrainerCallback):  # type: ignore[misc]
        """Watches what a ``Trainer`` trains."""

        def on_train_begin(self, args: Any, state: Any, control: Any, model: nn.Module, **more: Any) -> None:
            """Begin a run."""
            self.begin(model)

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            """Gradients are whole: unscaled, accumulated and clipped."""
            self.stepped = True

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            """A step is over."""
            self.end_step()

        def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **more: Any) -> None:
            """Keep the evaluation's loss for the next step."""
            self.evaluated = (metrics or {}).get("eval_loss")

        def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            """End the run."""
            self.close()

    return GoldvizCallback(settings)


def for_lightning(**settings: Any) -> Any:
    """A Lightning callback; ``settings`` are those of :func:`goldviz.watch`."""

    class GoldvizCallback(_Following, _lightning()):  # type: ignore[misc]
        """Watches what Lightning trains."""

        def on_fit_start(self, trainer: Any, pl_module: nn.Module) -> None:
            """Begin a run."""
            self.begin(pl_module)

        def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
            """Gradients are whole; clipping follows, and is told by what the optimiser uses."""
            self.stepped = True

        def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
            """A batch is over; a step is where the optimiser moved."""
            loss = outputs.get("loss") if isinstance(outputs, Mapping) else outputs
            # Each accumulated part is divided already.
            self.summed = True
            self.losses += [loss.detach()] if isinstance(loss, Tensor) else []
            if self.stepped:
                self.end_step()

        def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
            """Keep the loss that the module logged as ``val_loss`` for the next step."""
            if not trainer.sanity_checking:
                self.evaluated = trainer.callback_metrics.get("val_loss")

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            """End the run as one that failed."""
            self.close("failed", f"The script ended with {type(exception).__name__}: {str(exception)[:300]}")

        def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
            """End the run."""
            self.close()

    return GoldvizCallback(settings)


def _lightning() -> type:
    """Lightning's own class of callbacks, or a bare one where it is not installed."""
    for name in LIGHTNING:
        try:
            base = import_module(name).Callback
        except ImportError:
            continue
        assert isinstance(base, type)
        return base
    return object


class _Following:
    """A watcher that begins and ends with somebody's trainer, and the losses since its last step."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__()
        plain: dict[str, Any] = {"name": "", "config": {}, "to": None, "every": 10, "budget": 0.1, "histograms": False}
        self.settings = {**plain, **settings}
        self.record: Watcher | None = None
        self.losses: list[Tensor] = []
        self.evaluated: float | None = None
        self.stepped = self.summed = False
        self._hook: RemovableHandle | None = None

    def begin(self, model: nn.Module) -> None:
        """Watch this model."""
        self.close()
        self.record = watched(model, None, **self.settings)
        self._hook = model.register_forward_hook(Hook(self._gave), with_kwargs=True)

    def _gave(self, model: nn.Module, given: Any, named: Mapping[str, Any], output: Any) -> None:
        loss = output.get("loss") if isinstance(output, Mapping) else None
        if isinstance(loss, Tensor) and loss.grad_fn is not None and loss.numel() == 1:
            self.summed = named.get("num_items_in_batch") is not None
            self.losses.append(loss)

    def end_step(self) -> None:
        """Tell the step's loss: the tensor itself, or the sum or mean of accumulated parts."""
        losses, self.losses = self.losses, []
        parts = 1 if self.summed else max(len(losses), 1)
        loss = losses[0] if len(losses) == 1 else sum(float(one.detach()) for one in losses) / parts
        if self.record is not None:
            self.record.step(loss=loss if losses else math.nan, evaluation_loss=self.evaluated)
        self.evaluated, self.stepped = None, False

    def close(self, status: str = "finished", message: str = "") -> None:
        """End the run, and take the hook away."""
        if self._hook is not None:
            self._hook.remove()
            self._hook = None
        if self.record is not None:
            if self.evaluated is not None:
                self.record.keep_evaluation(self.evaluated)
                self.evaluated = None
            self.record.close(status, message)
