"""Models read from folders: the numbers of transformers' own, and one sentence for each thing that is wrong."""

import json
import logging
import os
import pickle
import shutil
import socket
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import pre_tokenizers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForPreTraining,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
    BertTokenizer,
    DistilBertConfig,
    DistilBertForMaskedLM,
    DistilBertForSequenceClassification,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaForSequenceClassification,
)
from transformers.utils import logging as transformers_logging

from goldviz.data.texts.pieces import split_into_pieces
from goldviz.models.text import places
from goldviz.models.text.config import encoder_weights
from goldviz.models.text.encoder import EncoderShape, TransformerEncoder
from goldviz.models.text.loading import load_text_model, shipped_text_model
from goldviz.models.text.model import TextModelError
from goldviz.models.text.places import kept_folder, kept_folders, model_folder
from tests.places import ROOT
from tests.random_bert import vocabulary, write_random_bert
from tests.refusals import refused

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
SIZES = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32, "intermediate_size": 64}
NAMED = {"id2label": {0: "up", 1: "down", 2: "flat"}, "label2id": {"up": 0, "down": 1, "flat": 2}}
BYTE_PIECES = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *sorted(pre_tokenizers.ByteLevel.alphabet())]


@pytest.fixture(scope="module", autouse=True)
def _no_progress_bars():
    transformers_logging.disable_progress_bar()
    yield
    transformers_logging.enable_progress_bar()


def bert_config(**changes):
    return BertConfig(vocab_size=len(vocabulary()), attn_implementation="eager", **{**SIZES, **changes})


def roberta_config(**changes):
    options = {"max_position_embeddings": 80, "type_vocab_size": 1, "layer_norm_eps": 1e-5}
    return RobertaConfig(
        vocab_size=len(BYTE_PIECES),
        attn_implementation="eager",
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **{**SIZES, **options, **changes},
    )


def distilbert_config(**changes):
    options = {"n_layers": 2, "n_heads": 4, "dim": 32, "hidden_dim": 64}
    return DistilBertConfig(vocab_size=len(vocabulary()), attn_implementation="eager", **{**options, **changes})


MODELS = {
    "bert words": (BertForMaskedLM, bert_config),
    "bert classes": (BertForSequenceClassification, bert_config),
    "roberta words": (RobertaForMaskedLM, roberta_config),
    "roberta classes": (RobertaForSequenceClassification, roberta_config),
    "distilbert words": (DistilBertForMaskedLM, distilbert_config),
    "distilbert classes": (DistilBertForSequenceClassification, distilbert_config),
}


def random_model(family, config):
    """Every weight random, also those that a new model has at 0 or 1, so that none can be left out unseen."""
    model = family(config).eval()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weights in model.parameters():
            weights.normal_(0, 0.2, generator=generator)
    return model


def write_vocabulary(folder, kind):
    if kind != "roberta":
        (folder / "vocab.txt").write_text("\n".join(vocabulary()) + "\n", encoding="utf-8")
        return
    (folder / "vocab.json").write_text(json.dumps({piece: number for number, piece in enumerate(BYTE_PIECES)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")


def write_model(folder, model, form="safetensors"):
    model.save_pretrained(folder)
    write_vocabulary(folder, model.config.model_type)
    if form != "safetensors":
        (folder / "model.safetensors").unlink()
        torch.save(model.state_dict(), folder / "pytorch_model.bin", _use_new_zipfile_serialization=form == "zip")
    return folder


@pytest.fixture(scope="module")
def random_folder(tmp_path_factory):
    """A BERT with three classes; each test that spoils something works on a copy."""
    return write_model(
        tmp_path_factory.mktemp("bert"), random_model(BertForSequenceClassification, bert_config(**NAMED))
    )


@pytest.fixture
def folder(random_folder, tmp_path):
    return Path(shutil.copytree(random_folder, tmp_path / "finbert"))


def refused_model(folder, code, *facts):
    with refused(TextModelError, code, folder.name, *facts):
        load_text_model(folder)


def change_config(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    for key, value in changes.items():
        config.pop(key, None)
        if value is not ...:
            config[key] = value
    (folder / "config.json").write_text(json.dumps(config))


def change_tensors(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, folder / "model.safetensors")


def padded_batch(shape, longest=12):
    """Two texts, the second with padding behind it."""
    pieces = torch.randint(5, shape.vocabulary, (2, longest), generator=torch.Generator().manual_seed(2))
    present = torch.ones(2, longest, dtype=torch.bool)
    present[1, 7:] = False
    # RoBERTa finds its positions by the padding piece.
    pieces[1, 7:] = max(shape.first_position - 1, 0)
    return pieces, present


@pytest.mark.parametrize("form", ["safetensors", "zip", "legacy"])
@pytest.mark.parametrize("which", MODELS)
def test_numbers_are_those_of_transformers(which, form, tmp_path):
    family, configuration = MODELS[which]
    classes = NAMED if "classes" in which else {}
    theirs = random_model(family, configuration(**classes))
    ours = load_text_model(write_model(tmp_path, theirs, form), "a model")
    pieces, present = padded_batch(ours.encoder.shape)
    with torch.inference_mode():
        expected = theirs(
            input_ids=pieces, attention_mask=present.long(), output_hidden_states=True, output_attentions=True
        )
        x = ours.encoder.embeddings(pieces, torch.zeros_like(pieces)).normalised
        torch.testing.assert_close(x[present], expected.hidden_states[0][present], **CLOSE)
        for parts, hidden, attention in zip(
            ours.encoder.walk(x, present), expected.hidden_states[1:], expected.attentions, strict=True
        ):
            torch.testing.assert_close(parts.output[present], hidden[present], **CLOSE)
            queries = present[:, None, :, None].expand_as(attention)
            torch.testing.assert_close(parts.attention.weights[queries], attention[queries], **CLOSE)
        final = ours.encoder(pieces, present=present)
        if classes:
            assert (ours.labels, ours.masked_words) == (("up", "down", "flat"), None)
            torch.testing.assert_close(ours.classifier(final), expected.logits, **CLOSE)
        else:
            assert (ours.labels, ours.classifier) == ((), None)
            logits = ours.masked_words(final, ours.encoder.embeddings.token.weight)
            torch.testing.assert_close(logits[present], expected.logits[present], **CLOSE)


def test_all_that_fields_can_hold_is_used(tmp_path):
    theirs = random_model(BertForMaskedLM, bert_config(hidden_act="relu", layer_norm_eps=0.1, type_vocab_size=3))
    ours = load_text_model(write_model(tmp_path, theirs))
    pieces, present = padded_batch(ours.encoder.shape)
    segments = torch.arange(12).expand(2, -1) % 3
    with torch.inference_mode():
        expected = theirs.bert(input_ids=pieces, token_type_ids=segments, attention_mask=present.long())
        found = ours.encoder(pieces, segments, present)
    torch.testing.assert_close(found[present], expected.last_hidden_state[present], **CLOSE)
    assert ours.masked_words is None  # its head has relu, and gelu's would give other words
    assert "no_masked_words" in dict(ours.notes)


def test_both_heads_of_one_folder_are_read(tmp_path):
    with_words = random_model(BertForMaskedLM, bert_config())
    with_classes = random_model(BertForSequenceClassification, bert_config(**NAMED))
    write_model(tmp_path, with_classes)
    head = {
        name: tensor
        for name, tensor in with_words.state_dict().items()
        if name.startswith("cls.") and "decoder" not in name
    }
    change_tensors(tmp_path, lambda tensors: tensors.update(head))
    model = load_text_model(tmp_path)
    assert model.notes == ()
    torch.testing.assert_close(model.classifier.read_out.weight, with_classes.classifier.weight, rtol=0, atol=0)
    torch.testing.assert_close(
        model.masked_words.dense.weight, with_words.cls.predictions.transform.dense.weight, rtol=0, atol=0
    )


def test_a_model_is_for_looking_at(folder):
    model = load_text_model(folder, "Somebody's model")
    parts = (model.encoder, model.classifier)
    assert model.name == "Somebody's model"
    assert load_text_model(folder).name == "finbert"
    assert not any(part.training for part in parts)
    assert not any(weights.requires_grad for part in parts for weights in part.parameters())
    pieces = split_into_pieces(model.tokeniser, "Gold rose 3 percent.", longest=model.longest)
    assert pieces[0].tokens == ("[CLS]", "gold", "rose", "3", "percent", ".", "[SEP]")


def test_roberta_reads_bytes_and_skips_two_positions(tmp_path):
    model = load_text_model(write_model(tmp_path, random_model(RobertaForMaskedLM, roberta_config())))
    assert (model.encoder.shape.first_position, model.longest) == (2, 78)
    assert "78" in dict(model.notes)["length"]
    pieces = split_into_pieces(model.tokeniser, "Gold", longest=20, overlap=2)[0]
    assert pieces.tokens == ("<s>", "G", "o", "l", "d", "</s>")


def test_more_positions_than_are_shown(tmp_path):
    config = bert_config(max_position_embeddings=600)
    model = load_text_model(write_model(tmp_path, random_model(BertForMaskedLM, config)))
    assert model.longest == 512
    note = dict(model.notes)["length"]
    assert "600" in note
    assert "512" in note


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_become_float32(folder, dtype):
    change_tensors(folder, lambda tensors: tensors.update({name: tensor.to(dtype) for name, tensor in tensors.items()}))
    expected = load_file(folder / "model.safetensors")["bert.embeddings.word_embeddings.weight"].float()
    model = load_text_model(folder)
    assert {weights.dtype for weights in model.encoder.parameters()} == {torch.float32}
    torch.testing.assert_close(model.encoder.embeddings.token.weight, expected, rtol=0, atol=0)


def test_names_of_old_and_names_without_the_prefix(folder):
    as_it_is = load_text_model(folder)

    def of_old(tensors):
        for name in list(tensors):
            old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
            tensors[old if name.startswith("bert.pooler") else old.removeprefix("bert.")] = tensors.pop(name)

    change_tensors(folder, of_old)
    assert load_text_model(folder).fingerprint == as_it_is.fingerprint


def test_weights_in_several_parts(tmp_path):
    theirs = random_model(BertForMaskedLM, bert_config())
    whole = load_text_model(write_model(tmp_path / "whole", theirs), "a model").fingerprint
    theirs.save_pretrained(tmp_path / "parts", max_shard_size="40KB")
    write_vocabulary(tmp_path / "parts", "bert")
    parts = sorted((tmp_path / "parts").glob("*.safetensors"))
    assert len(parts) > 1
    assert load_text_model(tmp_path / "parts", "a model").fingerprint == whole
    parts[-1].unlink()
    refused_model(tmp_path / "parts", "no_weights", parts[-1].name)


LISTS = '{"x": [' + "[]," * 2_500_000 + "1]}"
COSTLY = {
    "tokenizer_config.json": (LISTS.encode(), "5,000,003 values"),
    "added_tokens.json": (LISTS.encode(), "5,000,003 values"),
    "vocab.txt": (b"\n" * 1_100_000, "1,100,000 values"),
    "model.safetensors": ((3_000_000).to_bytes(8, "little") + b" " * 3_000_001, "3,000,000 bytes"),
}


@pytest.mark.untrusted
@pytest.mark.parametrize("name", COSTLY)
def test_what_a_few_bytes_make_many_values_of_is_refused_before_it_is_read(folder, name):
    content, said = COSTLY[name]
    (folder / name).write_bytes(content)
    refused_model(folder, "too_large", name, said)


@pytest.mark.parametrize("hostile", ["../model.safetensors", "/etc/passwd", "model.bin", 5])
def test_an_index_cannot_lead_elsewhere(folder, hostile):
    (folder / "model.safetensors").rename(folder.parent / "model.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": hostile}}))
    refused_model(folder, "bad_index", "model.safetensors.index.json")


def test_the_fingerprint_is_that_of_the_numbers_not_of_the_file(tmp_path, folder):
    theirs = random_model(BertForSequenceClassification, bert_config(**NAMED))
    first = load_text_model(folder)
    same = load_text_model(write_model(tmp_path / "as a pickle", theirs, "legacy"), "finbert")
    assert len(first.fingerprint) == 32
    assert first.fingerprint == same.fingerprint

    def nudge(tensors):
        tensors["classifier.bias"] = tensors["classifier.bias"] + 1e-4

    change_tensors(folder, nudge)
    other_weights = load_text_model(folder).fingerprint
    (folder / "vocab.txt").write_text("\n".join([*vocabulary()[:-2], "##new", vocabulary()[-1]]) + "\n")
    other_words = load_text_model(folder).fingerprint
    assert len({first.fingerprint, other_weights, other_words}) == 3


def test_a_copy_that_says_something_else_has_another_fingerprint(folder):
    """What is kept of the original must never come from a copy with its labels or its special pieces exchanged."""
    as_it_is = load_text_model(folder).fingerprint
    assert load_text_model(folder, "Another name").fingerprint != as_it_is
    change_config(folder, id2label={"0": "flat", "1": "down", "2": "up"})
    assert load_text_model(folder).fingerprint != as_it_is
    change_config(folder, id2label={"0": "up", "1": "down", "2": "flat"})
    assert load_text_model(folder).fingerprint == as_it_is
    (folder / "tokenizer_config.json").write_text(json.dumps({"mask_token": "[PAD]", "pad_token": "[MASK]"}))
    assert load_text_model(folder).fingerprint != as_it_is


def test_capitals_are_kept_where_the_vocabulary_has_them(folder):
    assert load_text_model(folder).tokeniser.tokenize("GOLD") == ["gold"]
    words = vocabulary()
    words[words.index("gold")] = "GOLD"
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    assert load_text_model(folder).tokeniser.tokenize("GOLD") == ["GOLD"]


def test_a_config_of_old_without_a_model_type(folder):
    as_it_is = load_text_model(folder).fingerprint
    change_config(folder, model_type=..., transformers_version=...)
    assert load_text_model(folder).fingerprint == as_it_is


def test_a_config_that_does_not_say_of_what_its_classifier_is(folder):
    table = load_text_model(folder).encoder.embeddings.token.weight
    change_config(folder, model_type=..., architectures=..., transformers_version=...)
    model = load_text_model(folder)
    assert (model.classifier, model.labels) == (None, ())
    assert "other_classifier" in dict(model.notes)
    torch.testing.assert_close(model.encoder.embeddings.token.weight, table, rtol=0, atol=0)


def test_a_classifier_of_pieces_with_a_pooler_is_none_of_texts(tmp_path):
    """Older ones were saved with a pooler, so that their tensors have the names and shapes of a classifier of texts."""
    theirs = random_model(BertForTokenClassification, bert_config(**NAMED))
    write_model(tmp_path, theirs)
    pooler = {"bert.pooler.dense.weight": torch.eye(32), "bert.pooler.dense.bias": torch.zeros(32)}
    change_tensors(tmp_path, lambda tensors: tensors.update(pooler))
    model = load_text_model(tmp_path)
    assert (model.classifier, model.labels) == (None, ())
    assert "BertForTokenClassification" in dict(model.notes)["other_classifier"]
    change_config(tmp_path, architectures=["BertForMaskedLM", "BertForSequenceClassification"])
    assert load_text_model(tmp_path).labels == ("up", "down", "flat")


@pytest.mark.parametrize("architectures", ["BertForSequenceClassification", [], [5], {}, None])
def test_architectures_that_name_nothing(folder, architectures):
    change_config(folder, architectures=architectures)
    assert load_text_model(folder).classifier is None


@pytest.mark.parametrize("problem", ["regression", "multi_label_classification", "ranking", ["x"]])
def test_a_classifier_that_does_not_choose_one_class_is_left_out(folder, problem):
    change_config(folder, problem_type=problem)
    model = load_text_model(folder)
    assert (model.classifier, model.labels) == (None, ())
    assert repr(problem) in dict(model.notes)["other_classifier"]


@pytest.mark.parametrize("problem", ["single_label_classification", None])
def test_a_classifier_that_chooses_one_class_is_read(folder, problem):
    change_config(folder, problem_type=problem)
    assert load_text_model(folder).labels == ("up", "down", "flat")


def test_the_order_of_the_labels_is_the_config_s(folder):
    change_config(folder, id2label={"2": "Negative", "0": "Neutral", "1": "Positive"})
    assert load_text_model(folder).labels == ("Neutral", "Positive", "Negative")


def test_classes_without_names(folder):
    change_config(folder, id2label=..., label2id=...)
    model = load_text_model(folder)
    assert model.labels == ("class 0", "class 1", "class 2")
    assert "unnamed_classes" in dict(model.notes)


def test_a_bare_encoder_has_no_heads_and_says_so(tmp_path):
    model = load_text_model(write_model(tmp_path, random_model(BertModel, bert_config())))
    assert (model.masked_words, model.classifier, model.labels) == (None, None, ())
    assert [note.kind for note in model.notes] == ["no_classifier", "no_masked_words"]


@pytest.mark.parametrize("family", [BertForTokenClassification, BertForPreTraining])
def test_a_head_for_something_else_is_no_classifier_of_texts(tmp_path, family):
    model = load_text_model(write_model(tmp_path, random_model(family, bert_config())))
    assert model.classifier is None
    assert (model.masked_words is not None) == (family is BertForPreTraining)
    assert ("other_classifier" in dict(model.notes)) == (family is BertForTokenClassification)


def test_a_masked_word_head_with_a_table_of_its_own_is_left_out(tmp_path):
    theirs = random_model(BertForMaskedLM, bert_config())
    write_model(tmp_path, theirs)

    def untie(tensors):
        tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"] * 2

    assert load_text_model(tmp_path).masked_words is not None
    change_tensors(tmp_path, untie)
    assert load_text_model(tmp_path).masked_words is None


def test_neither_network_nor_console_is_touched(folder, monkeypatch, capfd, caplog):
    def refuse(*_):
        raise AssertionError("something was asked of the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    change_config(folder, architectures=["SomethingElse"], transformers_version="4.0.0")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "RobertaTokenizer", "x": [1]}))
    with caplog.at_level(logging.DEBUG):
        refused_model(folder, "other_vocabulary")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizerFast"}))
    with caplog.at_level(logging.DEBUG):
        load_text_model(folder)
    assert capfd.readouterr() == ("", "")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_no_folder(tmp_path):
    (tmp_path / "weights.bin").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "weights.bin")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    for name, what in {"gone": "gone", "weights.bin": "a file", "link": "a file", "dangling": "gone"}.items():
        refused_model(tmp_path / name, "gone", f"it is {what}")
    (tmp_path / "empty").mkdir()
    refused_model(tmp_path / "empty", "no_config", "config.json")


@pytest.mark.parametrize("content", [b"not json", b"\xff\xfe\x00", b"[" * 200_000, b"", b"[1, 2]"])
def test_a_config_that_is_none(folder, content):
    (folder / "config.json").write_bytes(content)
    refused_model(folder, "bad_config", "config.json", "JSON")


def test_a_config_that_is_too_large(folder):
    (folder / "config.json").write_bytes(b" " * 1_000_001)
    refused_model(folder, "too_large", "config.json", "1,000,001", "1,000,000")


@pytest.mark.parametrize(
    ("changes", "code", "facts"),
    [
        ({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}, "other_kind", ("a decoder", "'gpt2'")),
        ({"model_type": "gpt2", "architectures": ["GPT2Model"]}, "other_kind", ("a decoder", "'gpt2'")),
        ({"model_type": ..., "architectures": ["LlamaForCausalLM"]}, "other_kind", ("a decoder", "'LlamaForCausalLM'")),
        ({"is_decoder": True}, "other_kind", ("a decoder", "'bert'")),
        ({"model_type": "t5", "is_encoder_decoder": True}, "other_kind", ("with a decoder", "'t5'")),
        ({"model_type": "electra", "architectures": []}, "other_kind", ("the kind 'electra'", "camembert, distilbert")),
        ({"model_type": "resnet"}, "other_kind", ("the kind 'resnet'",)),
        ({"model_type": ["bert"]}, "other_kind", ("the kind ['bert']",)),
        ({"model_type": "<script>" * 9}, "other_kind", ("'<script><script><script><script><scrip…;",)),
        ({"model_type": ..., "architectures": ..., "type_vocab_size": ...}, "other_kind", ("the kind 'unknown'",)),
        ({"max_position_embeddings": 10_000_000}, "bad_config", ("max_position_embeddings", 10000000, "16,384")),
        ({"num_hidden_layers": 10**30}, "bad_config", ("num_hidden_layers", 10**30, "1 to 48")),
        ({"num_attention_heads": 0}, "bad_config", ("num_attention_heads", "is 0;", "1 to 64")),
        ({"hidden_size": 32.0}, "bad_config", ("hidden_size", "is 32.0;", "1 to 4,096")),
        ({"hidden_size": True}, "bad_config", ("hidden_size", "is True;", "1 to 4,096")),
        ({"vocab_size": ...}, "bad_config", ("vocab_size", "is None;", "1 to 600,000")),
        ({"num_attention_heads": 5}, "bad_config", ("width of 32", "5 heads")),
        (
            {"hidden_size": 4096, "intermediate_size": 16384, "num_hidden_layers": 48},
            "too_large",
            ("9,669 million weights", "375 million"),
        ),
        ({"position_embedding_type": "relative_key"}, "bad_config", ("'relative_key'", "'absolute'")),
        ({"hidden_act": "exec"}, "bad_config", ("'exec'", "gelu, gelu_new, gelu_pytorch_tanh, relu, silu, swish")),
        ({"layer_norm_eps": float("nan")}, "bad_config", ("layer_norm_eps is nan", "0 and 1")),
        ({"id2label": {"0": "a", "1": "b"}}, "bad_config", ("id2label", "3 classes")),
        ({"id2label": {"0": "a", "1": "b", "3": "c"}}, "bad_config", ("id2label", "3 classes")),
        ({"id2label": {"0": "a", "1": "a", "2": "c"}}, "bad_config", ("id2label", "one name")),
        ({"num_hidden_layers": 3}, "wrong_tensor", ("bert.encoder.layer.2.attention.self.query.weight",)),
        (
            {"intermediate_size": 65},
            "wrong_tensor",
            ("bert.encoder.layer.0.intermediate.dense.weight", "64 x 32", "65 x 32"),
        ),
    ],
)
def test_a_wrong_config_is_refused(folder, changes, code, facts):
    change_config(folder, **changes)
    refused_model(folder, code, *facts)


def test_roberta_s_padding_piece_is_checked(tmp_path):
    write_model(tmp_path / "roberta", random_model(RobertaForMaskedLM, roberta_config()))
    change_config(tmp_path / "roberta", pad_token_id=10**9)
    refused_model(tmp_path / "roberta", "bad_config", "pad_token_id is 1000000000")


def test_tensors_that_do_not_fit(folder):
    kept = load_file(folder / "model.safetensors")
    change_tensors(folder, lambda tensors: tensors.pop("bert.embeddings.LayerNorm.bias"))
    refused_model(folder, "wrong_tensor", "lacks", "bert.embeddings.LayerNorm.bias")
    count = len(vocabulary())
    table = kept["bert.embeddings.word_embeddings.weight"]
    save_file({**kept, "bert.embeddings.word_embeddings.weight": table[:-3].clone()}, folder / "model.safetensors")
    refused_model(
        folder, "wrong_tensor", "bert.embeddings.word_embeddings.weight", f"{count - 3} x 32", f"{count} x 32"
    )
    save_file(
        {**kept, "bert.embeddings.LayerNorm.bias": torch.zeros(32, dtype=torch.int64)}, folder / "model.safetensors"
    )
    refused_model(folder, "wrong_tensor", "torch.int64")
    save_file({**kept, "bert.embeddings.LayerNorm.bias": torch.full((32,), torch.nan)}, folder / "model.safetensors")
    refused_model(folder, "not_finite")


@pytest.mark.parametrize("difference", [-40, 1])
def test_a_vocabulary_of_another_model(folder, difference):
    words = vocabulary()
    (folder / "vocab.txt").write_text("\n".join(words[:difference] if difference < 0 else [*words, "more"]) + "\n")
    refused_model(folder, "other_vocabulary", f"{len(words)} pieces", len(words) + difference)


def test_no_vocabulary(folder):
    (folder / "vocab.txt").unlink()
    (folder / "tokenizer_config.json").write_text("{}")
    refused_model(folder, "no_vocabulary", "tokenizer.json, vocab.txt.")


def test_half_a_vocabulary_of_roberta(tmp_path):
    write_model(tmp_path / "roberta", random_model(RobertaForMaskedLM, roberta_config()))
    (tmp_path / "roberta" / "merges.txt").unlink()
    refused_model(tmp_path / "roberta", "no_vocabulary", "vocab.json with merges.txt", "sentencepiece.bpe.model")


def test_the_five_pieces_that_transformers_makes_up_are_not_taken(folder):
    # These are no files of BERT's, so its tokeniser would start with nothing and say nothing.
    (folder / "vocab.txt").unlink()
    write_vocabulary(folder, "roberta")
    assert len(BertTokenizer.from_pretrained(str(folder))) == 5
    refused_model(folder, "no_vocabulary", "tokenizer.json, vocab.txt.")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"model": {"type": "WordPiece"}}', b"\x80\x04."])
def test_a_tokeniser_that_cannot_be_read(folder, content):
    (folder / "tokenizer.json").write_bytes(content)
    refused_model(folder, "bad_vocabulary")


def test_a_vocabulary_that_is_too_large(folder):
    with (folder / "vocab.txt").open("ab") as file:
        file.truncate(64_000_001)
    refused_model(folder, "too_large", "vocab.txt", "64 MB")


def test_foreign_code_of_a_tokeniser_does_not_run(folder, tmp_path):
    (folder / "tokenization_evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\nclass Evil: pass\n")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "Evil", "auto_map": {"AutoTokenizer": ["tokenization_evil.Evil", None]}})
    )
    change_config(folder, auto_map={"AutoModel": "tokenization_evil.Evil", "AutoConfig": "tokenization_evil.Evil"})
    with suppress(TextModelError):  # Whether the folder is readable without its code is transformers' to say.
        load_text_model(folder)
    assert not (tmp_path / "ran").exists()


class Trap:
    """A pickle that makes a file when it is loaded by a reader that runs what it holds."""

    def __init__(self, sign):
        self.sign = sign

    def __reduce__(self):
        return (Path.touch, (Path(self.sign),))


@pytest.mark.parametrize("form", ["zip", "legacy", "bare"])
def test_a_pickle_that_tries_to_execute(folder, tmp_path, form):
    sign = tmp_path / "it ran"
    tensors = {**load_file(folder / "model.safetensors"), "trap": Trap(str(sign))}
    (folder / "model.safetensors").unlink()
    path = folder / "pytorch_model.bin"
    if form == "bare":
        path.write_bytes(pickle.dumps({"trap": Trap(str(sign))}))
    else:
        torch.save(tensors, path, _use_new_zipfile_serialization=form == "zip")
    refused_model(folder, "unsafe", "pytorch_model.bin")
    assert not sign.exists()
    if form != "bare":
        torch.load(path, weights_only=False)
        assert sign.exists()  # the trap was a real one


def test_a_pickle_of_something_else(folder):
    (folder / "model.safetensors").unlink()
    torch.save({"state": {"a": torch.zeros(2)}}, folder / "pytorch_model.bin")
    refused_model(folder, "other_kind", "pytorch_model.bin")


def test_a_packed_file_is_not_unpacked(folder):
    (folder / "model.safetensors").unlink()
    path = folder / "pytorch_model.bin"
    torch.save({"bert.embeddings.word_embeddings.weight": torch.zeros(1_000_000)}, path)
    with zipfile.ZipFile(path) as stored:
        parts = {entry.filename: stored.read(entry) for entry in stored.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    size = path.stat().st_size
    assert size < 100_000
    refused_model(folder, "packed", "pytorch_model.bin", f"{size:,}", f"{sum(map(len, parts.values())):,}")


@pytest.mark.parametrize("form", ["safetensors", "zip", "legacy"])
@pytest.mark.parametrize("length", [0, 5, 1000, -1000])
def test_a_file_that_was_cut_off(tmp_path, form, length):
    folder = write_model(tmp_path / "finbert", random_model(BertForMaskedLM, bert_config()), form)
    path = folder / ("model.safetensors" if form == "safetensors" else "pytorch_model.bin")
    path.write_bytes(path.read_bytes()[:length])
    refused_model(folder, "damaged", path.name)


def test_rubbish_for_weights(folder):
    (folder / "model.safetensors").write_bytes(b"\xff" * 5000)
    refused_model(folder, "damaged", "model.safetensors")
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"rubbish " * 500)
    refused_model(folder, "damaged", "pytorch_model.bin")


def test_weights_for_another_library_only(folder):
    (folder / "model.safetensors").unlink()
    refused_model(folder, "no_weights", "model.safetensors", "pytorch_model.bin")
    (folder / "tf_model.h5").write_bytes(b"x")
    (folder / "flax_model.msgpack").write_bytes(b"x")
    refused_model(folder, "no_weights", "tf_model.h5, flax_model.msgpack", "model.safetensors", "pytorch_model.bin")


def test_weights_that_are_too_large_are_not_read(folder):
    with (folder / "model.safetensors").open("ab") as file:
        file.truncate(3_000_000_000)
    refused_model(folder, "too_large", "3.0 GB", "2.2 GB")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is unreadable for this user")
@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_a_file_that_may_not_be_read(folder, file):
    (folder / file).chmod(0)
    refused_model(folder, "disk", file, "Permission denied")


@pytest.mark.skipif(sys.platform != "linux", reason="this file that cannot be read is Linux's")
def test_a_file_that_cannot_be_read(folder):
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("/proc/self/mem")
    refused_model(folder, "disk", "config.json", "Input/output error")


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read where Linux shows it")
@pytest.mark.slow
def test_a_config_s_claims_take_no_memory(tmp_path):
    """In a process of its own: reading a hostile folder must not raise its peak by the sizes that are claimed."""
    folder = write_random_bert(tmp_path / "bert")
    change_config(
        folder,
        max_position_embeddings=16_384,
        intermediate_size=16_384,
        num_hidden_layers=48,
        hidden_size=576,
        num_attention_heads=4,
    )
    assert encoder_weights(EncoderShape(48, 4, 576, 16_384, len(vocabulary()), 16_384)) * 4 > 3e9
    change_config(folder, num_hidden_layers=14)
    program = (
        "import sys, resource; from pathlib import Path\n"
        "from goldviz.models.text.loading import load_text_model\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: load_text_model(Path(sys.argv[1]))\n"
        "except ValueError as error: print(error.code)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    code, megabytes = done.stdout.strip().splitlines()
    assert code == "wrong_tensor"
    assert int(megabytes) < 300


def test_the_count_of_weights_is_that_of_the_encoder():
    shape = EncoderShape(layers=2, heads=2, width=6, inner=10, vocabulary=11, positions=7, segments=3)
    assert encoder_weights(shape) == sum(weights.numel() for weights in TransformerEncoder(shape).parameters())


def test_the_shipped_model_is_read_once():
    try:
        first = shipped_text_model()
    except TextModelError:
        pytest.skip("the shipped model has not been made yet")
    assert shipped_text_model() is first
    assert len(first.labels) == 3


def test_model_folders_have_plain_names(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(places, "packaged_folders", dict)
    assert model_folder() == tmp_path / "models"
    assert kept_folders() == []
    for name in ("b model", "a-model.v2", "Prüfung", "Pru\u0308fung", "模型", ".hidden", "no config"):
        (tmp_path / "models" / name).mkdir(parents=True)
        if name != "no config":
            (tmp_path / "models" / name / "config.json").write_text("{}")
    assert kept_folders() == sorted(["a-model.v2", "b model", "Prüfung", "Pru\u0308fung", "模型"])
    assert kept_folder("b model") == tmp_path / "models" / "b model"
    for wrong in ("..", ".", "", "../models", "a/b", "a\\b", "/etc", ".hidden", "a\0b", "x" * 81):
        with refused(TextModelError, "not_allowed", "80"):
            kept_folder(wrong)
    with refused(TextModelError, "gone", "'gone'"):
        kept_folder("gone")
    monkeypatch.setenv("GOLDVIZ_MODELS", "")
    assert model_folder().name == "models"
