"""A pair of sentences is read as the tokeniser itself would set it up, however a person wrote it."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from goldviz.data.texts.pieces import as_read, split_into_pieces
from goldviz.models.text.loading import load_text_model
from tests.random_bert import write_random_bert

A, B = "gold rose .", "prices fell ."


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load_text_model(write_random_bert(tmp_path_factory.mktemp("models") / "bert")).tokeniser


@pytest.fixture(scope="module")
def roberta() -> Any:
    letters = ["<s>", "</s>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    rust = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(letters)}, merges=[], unk_token="<unk>"))
    rust.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    rust.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0), add_prefix_space=False)
    return PreTrainedTokenizerFast(
        tokenizer_object=rust, bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>", unk_token="<unk>"
    )


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize(
    "written",
    [
        (A, B),
        (f"{A} [SEP] {B}", ""),
        (f"[CLS] {A} [SEP] {B} [SEP]", ""),
        (f"[CLS] {A} [SEP]", f"[CLS]{B}[SEP]"),
        (f"<s>{A}</s></s>{B}</s>", ""),
    ],
    ids=["two boxes", "one box", "all specials", "specials in both", "RoBERTa's own"],
)
def test_both_are_what_the_tokeniser_makes_of_a_pair(
    kind: str, written: tuple[str, str], request: pytest.FixtureRequest
) -> None:
    if kind == "bert" and "<s>" in written[0]:
        pytest.skip("Another model's marks are letters to BERT.")
    tokeniser = request.getfixturevalue(kind)
    text = as_read(tokeniser, *written)
    [pieces] = split_into_pieces(tokeniser, text)
    assert pieces.ids.tolist() == tokeniser(A, B)["input_ids"]
    assert as_read(tokeniser, text) == text
    second = len(tokeniser(B, add_special_tokens=False)["input_ids"])
    assert pieces.segments.tolist() == [0] * (len(pieces) - second - 1) + [1] * (second + 1)
    assert pieces.special.sum() == len(pieces) - second - len(tokeniser(A, add_special_tokens=False)["input_ids"])


def test_a_text_without_marks_stays_as_it_is(bert: Any) -> None:
    assert as_read(bert, "  gold \n rose ") == "  gold \n rose "
    assert as_read(bert, "gold", " \n") == "gold"
