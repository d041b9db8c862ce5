"""Whole trainings with somebody else's trainer, bare and watched, in a process of its own.

``python -m tests.watching.whole_trainers TRAINER PARTS FOLDER`` writes what it found as JSON on its last line.
"""

from __future__ import annotations

import json
import logging
import math
import random
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook
from torch.utils.data import DataLoader, TensorDataset

import goldviz
from goldviz.runs.store.run_store import Store
from goldviz.watching.callbacks import for_lightning, for_trainer
from tests.watching.loops import mlp, task

STEPS, EPOCHS, ROWS, SEED = 64, 2, 16, 5
PER_EPOCH = STEPS // EPOCHS
After = tuple[list[Tensor], list[float]]

used: list[float] = []
"""The gradient's norm at each step of an optimiser: when it has stepped, its gradient is still there."""


def _note_used(optimiser: Optimizer, _arguments: object, _named: object) -> None:
    held = [one.grad for group in optimiser.param_groups for one in group["params"] if one.grad is not None]
    used.append(math.sqrt(sum(float(gradient.double().square().sum()) for gradient in held)))


def told_of(callback: Any, logged: list[float], evaluated: list[float]) -> dict[str, Any]:
    """What the store holds of the run, beside what the trainer itself said of it."""
    run = Store().load(callback.record.run_id)
    kept = run["evaluation_loss"].values if "evaluation_loss" in run else np.zeros(0)
    return {
        "status": str(run.attrs["status"]),
        "losses": [float(loss) for loss in run["loss"].values if math.isfinite(loss)],
        "logged": logged,
        "evaluations": [float(loss) for loss in kept if math.isfinite(loss)],
        "evaluated": evaluated,
        "gradients": np.nan_to_num(run["used_gradient_norm"].values, nan=-1.0).tolist(),
        "used": used[-STEPS:],
        "findings": [[finding.kind, finding.severity] for finding in goldviz.findings(run)],
    }


def after(model: nn.Module) -> After:
    """All weights and buffers, and the next random numbers of each source."""
    return [one.detach().clone() for one in model.state_dict().values()], [
        torch.rand(()).item(),
        float(np.random.rand()),
        random.random(),
    ]


def compared(bare: After, watched: After) -> dict[str, bool]:
    """Whether two trainings ended alike, bit for bit."""
    pairs = zip(bare[0], watched[0], strict=True)
    return {"weights": all(torch.equal(one, other) for one, other in pairs), "random": bare[1] == watched[1]}


def _classifier() -> nn.Module:
    from transformers import BertConfig, BertForSequenceClassification

    sizes = {"vocab_size": 20, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    made: nn.Module = BertForSequenceClassification(
        BertConfig(**sizes, intermediate_size=64, max_position_embeddings=8)
    )
    return made


def _language_model() -> nn.Module:
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"vocab_size": 20, "n_positions": 8, "n_embd": 32, "n_layer": 1, "n_head": 2}
    made: nn.Module = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=0, eos_token_id=0))
    return made


def _sequences(rows: int, seed: int) -> list[dict[str, Any]]:
    """Six tokens; the class says whether the second is one of the upper half."""
    tokens = torch.randint(20, (rows, 6), generator=torch.Generator().manual_seed(seed))
    return [{"input_ids": row, "labels": int(row[1] >= 10)} for row in tokens]


def _counts(rows: int, seed: int) -> list[dict[str, Any]]:
    """Six tokens, each of them the one before and one more."""
    tokens = torch.randint(20, (rows, 1), generator=torch.Generator().manual_seed(seed)) + torch.arange(6)
    return [{"input_ids": row % 20, "labels": row % 20} for row in tokens]


def hugging_face(
    made: Callable[[], nn.Module], data: Callable[[int, int], list[dict[str, Any]]], parts: int, folder: Path
) -> dict[str, Any]:
    """``transformers.Trainer``, evaluated after each epoch."""
    from transformers import Trainer, TrainingArguments, set_seed

    def trained(callbacks: list[Any]) -> tuple[nn.Module, list[dict[str, float]]]:
        set_seed(SEED)
        model = made()
        arguments = TrainingArguments(
            output_dir=str(folder),
            num_train_epochs=EPOCHS,
            per_device_train_batch_size=ROWS,
            gradient_accumulation_steps=parts,
            learning_rate=3e-3,
            eval_strategy="epoch",
            save_strategy="no",
            logging_steps=1,
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            seed=SEED,
        )
        given = {"train_dataset": data(ROWS * parts * PER_EPOCH, 1), "eval_dataset": data(64, 2)}
        trainer = Trainer(model=model, args=arguments, **given, callbacks=callbacks)
        trainer.train()
        return model, trainer.state.log_history

    bare = after(trained([])[0])
    callback = for_trainer(name="whole", budget=None)
    model, history = trained([callback])
    logged = [float(one["loss"]) for one in history if "loss" in one]
    evaluated = [float(one["eval_loss"]) for one in history if "eval_loss" in one]
    return {**compared(bare, after(model)), **told_of(callback, logged, evaluated)}


def lightning(parts: int, folder: Path) -> dict[str, Any]:
    """``lightning.Trainer``: a small classifier with dropout, validated after each epoch."""
    library: Any = import_module("lightning.pytorch")

    class Classifier(library.LightningModule):  # type: ignore[misc]
        """What a user of Lightning writes."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential(nn.Dropout(0.1), *mlp())
            self.logged: list[float] = []
            self.evaluated: list[float] = []

        def training_step(self, batch: list[Tensor], batch_idx: int) -> Tensor:
            x, y = batch
            loss = functional.cross_entropy(self.inner(x), y)
            self.logged.append(float(loss.detach()))
            self.log("train_loss", loss)
            return loss

        def validation_step(self, batch: list[Tensor], batch_idx: int) -> None:
            x, y = batch
            loss = functional.cross_entropy(self.inner(x), y)
            if not self.trainer.sanity_checking:
                self.evaluated.append(float(loss))
            self.log("val_loss", loss)

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), 1e-2)

    def trained(callbacks: list[Any]) -> Classifier:
        library.seed_everything(SEED)
        module = Classifier()
        trainer = library.Trainer(
            max_epochs=EPOCHS,
            accumulate_grad_batches=parts,
            gradient_clip_val=1.0,
            accelerator="cpu",
            devices=1,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=folder,
            callbacks=callbacks,
        )
        loader = DataLoader(TensorDataset(*task(ROWS * parts * PER_EPOCH, 1)), ROWS, shuffle=True)
        trainer.fit(module, loader, DataLoader(TensorDataset(*task(64, 2)), 64))
        return module

    bare = after(trained([]))
    callback = for_lightning(name="whole", budget=None)
    module = trained([callback])
    logged = np.reshape(module.logged, (-1, parts)).mean(1).tolist()
    return {**compared(bare, after(module)), **told_of(callback, logged, module.evaluated)}


TRAINERS: dict[str, Callable[[int, Path], dict[str, Any]]] = {
    "classifier": partial(hugging_face, _classifier, _sequences),
    "language_model": partial(hugging_face, _language_model, _counts),
    "lightning": lightning,
}


def main() -> None:
    """One case: the name of what trains, and how many parts make a step."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    register_optimizer_step_post_hook(_note_used)
    name, parts, folder = sys.argv[1:]
    print(json.dumps(TRAINERS[name](int(parts), Path(folder))))


if __name__ == "__main__":
    main()
