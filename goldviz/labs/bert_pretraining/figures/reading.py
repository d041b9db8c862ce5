"""What the figures of *Pre-training and fine-tuning* share: the two phases and their mark, the probe, fixed looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import joined
from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep, filled
from goldviz.figures.limits import Values, values_of
from goldviz.figures.marks import Canvas
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, finite
from goldviz.figures.theme import Theme, depth_colours, with_alpha
from goldviz.labs.bert_pretraining.phases import OWN
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


def of_masked_loss(ds: Run) -> Values:
    """Losses of masked words, learned or not, and those of simple guesses."""
    first = steps_of(ds, WORDS)
    own = ds["loss"].sel(step=first).values.ravel() if "loss" in ds and first.size else np.array([])
    rest = values_of("unseen_masked_loss", "uniform_loss", "unigram_loss")(ds)
    return np.concatenate([own[np.isfinite(own)], rest])


def of_tone_steps(ds: Run) -> Values:
    """The ends of the axis of steps on the tone."""
    count = steps_of(ds, TONE).size
    return np.array([-0.5, count + 0.5]) if count else np.array([])


@dataclass(frozen=True)
class ToneBegins:
    """A line over every panel where the masked words end and the tone begins, named at the first one's foot.

    Where a curve ends there, its name stands ``over`` the panel.
    """

    over: bool = False

    def draw(self, canvas: Canvas) -> None:
        """Draw it."""
        self.on(canvas.plot)

    def on(self, plot: Plot) -> None:
        """Draw it, where a run has both phases."""
        change, ink = change_of_phase(plot.ds), plot.ink
        if change is None:
            return
        plot.figure.add_vline(x=change + 0.5, line={"color": ink.muted, "width": 1.5, "dash": "dashdot"})
        plot.figure.add_annotation(
            x=change + 0.5,
            xref="x",
            y=float(self.over),
            yref="y domain",
            xanchor="center" if self.over else "left",
            yanchor="bottom",
            showarrow=False,
            text="tone",
            bgcolor=with_alpha(ink.background, 0.75),
            font={"size": 12, "color": ink.muted},
        )


def wait(plot: Plot, ready: AtStep, words: str) -> Figure:
    """What was drawn, and at steps where nothing is ``ready`` yet these words in its place; call it last."""
    figure, layout, waiting = plot.figure, plot.figure.layout, plot.instead(words).layout

    def either(picture: Any, instead: Any) -> AtStep:
        return ready.map(lambda yes: picture if yes else instead)

    notes = [filled(layout.meta["notes"], {ready.dim: i}) if yes else [] for i, yes in enumerate(ready.values)]
    for part in [*figure.data, *layout.get("annotations", []), *figure.select_xaxes(), *figure.select_yaxes()]:
        part.visible = ready
    figure.add_annotation(**waiting.annotations[0], visible=either(False, True))
    return figure.update_layout(
        meta={"notes": AtStep(ready.dim, notes)},
        height=either(layout.height, waiting.height),
        margin={side: either(layout.margin[side], waiting.margin[side]) for side in "tb"},
    )
