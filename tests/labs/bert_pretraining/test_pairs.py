"""Sentence pairs: how they are made, and their losses beside those of transformers' BERT."""

import numpy as np
import pytest
import torch
from torch.testing import assert_close
from transformers import BertConfig, BertForPreTraining

from goldviz.data.texts.kept_texts import keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.labs.bert_pretraining.kept import trained_text_model
from goldviz.labs.bert_pretraining.network import BertNetwork, bert_learner
from goldviz.labs.bert_pretraining.objectives import NEXT, RANDOM, joined_pair, segments_of, sentence_pairs
from goldviz.labs.bert_pretraining.settings import BertPretraining, names_of_parts
from goldviz.labs.bert_pretraining.start import start_of
from goldviz.labs.bert_pretraining.texts import encoded_pairs, pretraining_texts, unlabelled_texts
from goldviz.labs.bert_pretraining.train import learn, pair_step
from goldviz.models.text.loading import load_text_model
from goldviz.models.text.model import TextModelError
from tests.labs.bert_pretraining.cases import NEXT as SMALL
from tests.labs.small_runs import whole
from tests.models.text.test_loading import random_model, roberta_config, write_model

CPU = torch.device("cpu")
LONG = " ".join(f"word{number % 40}" for number in range(1000))


@pytest.fixture(scope="module")
def settings():
    return BertPretraining(**SMALL | {"dropout": 0.0, "look_every": 100})


@pytest.fixture(scope="module")
def data(settings):
    return pretraining_texts(settings)


def config(vocabulary):
    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=40,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )


def test_every_neighbour_comes_once_as_next_and_once_with_a_random_sentence():
    documents = [["a", "b", "c"], ["d"], ["e", "f"]]
    rows = sentence_pairs(documents, np.random.default_rng(0))
    assert [row[:2] for row in rows if row[2] == NEXT] == [("a", "b"), ("b", "c"), ("e", "f")]
    home = {sentence: number for number, document in enumerate(documents) for sentence in document}
    assert [first for first, _, label in rows if label == RANDOM] == ["a", "b", "e"]
    assert all(home[first] != home[second] for first, second, label in rows if label == RANDOM)


def test_of_one_document_the_random_sentence_is_not_the_next():
    pairs = sentence_pairs([[*"abcdef"]], np.random.default_rng(0))
    random = {(a, b) for a, b, label in pairs if label == RANDOM}
    assert not random & {("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")}
    assert all(first != second for first, second in random)
    assert not len(sentence_pairs([["a", "b"]], np.random.default_rng(0)))
    assert not len(sentence_pairs([["a"], ["b"]], np.random.default_rng(0)))


def test_a_pair_of_a_thousand_words_is_cut_to_the_longest_row(data):
    pairs = sentence_pairs([["Gold rose.", LONG], [LONG, LONG]], np.random.default_rng(0))
    rows = encoded_pairs(data.tokeniser, pairs, 24)
    assert (rows.texts.lengths == 24).all()
    first, last = data.vocabulary.first, data.vocabulary.last
    assert (rows.texts.pieces[:, 0] == first).all()
    assert ((rows.texts.pieces == last).sum(1) == 2).all()
    segments = segments_of(rows.texts.pieces, last)
    short = len(data.tokeniser("Gold rose.", add_special_tokens=False)["input_ids"])
    assert (segments == 0).sum(1).tolist()[:1] == [short + 2]
    assert (segments == 0).sum(1).tolist()[-1] == 2 + 21 - 21 // 2
    assert joined_pair([], [5] * 30, 21) == ([], [5] * 21)


def test_losses_and_logits_are_those_of_transformers(tmp_path, data):
    torch.manual_seed(3)
    bert = BertForPreTraining(config(len(data.vocabulary))).eval()
    for weights in bert.parameters():
        torch.nn.init.normal_(weights, std=0.2)
    data.tokeniser.save_pretrained(tmp_path)
    bert.save_pretrained(tmp_path)
    model = load_text_model(tmp_path, "random")
    network = BertNetwork(model.encoder.shape, "next_sentence").eval()
    network.encoder.load_state_dict(model.encoder.state_dict())
    network.masked_words.load_state_dict(model.masked_words.state_dict())
    network.next_sentence.load_state_dict(model.next_sentence.state_dict())
    pieces, present = data.pairs[0].texts.rows(torch.arange(8))
    labels, segments = data.pairs[0].labels[:8], segments_of(pieces, data.vocabulary.last)
    answers = torch.where((torch.rand(pieces.shape) < 0.3) & present, pieces, -100)
    with torch.no_grad():
        expected = bert(
            pieces, attention_mask=present.long(), token_type_ids=segments, labels=answers, next_sentence_label=labels
        )
        hidden = network.encoder(pieces, segments, present)
        words = network.masked_words(hidden, network.encoder.embeddings.token.weight)
        following = network.next_sentence_logits(hidden)
        word_loss, _ = network.word_loss(hidden, answers)
    assert_close(words[present], expected.prediction_logits[present], atol=1e-5, rtol=1e-5)
    assert_close(following, expected.seq_relationship_logits, atol=1e-5, rtol=1e-5)
    next_loss = torch.nn.functional.cross_entropy(following, labels)
    assert_close(word_loss + next_loss, expected.loss, atol=1e-5, rtol=1e-5)


def test_a_step_adds_both_losses_and_moves_the_segment_of_b(settings, data):
    one = bert_learner(settings, len(data.vocabulary), 0, CPU)
    objective, readings = pair_step(one, settings, data, data.pairs[0])
    assert_close(objective.detach(), readings["loss"] + readings["next_sentence_loss"])
    again = bert_learner(settings, len(data.vocabulary), 0, CPU)
    before = again.network.encoder.embeddings.segment.weight[1].clone()
    learn(again, settings, data, 1, 1e-2, closely=False)
    assert not torch.equal(again.network.encoder.embeddings.segment.weight[1], before)


def test_pairs_without_the_head_read_the_same_rows(settings, data):
    losses = {}
    for objective in ("pairs", "next_sentence"):
        own = settings.changed(objective=objective)
        losses[objective] = pair_step(bert_learner(own, len(data.vocabulary), 0, CPU), own, data, data.pairs[0])[1][
            "loss"
        ]
    assert_close(losses["pairs"], losses["next_sentence"])


def test_the_tone_head_begins_with_the_pooler_of_the_next_sentence_head(data, settings):
    one = bert_learner(settings, len(data.vocabulary), 0, CPU)
    one.network.take_over_pooler()
    assert torch.equal(one.network.classifier.dense.weight, one.network.next_sentence.dense.weight)
    plain = bert_learner(settings.changed(objective="pairs"), len(data.vocabulary), 0, CPU)
    dense = plain.network.classifier.dense.weight.clone()
    plain.network.take_over_pooler()
    assert torch.equal(plain.network.classifier.dense.weight, dense)
    with pytest.raises(ValueError, match="has no next-sentence head"):
        plain.network.next_sentence_logits(torch.zeros(1, 2, 8))


def test_parts_have_the_names_that_are_declared(data, settings):
    for objective in ("masked_words", "pairs", "next_sentence", "permutation"):
        own = settings.changed(objective=objective)
        network = bert_learner(own, len(data.vocabulary), 0, CPU).network
        assert len(network.parts()) == len(names_of_parts(objective, own.layers))


def test_the_model_of_a_run_keeps_its_next_sentence_head(settings):
    sink = whole(settings)
    model = trained_text_model(settings, sink.states[max(sink.states)], 0)
    assert model.next_sentence is not None
    permuted = settings.changed(objective="permutation")
    other = trained_text_model(permuted, (sink := whole(permuted)).states[max(sink.states)], 0)
    assert other.next_sentence is other.masked_words is None
    assert "no_masked_words" in dict(other.notes)


@pytest.fixture
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path / "models"))


def lines(count, between):
    return between.join(f"On day {number} gold rose by {number} dollars." for number in range(count))


@pytest.mark.usefixtures("_own_folder")
def test_pairs_of_a_text_of_one_s_own_hold_no_unseen_sentence(settings):
    own = settings.changed(corpus=keep_text(lines(80, "\n").encode(), "story.txt").name, texts=1000)
    read, unseen = pretraining_texts(own).pairs
    hidden = unlabelled_texts(own)[1]
    assert len(hidden) == 8
    # Of 79 neighbours those with one of the eight stay unseen; a random B may be one of them as well.
    assert (len(read.labels) + len(unseen.labels)) == 158
    assert len(unseen.labels) >= 30


@pytest.mark.usefixtures("_own_folder")
def test_a_text_whose_paragraphs_have_one_sentence_has_no_pairs(settings):
    name = keep_text(lines(80, "\n\n").encode(), "single.txt").name
    with pytest.raises(
        TextError,
        match=r"^Objective is 'next_sentence', and 0 sentences have another behind them in their paragraph; "
        r"allowed are at least 20\.$",
    ):
        pretraining_texts(settings.changed(corpus=name))
    assert pretraining_texts(settings.changed(corpus=name, objective="masked_words")).pairs is None


@pytest.mark.usefixtures("_own_folder")
def test_a_start_without_segments_is_refused_for_pairs(tmp_path):
    from transformers import RobertaForMaskedLM

    import goldviz

    folder = tmp_path / "models" / "bytes"
    folder.mkdir(parents=True)
    write_model(folder, random_model(RobertaForMaskedLM, roberta_config()))
    name = goldviz.text_model("folder:bytes")
    with pytest.raises(
        TextModelError, match=r"^Objective is 'pairs', and bytes has no segment embedding for sentence B; allowed is"
    ):
        start_of(BertPretraining(start=name, objective="pairs"))
    assert start_of(BertPretraining(start=name)) is not None
