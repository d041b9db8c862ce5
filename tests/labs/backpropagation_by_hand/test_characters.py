"""Texts become numbers and back; what cannot is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.backpropagation_by_hand.network import Alphabet


@given(text=st.text(min_size=1))
def test_round_trip(text):
    alphabet = Alphabet.of(text)
    assert alphabet.decode(alphabet.encode(text)) == text
    assert len(alphabet.symbols) == len(set(text))


def test_the_target_is_the_next_symbol():
    inputs, targets = Alphabet.of("gold").next_symbol_pairs("gold")
    assert inputs.tolist() == [1, 3, 2]
    assert targets.tolist() == [3, 2, 0]


def test_bad_texts_are_named():
    with pytest.raises(ValueError, match="text is empty"):
        Alphabet.of("")
    with pytest.raises(ValueError, match="lacks: 'x', '😀'"):
        Alphabet.of("gold").encode("gox😀")
    with pytest.raises(ValueError, match="has 1 characters"):
        Alphabet.of("g").next_symbol_pairs("g")
