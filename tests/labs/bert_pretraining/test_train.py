import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

import goldviz.api
from goldviz.data.texts import kept_texts
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.policy.sentences import TONES, policy_sentences
from goldviz.export.standalone import StandaloneRecord
from goldviz.labs.bert_pretraining.instruments import (
    bag_of_words,
    confusion,
    head_habits,
    masked_scores,
    probe_attention,
    probe_guesses,
    tone_scores,
    unigram_scores,
)
from goldviz.labs.bert_pretraining.kept import trained_text_model
from goldviz.labs.bert_pretraining.network import (
    bert_learner,
    part_gradient_norms,
    part_sizes,
)
from goldviz.labs.bert_pretraining.settings import BertPretraining, names_of_parts
from goldviz.labs.bert_pretraining.texts import (
    CANDIDATES,
    JUDGED_TEXTS,
    LABELLED,
    NEW_DRAWS,
    NEW_PATTERNS,
    READ,
    hide,
    joined,
    pretraining_texts,
    sentences_of,
    unlabelled_sentences,
    unlabelled_texts,
)
from goldviz.labs.bert_pretraining.train import (
    learn,
    looks_after,
    masked_step,
    reads_documents,
    schedule,
    tone_step,
    train,
)
from goldviz.training.schedules import LOWEST_RATE, warm_up_share
from goldviz.training.state import StateError
from tests.labs.bert_pretraining.cases import absent
from tests.labs.small_runs import whole
from tests.refusals import refused
from tests.thinned import thinned

SMALL = {
    "texts": 60,
    "labelled": 30,
    "vocabulary": 300,
    "longest": 24,
    "layers": 2,
    "heads": 2,
    "width": 8,
    "inner": 12,
    "pretraining_steps": 4,
    "fine_tuning_steps": 3,
    "batch": 4,
    "look_every": 3,
}
SELDOM = SMALL | {"look_every": 100}
"""Looks at the phases' borders alone, each of which takes longer than all steps."""
REHEARSED = SMALL | {"rehearsal": 0.5, "dropout": 0.2}
AWKWARD = SMALL | {"document_share": 0.5, "optimiser": "sgd", "frozen": True, "dropout": 0.0, "warm_up": 0.0, "clip": 0}


def run(**settings):
    return goldviz.api.run("bert-pretraining", progress=False, **settings)


@pytest.fixture(scope="module")
def data():
    return pretraining_texts(BertPretraining(**SMALL))


@pytest.fixture
def learner(data):
    return bert_learner(BertPretraining(**SMALL), len(data.vocabulary), 0, torch.device("cpu"))


@pytest.mark.parametrize("changes", thinned([AWKWARD, SMALL]))
def test_every_declared_variable_is_recorded(changes):
    dataset = run(**changes, seeds=(0, 3))
    assert dataset.attrs["status"] == "finished"
    for name, variable in BertPretraining.variables.items():
        if name in absent(changes):
            continue
        assert dataset[name].dims == variable.dims, name
        values = dataset[name]
        if "NaN in phase" in variable.long_name:
            first = "look" if "look" in variable.dims else "step"
            told = values[first] > 4 if "NaN in phase 1" in variable.long_name else values[first] <= 4
            assert values.where(~told, drop=True).isnull().all(), name
            values = values.where(told, drop=True)
        if name in ("activation_histogram", "gradient_histogram"):
            # A head gives nothing in the other's phase.
            words, tone = values.sel(look=slice(1, 4)), values.sel(look=slice(5, None))
            assert words.isel(part=-1).isnull().all()
            assert words.isel(part=slice(0, -1)).notnull().all()
            values = tone.isel(part=-1)
        assert np.isfinite(values).all(), name
    assert dataset.phase.values.tolist() == [1] * 4 + [2] * 3
    assert dataset.look.values.tolist() == [1, 3, 4, 5, 6, 7]
    np.testing.assert_allclose(dataset.attention.sum("key"), 1, atol=5e-3)
    np.testing.assert_allclose(dataset.confusion.sel(look=7).sum("judged"), 1, rtol=1e-6)
    assert dataset["query"].values[0] == "0 [CLS]"
    assert dataset["query"].values[dataset.attrs["probe_place"]] == f"{dataset.attrs['probe_place']} [MASK]"
    assert dataset.candidate.values[0] == dataset.attrs["probe_answer"]


@pytest.mark.parametrize(("absent", "phase"), [("pretraining_steps", 2), ("fine_tuning_steps", 1)])
def test_a_phase_can_be_left_out(absent, phase):
    dataset = run(**SELDOM | {absent: 0})
    assert dataset.attrs["status"] == "finished"
    assert (dataset.phase == phase).all()


@pytest.mark.slow
def test_hot_settings_hold_from_the_next_step_on():
    settings = BertPretraining(**SELDOM)
    losses = {}
    for name, changes in {"as it is": {}, "rate": {"learning_rate": 0.5}, "clip": {"clip": 1e-9}}.items():
        record = StandaloneRecord(settings, {2: changes})
        train(settings, record)
        losses[name] = record.curves["loss"]["values"]
    for name in ("rate", "clip"):
        assert losses[name][:3] == losses["as it is"][:3]
        assert losses[name][3] != losses["as it is"][3]


def test_steps_that_are_far_too_long_end_the_run():
    dataset = run(
        **SMALL | {"optimiser": "sgd", "learning_rate": 1.0, "clip": 0.0, "pretraining_steps": 400, "look_every": 400}
    )
    assert dataset.attrs["status"] == "diverged"
    assert "no longer finite" in dataset.attrs["message"]


def test_a_frozen_encoder_stays_as_pre_training_left_it(data):
    for frozen in (True, False):
        settings = BertPretraining(**SMALL, frozen=frozen)
        one = bert_learner(settings, len(data.vocabulary), 0, torch.device("cpu"))
        before = [weights.clone() for weights in one.network.encoder.parameters()]
        head = one.network.classifier.read_out.weight.clone()
        seen = learn(one, settings, data, settings.pretraining_steps + 1, 1e-2, closely=True)
        stayed = [torch.equal(*pair) for pair in zip(before, one.network.encoder.parameters(), strict=True)]
        assert all(stayed) == frozen
        assert not torch.equal(head, one.network.classifier.read_out.weight)
        assert (seen["part_gradient_norm"][:-2] == 0).all() == frozen
        assert (seen["update_to_data"][:-2] == 0).all() == frozen


def test_rehearsal_goes_on_with_masked_words(data):
    settings = BertPretraining(**SMALL, rehearsal=0.5)
    found = []
    for rehearsal in (0.0, 0.5):
        one = bert_learner(settings, len(data.vocabulary), 0, torch.device("cpu"))
        head = one.network.masked_words.bias.clone()
        seen = learn(one, settings.changed(rehearsal=rehearsal, dropout=0.0), data, 5, 1e-2, closely=False)
        assert torch.equal(head, one.network.masked_words.bias) == (rehearsal == 0)
        assert seen["masked_accuracy"].isnan() == (rehearsal == 0)
        found.append(seen["loss"])
    assert found[0] == found[1], "the recorded loss is that of the tone alone"


def test_rehearsal_adds_the_loss_of_masked_words(data):
    settings = BertPretraining(**SMALL, rehearsal=0.5, dropout=0.0)
    one = bert_learner(settings, len(data.vocabulary), 0, torch.device("cpu"))
    objective, seen = tone_step(one, settings, data, 5)
    again = bert_learner(settings, len(data.vocabulary), 0, torch.device("cpu"))
    words, _ = masked_step(again, settings, data, 5)
    assert_close(objective, seen["loss"] + 0.5 * words)


def test_the_gradient_s_norm_is_made_of_its_parts(learner, data):
    seen = learn(learner, BertPretraining(**SMALL), data, 1, 1e-3, closely=False)
    assert_close(seen["part_gradient_norm"].square().sum().sqrt(), seen["gradient_norm"].float())
    learner.network.zero_grad()
    assert not part_gradient_norms(learner.network).any()


def test_the_parts_have_all_parameters(learner):
    assert sum(part_sizes(learner.network)) == sum(weights.numel() for weights in learner.network.parameters())
    assert len(part_sizes(learner.network)) == len(names_of_parts("masked_words", BertPretraining(**SMALL).layers))


def test_only_matrices_decay(learner):
    for optimiser in (learner.pretraining, learner.fine_tuning):
        decayed, others = optimiser.param_groups
        assert decayed["weight_decay"] == 0.01
        assert others["weight_decay"] == 0
        assert {weights.ndim for weights in decayed["params"]} == {2}
        assert {weights.ndim for weights in others["params"]} == {1}


@pytest.mark.parametrize(("steps", "warm_up"), [(50, 0.2), (50, 0.0), (7, 0.9), (1, 0.1)])
def test_the_learning_rate_rises_and_falls_as_document_002_says(steps, warm_up):
    rising = warm_up * steps
    for step in range(1, steps + 1):
        share = warm_up_share(step, steps, warm_up)
        if step <= rising:
            assert share == pytest.approx(step / rising)
        else:
            half = (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2
            assert share == pytest.approx(LOWEST_RATE + (1 - LOWEST_RATE) * half)
    assert share == pytest.approx(LOWEST_RATE)


def test_each_phase_has_its_own_schedule():
    settings = BertPretraining(**SMALL | {"pretraining_steps": 40, "fine_tuning_steps": 20, "warm_up": 0.1})
    assert schedule(settings, 4) == (1, settings.learning_rate)
    assert schedule(settings, 42) == (2, settings.fine_tuning_rate)
    assert schedule(settings, 40) == (1, pytest.approx(settings.learning_rate * LOWEST_RATE))
    assert [step for step in range(1, 61) if looks_after(settings.changed(look_every=25), step)] == [
        1,
        25,
        40,
        41,
        50,
        60,
    ]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 1.0])
def test_documents_are_read_in_their_share_of_steps(share):
    assert sum(reads_documents(step, share) for step in range(1, 101)) == round(100 * share)


def test_what_is_unseen_is_not_read(data):
    settings = BertPretraining(**SMALL)
    read, unseen = unlabelled_texts(settings)
    assert len(read) == 60
    assert not set(read) & set(unseen)
    assert len(unseen) == len(set(unseen)) > 300


def test_new_patterns_are_read_but_never_labelled(data):
    def drawn(count, number, patterns):
        return policy_sentences(count, np.random.default_rng([0, number]), patterns)

    new = drawn(JUDGED_TEXTS, NEW_PATTERNS, "unseen")
    labelled = drawn(30, LABELLED, "seen")
    assert data.tone_sets[1].written == [one.text for one in new]
    assert data.labelled.written == [one.text for one in labelled]
    assert len(new) == len({one.text for one in new})
    names = {one.pattern for one in new}
    assert not names & {one.pattern for one in drawn(3000, LABELLED, "seen")}
    read = drawn(400, READ, "all")
    assert unlabelled_texts(BertPretraining(**SMALL | {"texts": 400}))[0] == [one.text for one in read]
    assert names & {one.pattern for one in read}


def test_the_tone_is_judged_on_different_texts_that_no_label_was_seen_of():
    found = pretraining_texts(BertPretraining(**SMALL | {"labelled": 200}))
    known = set(found.labelled.written)
    drawn = [one.text for one in policy_sentences(JUDGED_TEXTS, np.random.default_rng([0, NEW_DRAWS]))]
    assert known & set(drawn)
    assert len(set(drawn)) < JUDGED_TEXTS
    for judged in found.tone_sets:
        assert len(judged.written) == len(set(judged.written)) == JUDGED_TEXTS
        assert not known & set(judged.written)
    expected = [text for text in dict.fromkeys(drawn) if text not in known]
    assert found.tone_sets[0].written[: len(expected)] == expected


def test_most_labelled_texts_leave_texts_enough_to_judge():
    known = {one.text for one in policy_sentences(10_000, np.random.default_rng([0, LABELLED]))}
    judged = unlabelled_sentences(np.random.default_rng([0, NEW_DRAWS]), "seen", known)
    assert len(judged) == JUDGED_TEXTS


def test_texts_hang_on_their_own_seed_alone(data):
    again = pretraining_texts(BertPretraining(**SMALL, seeds=(5,)))
    assert again.vocabulary == data.vocabulary
    assert torch.equal(again.texts.pieces, data.texts.pieces)
    assert torch.equal(again.unseen.answers, data.unseen.answers)
    other = pretraining_texts(BertPretraining(**SMALL, text_seed=1))
    assert not torch.equal(other.texts.pieces, data.texts.pieces)


def test_what_is_scored_is_the_same_whatever_training_masks(data):
    much = pretraining_texts(BertPretraining(**SMALL, masked_share=0.8))
    assert torch.equal(much.unseen.answers, data.unseen.answers)


def test_rows_are_no_wider_than_needed(data):
    chosen = torch.tensor([3, 1, 4])
    pieces, present = data.texts.rows(chosen)
    assert pieces.shape[1] == data.texts.lengths[chosen].max()
    assert torch.equal(present.sum(1), data.texts.lengths[chosen])
    assert not pieces[~present].any()


def test_hidden_pieces_can_be_put_back(data):
    pieces, present = data.texts.rows(torch.arange(60))
    inputs, answers = hide(pieces, data.vocabulary, torch.Generator().manual_seed(0), 0.4)
    asked = answers >= 0
    assert torch.equal(torch.where(asked, answers, inputs), pieces)
    assert not (asked & (pieces < 5)).any()
    assert asked.sum() / (pieces >= 5).sum() == pytest.approx(0.4, abs=0.06)
    assert (inputs[asked] == data.vocabulary.mask).float().mean() == pytest.approx(0.8, abs=0.08)
    assert not asked[~present].any()


def test_documents_fill_whole_rows(data):
    written = ["Gold rose in May. " * 9, "Output fell."]
    rows = joined(data.tokeniser, written, 16)
    stream = [piece for text in written for piece in [*data.tokeniser(text, add_special_tokens=False)["input_ids"], 3]]
    assert (rows.lengths == 16).all()
    assert (rows.pieces[:, 0] == 2).all()
    assert (rows.pieces[:, -1] == 3).all()
    assert rows.pieces[:, 1:-1].flatten().tolist() == stream[: len(stream) // 14 * 14]
    assert joined(data.tokeniser, ["Gold."], 16).pieces.shape == (1, 16)


def test_the_probe_hides_one_piece(data, learner):
    probe = data.probe
    assert (probe.pieces == data.vocabulary.mask).sum() == 1
    assert probe.pieces[probe.place] == data.vocabulary.mask
    assert probe.candidates[0] == probe.answer
    assert len(set(probe.candidates.tolist())) == CANDIDATES
    chances, rank = probe_guesses(learner.network, probe)
    logits = learner.network.masked_words(
        learner.network.encoder(probe.pieces[None])[0, probe.place], learner.network.encoder.embeddings.token.weight
    )
    assert_close(chances, logits.softmax(-1)[probe.candidates])
    assert logits.argsort(descending=True).tolist().index(probe.answer) + 1 == rank
    weights = probe_attention(learner.network, probe)
    assert weights.shape == (2, 2, len(probe.pieces), len(probe.pieces))
    assert_close(weights.sum(-1), torch.ones(2, 2, len(probe.pieces)))


def test_scores_are_those_of_one_text_at_a_time(data, learner):
    network = learner.network
    losses, right = [], []
    for inputs, answers, length in zip(
        data.unseen.shown.pieces, data.unseen.answers, data.unseen.shown.lengths, strict=True
    ):
        asked = answers[:length] >= 0
        hidden = network.encoder(inputs[None, :length])[0][asked]
        logits = network.masked_words(hidden, network.encoder.embeddings.token.weight)
        losses += (logits.logsumexp(-1) - logits.gather(1, answers[:length][asked][:, None])[:, 0]).tolist()
        right += (logits.argmax(-1) == answers[:length][asked]).tolist()
    assert masked_scores(network, data.unseen) == pytest.approx((np.mean(losses), np.mean(right)), rel=1e-5)


def test_tone_scores_count_what_is_right(data, learner):
    scores = tone_scores(learner.network, data)
    for number, judged in enumerate(data.tone_sets):
        shares = torch.bincount(judged.tones, minlength=3) / len(judged.tones)
        assert_close((scores["confusion"][number].diagonal() * shares).sum(), scores["unseen_tone_accuracy"][number])
    kinds = torch.cat([judged.kinds for judged in data.tone_sets])
    counts = torch.bincount(kinds).float()
    assert_close((scores["kind_tone_accuracy"] * counts).sum() / counts.sum(), scores["unseen_tone_accuracy"].mean())


def test_a_tone_without_texts_has_no_shares():
    assert confusion(torch.tensor([0, 1]), torch.tensor([0, 0]), 3).isnan().sum(1).tolist() == [0, 3, 3]


def test_habits_of_heads_that_look_evenly(data, learner):
    """Where queries are zero every head spreads its attention evenly over the n pieces of a text."""
    for block in learner.network.encoder.blocks:
        torch.nn.init.zeros_(block.attention.query.weight)
    habits = head_habits(learner.network, data.unseen.shown)
    lengths = data.unseen.shown.lengths[:48].double()
    weights = lengths / lengths.sum()
    expected = {
        "head_entropy": (lengths.log2() * weights).sum(),
        "head_special": (2 / lengths * weights).sum(),
        # The mean of |i - j| over n by n places is (n^2 - 1) / 3n.
        "head_distance": ((lengths.square() - 1) / (3 * lengths) * weights).sum(),
    }
    for name, value in expected.items():
        assert_close(habits[name], value.float().expand(2, 2), rtol=1e-4, atol=0)


def test_unigrams_know_frequencies_alone(data):
    loss, right = unigram_scores(data)
    pieces = data.texts.pieces[data.texts.pieces >= 5]
    chances = (torch.bincount(pieces, minlength=len(data.vocabulary)) + 1) / (len(pieces) + len(data.vocabulary))
    answers = data.unseen.answers[data.unseen.answers >= 0]
    assert loss == pytest.approx(-chances.log()[answers].mean().item(), rel=1e-5)
    assert right == pytest.approx((answers == chances.argmax()).float().mean().item())
    assert loss < math.log(len(data.vocabulary))


def test_a_bag_of_words_learns_what_words_alone_tell():
    settings = BertPretraining(**SMALL | {"labelled": 3000})
    found = pretraining_texts(settings)
    right = (bag_of_words(found)[0] == found.tone_sets[0].tones).float().mean()
    assert 0.5 < right < 0.95


STORY = "\n".join(
    f"On day {number} the price of gold rose by {number} dollars, and silver fell." for number in range(80)
)


@pytest.fixture
def story(monkeypatch, tmp_path):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    return kept_texts.keep_text(STORY.encode(), "story.txt").name


def test_an_uploaded_text_is_read_and_partly_kept_unseen(story):
    settings = BertPretraining(**SMALL | {"corpus": story, "texts": 1000, "document_share": 0.5})
    read, unseen = unlabelled_texts(settings)
    assert (len(read), len(unseen)) == (72, 8)
    assert sorted([*read, *unseen]) == sorted(STORY.split("\n"))
    found = pretraining_texts(settings)
    assert found.probe.written == unseen[0]
    assert found.documents.pieces.shape[1] == 24
    dataset = run(**SMALL | {"corpus": story, "document_share": 0.5})
    assert dataset.attrs["status"] == "finished"
    assert dataset.attrs["texts_read"] == 54


def test_an_uploaded_text_may_be_too_short_or_gone(story, monkeypatch, tmp_path):
    with refused(TextError, "too_few", "2 different sentences", "at least 50"):
        sentences_of("Gold rose. Gold rose. Silver fell. ...")
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "elsewhere"))
    with pytest.raises(TextError, match="does not hold the text"):
        pretraining_texts(BertPretraining(**SMALL | {"corpus": story}))


def test_text_in_unknown_signs_is_left_out(monkeypatch, tmp_path):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    strange = "\n".join([STORY, *(f"{chr(0x13000 + number) * 3}." for number in range(200))])
    name = kept_texts.keep_text(strange.encode(), "strange.txt").name
    found = pretraining_texts(BertPretraining(**SMALL | {"corpus": name, "texts": 1000, "vocabulary": 256}))
    assert (found.texts.pieces >= 5).any(1).all()
    assert (found.unseen.answers >= 0).any(1).all()


def test_the_model_of_a_kept_run(data):
    settings = BertPretraining(**SELDOM, seeds=(2, 0))
    sink = whole(settings)
    model = trained_text_model(settings, sink.finals["states"][7], 0)
    assert model.labels == TONES
    assert model.notes == ()
    assert len(model.tokeniser) == model.encoder.shape.vocabulary == len(data.vocabulary)
    rows = torch.arange(len(data.tone_sets[0].texts))
    pieces, present = data.tone_sets[0].texts.rows(rows)
    judged = model.classifier(model.encoder(pieces, present=present)).argmax(1)
    accuracy = (judged == data.tone_sets[0].tones).float().mean().item()
    assert accuracy == pytest.approx(sink.records.values["unseen_tone_accuracy"][-1][1, 0].item())
    other = trained_text_model(settings, sink.finals["states"][7], 2)
    assert other.fingerprint != model.fingerprint
    early = trained_text_model(settings, sink.finals["states"][4], 0)
    assert [note.kind for note in early.notes] == ["no_tone_yet"]


def test_a_state_without_the_seed_is_refused():
    settings = BertPretraining(**SELDOM, seeds=(2, 0))
    state = whole(settings).states[7]
    with pytest.raises(StateError, match=r"^The kept state holds no network of seed 4 and these settings\.$"):
        trained_text_model(settings, state, 4)
    with pytest.raises(StateError, match="seed 0"):
        trained_text_model(settings.changed(width=16), state, 0)
