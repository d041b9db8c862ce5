"""*Pre-training and fine-tuning*, trained once more by transformers' BERT and torch.optim.

Drawn weights, texts, batches and masks are the laboratory's; layers, losses, schedule, steps and readings are made
anew, in double precision.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
import xarray as xr
from sklearn.linear_model import LogisticRegression
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

import goldviz.api
from goldviz.labs.bert_pretraining.network import BertLearner, bert_learner
from goldviz.labs.bert_pretraining.settings import BertPretraining
from goldviz.labs.bert_pretraining.texts import PretrainingTexts, hide, pretraining_texts
from goldviz.models.text.folder import bert_config, bert_tensors
from goldviz.models.text.model import TextModel
from tests.thinned import thinned

SEED, WORDS, TONE = 13, 5, 4
SHARED = {
    "texts": 90,
    "labelled": 45,
    "vocabulary": 350,
    "longest": 30,
    "layers": 3,
    "heads": 2,
    "width": 12,
    "inner": 20,
    "pretraining_steps": WORDS,
    "fine_tuning_steps": TONE,
    "batch": 6,
    "look_every": 2,
    "text_seed": 5,
    "seeds": (SEED,),
    "device": "cpu",
    "learning_rate": 4e-3,
    "fine_tuning_rate": 2e-3,
    "warm_up": 0.4,
}
CASES: dict[str, dict[str, Any]] = {
    "clipped": {"clip": 0.6, "weight_decay": 0.1, "masked_share": 0.3},
    "rehearsed": {"clip": 0.0, "rehearsal": 0.7},
    "frozen": {"frozen": True, "masked_share": 0.5},
}
CLOSE = {"rtol": 2e-3, "atol": 2e-5}
"""The laboratory computes in float32."""


class Twin:
    """The same run by transformers and torch.optim, step by step; readings by the laboratory's names."""

    def __init__(self, case: str) -> None:
        self.settings = BertPretraining(**SHARED | CASES[case])
        self.data: PretrainingTexts = pretraining_texts(self.settings)
        self.streams: BertLearner = bert_learner(self.settings, len(self.data.vocabulary), SEED, torch.device("cpu"))
        self.speaker, self.judge = _transformers(self.streams, self.data)
        self.read: dict[str, list[float]] = {}
        self.looks: dict[str, list[float]] = {}
        pretraining = _adamw([*self.speaker.named_parameters()], self.settings)
        # Rehearsal goes on with the masked-word head; where nothing asks for it, it has no gradient and stays.
        tuned = [*self.judge.named_parameters(), *self.speaker.cls.named_parameters("cls")]
        if self.settings.frozen:
            tuned = [(name, one) for name, one in tuned if name.startswith(("classifier", "bert.pooler"))]
        tuned = [*{id(one): (name, one) for name, one in tuned}.values()]
        fine_tuning = _adamw(tuned, self.settings)
        for step in range(1, WORDS + TONE + 1):
            self._step(step, pretraining if step <= WORDS else fine_tuning)

    def _step(self, step: int, optimiser: torch.optim.Optimizer) -> None:
        settings = self.settings
        first, steps, peak = (
            (0, WORDS, settings.learning_rate) if step <= WORDS else (WORDS, TONE, settings.fine_tuning_rate)
        )
        rate = _rate(step - first, steps, settings.warm_up, peak)
        self._note(self.read, learning_rate=rate)
        for group in optimiser.param_groups:
            group["lr"] = rate
        for model in (self.speaker, self.judge):
            model.zero_grad()
        loss = self._masked_loss() if step <= WORDS else self._tone_loss()
        loss.backward()
        # Both models share the encoder; each has heads of its own.
        weights = list({id(one): one for model in (self.speaker, self.judge) for one in model.parameters()}.values())
        # A frozen encoder has no gradient, though autograd gives one.
        if step > WORDS and settings.frozen:
            weights = [one for group in optimiser.param_groups for one in group["params"]]
        norm = clip_grad_norm_(weights, settings.clip or math.inf)
        self._note(self.read, gradient_norm=norm.item(), clipped=float(norm > settings.clip > 0))
        optimiser.step()
        if step % settings.look_every == 0 or step in (1, WORDS, WORDS + 1, WORDS + TONE):
            self._look(step)

    def _masked_loss(self) -> torch.Tensor:
        rows = torch.randint(len(self.data.texts), (self.settings.batch,), generator=self.streams.order)
        pieces, present = self.data.texts.rows(rows)
        shown, answers = hide(pieces, self.data.vocabulary, self.streams.masks, self.settings.masked_share)
        logits = self.speaker(shown, attention_mask=present.long()).logits
        loss = cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=-100)
        self._note(self.read, masked_loss=loss.item())
        return loss

    def _tone_loss(self) -> torch.Tensor:
        chosen = torch.randint(len(self.data.labelled.tones), (self.settings.batch,), generator=self.streams.tone_order)
        pieces, present = self.data.labelled.texts.rows(chosen)
        logits = self.judge(pieces, attention_mask=present.long()).logits
        loss = cross_entropy(logits, self.data.labelled.tones[chosen])
        self._note(self.read, tone_loss=loss.item())
        if self.settings.rehearsal and not self.settings.frozen:
            return loss + self.settings.rehearsal * self._masked_loss()
        return loss

    @torch.no_grad()
    def _look(self, step: int) -> None:
        """Unseen masked words, and the tone of unseen texts."""
        pieces, lengths = self.data.unseen.shown.pieces, self.data.unseen.shown.lengths
        present = torch.arange(pieces.shape[1]) < lengths[:, None]
        logits = self.speaker(pieces, attention_mask=present.long()).logits
        asked = self.data.unseen.answers >= 0
        answers = self.data.unseen.answers[asked]
        self._note(
            self.looks,
            look=step,
            unseen_masked_loss=cross_entropy(logits[asked], answers).item(),
            unseen_masked_accuracy=(logits[asked].argmax(-1) == answers).double().mean().item(),
        )
        if step > WORDS:
            self._note(self.looks, right=[self._right(judged) for judged in self.data.tone_sets])

    def _right(self, judged: Any) -> float:
        present = torch.arange(judged.texts.pieces.shape[1]) < judged.texts.lengths[:, None]
        found = self.judge(judged.texts.pieces, attention_mask=present.long()).logits.argmax(-1)
        return float((found == judged.tones).double().mean())

    def _note(self, where: dict[str, list[Any]], **values: Any) -> None:
        for name, value in values.items():
            where.setdefault(name, []).append(value)


def _transformers(one: BertLearner, data: PretrainingTexts) -> tuple[BertForMaskedLM, BertForSequenceClassification]:
    """Both models with the laboratory's first weights, around one encoder."""
    network = one.network
    shell = TextModel(
        "twin",
        network.encoder,
        data.tokeniser,
        network.masked_words,
        network.classifier,
        ("negative", "neutral", "positive"),
        "",
    )
    known = {name: weights.double() for name, weights in bert_tensors(shell).items()}
    asked = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    config = BertConfig(**{**bert_config(network.encoder.shape, shell.labels), **asked})
    speaker, judge = BertForMaskedLM(config).double(), BertForSequenceClassification(config).double()
    for model in (speaker, judge):
        left = model.load_state_dict(known, strict=False).missing_keys
        assert all(name.startswith("cls.predictions.decoder") or "position_ids" in name for name in left), left
        model.eval()
    speaker.tie_weights()
    # One encoder for both: what masked words teach is where the tone begins.
    judge.bert.embeddings, judge.bert.encoder = speaker.bert.embeddings, speaker.bert.encoder
    return speaker, judge


def _adamw(named: list[tuple[str, torch.nn.Parameter]], settings: BertPretraining) -> torch.optim.Optimizer:
    groups = [
        {"params": [one for _, one in named if one.ndim > 1], "weight_decay": settings.weight_decay},
        {"params": [one for _, one in named if one.ndim == 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=1.0)


def _rate(step: int, steps: int, warm_up: float, peak: float) -> float:
    """Document 002's warm-up and cosine decay, to a hundredth of the peak."""
    rising = warm_up * steps
    if step <= rising:
        return peak * step / rising
    lowest = peak / 100
    return lowest + (peak - lowest) * (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2


@pytest.fixture(scope="module", params=thinned(CASES))
def both(request: pytest.FixtureRequest) -> tuple[Twin, xr.Dataset]:
    twin = Twin(request.param)
    return twin, goldviz.api.run(twin.settings, progress=False).isel(seed=0)


def test_every_step(both: tuple[Twin, xr.Dataset]) -> None:
    twin, ds = both
    np.testing.assert_allclose(ds["learning_rate"], twin.read["learning_rate"], rtol=1e-6)
    losses = [*twin.read["masked_loss"][:WORDS], *twin.read["tone_loss"]]
    np.testing.assert_allclose(ds["loss"], losses, **CLOSE)
    np.testing.assert_allclose(ds["gradient_norm"], twin.read["gradient_norm"], **CLOSE)
    assert ds["clipped"].values.tolist() == twin.read["clipped"]


def test_every_look(both: tuple[Twin, xr.Dataset]) -> None:
    twin, ds = both
    assert ds["look"].values.tolist() == twin.looks["look"]
    for name in ("unseen_masked_loss", "unseen_masked_accuracy"):
        np.testing.assert_allclose(ds[name], twin.looks[name], **CLOSE)
    tone = ds["unseen_tone_accuracy"].sel(look=ds["look"] > WORDS)
    np.testing.assert_allclose(tone, twin.looks["right"], atol=0.003)
    assert ds["unseen_tone_accuracy"].sel(look=ds["look"] <= WORDS).isnull().all()


def test_what_the_numbers_are_held_against(both: tuple[Twin, xr.Dataset]) -> None:
    twin, ds = both
    data, size = twin.data, len(twin.data.vocabulary)
    special = set(data.tokeniser.all_special_ids)
    counts = Counter(int(piece) for piece in data.texts.pieces.flatten() if int(piece) not in special)
    total = sum(counts.values()) + size
    answers = data.unseen.answers[data.unseen.answers >= 0].tolist()
    unigram = -np.mean([math.log((counts[answer] + 1) / total) for answer in answers])
    assert float(ds["uniform_loss"]) == pytest.approx(math.log(size), rel=1e-6)
    assert float(ds["unigram_loss"]) == pytest.approx(unigram, rel=1e-6)
    most = Counter(data.labelled.tones.tolist()).most_common(1)[0][1]
    tones = [tone for tone, count in Counter(data.labelled.tones.tolist()).items() if count == most]
    shares = [float((judged.tones == min(tones)).double().mean()) for judged in data.tone_sets]
    np.testing.assert_allclose(ds["baseline_tone_accuracy"].sel(baseline="majority"), shares, rtol=1e-6)


@pytest.mark.slow
def test_a_bag_of_words_by_hand(both: tuple[Twin, xr.Dataset]) -> None:
    twin, ds = both
    labelled = twin.data.labelled
    split = [[word for word in _words(text) if len(word) > 1] for text in labelled.written]
    known = sorted({word for words in split for word in words})
    counted = np.array([[words.count(word) for word in known] for words in split])
    judge = LogisticRegression(max_iter=2000).fit(counted, labelled.tones.numpy())
    for place, texts in enumerate(twin.data.tone_sets):
        unseen = np.array([[_words(text).count(word) for word in known] for text in texts.written])
        right = float((judge.predict(unseen) == texts.tones.numpy()).mean())
        assert float(ds["baseline_tone_accuracy"].sel(baseline="bag of words")[place]) == pytest.approx(right, abs=1e-6)


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text.lower()).split()
