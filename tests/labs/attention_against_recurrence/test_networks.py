"""The encoder against PyTorch's, how far each network is told of an input, and costs against counted products."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from goldviz.labs.attention_against_recurrence.encoder import Encoder, EncoderLayer
from goldviz.labs.attention_against_recurrence.marked_symbols import unseen_sequences
from goldviz.labs.attention_against_recurrence.networks import ENCODER, LABELS, cost
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence
from goldviz.labs.attention_against_recurrence.train import SymbolReader, by_distance, look, reader

WIDTH, HEADS, LENGTH = 8, 2, 9
PAIRS = {"query": 0, "key": 1, "value": 2}


def network(name: str, **more) -> SymbolReader:
    settings = AttentionAgainstRecurrence(width=WIDTH, heads=HEADS, distance=LENGTH - 1, **more)
    return reader(settings, name, 0).double()


def sequences(batch: int = 3, length: int = LENGTH) -> torch.Tensor:
    return torch.randn(length, batch, 10, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_a_layer_is_pytorch_s_post_norm_encoder_layer() -> None:
    layer, theirs = (
        EncoderLayer(WIDTH, HEADS).double(),
        nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True).double(),
    )
    attention = theirs.self_attn
    with torch.no_grad():
        for name, place in PAIRS.items():
            rows = slice(place * WIDTH, (place + 1) * WIDTH)
            attention.in_proj_weight[rows] = getattr(layer, name).weight
            attention.in_proj_bias[rows] = getattr(layer, name).bias
    for mine, other in (
        (layer.output, attention.out_proj),
        (layer.expand, theirs.linear1),
        (layer.contract, theirs.linear2),
        (layer.attention_norm, theirs.norm1),
        (layer.feed_forward_norm, theirs.norm2),
    ):
        other.load_state_dict(mine.state_dict())
    x = torch.randn(4, LENGTH, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(layer(x), theirs(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", LABELS)
def test_one_layer_reaches_every_place_where_a_cell_takes_a_step_for_each(name) -> None:
    """Cut after the last step, a cell is told of the last input alone: the others' way is as long as they are far."""
    inputs = sequences().requires_grad_()
    made = network(name)
    if name == ENCODER:
        end = made.body(inputs)[:, 0]
        (gradient,) = torch.autograd.grad(end.sum(), inputs)
        assert bool((torch.linalg.vector_norm(gradient, dim=2) > 1e-4).all())
        return
    states = made.body(inputs).states
    for steps in (1, 3):
        cut = tuple(part.detach() for part in _state(made, inputs, LENGTH - steps))
        rest = inputs[-steps:]
        again = made.body(rest, cut if len(cut) > 1 else cut[0]).states[-1]
        torch.testing.assert_close(again, states[-1], rtol=0, atol=1e-12)
        (gradient,) = torch.autograd.grad(again.square().sum(), inputs)
        told = torch.linalg.vector_norm(gradient, dim=(1, 2)) > 0
        assert told.tolist() == [False] * (LENGTH - steps) + [True] * steps


def _state(made: SymbolReader, inputs: torch.Tensor, steps: int) -> tuple[torch.Tensor, ...]:
    trace = made.body(inputs)
    return tuple(getattr(trace, part)[steps] for part in trace.carried)


def test_without_positions_order_is_nothing_to_the_last_place() -> None:
    inputs = sequences()
    turned = torch.cat([inputs[:-1].flip(0), inputs[-1:]])
    bag, ordered = network(ENCODER, positions="none"), network(ENCODER)
    torch.testing.assert_close(bag(turned), bag(inputs), rtol=0, atol=1e-12)
    assert (ordered(turned) - ordered(inputs)).abs().max() > 1e-3


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("name", LABELS)
def test_multiplications_are_those_that_are_counted(name, layers) -> None:
    made = network(name, layers=layers)
    with FlopCounterMode(display=False) as counter:
        made(sequences(batch=1))
    # The encoder's answer is read off one place, though its last layer reads all; each product is an addition, too.
    assert counter.get_total_flops() == 2 * cost(name, LENGTH, WIDTH, layers).multiplications


def test_the_gradient_by_distance_is_that_of_each_sequence_s_own_loss() -> None:
    made, unseen = network("gru"), unseen_sequences(LENGTH - 1, torch.Generator().manual_seed(0))
    unseen = unseen._replace(inputs=unseen.inputs.double())
    measured = look(made, unseen)["input_gradient"]
    norms = []
    for place in range(0, len(unseen.targets), 16):
        one = unseen.inputs[:, place : place + 1].clone().requires_grad_()
        loss = -made(one).log_softmax(1)[0, unseen.targets[place]]
        norms.append(torch.autograd.grad(loss, one)[0].norm(dim=2)[:, 0])
    few = look(
        made, unseen._replace(inputs=unseen.inputs[:, ::16].repeat(1, 2, 1), targets=unseen.targets[::16].repeat(2))
    )
    expected = torch.stack(norms).mean(0)[:-1].flip(0)
    torch.testing.assert_close(few["input_gradient"].double(), expected / expected[0], rtol=1e-6, atol=0)
    assert measured[0] == 1


def test_what_is_told_nothing_is_no_number() -> None:
    assert by_distance(torch.zeros(3, 1, 2)).isnan().all()


def test_positions_are_added_in_the_inputs_precision() -> None:
    encoder = Encoder(10, WIDTH, 1, HEADS, positions=True)
    assert encoder(sequences().float()).dtype == torch.float32
