"""The task: the mark stands where it is said to, and what cannot be is refused."""

import pytest
import torch

from goldviz.declare.settings import SettingsError
from goldviz.labs.attention_against_recurrence.marked_symbols import (
    OF_EACH,
    anywhere,
    asked_distances,
    groups,
    marked_symbols,
    unseen_sequences,
)
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("longest", [2, 7])
def test_the_marked_symbol_is_the_answer(longest) -> None:
    back = torch.arange(1, longest + 1)
    sequences = marked_symbols(longest, back, generator())
    for row, (steps, answer) in enumerate(zip(back.tolist(), sequences.targets.tolist(), strict=True)):
        given = sequences.inputs[:, row]
        assert given[:, 8].nonzero().flatten().tolist() == [longest - steps]
        assert given[longest - steps, :8].argmax() == answer
        assert given[-1].tolist() == [0.0] * 9 + [1.0]
        assert given[:-1, :8].sum(1).tolist() == [1.0] * longest


@pytest.mark.parametrize("longest", [3, 20, 128])
def test_unseen_sequences_ask_for_every_distance_in_order(longest) -> None:
    places = unseen_sequences(longest, generator()).inputs[:, :, 8].argmax(0)
    assert torch.equal(longest - places, asked_distances(longest))
    counts = torch.bincount(asked_distances(longest))[1:]
    assert len(counts) == longest
    assert counts.max() - counts.min() <= 1
    assert len(groups(longest)) * OF_EACH == len(places)


def test_every_distance_comes_about_as_often() -> None:
    places = anywhere(4, 4000, generator()).inputs[:, :, 8].argmax(0)
    assert torch.bincount(places, minlength=4).float().div(1000).sub(1).abs().max() < 0.12


def test_a_distance_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"The distances are \[0, 2\]; allowed are whole numbers from 1 to 5\."):
        marked_symbols(5, torch.tensor([2, 0]), generator())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"distance": 1}, "Distance is 1; allowed is a whole number from 2"),
        ({"width": 10, "heads": 4}, "Width is 10; allowed is an even number that the 4 heads can share"),
        ({"layers": 0}, "Layers is 0; allowed is a whole number from 1|Layers are 0"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(changes, words) -> None:
    with pytest.raises(SettingsError, match=words):
        AttentionAgainstRecurrence.checked(changes)
