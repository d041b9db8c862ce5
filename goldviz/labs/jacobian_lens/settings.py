"""The Jacobian lens: how a change of the hidden state travels through an untrained recurrent network.

Document 001, section 2, equations 5-24, and its statement on vanishing and exploding gradients (eq. 7-9).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from goldviz.arrays.readings import Coordinate
from goldviz.declare import standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting
from goldviz.models.recurrent.cells import CELL_OF_LAYER, CELLS

LAYERS = {name: layer.words for cell in CELLS.values() for name, layer in cell.layers.items()}
SCALINGS = {"gain": "Gain (a factor)", "spectral_radius": "Spectral radius"}


class JacobianLens(Instant):
    """The products of step Jacobians of one network on one random sequence."""

    about = About(
        "jacobian-lens",
        "Jacobian lens",
        icon=":material/blur_on:",
        section="Memory",
        rank=22,
        room="All pairs",
        sought="Jacobian spectral radius singular values eigenvalues RNN vanishing exploding",
        question="How far does a change of the hidden state travel through time?",
    )

    cell: str = setting("rnn_tanh", group="Network", essential=True, one_of=LAYERS)
    """The recurrent cell. The two GRUs are different functions: the reset gate acts before or after the recurrent
    matrix. The minGRU has none."""
    initialisation: str = standard.recurrent_matrix("gaussian", essential=True)
    """How every recurrent matrix is drawn, before it is scaled."""
    scaling: Literal["gain", "spectral_radius"] = setting("spectral_radius", group="Network", labels=SCALINGS)
    """Whether Size is a factor on the drawn matrix or its largest eigenvalue's modulus."""
    size: float = setting(0.9, ge=0.05, le=2, group="Network", essential=True)
    """Gain or spectral radius of every recurrent matrix, as Scaling says."""
    forget_bias: float = standard.forget_bias(1.0)
    """Bias of the LSTM's forget gate: 0 leaves it half open, 4 opens it to 98 %."""
    update_bias: float = setting(0.0, ge=-8, le=4, group="Network", essential=True)
    """Bias of the update gate of GRU and minGRU: at -4 it takes in 2 % a step and keeps the rest."""
    hidden: int = standard.hidden(32)
    input_scale: float = setting(0.5, ge=0, le=5, group="Input", essential=True)
    """Spread of what the input adds to every unit's sum: more of it saturates tanh and the gates."""
    length: int = setting(60, ge=2, le=200, group="Input", essential=True, unit="steps")
    """Steps of the random sequence."""
    seed: int = standard.seed(group="Input")
    start: int = setting(0, ge=0, le=199, group="View")
    """The step k whose changes are followed, below the length."""
    position: ClassVar[str] = "start"

    units: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (
            "norm",
            "cell_path",
            "gate_product",
            "gate_path",
            "singular_value",
            "stepwise_bound",
            "bound_by_slope",
            "bound",
            "asymptote",
        ),
        "log10",
    )
    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "k": Coordinate("Step k of the change", "k = %{x}", linked="step"),
        "t": Coordinate("Step t of the effect", "t = %{x}"),
        "lag": Coordinate("Lag (steps)", "lag %{x}"),
        "step": Coordinate("Step"),
        "unit": Coordinate("Unit"),
    }
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "A tanh RNN with spectral radius 0.9: the document's argument says that the gradient vanishes. So it does, "
            "while the document's bound, taken with the norm, grows.",
        ),
        Preset(
            "Break it: vanishing",
            "Every step shrinks every direction to 0.7 of its length or less.",
            {"initialisation": "orthogonal", "scaling": "gain", "size": 0.7},
        ),
        Preset(
            "Break it: exploding",
            "Spectral radius 2 and ReLU, whose slopes are 1 or 0: about half are 0, and yet the gain climbs.",
            {"cell": "rnn_relu", "size": 2.0},
        ),
        Preset(
            "Break it: non-normal growth",
            "All eigenvalues lie inside the unit circle, and yet the product grows first: W is far from normal.",
            {"initialisation": "non_normal", "size": 0.9, "input_scale": 0.0, "hidden": 64},
        ),
        Preset(
            "Break it: forget gate shut",
            "An LSTM whose forget gates let 13 % through a step.",
            {"cell": "lstm", "forget_bias": -2.0},
        ),
        Preset(
            "Fix it: orthogonal",
            "An orthogonal matrix and a quiet input: no direction grows, and over 60 steps a change keeps 10 to 25 %.",
            {"initialisation": "orthogonal", "scaling": "gain", "size": 1.0, "input_scale": 0.05},
        ),
        Preset(
            "Fix it: forget gate open",
            "An LSTM whose forget gates stay near 97 %: what the cell holds keeps its gradient.",
            {"cell": "lstm", "forget_bias": 4.0, "size": 0.5, "input_scale": 1.0},
        ),
        Preset(
            "Fix it: keep the state", "A GRU that renews 2 % of its state a step.", {"cell": "gru", "update_bias": -4.0}
        ),
        Preset(
            "Fix it: gates alone",
            "A minGRU. No gate reads the state, so the whole Jacobian is the product of its gates.",
            {"cell": "min_gru", "update_bias": -3.0, "input_scale": 2.0},
        ),
    )

    def positions(self) -> tuple[int, int]:
        """k from 0 to the last step but one."""
        return 0, self.length - 1

    def without_effect(self) -> Mapping[str, str]:
        """Biases of gates and matrices that the cell does not have, and the scale of a ReLU network's input."""
        cell = CELLS[CELL_OF_LAYER[self.cell]]
        gates = cell.gates
        forget = {} if "forget" in gates else {"forget_bias": "Only an LSTM has a forget gate."}
        update = {} if "update" in gates else {"update_bias": "Only GRU and minGRU have an update gate."}
        # Without biases and from a state of zeros, all sums of a ReLU network grow with the input, and no sign changes.
        alike = self.cell == "rnn_relu" and self.input_scale > 0
        scale = {"input_scale": "ReLU has the same slopes at any scale above 0."} if alike else {}
        names = () if cell.reads_state else ("initialisation", "scaling", "size")
        matrix = dict.fromkeys(names, f"The {cell.label} has no recurrent matrix.")
        return forget | update | matrix | scale
