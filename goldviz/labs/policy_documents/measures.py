"""What pages tell of a document and of its change, each number in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


@dataclass(frozen=True)
class DocumentRead:
    """One document as the model read it: its ``words``, ``pieces`` without special ones, and ``chunks``.

    ``released`` is the minute at which it was out. ``change`` is 1 − cos with the document before of its kind, and
    ``tones`` are that one's and its own; ``certainty`` is the likeliest label's probability. NaN where there is none.
    """

    title: str
    words: int
    pieces: int
    chunks: int
    released: str
    change: float
    tones: tuple[float, float]
    certainty: float

    @classmethod
    def at(cls, ds: Run, place: int) -> DocumentRead:
        """The document at this place, counted from 0."""
        words, pieces, chunks = (int(ds[name].values[place]) for name in ("words", "pieces", "chunks"))
        release = str(ds["released"].values[place].astype("datetime64[m]")).replace("T", " ")
        before, tones = int(ds["previous"].values[place]), ds["balance"].values
        return cls(
            str(ds["title"].values[place]),
            words,
            pieces,
            chunks,
            release,
            float(ds["change"].values[place]),
            (float(tones[before]) if before >= 0 else np.nan, float(tones[place])),
            float(certainty(ds)[place]),
        )


def any_tone(ds: Run) -> bool:
    """Whether the model hears a tone."""
    return bool(np.isfinite(ds["balance"].values).any())


def certainty(ds: Run) -> NDArray[np.float64]:
    """How sure the model is of each document's tone: the probability of the likeliest label; NaN without labels."""
    tone: NDArray[np.float64] = np.asarray(ds["tone"].values, np.float64)
    return tone.max(axis=1) if tone.shape[1] else np.full(len(tone), np.nan)


def kinds_of(ds: Run) -> list[str]:
    """The kinds of documents."""
    return sorted({str(kind) for kind in ds["kind"].values})


def share_shown(shares: NDArray[np.float64]) -> float:
    """The part of the fitted documents' variance that these axes show together."""
    return float(shares.sum())


def share_between(values: NDArray[np.float64], kinds: NDArray[np.str_]) -> float:
    """The part of the variance of these values that is between the means of kinds; NaN where they are all the same."""
    means = np.array([values[kinds == kind].mean() for kind in kinds])
    whole = float(((values - values.mean()) ** 2).sum())
    return float(((means - values.mean()) ** 2).sum()) / whole if whole else np.nan


def effects_of(effects: Run) -> tuple[list[float], list[float]]:
    """By how much each change alone raised the tone, and how far it alone moved the vector, 1 − cos."""
    return effects["balance"].values.tolist(), effects["distance"].values.tolist()
