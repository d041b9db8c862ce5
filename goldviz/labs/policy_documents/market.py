"""Channels of a market out of encoded documents, none of which knows what was written later."""

from __future__ import annotations

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
from goldviz.labs.policy_documents.document_map import principal_axes
from goldviz.labs.policy_documents.fit import misfits, of_kinds
from goldviz.labs.policy_documents.similarity import cosine_change


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
