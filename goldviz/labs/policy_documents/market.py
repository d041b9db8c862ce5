"""Channels of a market out of encoded documents, none of which knows what was written later."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pandas as pd

from goldviz.arrays.labelled import Run
from goldviz.data.markets.market import Channel, Market
from goldviz.data.markets.release_words import release_words
from goldviz.data.markets.statements import answering_market
from goldviz.data.markets.text_channels import (
    TONE_CHANNEL,
    SameDay,
    TextSeries,
    axes_note,
    same_day_note,
    text_channels,
    with_text_channels,
)
from goldviz.data.texts.dated_texts import DatedTextError, DatedTexts
from goldviz.labs.policy_documents.compute import LEAST_FITTED, previous_of
from goldviz.labs.policy_documents.document_map import cosine_change, principal_axes

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


@dataclass(frozen=True)
class ChannelChoice:
    """Which numbers of the documents become channels.

    ``kinds`` are the kinds of documents that count. The ``components`` first principal components are fitted on the
    documents released before ``fitted_before``.
    """

    kinds: tuple[str, ...]
    tone: bool = True
    change: bool = True
    components: int = 0
    fitted_before: date = date(1900, 1, 1)
    same_day: SameDay = "last"


def document_channels(documents: DatedTexts, dataset: Run, choice: ChannelChoice) -> list[Channel]:
    """Tone, change and principal components of the documents as channels.

    ``dataset`` is that of :func:`goldviz.labs.policy_documents.compute.compute` for the same
    documents. A later document has no part in an earlier value, to the last bit, but for components of documents that
    were themselves fitted: those know the others before ``fitted_before``.

    Raises :class:`goldviz.data.texts.dated_texts.DatedTextError` where nothing is chosen, and where fewer than three
    documents were released before ``fitted_before``.
    """
    chosen, numbers = of_kinds(documents, choice.kinds)
    if chosen is None or not (choice.tone or choice.change or choice.components):
        raise DatedTextError("No channel is chosen; take at least a kind of documents and a number of them.", "too_few")
    vectors, balance = dataset["vector"].values[numbers], dataset["balance"].values[numbers]
    series: list[TextSeries] = []
    if choice.tone:
        series.append(TextSeries(TONE_CHANNEL, "Tone of policy documents", balance))
    if choice.change:
        changes = cosine_change(vectors, previous_of(chosen))
        series.append(TextSeries("text change", "Change of policy documents", changes))
    if choice.components:
        early = np.array([text.released < choice.fitted_before for text in chosen.texts])
        if early.sum() < LEAST_FITTED:
            raise DatedTextError(
                f"{early.sum()} documents were released before {choice.fitted_before}; the components need at least "
                f"{LEAST_FITTED}. Choose a later day.",
                "too_few",
            )
        places = principal_axes(vectors[early], choice.components).coordinates(vectors)
        series += [
            TextSeries(f"text pc{number + 1}", f"Component {number + 1} of policy documents", places[:, number])
            for number in range(places.shape[1])
        ]
    return text_channels(chosen, series, choice.same_day)


def market_with_documents(market: Market, documents: DatedTexts, dataset: Run, choice: ChannelChoice) -> Market:
    """The market with the documents' channels after its own, and what should be known of them in its notes.

    Raises :class:`goldviz.data.markets.market.MarketError` where no document is out while the market lasts, and as
    :func:`document_channels` does.
    """
    channels = document_channels(documents, dataset, choice)
    out = release_words(documents.release)
    general = [
        f"Known from {out} on the day of release.",
        f"Encoded by {dataset.attrs['model']}, pooled by {dataset.attrs['pooling']}; a model that was trained on texts "
        "of these years knows of them.",
        _kinds_note(choice.kinds),
        same_day_note(documents, choice.same_day),
        *misfits(documents, dataset, market, choice.kinds, tone=choice.tone),
    ]
    notes = {channels[0].name: " ".join(filter(None, general))}
    first_component = next((channel.name for channel in channels if channel.name.startswith("text pc")), "")
    if first_component:
        note = axes_note(choice.fitted_before)
        notes[first_component] = " ".join(filter(None, [notes.get(first_component, ""), note]))
    return with_text_channels(market, channels, notes, documents.origin)


def market_that_answers(seed: int, documents: DatedTexts, dataset: Run, choice: ChannelChoice, size: float) -> Market:
    """The simulated market of this seed with a planted response to the tone of the chosen documents: a positive
    control. A ``size`` of 0 plants nothing.

    Raises as :func:`document_channels` does.
    """
    if not size:
        return answering_market(seed, pd.Series(dtype=float), size)
    [tone] = document_channels(documents, dataset, replace(choice, tone=True, change=False, components=0))
    return answering_market(seed, tone.observed, size)


def _kinds_note(kinds: tuple[str, ...]) -> str:
    if len(kinds) == 1:
        return f"Of the kind {kinds[0]} alone."
    return f"Of the kinds {', '.join(kinds)} in one channel: mixing kinds blurs its changes."
