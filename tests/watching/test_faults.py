"""Twenty planted faults: the first cause is named where there is one, a card speaks, and sound loops get none."""

import json

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from goldviz.watching.findings import as_json
from goldviz.watching.measures import cause_of
from tests.watching.loops import (
    FAULTS,
    NETWORKS,
    bad_row,
    classified,
    half_overflow,
    log_of_zero,
    sound,
    trained,
    wrong_mask,
)

CAUSES = {
    "log of 0": ("forward", "2", "log", 1),
    "0/0": ("forward", "2", "div", 4),
    "fp16 overflow": ("forward", "2", "Linear", 1),
    "one bad row": ("batch", "the batch", "", 5),
    "wrong mask": ("forward", "attention", "softmax", 1),
}
QUICK = ("log of 0", "fp16 overflow", "one bad row", "wrong mask", "0/0", "clip before unscale", "weight tying start")


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in QUICK else pytest.mark.slow) for one in FAULTS])
def test_a_planted_fault_is_named(name: str) -> None:
    run, kind = FAULTS[name]
    torch.manual_seed(0)
    record = run()
    cards = {card.kind: card for card in record.findings()}
    assert kind in cards
    card, dataset = cards[kind], record.dataset()
    assert card.number
    assert card.threshold
    assert card.cure
    assert json.loads(json.dumps(as_json(card, dataset)))["tried"] is None
    if name in CAUSES:
        cause = cause_of(dataset)
        assert (cause["passing"], cause["module"], cause["operation"], cause["step"]) == CAUSES[name]


def test_the_rows_of_the_batch_are_named() -> None:
    record = bad_row()
    assert cause_of(record.dataset())["rows"] == [17]
    [card, *_] = record.findings()
    assert card.number == "infinite at step 5, in 1 of 32 rows of the batch: 17"
    # Nothing that is no finite number is left out: it is told as infinite from that step on.
    told = record.dataset()["gradient_by_layer"].sel(layer="0").values
    assert np.isinf(told[4:]).all()
    assert np.isfinite(told[:4]).all()


@pytest.mark.parametrize("run", [log_of_zero, wrong_mask, half_overflow])
def test_every_row_is_named_where_all_are_bad(run) -> None:  # type: ignore[no-untyped-def]
    torch.manual_seed(0)
    assert cause_of(run().dataset())["bad_rows"] == 32


class Wrapped(nn.Module):
    """Gives a dictionary of tuples, in which one row becomes infinite at the 45th step."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
        self.calls += 1
        bad = torch.where((torch.arange(len(x)) == 3)[:, None] & (self.calls == 45), torch.inf, 0.0)
        return {"told": (x, x + bad)}


class Unwrapped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.wrapped, self.last = nn.Linear(8, 16), Wrapped(), nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.wrapped(self.first(x))["told"][1])


def test_an_infinite_row_in_a_tuple_in_a_dictionary_is_named_with_the_steps_before_it() -> None:
    torch.manual_seed(0)
    told = trained(Unwrapped(), classified, steps=47).dataset()
    cause = cause_of(told)
    assert [cause[one] for one in ("module", "value", "step", "rows")] == ["wrapped", "infinite", 45, [3]]
    assert list(told["before"].values) == list(range(14, 46))
    before = told["gradient_before"].sel(layer="first")
    np.testing.assert_array_equal(before.values, told["gradient_by_layer"].sel(layer="first").values[13:45])
    assert np.isinf(told["update_before"].sel(layer="first", before=45))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NETWORKS)
def test_a_sound_loop_gets_no_card(name: str, seed: int) -> None:
    torch.manual_seed(seed)
    record = sound(name)
    loss = record.dataset()["loss"].values
    assert loss[-10:].mean() < 0.8 * loss[:10].mean()
    assert record.findings() == []
