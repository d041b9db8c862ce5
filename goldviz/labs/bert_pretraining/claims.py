"""What documents 001 (section 4.2) and 004 (section 5) say of pre-training and fine-tuning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.claims import Claim, Part
from goldviz.labs.bert_pretraining import LAB

if TYPE_CHECKING:
    import xarray as xr

READ = {"width": 32, "inner": 128, "pretraining_steps": 1200}
UNREAD = {**READ, "pretraining_steps": 0}


def beside_frequencies(run: xr.Dataset) -> float:
    """The loss on masked pieces of unseen texts at the end of phase 1, over that of guessing by frequency."""
    words = run["unseen_masked_loss"].where(run["unseen_tone_loss"].isel(tone_set=0).isnull(), drop=True)
    return float(words.isel(look=-1)) / float(run["unigram_loss"])


def gained_on_known(read: xr.Dataset, unread: xr.Dataset) -> float:
    """Share of tones judged rightly in unseen texts of known patterns, with pre-training less without."""
    return _right(read, "new draws") - _right(unread, "new draws")


def gained_on_new(read: xr.Dataset, unread: xr.Dataset) -> float:
    """The same of texts of new patterns."""
    return _right(read, "new patterns") - _right(unread, "new patterns")


def above_counting_words(run: xr.Dataset) -> float:
    """Share of tones judged rightly in texts of new patterns, less that of a bag of words."""
    counted = run["baseline_tone_accuracy"].sel(baseline="bag of words", tone_set="new patterns")
    return _right(run, "new patterns") - float(counted)


def _right(run: xr.Dataset, texts: str) -> float:
    return float(run["unseen_tone_accuracy"].sel(tone_set=texts).isel(look=-1))


CLAIMS = (
    Claim(LAB, "C106", "By predicting masked words a model learns general linguistic structure.", "001, 4.2.2",
        lanes=(READ,),
        parts=(
            Part("width 32 (64 is usual), 1,200 steps: the loss on masked words of unseen texts is {:.2g} of what word "
                "frequencies give", beside_frequencies, below=1, scale="ratio"),
        )),
    Claim(LAB, "C107", "What was learned without labels helps a task with few of them.", "001, 4.2.2",
        lanes=(READ, UNREAD),
        parts=(
            Part("width 32 (64 is usual), 1,200 steps without labels: {:.1%} more tones of new patterns are judged "
                "rightly", gained_on_new, above=0),
            Part("of known patterns {:.1%} more are", gained_on_known, above=0),
        )),
    Claim(LAB, "C108", "Contextual representations understand language better than counts of words.", "001, 4.2.1",
        lanes=(READ,),
        parts=(
            Part("width 32 (64 is usual), 1,200 steps: {:.1%} more tones of new patterns are judged rightly than by a "
                "bag of words", above_counting_words, above=0),
        )),
)  # fmt: skip
