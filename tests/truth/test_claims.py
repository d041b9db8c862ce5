"""What the claims measure, measured once more with numpy alone, of recorded runs and of what instant pages compute.

A claim's numbers are its measures of its own settings, in five cases or more; here each measure is given runs that are
at hand, and other code reads the same number off their arrays. Counts of parameters are worked out from the shapes.
"""

import json
import math
from functools import cache

import numpy as np
import pytest

from goldviz.api import dataset_of
from goldviz.declare.claims import claims
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.runs.examples import example
from tests.truth.numbers_of_runs import (
    a_step,
    agreement,
    answers_stay,
    bag_of_words,
    deep_size,
    deepest_beside_others,
    divergence,
    end_of_words,
    error_kept,
    first,
    fitted,
    given,
    gradient_kept,
    in_use,
    last_dev,
    loss_of,
    merged,
    mixed,
    moved,
    nats,
    of,
    off_by_one,
    on_itself,
    order_of,
    part_of_gain,
    power_of_batch,
    recurrent_size,
    relations,
    saved,
    scatter,
    stays,
    text_sizes,
    tone_right,
    vowels,
    worth,
)

MEASURES = {
    (claim.lab.name, part.measure): claim.lab.measures[part.measure]
    for claim in claims().values()
    for part in claim.parts.values()
}
FROM_THE_PAGE = {
    "backpropagation-by-hand": {
        "off_autograd",
        "off_with_direct",
        "off_with_total",
        "turned",
        "off_the_norm",
        "made_worse",
    },
    "backward-by-hand": {
        "bias_gradient",
        "bias_in_logits",
        "identity_error",
        "identity_elsewhere",
        "shift_in_loss",
        "shift_in_gradient",
        "sign_in_gradient",
    },
    "backpropagation-steps": {"nudge_beside_delta", "share_without_news", "largest_gradient_without_news"},
    "lstm-valves": {"off_autograd"},
    "residual-flow": {"answers_changed"},
    "gold-market": {"whole_rows"},
    "inside-bert": {"attention_beside_evidence"},
    "text-tokens": {
        "longest_spaces_left",
        "longest_spaces_right",
        "glued_left",
        "glued_right",
        "alone_left",
        "more_pieces_left",
        "more_pieces_right",
    },
}
"""Numbers that a dataset holds once, as they are or as a difference; each laboratory's own file computes them anew."""


SHORT = "a short run"
CHANGES = {
    "char-language-model": {"steps": 20, "close_looks": 2},
    "series-attention": {"task": "market", "networks": "transformer", "activation": "relu", "horizon": 8, "steps": 2},
}
"""Of what recorded runs do not hold."""


@cache
def run_of(lab, preset):
    declared = laboratories()[lab].declared
    if preset == SHORT:
        return dataset_of(declared.checked(CHANGES[lab]), progress=False)
    if issubclass(declared, Experiment):
        return example(declared, preset)
    return dataset_of(declared.preset(preset), progress=False)


DEPTH = ("as-in-the-document",)
DEEPER = ("32-layers-the-residual-network-learns",)
EDGE = ("at-the-edge-of-stability",)
ADDING = ("adding-50-steps",)
BATCHES = ("break-it-small-gain", "fix-it-orthogonal", "fix-it-identity")
READ = ("as-in-the-document", "break-it-no-pre-training")
PAIRS = ("pairs-as-a-network",)
NAMES = ("as-in-the-document",)
GPTS = ("break-it-no-scale", "as-in-the-document")
FIRST = ("as-in-the-document",)
NORMS = ("four-norms-three-rates",)
COPY = ("copy",)


def first_step_right(run):
    """The first step, of any learning rate of the first network, with 99 % right; else the last one looked at."""
    shares = run["rate_accuracy" if "rate_accuracy" in run else "sequence_accuracy"].isel(network=0)
    at_best = shares.max([dim for dim in shares.dims if dim != "look"])
    steps = [step for step in run["look"].values if at_best.sel(look=step) >= 0.99]
    return min(steps, default=run["look"].values[-1])


MARKED = ("forty-steps-back",)
BUMPS = ("equal-values",)
LETTERS = ("turn-letters-round",)
TABLES = ("one-column",)
LONGER = ("break-it-longer-than-trained",)
MOVES = ("the-market-s-returns",)
PERIODIC = np.array([0.25 if lag % 5 == 0 else -1 / 16 for lag in range(1, 21)])


def encoder_work(length):
    """Multiplications of a layer of width 32: eight maps of a place to its width, its neighbours' weights, the rest."""
    return length * 32 * (10 + 4 * 32 + 2 * 4 * 32) + 2 * length * length * 32 + 32 * 8


def lstm_work(length):
    return length * 4 * 32 * (10 + 32) + 32 * 8


def rows_of(run):
    return of(run, "row_error", "transformer")[-1]


def unlearned(run):
    return of(run, "test_loss", "transformer")[-1] - of(run, "train_loss", "transformer")[-1]


def longest_step(run):
    """The longest gradient over the typical one, behind the first tenth of the steps."""
    norms = of(run, "norm_before_clip", "transformer")[run.sizes["step"] // 10 :]
    return norms.max() / np.quantile(norms, 0.5)


def dead(run):
    return np.nanmean(of(run, "dead_units", "transformer")[-1])


def attention_growth(run, kind):
    """The power of t with which multiplications grow over the last three doublings."""
    by_length = run["multiplications"].sel(kind=kind).values
    return np.log2(by_length[-1] / by_length[-4]) / 3


def held_growth(run, how):
    """The power of t with which counted bytes grow from 128 to 512 rows, two doublings."""
    few, many = run["held_bytes"].sel(held_by=how).values
    return np.log2(many / few) / 2


def rank_correlation(run, first, second):
    """Spearman's, of the later half of the rows, from the differences of the ranks."""
    half = run.sizes["row"] // 2
    ranks = [
        np.searchsorted(np.sort(values), values) for values in (run[name].values[half:] for name in (first, second))
    ]
    count = len(ranks[0])
    return 1 - 6 * ((ranks[0] - ranks[1]) ** 2).sum() / (count * (count**2 - 1))


def past_moved(run):
    """The share of pairs of a changed row and an earlier one where the earlier one moves."""
    moves = run["moves"].sel(probed="prob_sparse").values
    past = [moves[place, : changed - 1] > 1e-9 for place, changed in enumerate(run["changed"].values)]
    return np.concatenate(past).mean()


def looked_back(run, look):
    """Mean over the blocks of the farthest head's mean distance back over the nearest one's, head by head."""
    ratios = []
    for block in run["attention"].values[look].astype(np.float64):
        back = [sum(row @ (place - np.arange(len(row))) for place, row in enumerate(head)) for head in block]
        ratios.append(max(back) / min(back))
    return np.mean(ratios)


def both_choose(run):
    """The share of the 25 highest rows by s that max minus mean chooses, too."""
    by_s, by_max = (set(run[name].values.argsort()[-25:]) for name in ("unevenness", "max_mean"))
    return len(by_s & by_max) / 25


def told_right(run, network):
    loss, looks = of(run, "loss", network), of(run, "headroom", network)
    pairs = [(looks[at] > 1, loss[e] < loss[e - 1]) for at, e in enumerate(run["histogram_epoch"].values) if e < 200]
    return np.mean([one == other for one, other in pairs])


ANEW = {
    "attention-cost": {
        "map_held_growth": (FIRST, lambda run: held_growth(run, "map")),
        "kernel_held_growth": (FIRST, lambda run: held_growth(run, "kernel")),
        "off_from_even": (FIRST, lambda run: (run["unevenness"].values - run["from_even"].values).max()),
        "off_to_even": (FIRST, lambda run: np.ptp([run["unevenness"].values, run["to_even"].values], axis=0).max()),
        "rows_that_agree": (FIRST, both_choose),
        "order_by_top_weight": (FIRST, lambda run: rank_correlation(run, "unevenness", "top_weight")),
        "prob_sparse_growth": (FIRST, lambda run: attention_growth(run, "prob_sparse")),
        "prob_sparse_sampled_growth": (FIRST, lambda run: attention_growth(run, "prob_sparse_sampled")),
        "prob_sparse_earlier_moved": (FIRST, past_moved),
        "lost_by_score": (FIRST, lambda run: run["error"].values[0, run["asked"].values == 25].item()),
    },
    "depth-gradients": {
        "plain.typical_step": (DEPTH, lambda run: np.median(of(run, "update_to_data", "plain")[:, 1:])),
        "residual.amplification": (DEPTH, lambda run: error_kept(run, "residual")),
        "plain.amplification": (DEPTH, lambda run: error_kept(run, "plain")),
        "residual_over_plain": (DEPTH, lambda run: loss_of(run, "residual") / loss_of(run, "plain")),
        "residual_over_plain_in_training": (
            DEEPER,
            lambda run: of(run, "loss", "residual")[-1] / of(run, "loss", "plain")[-1],
        ),
        "plain.degradation": (DEEPER, lambda run: deepest_beside_others(run, "plain")),
        "residual.degradation": (DEEPER, lambda run: deepest_beside_others(run, "residual")),
        "plain.growth": (DEEPER, gradient_kept),
        "residual.state_change": (DEPTH, lambda run: of(run, "state_change", "residual")[-1].mean()),
        "plain.state_change": (DEPTH, lambda run: of(run, "state_change", "plain")[-1].mean()),
        "plain.headroom_at_first": (EDGE, lambda run: of(run, "headroom", "plain")[0]),
        **{
            f"{name}.headroom_later": (
                EDGE,
                lambda run, name=name: np.median(np.nan_to_num(of(run, "headroom", name)[-11:])),
            )
            for name in ("plain", "residual")
        },
        **{
            f"{name}.told_right": (EDGE, lambda run, name=name: told_right(run, name)) for name in ("plain", "residual")
        },
        "first_steps_over_critical": (
            (*EDGE, *DEPTH, *EDGE),
            lambda probe, *_: 0.5 / of(probe, "headroom", "plain")[0] / 0.5,
        ),
        "training_over_critical": (
            (*EDGE, "break-it-exploding", *DEPTH),
            lambda probe, *_: 0.5 / of(probe, "headroom", "plain")[0] / 0.5,
        ),
        "plain.parameters": (DEPTH, deep_size),
        "residual.parameters": (DEPTH, deep_size),
    },
    "recurrent-gradients": {
        "rnn.worth": (ADDING, lambda run: worth(run, "rnn")),
        "lstm.worth": (ADDING, lambda run: worth(run, "lstm")),
        "gru.worth": (ADDING, lambda run: worth(run, "gru")),
        "lstm_over_rnn": (ADDING, lambda run: loss_of(run, "lstm") / loss_of(run, "rnn")),
        "gru_over_rnn": (ADDING, lambda run: loss_of(run, "gru") / loss_of(run, "rnn")),
        "lstm_reaches_further": (
            ADDING,
            lambda run: of(run, "log_jacobian_norm", "lstm")[-1, -1] - of(run, "log_jacobian_norm", "rnn")[-1, -1],
        ),
        "lstm.farthest": (ADDING, lambda run: of(run, "log_jacobian_norm", "lstm")[-1, -1]),
        "diverges": (("break-it-exploding",), lambda run: float(not np.isfinite(of(run, "loss", "rnn")[-1]))),
        "lstm_size": (ADDING, lambda run: recurrent_size(run, 4) / recurrent_size(run, 1)),
        "gru_size": (ADDING, lambda run: recurrent_size(run, 3) / recurrent_size(run, 4)),
        "scatter_over_largest_batch": (BATCHES, lambda small, _, large: scatter(small) / scatter(large)),
        "scatter_by_batch": (BATCHES, power_of_batch),
    },
    "continuous-depth": {
        "ode.consistent": (("break-it-one-big-step",), lambda run: answers_stay(run, "ode")),
        "residual.consistent": (("as-in-the-document",), lambda run: answers_stay(run, "residual")),
    },
    "ode-rnn": {
        "ode_rnn.beside_plain": (FIRST, lambda run: of(run, "error", "ode_rnn")[-1] / of(run, "error", "gru")[-1]),
        "beside_a_gru_with_gaps": (
            FIRST,
            lambda run: of(run, "error", "ode_rnn")[-1] / of(run, "error", "gru_gap")[-1],
        ),
        "beside_a_gru_with_gaps_after_long_ones": (
            FIRST,
            lambda run: of(run, "long_gap_error", "ode_rnn")[-1] / of(run, "long_gap_error", "gru_gap")[-1],
        ),
        "ode_rnn.refined_ratio": (FIRST, lambda run: of(run, "refined_error")[-1] / of(run, "error", "ode_rnn")[-1]),
    },
    "bert-pretraining": {
        "worth": (FIRST, end_of_words),
        "gained_on_known": (READ, lambda read, unread: tone_right(read, "new draws") - tone_right(unread, "new draws")),
        "gained_on_new": (READ, lambda read, unread: tone_right(read) - tone_right(unread)),
        "above_counting_words": (FIRST, lambda run: tone_right(run) - bag_of_words(run)),
        "next_sentence_gain_on_known": (
            READ,
            lambda with_head, without: tone_right(with_head, "new draws") - tone_right(without, "new draws"),
        ),
        "next_sentence_gain_on_new": (READ, lambda with_head, without: tone_right(with_head) - tone_right(without)),
        "pairs_told": (
            ("with-next-sentence-head",),
            lambda run: run["unseen_next_sentence_accuracy"].sel(look=3000).values[0],
        ),
    },
    "gold-forecast": {
        "r2": (FIRST, saved),
        "r2_gained_by_reading": (
            ("documents-that-move-gold", "as-in-the-document"),
            lambda read, unread: saved(read) - saved(unread),
        ),
    },
    "price-tokens": {
        "rand": (("regimes",), agreement),
        "stay_error": (
            ("regimes",),
            lambda run: abs(stays(run, "fitted_transition") - stays(run, "planted_transition")),
        ),
        "size_gain": (FIRST, lambda run: part_of_gain(run, "gain") - part_of_gain(run, "sign_gain")),
        "sign_gain": (FIRST, lambda run: part_of_gain(run, "gain") - part_of_gain(run, "size_gain")),
        "saved_by_merges": (FIRST, lambda run: -np.diff(merged(run, "as it came"))[0]),
        "saved_by_order": (FIRST, lambda run: merged(run, "shuffled")[1] - merged(run, "as it came")[1]),
        "better_than_before": (("gpt", "as-in-the-document"), lambda before, after: nats(before) - nats(after)),
        "used": (("learned-codes",), in_use),
    },
    "char-language-model": {
        "divergence_at_the_end": (PAIRS, divergence),
        "lowest_over_counts": (PAIRS, lambda run: of(run, "divergence").min()),
        "distance_of_tables": (PAIRS, fitted),
        "distance_unsmoothed": (PAIRS, divergence),
        "share_of_decay": (PAIRS, lambda run: fitted(run) / divergence(run)),
        "spread_of_last_layer": (
            ("break-it-twenty-layers-gain-1",),
            lambda run: first(run, "activation_std")[0, -1],
        ),
        "first_gradient_behind": (NAMES, lambda run: first(run, "gradient_norm", "hidden 1")[0]),
        "later_gradient_behind": (NAMES, lambda run: first(run, "gradient_norm", "hidden 1")[1]),
        "learned": (NAMES, lambda run: first(run, "unigram_dev_loss") - last_dev(run)),
        "vowels_together": (NAMES, vowels),
        "unseen_below_even": ((SHORT,), lambda run: math.log(run.sizes["symbol"]) - first(run, "unseen_loss")),
        "unseen_below_pairs": ((SHORT,), lambda run: first(run, "unseen_pairs_loss") - first(run, "unseen_loss")),
        "dev_of_flat_less_hierarchy": (
            ("as-in-the-document", "hierarchy"),
            lambda flat, hierarchy: last_dev(flat) - last_dev(hierarchy),
        ),
        "parameters_apart": (
            ("as-in-the-document", "hierarchy"),
            lambda flat, hierarchy: (
                abs(first(flat, "parameter_count") - first(hierarchy, "parameter_count"))
                / first(hierarchy, "parameter_count")
            ),
        ),
        "growth_by_context": (
            ("pairs-as-a-network", "as-in-the-document", "hierarchy"),
            lambda *runs: np.divide(*np.diff([first(run, "parameter_count") for run in runs])[::-1]),
        ),
        "growth_by_symbol": (
            ("as-in-the-document", "break-it-few-names"),
            lambda few, many: (
                (first(many, "parameter_count") - first(few, "parameter_count"))
                / (len(many.symbol) - len(few.symbol))
                / (few.embedding_table.shape[-1] + 200 + 1)
            ),
        ),
    },
    "attention-interface": {
        "attention.on_word": (LETTERS, lambda run: of(run, "peak_offset")[-1][3]),
        "attention.near_word": (LETTERS, lambda run: sum(of(run, "peak_offset")[-1][[2, 3, 4]])),
        "attention.longest_right": (LETTERS, lambda run: of(run, "length_accuracy", "attention")[-1][8 - 4]),
        "fixed_vector.longest_right": (LETTERS, lambda run: of(run, "length_accuracy", "fixed_vector")[-1][8 - 4]),
    },
    "neural-programmer": {
        **{
            f"programmer.{name}": (TABLES, lambda run, name=name: of(run, name, "programmer")[-1])
            for name in ("right", "as_asked", "lucky", "gap")
        },
        "more_right": (
            ("break-it-three-columns", "gradient-noise"),
            lambda plain, noisy: of(noisy, "right", "programmer")[-1] - of(plain, "right", "programmer")[-1],
        ),
    },
    "translation-transformer": {
        "layer.right": (("turn-letters-round",), lambda run: of(run, "sequence_accuracy", "layer")[-1]),
        "layer.neighbour_effect": (NORMS, lambda run: of(run, "neighbour_effect", "layer")[-1]),
        "batch.neighbour_effect": (NORMS, lambda run: of(run, "neighbour_effect", "batch")[-1]),
        "greedy_misses": (NORMS, lambda run: of(run, "beam_likelier", "layer").max() > 0),
        "steps_against_no_norm": (
            ("turn-letters-round", *NORMS),
            lambda one, other: first_step_right(one) / first_step_right(other),
        ),
        "self_attention_share": (("turn-letters-round",), lambda run: run["self_share"].values[-1].mean()),
        "most_selfish_head": (("turn-letters-round",), lambda run: run["self_share"].values[-1].max()),
    },
    "neural-turing-machine": {
        "ntm.whole": (COPY, lambda run: of(run, "sequences_right", "ntm")[-1, 1]),
        "ntm.whole_twice": (COPY, lambda run: of(run, "sequences_right", "ntm")[-1, 3]),
        "lstm.whole_twice": (COPY, lambda run: of(run, "sequences_right", "lstm")[-1, 3]),
        "ntm.whole_beyond": (COPY, lambda run: of(run, "sequences_right", "ntm")[-1, 5]),
        "ntm.read_cells": (COPY, lambda run: run["cells_used"].values[-1].ravel()[0]),
        "ntm.write_cells": (COPY, lambda run: run["cells_used"].values[-1].ravel()[1]),
    },
    "attention-against-recurrence": {
        **{
            f"{name}.far": (MARKED, lambda run, name=name: of(run, "accuracy_by_distance", name)[-1, -1])
            for name in ("rnn", "lstm", "transformer")
        },
        **{
            f"{name}.reach_at_first": (MARKED, lambda run, name=name: of(run, "input_gradient", name)[0, -1])
            for name in ("rnn", "lstm", "transformer")
        },
        "lstm_steps_in_a_row": (MARKED, lambda run: 1024),
        "encoder_steps_in_a_row": (MARKED, lambda run: 1),
        "encoder_work_at_64": (MARKED, lambda run: encoder_work(64) / lstm_work(64)),
        "encoder_work_at_1024": (MARKED, lambda run: encoder_work(1024) / lstm_work(1024)),
    },
    "adaptive-computation": {
        "tau.correlation": (("read-until-stop",), lambda run: of(run, "correlation", "tau")[-1]),
        "steps_saved": (
            ("the-price-of-time",),
            lambda run: (of(run, "step_share", "free") - of(run, "step_share", "tau"))[-1] @ run["ponder_step"].values,
        ),
        "accuracy_kept": (
            ("the-price-of-time",),
            lambda run: of(run, "accuracy", "tau")[-1] - of(run, "accuracy", "free")[-1],
        ),
    },
    "series-attention": {
        "transformer.apart": (BUMPS, lambda run: of(run, "bumps_apart", "transformer")[-1]),
        "beside_other": (
            ("a-week-of-five-days", "break-it-longer-than-trained"),
            lambda one, other: (
                of(one, "horizon_error", "transformer")[-1].sum() / of(other, "horizon_error", "transformer")[-1].sum()
            ),
        ),
        "gap_beside_other": (
            ("a-week-of-five-days", "break-it-longer-than-trained"),
            lambda one, other: unlearned(one) - unlearned(other),
        ),
        "transformer.recovered": (MOVES, lambda run: of(run, "recovered", "transformer")[-1]),
        "peak_beside_other": ((SHORT, *MOVES), lambda one, other: longest_step(one) / longest_step(other)),
        "dead_beside_other": ((SHORT, *MOVES), lambda one, other: dead(one) - dead(other)),
        "beyond_training": (LONGER, lambda run: rows_of(run)[90:].sum() / rows_of(run)[20:30].sum() / 3),
        "product_spread": (LONGER, lambda run: max(of(run, "position_spread")[-1])),
        "nearest_product": (LONGER, lambda run: of(run, "position_product")[-1][1]),
        "at_the_period": (LONGER, lambda run: of(run, "position_product")[-1][1:21] @ PERIODIC),
    },
    "char-gpt": {
        "largest_weight_at_start": (FIRST, lambda run: first(run, "attention_peak")[0].mean()),
        "peak_over_twin": (
            GPTS,
            lambda one, other: first(one, "attention_peak")[-1].mean() / first(other, "attention_peak")[-1].mean(),
        ),
        "dev_over_twin": (GPTS, lambda one, other: last_dev(one) - last_dev(other)),
        "ends_higher": (GPTS, lambda one, other: float(last_dev(one) > last_dev(other))),
        "heads_apart": (FIRST, lambda run: looked_back(run, -1)),
        "heads_apart_at_start": (FIRST, lambda run: looked_back(run, 0)),
        "growth": (FIRST, lambda run: first(run, "residual_variance")[0, -1] / first(run, "residual_variance")[0, 0]),
        "saved": (
            ("pieces-of-bytes", "small-to-compare"),
            lambda one, other: (
                (first(one, "parameter_count") - first(other, "parameter_count"))
                / (json.loads(one.attrs["settings"])["width"] * one.sizes["token"])
            ),
        ),
        "loss_with_a_view": (
            ("break-it-no-mask",),
            lambda run: np.mean(first(run, "position_loss")[-1][run.sizes["position"] // 2 : -1]),
        ),
        "loss_without_a_view": (
            ("break-it-no-mask",),
            lambda run: first(run, "position_loss")[-1, -1] - run["bigram_position_loss"].values[-1],
        ),
    },
    "inside-bert": {
        "off_one": (FIRST, off_by_one),
        "moved_without_positions": (FIRST, lambda run: moved(run, "without")),
        "moved_with_positions": (FIRST, lambda run: moved(run, "with")),
        "looks_left": (FIRST, lambda run: given(run, -1)),
        "looks_right": (FIRST, lambda run: given(run, 1)),
        "on_itself": (FIRST, on_itself),
        "relations": (FIRST, relations),
    },
    "jacobian-lens": {
        "left_at_the_end": (FIRST, lambda run: np.nanmax(run["singular_value"].values[-1])),
        "highest": (FIRST, lambda run: np.nanmax(run["singular_value"].values)),
        "over_the_bound": (
            FIRST,
            lambda run: max(
                float(size - lag * np.log10(run.attrs["spectral_norm"] * run.attrs["largest_slope"]))
                for lag, size in enumerate(run["singular_value"].values[:, 0])
                if lag
            ),
        ),
        "cell_path_kept": (("fix-it-forget-gate-open",), lambda run: a_step(run, "cell_path")),
        "state_kept": (("fix-it-keep-the-state",), lambda run: a_step(run, "norm")),
    },
    "lstm-valves": {
        "left_after_ten": (FIRST, lambda run: run["cell"].values[run.sizes["step"] - 11] / run["cell"].values[-1]),
        "entering": (
            ("fix-it-forget-gate-open", "as-in-the-document"),
            lambda one, other: other["cell"].values[-1] / one["cell"].values[-1],
        ),
    },
    "gold-market": {
        "too_early": (
            ("break-it-join-by-calendar-date",),
            lambda run: run["too_early"].values[1:].sum() / run["placed"].values[1:].sum(),
        ),
    },
    "residual-flow": {
        "euler_order": (FIRST, lambda run: order_of(run, "euler")),
        "midpoint_order": (FIRST, lambda run: order_of(run, "midpoint")),
        "rk4_order": (FIRST, lambda run: order_of(run, "rk4")),
    },
    "text-tokens": {
        "tokens_right_to_left": (FIRST, lambda run: text_sizes(run)[1] / text_sizes(run)[0]),
        "corpus_pieces_right_to_left": (
            FIRST,
            lambda run: run["corpus_pieces"].values[1] / run["corpus_pieces"].values[0],
        ),
        "tokens_left_to_right": (FIRST, lambda run: text_sizes(run)[0] / text_sizes(run)[1]),
        "mixed_left": (FIRST, lambda run: mixed(run, "left")),
        "mixed_right": (FIRST, lambda run: mixed(run, "right")),
    },
}


def test_every_measure_of_a_claim_is_here():
    there = {(lab, name) for names in (ANEW, FROM_THE_PAGE) for lab, found in names.items() for name in found}
    assert set(MEASURES) - there == set()


@pytest.mark.parametrize(("lab", "name"), [one for one in MEASURES if one[1] in ANEW.get(one[0], {})])
def test_a_claim_measures_what_the_arrays_hold(lab, name):
    presets, anew = ANEW[lab][name]
    runs = [run_of(lab, preset) for preset in presets]
    measured = MEASURES[lab, name].first(*runs)
    # Arrays are recorded in float32, and sums of them differ in the last digits.
    assert measured == pytest.approx(float(anew(*runs)), rel=2e-5, abs=1e-7)
