import json
import logging

import pytest
import torch
from torch.testing import assert_close
from transformers import AutoTokenizer, BertForMaskedLM, BertForSequenceClassification, BertModel, BertTokenizer

from goldviz.models.text.encoder import EncoderShape, TransformerEncoder
from goldviz.models.text.folder import bert_name, write_text_model
from goldviz.models.text.heads import MaskedWordHead, TextClassifier
from goldviz.models.text.loading import load_text_model, text_model_fingerprint
from goldviz.models.text.model import TextModel, TextModelError
from tests.random_bert import vocabulary
from tests.refusals import refused

TEXT = "The Committee decided to raise the target range; inflation remains elevated."
CARD = {"name": "A test", "scores": {"accuracy": 0.5}}


def model(*, labels=("down", "flat", "up"), words=True, read_out="tanh", **sizes):
    """A small model with weights that are all drawn."""
    pieces = vocabulary()
    shape = EncoderShape(
        **{"layers": 2, "heads": 3, "width": 12, "inner": 20, "vocabulary": len(pieces), "positions": 40} | sizes
    )
    encoder = TransformerEncoder(shape)
    head = MaskedWordHead(shape) if words else None
    classifier = TextClassifier(shape.width, len(labels), read_out) if labels else None
    generator = torch.Generator().manual_seed(0)
    for part in (encoder, head, classifier):
        for weights in () if part is None else part.requires_grad_(False).parameters():
            weights.normal_(0, 0.4, generator=generator)
    tokeniser = BertTokenizer({piece: number for number, piece in enumerate(pieces)})
    return TextModel("A test", encoder, tokeniser, head, classifier, labels, "")


@pytest.fixture(autouse=True)
def _quiet(caplog):
    """Transformers reports the head that it was not asked for."""
    caplog.set_level(logging.ERROR, logger="transformers")


@pytest.mark.parametrize("sizes", [{}, {"segments": 1, "positions": 30, "layers": 1}])
def test_transformers_gives_the_same_numbers(tmp_path, sizes):
    ours = model(**sizes)
    write_text_model(tmp_path / "model", ours, CARD)
    tokeniser = AutoTokenizer.from_pretrained(tmp_path / "model")
    coded = tokeniser([TEXT, "Gold fell."], padding=True, return_tensors="pt")
    present = coded["attention_mask"].bool()
    hidden = ours.encoder(coded["input_ids"], present=present)
    close = {"rtol": 0, "atol": 1e-5}
    with torch.no_grad():
        theirs = BertModel.from_pretrained(tmp_path / "model", add_pooling_layer=False)(**coded)
        assert_close(theirs.last_hidden_state[present], hidden[present], **close)
        words = BertForMaskedLM.from_pretrained(tmp_path / "model")(**coded).logits
        table = ours.encoder.embeddings.token.weight
        assert_close(words[present], ours.masked_words(hidden, table)[present], **close)
        classes = BertForSequenceClassification.from_pretrained(tmp_path / "model")
        assert_close(classes(**coded).logits, ours.classifier(hidden), **close)
    assert classes.config.id2label == {0: "down", 1: "flat", 2: "up"}
    assert tokeniser.model_max_length == ours.encoder.shape.longest
    assert coded["input_ids"][1].tolist()[:5] == ours.tokeniser("Gold fell.")["input_ids"]


def test_the_laboratory_reads_back_what_it_wrote(tmp_path):
    ours = model()
    write_text_model(tmp_path, ours, CARD)
    found = load_text_model(tmp_path, "Read back")
    assert found.labels == ours.labels
    assert found.encoder.shape == ours.encoder.shape
    parts = (ours.encoder, ours.masked_words, ours.classifier)
    made_of = (ours.encoder.shape, ours.tokeniser, parts, ours.labels, "Read back")
    assert found.fingerprint == text_model_fingerprint(*made_of)
    assert len(found.fingerprint) == 32


def test_the_same_model_gives_the_same_files(tmp_path):
    for name in ("one", "two"):
        write_text_model(tmp_path / name, model(), CARD)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert {"card.json", "config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"} <= set(names)
    for name in names:
        content = (tmp_path / "one" / name).read_bytes()
        assert content == (tmp_path / "two" / name).read_bytes()
        assert str(tmp_path).encode() not in content
    assert json.loads((tmp_path / "one" / "card.json").read_text()) == CARD
    assert (tmp_path / "one" / "vocab.txt").read_text().split() == vocabulary()


@pytest.mark.parametrize("absent", [{"words": False}, {"labels": ()}])
def test_a_head_that_there_is_not_is_left_out(tmp_path, absent):
    ours = model(**absent)
    write_text_model(tmp_path, ours, CARD)
    found = load_text_model(tmp_path)
    assert (found.masked_words is None) == (ours.masked_words is None)
    assert (found.classifier is None) == (ours.classifier is None)
    assert found.labels == ours.labels


@pytest.mark.parametrize(
    ("sizes", "fact"),
    [
        ({"first_position": 2}, "first position is 2"),
        ({"segments": 0}, "0 segments"),
        ({"activation": "gelu_new"}, "gelu_new"),
        ({"read_out": "relu"}, "without tanh"),
    ],
)
def test_what_bert_has_no_place_for_is_refused(tmp_path, sizes, fact):
    with refused(TextModelError, "no_place_in_format", "A test", fact):
        write_text_model(tmp_path / "model", model(**sizes), CARD)
    assert not (tmp_path / "model").exists()


def test_a_weight_without_a_place_is_named():
    with pytest.raises(KeyError, match=r"encoder\.extra"):
        bert_name("encoder.extra")
