"""A network that is asked once more is afterwards what it was: attributes, buffers, modes, hooks and random streams."""

import threading
from collections import deque
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from goldviz.watching.beside import asked, twin
from tests.watching.loops import watching


class Remembering(nn.Module):
    """Keeps all that a network can keep beside its weights."""

    counts: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop, self.out = nn.BatchNorm1d(4), nn.Dropout(), nn.Linear(4, 3)
        self.register_buffer("counts", torch.zeros(4))
        self.memory, self.seen, self.last = torch.zeros(4), [0], deque([0], maxlen=3)
        self.by_name: dict[str, int] = {"calls": 0}
        self.state: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        flat = self.drop(self.norm(x.mean(1)))
        self.counts += 1
        self.memory += flat.detach().mean(0)
        self.state = flat
        self.seen.append(len(x))
        self.last.append(len(x))
        self.by_name["calls"] += 1
        self.eval()
        answer: Tensor = self.out(flat + torch.randn(4))
        return answer


def test_nothing_of_it_is_another() -> None:
    torch.manual_seed(0)
    model, heard = Remembering(), []
    model.out.register_forward_hook(lambda *_: heard.append(1))
    x = torch.randn(6, 5, 4)
    stream, memory = torch.get_rng_state(), model.memory
    with twin(model) as copied:
        assert copied is not None
        told = asked(copied, (x,), {}, np.zeros(0))
    assert told == {"rows_mix": False}, "each pass draws the same numbers"
    assert torch.equal(torch.get_rng_state(), stream)
    assert model.memory is memory
    assert not memory.any()
    assert not model.counts.any()
    assert (model.seen, [*model.last], model.by_name, model.state) == ([0], [0], {"calls": 0}, None)
    assert all(part.training for part in model.modules())
    assert heard == []
    model(x)
    assert heard == [1]
    assert model.norm.num_batches_tracked == 1


@pytest.mark.parametrize("held", [np.zeros(30_000_000, dtype=np.int8), [{} for _ in range(200_000)]])
def test_a_network_that_holds_what_nobody_copies_is_not_asked(held: object) -> None:
    model: Any = nn.Linear(4, 3)
    model.held = held
    with twin(model) as copied:
        assert copied is None


def test_what_cannot_be_copied_ends_neither_the_training_nor_the_watching() -> None:
    model: Any = nn.Sequential(nn.Flatten(), nn.Linear(8, 3))
    model.held = threading.Lock()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with watching(model) as record:
        for _ in range(30):
            x = torch.randn(6, 2, 4)
            loss = nn.functional.cross_entropy(model(x), x[:, 0, :3].argmax(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            record.step(loss=loss)
    assert record.step_number == 30
    assert "rows_mix" not in record.facts


def test_what_a_graph_made_is_copied_without_its_graph() -> None:
    model: Any = nn.Linear(4, 3)
    model.last = [model(torch.randn(2, 4))]
    copied: Any
    with twin(model) as copied:
        assert torch.equal(copied.last[0], model.last[0])
        assert copied.last[0].is_leaf


@pytest.mark.parametrize(("first", "mixes"), [(True, False), (False, True)])
def test_rows_that_a_recurrent_layer_takes_for_time_mix(first: bool, mixes: bool) -> None:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn, self.out = nn.GRU(4, 8, batch_first=first), nn.Linear(8, 3)

        def forward(self, x: Tensor) -> Tensor:
            answer: Tensor = self.out(self.rnn(x)[0][:, -1])
            return answer

    model = Reader()
    with twin(model) as copied:
        assert copied is not None
        assert asked(copied, (torch.randn(6, 5, 4),), {}, np.zeros(0)) == {"rows_mix": mixes}
