"""What a run of *Pre-training and fine-tuning* does: document 001, section 4.2.2.

Phase 1 hides pieces of unlabelled texts and learns to say them; phase 2 learns the tone of labelled texts. The seeds
read the same texts and take their steps in turn; what one shows does not depend on the others.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.diagnostics.layers import distributions, of_weights, watching, with_means_over_seeds
from goldviz.labs.bert_pretraining.instruments import (
    accuracy_by_set,
    bag_of_words,
    head_habits,
    majority,
    masked_scores,
    pair_accuracy,
    probe_attention,
    probe_guesses,
    probe_order,
    right_by_kind,
    tone_scores,
    unigram_scores,
)
from goldviz.labs.bert_pretraining.network import (
    BertLearner,
    bert_learner,
    part_gradient_norms,
    part_sizes,
    share_right,
    watched_parts,
)
from goldviz.labs.bert_pretraining.objectives import drawn_order, segments_of
from goldviz.labs.bert_pretraining.settings import BASELINES, NEXT_SENTENCE, PERMUTATION, names_of_parts
from goldviz.labs.bert_pretraining.start import start_of
from goldviz.labs.bert_pretraining.texts import PretrainingTexts, TextPairs, hide, pretraining_texts
from goldviz.models.text.encoder import EncoderDropout
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, training_on
from goldviz.training.grid import hand_over, parts_of, stacked, steps_from_state
from goldviz.training.optimisers import set_learning_rate
from goldviz.training.quick_steps import take_step
from goldviz.training.schedules import warm_up_share
from goldviz.training.state import Part

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining
    from goldviz.runs.recorder import Recorder

    Record = Recorder[BertPretraining]

PRETRAINING, FINE_TUNING = 1, 2
OF_TONE = ("loss", "tone_accuracy")
"""What a step on the tone records of the tone, though it rehearses words beside it."""
Seen = dict[str, Tensor]


def train(settings: BertPretraining, record: Record) -> None:
    """Train every seed's network through both phases, and record every variable that the experiment declares."""
    with training_on(settings.device) as device:
        start = start_of(settings)
        data = pretraining_texts(settings, start)
        new = partial(bert_learner, settings, len(data.vocabulary), device=device, start=start)
        learners = [new(seed) for seed in settings.seeds]
        twins = [new(seed) for seed in settings.seeds] if settings.compare_start else []
        announce(settings, record, data, learners[0], device)
        if start is not None:
            record.attribute(starts_from=start.title, width=start.shape.width)
        total = settings.pretraining_steps + settings.fine_tuning_steps
        for step in steps_from_state(record, total, learner_parts(settings, learners, twins)):
            now = record.settings
            phase, rate = schedule(now, step)
            if step == settings.pretraining_steps + 1:
                for one in learners + twins:
                    one.pretraining.state.clear()  # no step needs it any more, and states get smaller
                for one in learners if settings.pretraining_steps else []:
                    one.network.take_over_pooler()
            closely = looks_after(settings, step)
            readings = [learn(one, now, data, step, rate, closely) for one in learners]
            record("phase", np.int8(phase))
            record("learning_rate", rate)
            if phase == FINE_TUNING:
                for one in twins:
                    learn(one, now, data, step, rate, closely=False)
            if closely:
                look(learners, data, phase, record)
                look_at_objective(settings, learners, twins, data, step, record)
            hand_over(with_means_over_seeds(stacked(readings), dim=0), record)


def learner_parts(settings: BertPretraining, learners: list[BertLearner], twins: list[BertLearner]) -> dict[str, Part]:
    """All that a run needs to go on exactly where it stood, by name."""
    learners_by_name = [(f"{seed}", one) for seed, one in zip(settings.seeds, learners, strict=True)]
    learners_by_name += [(f"start/{seed}", one) for seed, one in zip(settings.seeds, twins, strict=False)]
    return {f"{start}/{name}": part for start, one in learners_by_name for name, part in parts_of(one).items()}


def schedule(settings: BertPretraining, step: int) -> tuple[int, float]:
    """The phase of a step, and its learning rate."""
    first = settings.pretraining_steps
    if step <= first:
        return PRETRAINING, settings.learning_rate * warm_up_share(step, first, settings.warm_up)
    share = warm_up_share(step - first, settings.fine_tuning_steps, settings.warm_up)
    return FINE_TUNING, settings.fine_tuning_rate * share


def looks_after(settings: BertPretraining, step: int) -> bool:
    """Whether the networks are looked at after this step: every so often, and as each phase begins and ends."""
    first = settings.pretraining_steps
    return step % settings.look_every == 0 or step in (1, first, first + 1, first + settings.fine_tuning_steps)


def reads_documents(step: int, share: float) -> bool:
    """Whether a step reads documents: so often that their share is met as evenly as can be.

    >>> [step for step in range(1, 11) if reads_documents(step, 0.3)]
    [4, 7, 10]
    """
    return math.floor(round(step * share, 9)) > math.floor(round((step - 1) * share, 9))


def announce(
    settings: BertPretraining, record: Record, data: PretrainingTexts, first: BertLearner, device: torch.device
) -> None:
    """Label the dimensions, name texts and device, and record what does not change: sizes and baselines."""
    probe_tokens = data.tokeniser.convert_ids_to_tokens(data.probe.pieces.tolist())
    places = [f"{place} {piece}" for place, piece in enumerate(probe_tokens)]
    shape = first.network.encoder.shape
    record.coordinates(
        seed=list(settings.seeds),
        part=names_of_parts(settings.objective, shape.layers),
        layer=list(range(1, shape.layers + 1)),
        head=list(range(1, shape.heads + 1)),
        query=places,
        key=places,
        candidate=[data.vocabulary.pieces[int(piece)] for piece in data.probe.candidates],
        tone_set=data.names_of_sets,
        kind=data.kinds,
        tone=data.tones,
        judged=data.tones,
        baseline=list(BASELINES),
        value_bin=VALUE_BINS.centres,
        magnitude_bin=MAGNITUDE_BINS.centres,
    )
    record.attribute(
        device=device_name(device),
        probe_text=data.probe.written,
        probe_answer=data.vocabulary.pieces[data.probe.answer],
        probe_place=data.probe.place,
        vocabulary_size=len(data.vocabulary),
        texts_read=len(data.texts),
        unseen_texts=len(data.unseen.answers),
        labelled_texts=len(data.labelled.tones),
    )
    loss, accuracy = unigram_scores(data)
    record.once("uniform_loss", math.log(len(data.vocabulary)))
    record.once("unigram_loss", loss)
    record.once("unigram_accuracy", accuracy)
    baselines = [bag_of_words(data), majority(data)]
    record.once("baseline_tone_accuracy", torch.stack([accuracy_by_set(data, one) for one in baselines]).numpy())
    record.once("baseline_kind_accuracy", torch.stack([right_by_kind(data, one) for one in baselines]).numpy())
    kinds = torch.cat([texts.kinds for texts in data.tone_sets])
    record.once("kind_count", torch.bincount(kinds, minlength=len(data.kinds)).numpy())
    record.once("parameter_count", part_sizes(first.network))


def learn(
    one: BertLearner, settings: BertPretraining, data: PretrainingTexts, step: int, rate: float, closely: bool
) -> Seen:
    """One step of a network; ``closely`` adds what it shows of the network's parts."""
    network = one.network
    pretrains = step <= settings.pretraining_steps
    optimiser = one.pretraining if pretrains else one.fine_tuning
    set_learning_rate(optimiser, rate)
    network.zero_grad()
    with watching(watched_parts(network) if closely else []) as activations:
        objective, readings = (masked_step if pretrains else tone_step)(one, settings, data, step)
    objective.backward()
    readings["part_gradient_norm"] = part_gradient_norms(network)
    if closely:
        activations.after_backward()
    readings["gradient_norm"], clip_flag = clip_gradients(network.parameters(), settings.clip or math.inf)
    readings["clipped"] = clip_flag.float()
    take_step(optimiser)
    if closely:
        readings |= of_weights(activations) | activations.distributions()
        readings["activation_histogram"] = distributions(VALUE_BINS, activations.outputs)
    return readings


def masked_step(one: BertLearner, settings: BertPretraining, data: PretrainingTexts, step: int) -> tuple[Tensor, Seen]:
    """The loss of masked words under new masks, and what to record of it.

    A step on documents reads about as many pieces as one on single texts, and so fewer rows.
    """
    if data.pairs is not None:
        return pair_step(one, settings, data, data.pairs[0])
    texts, rows = data.texts, settings.batch
    if data.documents is not None and reads_documents(step, settings.document_share):
        texts = data.documents
        rows = max(1, round(rows * data.texts.lengths.double().mean().item() / texts.pieces.shape[1]))
    pieces, present = texts.rows(torch.randint(len(texts), (rows,), generator=one.order))
    inputs, answers = hide(pieces, data.vocabulary, one.masks, settings.masked_share)
    where = one.network.device
    dropout = EncoderDropout(settings.dropout, one.dropout)
    order = None
    if settings.objective == PERMUTATION:
        inputs, order = pieces, drawn_order(answers >= 0, one.masks).to(where)
    loss, right = one.network.masked_loss(inputs.to(where), answers.to(where), present.to(where), dropout, order)
    return loss, {"loss": loss.detach(), "masked_accuracy": right, "tone_accuracy": torch.tensor(math.nan)}


def pair_step(
    one: BertLearner, settings: BertPretraining, data: PretrainingTexts, pairs: TextPairs
) -> tuple[Tensor, Seen]:
    """The loss of masked words in pairs of sentences, with that of whether B follows A where it is asked for.

    Both have the same weight (Devlin et al. 2019, appendix A.2). The loss that is recorded is that of the words.
    """
    rows = torch.randint(len(pairs.labels), (settings.batch,), generator=one.order)
    pieces, present = pairs.texts.rows(rows)
    inputs, answers = hide(pieces, data.vocabulary, one.masks, settings.masked_share)
    network, where = one.network, one.network.device
    segments = segments_of(pieces, data.vocabulary.last).to(where)
    hidden = network.encoder(
        inputs.to(where), segments, present.to(where), EncoderDropout(settings.dropout, one.dropout)
    )
    loss, right = network.word_loss(hidden, answers.to(where))
    readings = {"loss": loss.detach(), "masked_accuracy": right, "tone_accuracy": torch.tensor(math.nan)}
    if network.next_sentence is None:
        return loss, readings
    next_loss = cross_entropy(network.next_sentence_logits(hidden), pairs.labels[rows].to(where))
    return loss + next_loss, {**readings, "next_sentence_loss": next_loss.detach()}


def tone_step(one: BertLearner, settings: BertPretraining, data: PretrainingTexts, step: int) -> tuple[Tensor, Seen]:
    """The loss of the tone on labelled texts, and what to record of it.

    Rehearsal adds the loss of masked words (Radford et al. 2018, eq. 5); a frozen encoder has nothing to rehearse.
    """
    rows = torch.randint(len(data.labelled.tones), (settings.batch,), generator=one.tone_order)
    inputs, present = data.labelled.texts.rows(rows)
    where = one.network.device
    tones = data.labelled.tones[rows].to(where)
    dropout = EncoderDropout(settings.dropout, one.dropout)
    with torch.set_grad_enabled(not settings.frozen):
        hidden = one.network.encoder(inputs.to(where), present=present.to(where), dropout=dropout)
    logits = one.network.classifier(hidden)
    loss = cross_entropy(logits, tones)
    nothing = torch.tensor(math.nan)
    readings = {"loss": loss.detach(), "masked_accuracy": nothing, "tone_accuracy": share_right(logits, tones)}
    if one.network.next_sentence is not None:
        readings["next_sentence_loss"] = nothing
    if settings.rehearsal == 0 or settings.frozen:
        return loss, readings
    words, of_words = masked_step(one, settings, data, step)
    return loss + settings.rehearsal * words, {**of_words, **{name: readings[name] for name in OF_TONE}}


def look(learners: list[BertLearner], data: PretrainingTexts, phase: int, record: Record) -> None:
    """Record scores on unseen texts, and what the attention heads do, as the step leaves the networks."""
    with record.instrument():
        mask_scores = [masked_scores(one.network, data.unseen) for one in learners]
        tones = [tone_scores(one.network, data) for one in learners]
        habits = [head_habits(one.network, data.unseen.shown) for one in learners]
        guesses = [probe_guesses(one.network, data.probe) for one in learners]
        attention = probe_attention(learners[0].network, data.probe)
    record("unseen_masked_loss", [loss for loss, _ in mask_scores])
    record("unseen_masked_accuracy", [right for _, right in mask_scores])
    for name in tones[0]:
        table = torch.stack([one[name] for one in tones])
        record(name, (table if phase == FINE_TUNING else torch.full_like(table, math.nan)).numpy())
    hand_over(stacked(habits), record)
    record("attention", attention.numpy().astype(np.float16))
    record("probe_probability", guesses[0][0].numpy())
    record("probe_rank", [rank for _, rank in guesses])


def look_at_objective(
    settings: BertPretraining,
    learners: list[BertLearner],
    twins: list[BertLearner],
    data: PretrainingTexts,
    step: int,
    record: Record,
) -> None:
    """Record what one objective or one start alone has to show."""
    if settings.objective == NEXT_SENTENCE and data.pairs is not None:
        with record.instrument():
            right = [pair_accuracy(one.network, data.pairs[1], data.vocabulary.last) for one in learners]
        record("unseen_next_sentence_accuracy", right)
    if settings.objective == PERMUTATION:
        record("factorisation_order", probe_order(data, step).numpy())
    if twins:
        with record.instrument():
            table = torch.stack([tone_scores(one.network, data)["unseen_tone_accuracy"] for one in twins])
        record("start_tone_accuracy", (table if step > settings.pretraining_steps else table * math.nan).numpy())
