"""What the figures of *Pre-training and fine-tuning* share: the two phases and their mark, the probe, fixed looks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import joined
from goldviz.figures.chart import rule
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, finite
from goldviz.figures.theme import Theme, depth_colours
from goldviz.labs.bert_pretraining.measures import TONE, WORDS
from goldviz.labs.bert_pretraining.settings import OWN
from goldviz.models.style import NetworkStyle

TRAINING = NetworkStyle("in training", "#838383", "solid", "circle")
UNSEEN = NetworkStyle("unseen", "#0e7ac0", "solid", "circle")
TONE_SETS = {
    "new draws": NetworkStyle("new draws", "#0e7ac0", "solid", "circle"),
    "new patterns": NetworkStyle("new patterns", "#d55e00", "dash", "diamond"),
    OWN: NetworkStyle(OWN, "#0e7ac0", "solid", "circle"),
}
"""Unseen labelled texts: patterns that labelled texts have, drawn anew, and patterns that no labelled text has.

Pre-training may have read sentences of the latter, without their tones.
"""

BASELINES = {
    "bag of words": NetworkStyle("bag of words", "#c46a9c", "dot", "triangle-up"),
    "majority": NetworkStyle("majority", "#838383", "dot", "line-ns-open"),
}
"""What the tone is measured against: a linear model on counted words, and the most frequent tone."""

START = NetworkStyle("start alone, new patterns", "#c46a9c", "longdashdot", "x")
"""The start of a run, fine-tuned without pre-training."""

PART_STYLES = {
    "embeddings": NetworkStyle("embeddings", "#838383", "dashdot", "square"),
    "masked-word head": NetworkStyle("masked-word head", "#0e7ac0", "dash", "triangle-up"),
    "next-sentence head": NetworkStyle("next-sentence head", "#009e73", "dot", "triangle-down"),
    "query stream": NetworkStyle("query stream", "#c46a9c", "dot", "pentagon"),
    "tone head": NetworkStyle("tone head", "#d55e00", "longdash", "diamond"),
}


def part_styles(parts: list[str], theme: Theme) -> dict[str, NetworkStyle]:
    """The fixed looks of the network's parts; blocks take cividis from the bottom to the top."""
    blocks = [name for name in parts if name not in PART_STYLES]
    inks = dict(zip(blocks, depth_colours(len(blocks), theme), strict=True))
    return {part: PART_STYLES.get(part) or NetworkStyle(part, inks[part], "solid", "circle") for part in parts}


def steps_of(ds: Run, phase: int) -> NDArray[Any]:
    """The recorded steps of one phase; none where it was not reached."""
    if "phase" not in ds or not ds.sizes.get("step"):
        return np.array([], dtype=np.int64)
    steps: NDArray[Any] = ds["step"].values[ds["phase"].values == phase]
    return steps


def change_of_phase(ds: Run) -> int | None:
    """The last step on masked words, where steps on the tone follow; None where a run has only one phase so far."""
    words, tone = steps_of(ds, WORDS), steps_of(ds, TONE)
    return int(words[-1]) if words.size and tone.size else None


def tone_began(ds: Run) -> int:
    """The last step before the tone: 0 without pre-training; for a run that has not come so far, its last step."""
    tone = steps_of(ds, TONE)
    if tone.size:
        return int(tone[0]) - 1
    return int(ds["step"].max()) if ds.sizes.get("step") else 0


def averaged_by_phase(ds: Run, name: str, most: int) -> tuple[Array, str]:
    """Means over windows of equal length as :func:`goldviz.figures.reading.averaged`, none across two phases."""
    width = max(1, -(-ds.sizes["step"] // most))
    parts = [ds[name].sel(step=steps) for phase in (WORDS, TONE) if (steps := steps_of(ds, phase)).size]
    if width == 1 or not parts:
        return finite(ds[name]), ""
    means = [averaged(part, "step", most=max(1, part.sizes["step"] // width))[0] for part in parts]
    return joined(means, "step"), f"Means of about {width} steps."


def answer_of(ds: Run) -> str:
    """The hidden word of the probe sentence, where the run noted it and follows it; else an empty text."""
    answer = str(ds.attrs.get("probe_answer", ""))
    return answer if "candidate" in ds.coords and answer in {str(word) for word in ds["candidate"].values} else ""


def _tone_begins(plot: Plot) -> float | None:
    change = change_of_phase(plot.ds)
    return None if change is None else change + 0.5


TONE_BEGINS = rule(x=_tone_begins, dash="dashdot", foot="tone")
"""A line over every panel where the masked words end and the tone begins; without its foot, where a curve ends there.
"""


def tone_begins(plot: Plot) -> str:
    """What that line is, where a run has both phases."""
    return "" if change_of_phase(plot.ds) is None else "Dash and dot: the tone begins."
