"""Labelled texts as sequences: what comes in, what is asked, and what an answer that reads nothing scores."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

import goldviz.api
from goldviz.data.texts.kept_texts import keep_text
from goldviz.labs.recurrent_gradients.classified import classified, majority_share, shares_loss
from goldviz.labs.recurrent_gradients.findings import findings_of
from goldviz.labs.recurrent_gradients.measures import Reading
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.labs.recurrent_gradients.tasks import evaluation, sequences, unseen
from goldviz.training.seeds import stream
from tests.labs.recurrent_gradients.cases import absent

OWN = [(f"dish {n} was {'fresh' if n % 3 else 'stale'} today", "praise" if n % 3 else "blame") for n in range(60)]


@pytest.fixture(scope="module")
def settings():
    name = keep_text("".join(f"{text}\t{label}\n" for text, label in OWN).encode(), "own.csv").name
    return RecurrentGradients(
        task="labelled", labelled_texts=name, length=6, hidden=8, batch=32, steps=40, look_every=20,
        networks="gru", learning_rate=0.03,
    )  # fmt: skip


@pytest.fixture(scope="module")
def run(settings):
    return goldviz.api.run(settings, progress=False)


def test_a_text_stands_at_the_end_of_its_sequence_and_words_that_are_not_learned_are_steps_without_input(settings):
    own = classified(settings.labelled_texts, 6)
    assert own.words[:4] == ("dish", "today", "was", "fresh")
    batch = unseen(settings, 6, 12, stream(0, 0))
    assert batch.inputs.shape == (6, 12, len(own.words))
    assert (batch.inputs[0] == 0).all()
    assert (batch.inputs[2] == 0).all(), "the number of an unseen dish was in no learned text"
    for column in range(12):
        read = [own.words[number] for number in batch.inputs[[1, 3, 4, 5], column].argmax(-1).tolist()]
        assert read[:2] == ["dish", "was"]
        assert own.texts.classes[batch.targets[-1, column]] == ("praise" if read[2] == "fresh" else "blame")
    assert sequences(settings, 2, 4, stream(0, 0)).inputs.shape == (2, 4, len(own.words))


def test_no_text_that_is_asked_for_is_learned(settings):
    own = classified(settings.labelled_texts, 6)
    rows = {tuple(row) for row in own.learned.tolist()}
    dishes = [own.words.index(word) for word in own.words if word.isdigit()]
    assert all(len(set(row) & set(dishes)) == 1 for row in rows)
    assert not any(set(row) & set(dishes) for row in own.unseen.tolist())
    looked_at = evaluation(settings, stream(0, 1))
    assert looked_at.lags == (6,)
    assert not looked_at.inputs[:, :, dishes].any()


def test_answers_that_read_nothing_score_what_they_are_said_to(settings, run):
    own = classified(settings.labelled_texts, 6)
    batch = unseen(settings, 6, 12, stream(0, 0))
    logits = torch.as_tensor(own.texts.shares).log().expand(12, -1)
    assert shares_loss(own.texts, batch) == pytest.approx(cross_entropy(logits, batch.targets[-1]).item(), abs=1e-12)
    assert majority_share(own.texts, batch) == 8 / 12
    assert run.majority_share.item() == pytest.approx(8 / 12)
    assert (run.attrs["classes"], run.attrs["learned_texts"], run.attrs["tested_texts"]) == (2, 48, 12)


def test_a_word_that_tells_the_class_is_learned_and_said(settings, run):
    assert set(RecurrentGradients.variables) - set(run) == absent({"task": "labelled"})
    assert run.test_accuracy.item() == 1.0
    assert np.isfinite(run.test_loss).all()
    told = {finding.kind: finding for finding in findings_of(settings, run)}
    assert told["classes_told"].number == "100 % of 12 unseen texts right, the largest class 67 %"
    assert not {"classes_not_told", "texts_by_heart", "task_solved", "learned_nothing"} & set(told)


@pytest.mark.parametrize(
    ("right", "learned", "kinds"),
    [(0.6, 0.6, {"classes_not_told"}), (0.6, 0.9, {"classes_not_told", "texts_by_heart"}), (0.75, 0.8, set())],
)
def test_what_unseen_texts_show_is_said(settings, run, right, learned, kinds):
    changed = run.assign(test_accuracy=run.test_accuracy * 0 + right, accuracy=run.accuracy * 0 + learned)
    found = {one.kind for one in findings_of(settings, changed)}
    assert found & {"classes_told", "classes_not_told", "texts_by_heart"} == kinds
    reading = Reading.of(changed, "gru")
    assert reading.chance_of_it.item() == pytest.approx(2 * (right * (1 - right) / 12) ** 0.5)
