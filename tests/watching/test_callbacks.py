"""Callbacks of trainers: Hugging Face's own handler drives one, and one follows the order in which Lightning calls."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertForSequenceClassification, TrainerControl, TrainerState
from transformers.trainer_callback import CallbackHandler

from goldviz.runs.store.run_store import Store
from goldviz.watching.callbacks import for_lightning, for_trainer
from tests.watching.loops import classified, mlp


@pytest.fixture
def store(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Store:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    return Store()


def test_a_trainer_s_own_handler_drives_it(store: Store) -> None:
    """Two accumulated parts a step, clipped, evaluated once: the events in the order of ``Trainer``."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = BertForSequenceClassification(BertConfig(**sizes, intermediate_size=16, max_position_embeddings=8))
    chosen = torch.optim.AdamW(model.parameters(), 1e-2)
    callback = for_trainer(name="mine", every=1, budget=None)
    handler = CallbackHandler([callback], model, None, chosen, None)
    args, state, control = SimpleNamespace(), TrainerState(), TrainerControl()
    handler.on_train_begin(args, state, control)
    losses = []
    for step in range(1, 5):
        parts = []
        for _ in range(2):
            loss = model(torch.randint(20, (4, 6)), labels=torch.randint(2, (4,))).loss
            (loss / 2).backward()
            parts.append(float(loss.detach()))
        losses.append(np.mean(parts))
        nn.utils.clip_grad_norm_(model.parameters(), 0.02)
        handler.on_pre_optimizer_step(args, state, control)
        chosen.step()
        handler.on_optimizer_step(args, state, control)
        chosen.zero_grad()
        handler.on_step_end(args, state, control)
        if step == 2:
            with torch.no_grad():
                model(torch.randint(20, (4, 6)), labels=torch.randint(2, (4,)))
            handler.on_evaluate(args, state, control, {"eval_loss": 0.5})
    handler.on_train_end(args, state, control)
    told = store.load(callback.record.run_id)
    np.testing.assert_allclose(told["loss"], losses, rtol=1e-6)
    assert (told["used_gradient_norm"].values <= 0.02001).all()
    assert (told["gradient_norm"] > told["used_gradient_norm"]).all()
    assert told["evaluation_loss"].dropna("step").values.tolist() == [0.5]
    assert told.attrs["status"] == "finished"
    assert not model._forward_hooks


class Module(nn.Module):
    """What Lightning calls a module, as far as the callback sees it."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = mlp()

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


@pytest.mark.parametrize("fails", [False, True])
def test_lightning_s_order_of_calls_is_followed(store: Store, fails: bool) -> None:
    """Its order is called by hand, two batches for each step; the whole of Lightning has a test of its own."""
    torch.manual_seed(0)
    module, trainer = Module(), SimpleNamespace()
    chosen = torch.optim.SGD(module.parameters(), 0.1)
    callback = for_lightning(name="mine", every=1, budget=None)
    callback.on_fit_start(trainer, module)
    losses = []
    for batch in range(6):
        loss = classified(module, batch) / 2
        loss.backward()
        losses.append(float(loss.detach()))
        if batch % 2:
            callback.on_before_optimizer_step(trainer, module, chosen)
            chosen.step()
            chosen.zero_grad()
        callback.on_train_batch_end(trainer, module, {"loss": loss.detach()}, None, batch)
    if fails:
        callback.on_exception(trainer, module, ValueError("no"))
    callback.on_fit_end(trainer, module)
    told = store.load(callback.record.run_id)
    np.testing.assert_allclose(told["loss"], np.reshape(losses, (3, 2)).sum(1), rtol=1e-6)
    assert told.attrs["status"] == ("failed" if fails else "finished")
