"""What does not fit between documents, the model that read them and a market, said before anything is trained."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd

from goldviz.arrays.labelled import Run
from goldviz.data.markets.market import Market
from goldviz.data.texts.dated_texts import DatedTexts

LONG_SILENCE_DAYS = 180
"""Days without a document, at an end of the market, that are worth a sentence."""
FLAT = 0.1
"""Tones from -1 to 1 of which nine in ten lie within so much of one another tell documents hardly apart."""
CENTRAL = (5, 95)
FEWEST_JUDGED = 8
"""Documents below which a flat tone may be chance."""
NAMED = 3


def of_kinds(documents: DatedTexts, kinds: Collection[str]) -> tuple[DatedTexts | None, list[int]]:
    """The documents of these kinds, None where there are none, and their numbers."""
    numbers = [number for number, text in enumerate(documents.texts) if (text.kind or "document") in kinds]
    texts = tuple(documents.texts[number] for number in numbers)
    return (replace(documents, texts=texts) if texts else None), numbers


def no_tone(dataset: Run) -> str:
    """Why these documents have no tone; empty where they have one."""
    if dataset["balance"].notnull().any():
        return ""
    model, labels = dataset.attrs["model"], [str(label) for label in dataset["label"].values]
    because = f"knows {', '.join(labels)}, not positive and negative" if labels else "has no classifier"
    return f"Tone is not offered: {model} {because}. For a tone choose a FinBERT under Change model."


def flat_tone(dataset: Run, rows: Sequence[int]) -> str:
    """Whether the model reads nearly the same tone in all chosen documents, and what to do; empty where it does not."""
    tones = dataset["balance"].values[list(rows)]
    tones = tones[np.isfinite(tones)]
    if len(tones) < FEWEST_JUDGED:
        return ""
    low, high = np.percentile(tones, CENTRAL)
    if high - low > FLAT:
        return ""
    between = f"{low:+.2f} and {high:+.2f}".replace("-", "−")
    return (
        f"The tone is flat: {dataset.attrs['model']} puts nine in ten of these {len(tones)} documents between "
        f"{between}. A forecast can hardly learn from it. Choose a FinBERT under Change model, or leave Tone off."
    )


def overlap(documents: DatedTexts, market: Market) -> list[str]:
    """Sentences on documents that are out before or after the market, and on long times of it without any."""
    out = documents.release.moments(documents.release_days)
    begins, ends = market.target.release.moments(pd.DatetimeIndex([market.target.observed.index[0], market.last]))
    before, after = int((out <= begins).sum()), int((out > ends).sum())
    inside = out[(out > begins) & (out <= ends)]
    count = len(documents.texts)
    if not len(inside):
        return [
            f"None of the {count} documents is out between {begins:%Y-%m-%d} and {ends:%Y-%m-%d}, the days of your "
            "market. Bring documents of that time, or change the market."
        ]
    sentences = []
    if after:
        sentences.append(
            f"{after} of {count} documents {_is(after)} out after your market ends on {ends:%Y-%m-%d}: no forecast "
            f"reads {'it' if after == 1 else 'them'}. Bring a market that goes on longer."
        )
    if before:
        sentences.append(
            f"{before} of {count} documents {_is(before)} out before your market begins on {begins:%Y-%m-%d}."
        )
    if (inside[0] - begins).days > LONG_SILENCE_DAYS:
        sentences.append(
            f"Your market begins on {begins:%Y-%m-%d}, the first of these documents is out on {inside[0]:%Y-%m-%d}: "
            "let forecasts begin after that."
        )
    if (ends - inside[-1]).days > LONG_SILENCE_DAYS:
        sentences.append(
            f"The last document is out on {inside[-1]:%Y-%m-%d}, and your market goes on until {ends:%Y-%m-%d}: until "
            "then a forecast has only that document. Bring later ones."
        )
    return sentences


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def unwritten(documents: DatedTexts, market: Market) -> str:
    """Meetings during the market whose row has no text, and what to do; empty where there are none."""
    first, last = market.target.observed.index[0].date(), market.last.date()
    missing = [day for day in documents.unwritten if first <= day <= last]
    if not missing:
        return ""
    days = ", ".join(map(date.isoformat, missing[:NAMED])) + (" and others" if len(missing) > NAMED else "")
    one = len(missing) == 1
    return (
        f"{len(missing)} meeting{' has' if one else 's have'} no text in {documents.origin}: {days}. A forecast goes "
        f"on with the document before {'it' if one else 'each'}. Bring {'its text' if one else 'their texts'}."
    )


def misfits(documents: DatedTexts, dataset: Run, market: Market, kinds: Collection[str], *, tone: bool) -> list[str]:
    """All that should be known before documents of these kinds, or with ``tone`` their tone, join this market."""
    read, numbers = of_kinds(documents, kinds)
    if read is None:
        return []
    flat = flat_tone(dataset, numbers) if tone else ""
    return [sentence for sentence in (*overlap(read, market), unwritten(read, market), flat) if sentence]
