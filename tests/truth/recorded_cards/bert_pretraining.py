"""Cards of *Pre-training and fine-tuning*, from losses on masked words and shares of tones judged rightly."""

import numpy as np

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import settings_of

NAMES = ()
BAG, MAJORITY = "bag of words", "majority"
KNOWN, NEW = "new draws", "new patterns"
READING, JUDGING = 1, 2


def one(run):
    """The run of its one seed, in double precision."""
    assert run.sizes["seed"] == 1
    return run.isel(seed=0).astype(np.float64, copy=False)


def looks(run, phase):
    """The looks of a phase: before and after the first step on tones."""
    steps = run.step.values
    first_tone = steps[run.phase.values == JUDGING].min(initial=steps[-1] + 1)
    return one(run).isel(look=(run.look.values >= first_tone) == (phase == JUDGING))


def steps(run, phase):
    return one(run).isel(step=run.phase.values == phase)


def right(run, patterns):
    """The share of unseen tones judged rightly at the last look."""
    return float(one(run).unseen_tone_accuracy.isel(look=-1).sel(tone_set=patterns))


def baseline(run, name, patterns):
    return float(run.baseline_tone_accuracy.sel(baseline=name, tone_set=patterns))


def tone_from_words(run):
    """Within seven points of the bag of words on either side; below that the card would have another title."""
    new, bag = right(run, NEW), baseline(run, BAG, NEW)
    return Card(abs(new - bag) <= 0.07, number=(new, bag), threshold=(7,), says=("it is not clearly better than",))


def tone_from_context(run):
    new, bag = right(run, NEW), baseline(run, BAG, NEW)
    return Card(new > bag + 0.07, number=(new, bag), threshold=(7,))


def tone_not_learned(run):
    known, majority = right(run, KNOWN), baseline(run, MAJORITY, KNOWN)
    return Card(known <= majority + 0.07, number=(known,), threshold=(majority, 7))


def pretraining_paid_off(run):
    known, majority = right(run, KNOWN), baseline(run, MAJORITY, KNOWN)
    return Card(known > majority + 0.15 and settings_of(run).frozen, number=(known,), threshold=(majority, 15))


def labels_by_heart(run):
    """The share right in the last tenth of phase 2's steps, beside that on unseen texts of known patterns."""
    judged = steps(run, JUDGING).tone_accuracy.values
    trained, known = float(judged[-(len(judged) // 10) :].mean()), right(run, KNOWN)
    return Card(
        trained > 0.9 and trained - known > 0.15,
        number=(trained, known),
        threshold=(15, 0.9),
        explanation=(settings_of(run).labelled,),
    )


def patterns_only(run):
    known, new = right(run, KNOWN), right(run, NEW)
    return Card(known - new > 0.15, number=(known, new), threshold=(15,))


def reading_left_tone(run):
    """New patterns beside the start that was fine-tuned without reading on."""
    new, start = right(run, NEW), float(one(run).start_tone_accuracy.isel(look=-1).sel(tone_set=NEW))
    return Card(abs(new - start) <= 0.07, number=(new, start), threshold=(7,))


def hard_kind(run):
    """The kind of text, of at least 25 texts, that is judged worst, and the mean over all texts of all kinds."""
    by_kind = one(run).kind_tone_accuracy.isel(look=-1)
    overall = float(by_kind.weighted(run.kind_count).mean())
    worst = by_kind.where(run.kind_count >= 25).idxmin().item()
    share, bag = float(by_kind.sel(kind=worst)), float(run.baseline_kind_accuracy.sel(baseline=BAG, kind=worst))
    return Card(
        share < overall - 0.2,
        number=(share, overall),
        threshold=(20, 25),
        confidence=(int(run.kind_count.sel(kind=worst)),),
        explanation=(bag,),
        says=(f"“{worst.replace('_', ' ')}”",),
    )


def read(run):
    """The unseen loss at the end of pre-training, and that of guessing by frequency."""
    return float(looks(run, READING).unseen_masked_loss[-1]), float(run.unigram_loss)


def reads_context(run):
    """Also among how many equally likely pieces both losses leave the choice, which is e to their power."""
    loss, frequency = read(run)
    return Card(
        loss <= 0.8 * frequency,
        number=(loss, loss / frequency, frequency),
        threshold=(0.8,),
        explanation=(float(np.exp(loss)), float(np.exp(frequency))),
    )


def only_word_frequencies(run):
    loss, frequency = read(run)
    return Card(
        0.95 <= loss / frequency <= 1.05,
        number=(loss, loss / frequency, frequency),
        threshold=(0.95, 1.05),
        explanation=(0.02,),
    )


def forgotten(run):
    before, now = read(run)[0], float(one(run).unseen_masked_loss[-1])
    return Card(now > 1.25 * before, number=(before, now), threshold=(1.25,))


def learning_rate_too_large(run):
    """At some look a step is as long as the weights: median over the parts, of those that move; most looks are calm."""
    ratios = looks(run, READING).update_to_data
    moved = ratios.where(ratios > 0)
    typical, longest = float(moved.median()), float(moved.median("part").max())
    return Card(
        settings_of(run).pretraining_steps > 0 and longest >= 1 and typical <= 10**-1.5,
        number=(longest,),
        threshold=(0.03, 0.1, 1),
        says=("One of the steps that were looked at replaced the weights",),
    )


def even_heads(run):
    """Heads whose attention in the probe has 95 % of the entropy of an even one, log2 of the pieces, after phase 1."""
    attention = looks(run, READING).attention.isel(look=-1)
    entropy = -(attention * np.log2(attention.where(attention > 0, 1))).sum("key").mean("query")
    bits = float(np.log2(run.sizes["key"]))
    even = int((entropy > 0.95 * bits).sum())
    return Card(even >= 0.25 * entropy.size, number=(even, entropy.size), threshold=(0.95, bits, 0.25))


def neighbour_heads(run):
    """Heads with half of their attention one place before or after, mean over queries with such a place."""
    attention = one(run).attention.isel(look=-1)
    found = [
        (share, layer, head, side)
        for offset, side in ((-1, "before"), (1, "after"))
        for layer, of_layer in enumerate(attention.transpose("layer", "head", "query", "key").values, start=1)
        for head, of_head in enumerate(of_layer, start=1)
        if (share := float(np.diagonal(of_head, offset).mean())) > 0.5
    ]
    share, layer, head, side = max(found)
    others, title = ((len(found) - 1,), "Heads look") if len(found) > 1 else ((), "A head looks")
    return Card(True, number=(layer, head, share, *others), threshold=(0.5,), says=(title, f"at the piece {side}"))


CARDS = {
    card.__name__: card
    for card in (
        tone_from_words,
        tone_from_context,
        tone_not_learned,
        pretraining_paid_off,
        labels_by_heart,
        patterns_only,
        reading_left_tone,
        hard_kind,
        reads_context,
        only_word_frequencies,
        forgotten,
        learning_rate_too_large,
        even_heads,
        neighbour_heads,
    )
}
