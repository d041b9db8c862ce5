"""The gates of an LSTM as valves in the gradient's flow (document 001, eq. 10-20)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from goldviz.arrays.readings import Coordinate
from goldviz.declare import standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting
from goldviz.models.recurrent.cells import CELL_LABELS

TASKS = {"recall": "Recall the first symbol", "adding": "Add two marked numbers", "sine": "Predict a slow sine"}
LOSSES = {"last": "The last step", "every": "Every step"}


class LSTMValves(Instant):
    """dL/dc_t of an untrained LSTM on one sequence, split as eq. 17 splits it."""

    about = About(
        "lstm-valves",
        "LSTM valves",
        icon=":material/valve:",
        section="Memory",
        rank=21,
        room="One step",
        sought="LSTM cell forget gate input gate output gate constant error carousel minGRU",
        question="Which gate lets the gradient through, and how far back does it reach?",
    )

    forget_bias: float = standard.forget_bias(0.0)
    """Bias of the forget gate: 0 leaves it half open, 4 opens it to 98 %."""
    output_bias: float = setting(0.0, ge=-4, le=8, group="Network", essential=True)
    """Bias of the output gate, the valve between hidden state and cell."""
    input_bias: float = setting(0.0, ge=-4, le=8, group="Network")
    """Bias of the input gate, the valve between cell and candidate."""
    task: Literal["recall", "adding", "sine"] = setting("recall", group="Sequence", essential=True, labels=TASKS)
    """The sequence that the network reads, and what it is asked."""
    length: int = setting(50, ge=2, le=200, group="Sequence", essential=True, unit="steps")
    """Steps of the sequence."""
    loss_at: Literal["last", "every"] = setting("last", group="Sequence", labels=LOSSES)
    """Which steps' answers count in the loss."""
    hidden: int = standard.hidden(16, ge=1)
    gain: float = setting(1.0, ge=0, le=2, group="Network")
    """Spread of the recurrent matrices' entries times sqrt(units)."""
    input_scale: float = setting(1.0, ge=0, le=5, group="Network")
    """Spread of what the input adds to every gate's sum."""
    seed: int = standard.seed(group="Sequence")
    cell: str = setting("lstm", group="View", essential=True, one_of=CELL_LABELS)
    """Whose inside is drawn as a diagram; all read the same sequence."""
    unit: int = setting(1, ge=1, le=64, group="View", essential=True)
    """The hidden unit whose numbers stand in the diagram; the last one where there are fewer."""
    step: int = setting(10, ge=1, le=200, group="View", unit="steps")
    """The step whose numbers stand in the diagram."""
    position: ClassVar[str] = "step"

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "step": Coordinate("Step t"),
        "unit": Coordinate("Unit"),
        "bias": Coordinate("Forget bias"),
    }
    units: ClassVar[Mapping[str, str]] = {"reach_by_bias": "steps", "gates_left": "log10"}
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "All biases zero: the forget gates stand near one half, and over all paths a step back leaves 0.6 to 0.8 "
            "of the gradient.",
        ),
        Preset(
            "Break it: forget gate shut",
            "Forget bias -2: the cell path alone passes an eighth of the gradient a step.",
            {"forget_bias": -2.0},
        ),
        Preset(
            "Break it: output gate shut",
            "Output bias -4: the answer hardly reads the cell. On ten seeds 4 to 180 times less gradient enters it.",
            {"forget_bias": 4.0, "output_bias": -4.0},
        ),
        Preset(
            "Fix it: forget bias 1",
            "The usual remedy (Gers et al. 2000): on five seeds of ten the gradient reaches the first step, on the "
            "others about twice as far as with 0.",
            {"forget_bias": 1.0},
        ),
        Preset(
            "Fix it: forget gate open",
            "Forget bias 4: the gates stay near 98 %, and the first step is heard.",
            {"forget_bias": 4.0},
        ),
    )

    def positions(self) -> tuple[int, int]:
        """The steps of the sequence."""
        return 1, self.length
