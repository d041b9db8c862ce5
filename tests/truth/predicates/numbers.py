"""The numbers that a card prints of a network, in their order, once more off the recorded arrays, seed by seed.

Each is a value, or an :class:`If`; what is no finite number is printed in words, and not looked for.
"""

from typing import Any, NamedTuple

import numpy as np

from tests.truth.predicates import answers, gradients, series, texts
from tests.truth.predicates.told import between, by_seed, last_quarter, most, typical


class If(NamedTuple):
    """A number that is printed where its condition holds of most seeds."""

    value: Any
    holds: Any

    def of(self, seeds: Any) -> Any:
        """Of these seeds: the value, or None."""
        verdicts = np.broadcast_to(np.asarray(self.holds), np.shape(np.asarray(self.value)))
        return self.value if most(verdicts[seeds] if np.ndim(verdicts) else verdicts) else None


class Apart(NamedTuple):
    """A ratio; or by how much of itself it is off 1, where seeds on both sides have a middle one near 1."""

    ratio: Any

    def of(self, seeds: Any) -> Any:
        """Of these seeds: the one or the other."""
        near = between(np.nanmedian(np.asarray(self.ratio)[seeds]), 1 / 1.1, 1.1)
        return abs(self.ratio - 1) if near else self.ratio


def share_at_end(kind):
    return lambda told: [by_seed(told.last(told.kinds[kind]))]


def step(name="update_to_data"):
    return lambda told: [typical(told.of(name))]


def last(*names, **where):
    return lambda told: [told.last(name, **where) for name in names]


def one(value):
    return lambda told: [value(told)]


_STEPS = {"learning_rate_too_large": step(), "learning_rate_too_small": step()}
_CLIPPED = {"clipping_every_step": lambda told: [by_seed(told.of("clipped"))]}


def zero_where_none_arrives(times_smaller):
    """Of a gradient that is not there the card says that it is exactly 0, and not how many times smaller."""
    return times_smaller.where(np.isfinite(times_smaller), 0.0)


def factor(values):
    return np.maximum(values, 1 / values)


DEPTH_GRADIENTS = {
    **_STEPS,
    "no_gradient": lambda told: [0],
    "large_error": one(gradients.longest),
    "exploding": lambda told: [
        If(gradients.first_over_last(told), gradients.first_over_last(told) > 100),
        gradients.longest(told),
    ],
    "vanishing": lambda told: [zero_where_none_arrives(1 / gradients.first_over_last(told))],
    "no_better_than_zero": lambda told: [told.of("test_loss") / told.of("zero_loss")],
    "degradation": lambda told: [told.last("loss"), told.settings.depth, gradients.best_of_fewer_layers(told)],
    "saturated": share_at_end("saturation"),
    "dead_units": share_at_end("dead_units"),
    "gradient_kept": lambda told: [factor(gradients.first_over_last(told))],
}


def gone_from(told):
    """The first lag of a signal below a hundredth."""
    signal = gradients.signal(told)
    lags = signal.lag.astype(np.float64)
    return lags.where(signal < -2, np.inf).min("lag")


def loss(told):
    return told.of("test_loss") if "test_loss" in told.run else gradients.worth(told) * told.of("memoryless_loss")


def memory(told):
    """Nothing is a share of no loss."""
    return gradients.worth(told).where(told.of("memoryless_loss") > 0)


def far(told):
    return int(told.run.lag.max())


def steepest(told):
    return told.of("clipped_gradient_norm").fillna(0).max("step")


RECURRENT_GRADIENTS = {
    **_STEPS,
    **_CLIPPED,
    "exploding": lambda told: [
        If(10 ** gradients.signal(told).max("lag"), gradients.signal(told).max("lag") > 2),
        If(steepest(told), steepest(told) > 1000),
    ],
    "task_solved": lambda told: [loss(told), memory(told)],
    "vanishing": lambda told: [0.01, gone_from(told), far(told)],
    "learned_nothing": one(memory),
    "forget_bias_too_small": lambda told: [
        by_seed(told.last("gate_opening", gate="forget")),
        gradients.halved_in(told),
    ],
    "saturated_gates": one(gradients.steering),
    "saturated_states": last("state_saturation"),
    "gradient_kept": lambda told: [10 ** gradients.signal(told).isel(lag=-1), far(told)],
}


def score(told):
    return last_quarter(told.of("test_accuracy"), "look") if told.settings.task != "flip" else told.last("test_loss")


def both_losses(told):
    return [told.last("test_loss"), told.last("refined_test_loss")]


CONTINUOUS_DEPTH = {
    **dict.fromkeys(("learned", "nested_classes", "order_kept", "not_learned"), one(score)),
    "solver_s_map": both_losses,
    "residual_is_flow": both_losses,
    "adjoint_too_loose": lambda told: [
        told.of("gradient_difference").isel(look=slice(-max(1, told.run.sizes["look"] // 4), None)).median("look")
    ],
    "growing_stiff": lambda told: [*gradients.paid(told)],
    "saturated_field": last("field_saturation"),
}


def worth(told):
    return [gradients.of_zero(told)]


def long_worth(told):
    return [gradients.of_zero(told, "long gap", "long_gap_error")]


def off_course(told):
    return [Apart(gradients.refined_by(told).where(told.last("error") > 0))]


def of_gaps(told):
    deaf, beside = told.last("gap_sensitivity"), gradients.of_plain(told)
    return [If(deaf, deaf < 0.05), If(beside, (beside > 0.9) & (told.network == "ode_rnn"))]


def stiffness(told):
    if told.settings.solver == "dopri5":
        return [gradients.stiffer(told)]
    return [told.last("field_stiffness"), gradients.stiffer(told)]


ODE_RNN = {
    "state_exploding": last("state_size"),
    "solver_too_coarse": off_course,
    "no_skill": worth,
    "learned_nothing": worth,
    "learned": lambda told: [told.last("error"), gradients.of_plain(told)],
    "ignoring_gaps": of_gaps,
    "stiff_field": stiffness,
    "extrapolation_poor": long_worth,
    "bands_too_narrow": last("coverage"),
    "bands_too_wide": last("coverage"),
    "field_saturated": last("field_saturation"),
    "under_trained": one(gradients.gained),
    "holds_in_long_gaps": long_worth,
    "solver_consistent": lambda told: [abs(gradients.refined_by(told) - 1)],
}


def against(simple):
    return lambda told: [told.last("dev_loss"), told.of(f"{simple}_dev_loss")]


_GUESSES = {
    **_STEPS,
    "by_heart": one(texts.gap),
    "no_better_than_pairs": against("bigram"),
    "beats_pairs": against("bigram"),
}
CHAR_LANGUAGE_MODEL = {
    **_GUESSES,
    "saturated": share_at_end("saturation"),
    "dead_units": share_at_end("dead_units"),
    "wrong_axis": lambda told: [texts.fewest_means(told), told.settings.hidden],
    "first_loss": lambda told: [told.of("loss").isel(step=0)],
    "stale_statistics": lambda told: [told.last("dev_loss") - told.last("batch_statistics_loss")],
    "batch_too_small": one(texts.scatter),
    "beats_letters": against("unigram"),
}
CHAR_GPT = {
    **_GUESSES,
    "sees_ahead": one(texts.ahead),
    "even_attention": lambda told: [told.last("attention_entropy").mean("block_number", skipna=False)],
    "beats_gzip": lambda told: [texts.bits(told), told.of("gzip_dev_bits")],
}


def of_right(*shares):
    return dict.fromkeys(("learned", "some_wrong", "most_wrong"), lambda told: [share(told) for share in shares])


def longest(told, times=1, name="sequences_right"):
    return told.last(name, length=times * told.settings.length)


NEURAL_TURING_MACHINE = {
    **of_right(longest, lambda told: longest(told, name="bits_right")),
    "longer": lambda told: [longest(told, 2)],
    "only_trained_lengths": lambda told: [longest(told, 2)],
    "one_cell": last("cells_used", head="read"),
}
ADAPTIVE_COMPUTATION = {
    **of_right(lambda told: told.last("accuracy"), lambda told: told.last("ponder")),
    "guesses": last("accuracy"),
    "stops_at_once": lambda told: [answers.took(told, 0)],
    "cut_off": lambda told: [answers.took(told, -1), told.settings.most],
    "longer_where_harder": last("correlation"),
    "not_longer_where_harder": last("correlation"),
}
ATTENTION_AGAINST_RECURRENCE = {
    "finds_it_anywhere": lambda told: [answers.at_distance(told, slice(None)).min("distance")],
    "guesses": last("accuracy"),
    "loses_far_ones": lambda told: [answers.at_distance(told, 0), answers.at_distance(told, -1)],
    "told_little_at_first": lambda told: [
        1 / told.of("input_gradient").isel(look=0, lag=-1),
        told.settings.distance,
    ],
}
ATTENTION_INTERFACE = {
    **of_right(lambda told: told.last("sequence_accuracy")),
    "loses_long_ones": lambda told: [
        answers.of_length(told, int(told.run.attrs["longest_trained"])),
        answers.of_length(told, int(told.run.length.values[0])),
    ],
    "beside_the_word": lambda told: [answers.peaks(told, -1, 1), answers.peaks(told, 0)],
    "on_the_word": lambda told: [answers.peaks(told, 0)],
}
TRANSLATION_TRANSFORMER = {
    **of_right(lambda told: told.last("sequence_accuracy")),
    "worse_alone": last("free_right", "told_right"),
    "batch_takes_part": last("neighbour_effect"),
}
NEURAL_PROGRAMMER = {
    **of_right(lambda told: told.last("right")),
    "lucky_answers": last("lucky"),
    "undecided": last("gap"),
}


def over_simple(told):
    """Nothing is a share of no error."""
    return [series.over_simple(told).where(told.of("simple_error").mean("ahead").min("simple") > 0)]


SERIES_ATTENTION = {
    "dead_units": share_at_end("dead_units"),
    **dict.fromkeys(("worse_than_simple", "beats_simple", "about_as_simple"), over_simple),
    **dict.fromkeys(("flow_ahead", "flow_behind"), one(series.over_transformer)),
}


def against_frequencies(told):
    unigram = told.of("unigram_loss")
    return [texts.unseen(told).isel(look=-1), unigram]


def tone(told):
    return [texts.right(told, texts.NEW), texts.baseline(told, "bag of words", texts.NEW)]


def reading(told):
    return [texts.right(told, texts.NEW), texts.right(told, texts.NEW, "start_tone_accuracy")]


def known(told):
    return [texts.right(told, texts.KNOWN)]


BERT_PRETRAINING = {
    "exploding": lambda told: [told.of("gradient_norm").max("step")],
    "vanishing": one(texts.fading),
    "learning_rate_too_small": lambda told: [typical(texts.looks(told, texts.READING).update_to_data)],
    "words_by_heart": lambda told: [texts.unseen(told).isel(look=-1), texts.last_tenth(told)],
    "tone_not_learned": known,
    "tone_from_words": tone,
    "tone_from_context": tone,
    "labels_by_heart": lambda told: [texts.right_in_training(told), texts.right(told, texts.KNOWN)],
    "patterns_only": lambda told: [texts.right(told, texts.KNOWN), texts.right(told, texts.NEW)],
    "pretraining_paid_off": known,
    "frozen_holds_back": known,
    **dict.fromkeys(("reading_raised_tone", "reading_lowered_tone", "reading_left_tone"), reading),
    "clipping_every_step": lambda told: [by_seed(texts.steps(told, "clipped", texts.READING))],
    "forgotten": lambda told: [texts.unseen(told).isel(look=-1), told.last("unseen_masked_loss")],
}


def interval(scored, test=True):
    """A score with its ends; and its test where one of both speaks for a difference and the other does not."""
    value, low, high, p = scored
    apart = low > 0 or high < 0
    return [value, low, high, *([p] if np.isfinite(p) and (test or apart != (p < 0.05)) else [])]


def gain(told):
    return interval(series.gain(told), test=False)


PRICE_TOKENS = {
    **dict.fromkeys(("shuffled_skill", "shuffled_check_passed", "worse", "no_skill"), gain),
    "labels_switch": lambda told: [float(told.run.same_label.mean()), float(told.run.same_meaning.mean())],
    "codes_unused": lambda told: [float(told.run.code_perplexity.mean()), told.run.sizes["token_name"]],
    "not_regimes": lambda told: [float(told.run.rand_index)],
    "knows_future": lambda told: [float(told.run.changed_by_future)],
}


def own(told):
    """Of forecasts of the mean the test is always told."""
    return interval(series.own(told), test=told.settings.target != "volatility")


GOLD_FORECAST = {
    **dict.fromkeys(("planted_found", "planted_missed", "dealt_out_skill", "dealt_out_passed", "shuffled_skill"), own),
    **dict.fromkeys(("shuffled_check_passed", "no_volatility_skill", "no_skill", "worse_than_simplest", "skill"), own),
    "simulated_market": lambda told: [told.settings.market_seed],
}
LEADERBOARD = {
    "follows": lambda told: [float(series.table(told, "level_r2").sel(forecaster="repeat"))],
}
