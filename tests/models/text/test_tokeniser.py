"""Foreign tokenisers that fail, or read a text otherwise than the fingerprint can tell."""

import json

import pytest

from goldviz.data.texts.pieces import split_into_pieces
from goldviz.models.text.model import TextModelError
from goldviz.models.text.tokeniser import read_tokeniser
from tests.random_bert import vocabulary, write_random_bert
from tests.refusals import refused


@pytest.fixture
def folder(tmp_path):
    return write_random_bert(tmp_path / "m", layers=1, heads=1, width=8)


def change(folder, file, **changes):
    content = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps({**content, **changes}))


def read(folder):
    return read_tokeniser(folder, "bert", len(vocabulary()), "m")


def test_a_tokeniser_whose_rust_gives_up_is_one_sentence(folder):
    change(folder, "tokenizer.json", normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"})
    change(folder, "tokenizer_config.json", tokenizer_class="PreTrainedTokenizerFast")
    with refused(TextModelError, "bad_vocabulary", "(Precompiled: "):
        read(folder)


def test_what_is_no_fault_of_the_tokeniser_passes(folder, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", stop)
    with pytest.raises(KeyboardInterrupt):
        read(folder)


def test_settings_beside_the_vocabulary_change_no_pieces(folder):
    text = "gold prices rose [MASK] by 2 percent"
    expected = split_into_pieces(read(folder), text, longest=6, overlap=0)
    change(folder, "tokenizer_config.json", truncation_side="left", split_special_tokens=True)
    found = split_into_pieces(read(folder), text, longest=6, overlap=0)
    assert [chunk.tokens for chunk in found] == [chunk.tokens for chunk in expected]
