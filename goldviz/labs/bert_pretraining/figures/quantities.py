"""What the figures of *Pre-training and fine-tuning* share: the two phases, the probe sentence, fixed looks, limits."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import joined
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.diagram import colour_quantities, of_layers
from goldviz.figures.encoder_diagram import HEADS
from goldviz.figures.limits import Quantity, Values, log_of, padded, values_of
from goldviz.figures.reading import averaged, finite
from goldviz.figures.theme import Theme, depth_colours
from goldviz.labs.bert_pretraining.phases import OWN
from goldviz.labs.bert_pretraining.settings import BertPretraining
from goldviz.models.style import NetworkStyle

WORDS, TONE = 1, 2
"""The phases as a run numbers them: guessing masked words, judging the tone."""

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


def part_style(part: str, parts: list[str], theme: Theme) -> NetworkStyle:
    """The fixed look of a part of the network; blocks take cividis from the bottom to the top."""
    if part in PART_STYLES:
        return PART_STYLES[part]
    blocks = [name for name in parts if name not in PART_STYLES]
    return NetworkStyle(part, depth_colours(len(blocks), theme)[blocks.index(part)], "solid", "circle")


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


def tone_looks(ds: Run) -> NDArray[np.bool_]:
    """Which looks were taken in the second phase."""
    after: NDArray[np.bool_] = ds["look"].values > tone_began(ds)
    return after


def probe_pieces(ds: Run) -> list[str]:
    """The pieces of the probe sentence, in order, without their numbers in the labels "0 [CLS]"; not escaped."""
    return [str(label).partition(" ")[2] for label in ds["key"].values]


def answer_of(ds: Run) -> str:
    """The hidden word of the probe sentence, where the run noted it and follows it; else an empty text."""
    answer = str(ds.attrs.get("probe_answer", ""))
    return answer if "candidate" in ds.coords and answer in {str(word) for word in ds["candidate"].values} else ""


def _of_masked_loss(ds: Run) -> Values:
    first = steps_of(ds, WORDS)
    own = ds["loss"].sel(step=first).values.ravel() if "loss" in ds and first.size else np.array([])
    rest = values_of("unseen_masked_loss", "uniform_loss", "unigram_loss")(ds)
    return np.concatenate([own[np.isfinite(own)], rest])


def _of_tone_steps(ds: Run) -> Values:
    count = steps_of(ds, TONE).size
    return np.array([-0.5, count + 0.5]) if count else np.array([])


def _with_room_above(low: float, high: float) -> tuple[float, float]:
    """Linear limits with room for the words of the highest line."""
    span = high - low or 1.0
    return (max(0.0, low - 0.1 * span), high + 0.16 * span)


def _from_zero(_low: float, high: float) -> tuple[float, float]:
    return (0.0, 1.1 * high if high > 0 else 1.0)


def _at_most_one(_low: float, high: float) -> tuple[float, float]:
    return (0.0, min(1.0, high) if high > 0 else 1.0)


def _up_to_one(low: float, _high: float) -> tuple[float, float]:
    """Whole decades up to 1, the logarithm's 0."""
    return (min(float(np.floor(low)), -1.0), 0.0)


def _most_sure(ds: Run) -> Values:
    return np.append(log_of("probe_probability")(ds), 0.0) if "probe_probability" in ds else np.array([])


COLOURS = (
    *HEADS,
    *of_layers("update_to_data", "gradient_to_data"),
)
"""What may colour the encoder's diagram."""

KINDS = BertPretraining.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "tone_step": Quantity(_of_tone_steps),
    "masked_loss": Quantity(_of_masked_loss, _with_room_above),
    "attention": Quantity(values_of("attention"), _at_most_one),
    "head_entropy": Quantity(values_of("head_entropy"), _from_zero),
    "head_distance": Quantity(values_of("head_distance"), _from_zero),
    "learning_rate": Quantity(values_of("learning_rate"), _from_zero),
    "probe_probability": Quantity(_most_sure, _up_to_one),
    **colour_quantities(COLOURS),
    "probe_rank": Quantity(lambda ds: np.append(log_of("probe_rank")(ds), [0.0, 1.0]), padded),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
