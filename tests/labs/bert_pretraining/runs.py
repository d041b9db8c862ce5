"""Datasets of *Pre-training and fine-tuning* built by hand, with the shapes that its networks are known to show."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import xarray as xr

from goldviz.labs.bert_pretraining.settings import BASELINES, TONE_SETS, TONES, BertPretraining, names_of_parts
from tests.labs.layer_readings import BINS, layer_readings

PIECES = [
    "[CLS]",
    "the",
    "committee",
    "decided",
    "to",
    "[MASK]",
    "the",
    "target",
    "range",
    "because",
    "inflation",
    "remains",
    "elevated",
    ".",
    "[SEP]",
]
CANDIDATES = ["raise", "lower", "the", "maintain", "keep", "of", "increase", ".", "reduce", "percent"]
ANSWER = "raise"
KINDS = ["statement", "negation", "contrast", "comparison", "question"]
BAG_BY_KIND = np.array([0.9, 0.45, 0.5, 0.72, 0.6])
VOCABULARY = 1000
UNIGRAM = 5.1


def places_of(pieces: list[str]) -> list[str]:
    """Labels of the probe's pieces, as a run gives them."""
    return [f"{place} {piece}" for place, piece in enumerate(pieces)]


def _drawn_order(noise: np.random.Generator) -> np.ndarray:
    """Places of the probe's pieces: the special ones at both ends are only read."""
    return np.array([0, *(noise.permutation(len(PIECES) - 2) + 1), 0])


def build(
    *,
    words: int = 1600,
    tone: int = 300,
    look_every: int = 100,
    layers: int = 2,
    heads: int = 4,
    seeds: int = 1,
    frozen: bool = False,
) -> xr.Dataset:
    """A run whose masked loss falls from ln V below word frequencies, and whose tone then beats the bag of words.

    Head h of the first layer comes to look h places back; those of the second look at [SEP] more and more.
    """
    noise = np.random.default_rng(0)
    step = np.arange(1, words + tone + 1)
    phase = np.where(step <= words, 1, 2)
    look = np.unique([1, words, words + tone, *step[step % look_every == 0]])
    look = look[look > 0]
    parts = names_of_parts("masked_words", layers)
    first, second = phase == 1, phase == 2

    def wobble(*shape: int, size: float = 0.1) -> np.ndarray:
        return np.exp(size * noise.standard_normal(shape))

    uniform = np.log(VOCABULARY)

    def masked_loss(at: np.ndarray) -> np.ndarray:
        return 1.8 + (uniform - 1.8) * np.exp(-4 * np.minimum(at, words) / max(words, 1)) if words else 0 * at + uniform

    into = np.clip((look - words) / max(tone, 1), 0, 1)
    done = np.clip(look / max(words, 1), 0, 1)
    loss = np.where(first, masked_loss(step), 1.1 * np.exp(-3 * np.clip(step - words, 0, None) / max(tone, 1)))
    unseen = masked_loss(look) * 1.05 + 0.8 * into
    learned = 0.34 + np.stack([0.58, 0.42] * 1)[None, :] * into[:, None] ** 0.5
    in_tone = (look > words)[:, None, None]
    kind_end = np.array([0.97, 0.8, 0.85, 0.9, 0.75])
    kinds = 0.34 + (kind_end - 0.34) * into[:, None] ** 0.5
    right = np.full((len(TONES), len(TONES)), 0.05) + 0.85 * np.eye(len(TONES))
    size = len(PIECES)
    even, shift = np.full((size, size), 1 / size), np.eye(size)
    attention = np.empty((len(look), layers, heads, size, size))
    for layer in range(layers):
        for head in range(heads):
            goal = np.roll(shift, -head - 1, axis=1) if layer == 0 else np.tile(shift[-1], (size, 1))
            share = 0.9 * done * (1 - head / (2 * heads))
            attention[:, layer, head] = (1 - share)[:, None, None] * even + share[:, None, None] * goal
    weights = np.where(attention > 0, attention, 1)
    entropy = -(attention * np.log2(weights)).sum(-1).mean(-1)
    places = np.arange(size)
    distance = (attention * np.abs(places[:, None] - places)).sum(-1).mean(-1)
    special = attention[..., [0, -1]].sum(-1).mean(-1)
    goals = np.array([0.55, 0.2, 0.01, 0.08, 0.06, 0.004, 0.03, 0.005, 0.02, 0.001])
    chances = np.exp((1 - done)[:, None] * np.log(1 / VOCABULARY) + done[:, None] * np.log(goals))
    gradient = 0.3 * 1.3 ** np.arange(len(parts)) * wobble(len(step), seeds, len(parts), size=0.3)
    gradient[first, :, -1] = 0
    gradient[second, :, -2] = 0
    if frozen:
        gradient[second, :, :-1] = 0
    update = 1e-3 * wobble(len(look), seeds, len(parts), size=0.4)
    update[look <= words, :, -1] = 0
    update[look > words, :, -2] = 0
    norm = np.sqrt((gradient**2).sum(-1))
    warm = np.where(
        first, np.minimum(step / max(0.1 * words, 1), 1), np.minimum((step - words) / max(0.1 * tone, 1), 1)
    )
    fall = np.where(first, step / max(words, 1), (step - words) / max(tone, 1))
    rate = np.where(first, 2e-3, 5e-4) * warm * (1 + np.cos(np.pi * fall)) / 2
    step_shape, look_shape = (len(step), seeds), (len(look), seeds)

    def by_seed(values: np.ndarray, axis: int = 1, noise_size: float = 0.02) -> np.ndarray:
        repeated = np.repeat(np.expand_dims(values, axis), seeds, axis=axis)
        return repeated * wobble(*repeated.shape, size=noise_size)

    def shares(values: np.ndarray) -> np.ndarray:
        return np.clip(by_seed(values, noise_size=0.01), 0, 1)

    data: dict[str, Any] = {
        "phase": phase,
        "learning_rate": rate,
        "loss": by_seed(loss, noise_size=0.08),
        "masked_accuracy": np.where(first[:, None], 0.6 * by_seed(step / len(step)), np.nan),
        "tone_accuracy": np.where(second[:, None], np.clip(by_seed(0.34 + 0.6 * fall), 0, 1), np.nan),
        "gradient_norm": norm,
        "clipped": (norm > 1).astype(float),
        "part_gradient_norm": gradient,
        "update_to_data": update,
        "gradient_to_data": 10 * update,
        **layer_readings(BertPretraining.variables, {"look": len(look), "part": len(parts)}),
        "unseen_masked_loss": by_seed(unseen),
        "next_sentence_loss": np.where(first[:, None], by_seed(0.69 - 0.3 * step / len(step)), np.nan),
        "unseen_next_sentence_accuracy": shares(0.5 + 0.4 * done),
        "start_tone_accuracy": np.where(in_tone, shares(learned - 0.05), np.nan),
        "factorisation_order": np.stack([_drawn_order(noise) for _ in look]),
        "unseen_masked_accuracy": 0.6 * by_seed(done),
        "unseen_tone_accuracy": np.where(in_tone, shares(learned), np.nan),
        "unseen_tone_loss": np.where(in_tone, by_seed(1.2 - learned), np.nan),
        "kind_tone_accuracy": np.where(in_tone, shares(kinds), np.nan),
        "confusion": np.where(
            (look > words)[:, None, None, None, None], np.ones((*look_shape, len(TONE_SETS), 1, 1)) * right, np.nan
        ),
        "head_entropy": by_seed(entropy, noise_size=0.005),
        "head_distance": by_seed(distance),
        "head_special": shares(special),
        "attention": attention,
        "probe_probability": chances,
        "probe_rank": np.round(np.repeat(np.exp((1 - done) * np.log(400))[:, None], seeds, axis=1)),
        "uniform_loss": np.array(uniform),
        "unigram_loss": np.array(UNIGRAM),
        "unigram_accuracy": np.array(0.07),
        "baseline_tone_accuracy": np.array([[0.71, 0.55], [0.34, 0.33]]),
        "baseline_kind_accuracy": np.stack([BAG_BY_KIND, np.full(len(KINDS), 0.33)]),
        "kind_count": np.array([300, 160, 140, 120, 80]),
        "parameter_count": 1000 * np.arange(1, len(parts) + 1),
    }
    declared = BertPretraining.variables
    assert data["loss"].shape == step_shape
    return xr.Dataset(
        {
            name: (declared[name].dims, np.array(value), {"long_name": declared[name].long_name})
            for name, value in data.items()
        },
        coords={
            "step": step,
            "look": look,
            "seed": np.arange(seeds),
            "part": parts,
            "tone_set": list(TONE_SETS),
            "kind": KINDS,
            "tone": list(TONES),
            "judged": list(TONES),
            "layer": np.arange(1, layers + 1),
            "head": np.arange(1, heads + 1),
            "query": places_of(PIECES),
            "key": places_of(PIECES),
            "candidate": CANDIDATES,
            "baseline": list(BASELINES),
            **BINS,
        },
        attrs={"marks": json.dumps([]), "title": "", "status": "finished", "probe_answer": ANSWER},
    )
