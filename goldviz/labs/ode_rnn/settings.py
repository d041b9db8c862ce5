"""ODE-RNN: a hidden state that flows between observations and jumps at them, on irregular times.

Document 001, section 3.2.2, eq. 31-33; Rubanova et al. 2019. Baselines: a GRU that knows nothing of time, one that is
told the gaps, and one whose state decays over them (Che et al. 2018).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal

from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers, market_settings, standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK
from goldviz.labs.ode_rnn.choices import JUMPS, SIDE_BY_SIDE, SOLVERS, method_of
from goldviz.models.continuous.methods import FIXED, METHODS

TASKS = {
    "oscillator": "Damped oscillator",
    "sines": "Sines of any frequency",
    "linear": "Linear system with a known answer",
    "market": "The market's returns",
}
NETWORKS, lanes = standard.networks(
    {
        "all": "ODE-RNN and the three GRUs",
        "flows": "ODE-RNN and Neural CDE",
        "ode_rnn": "ODE-RNN",
        "neural_cde": "Neural CDE",
        "gru": "GRU",
        "gru_gap": "GRU with time gaps",
        "gru_decay": "GRU with decay",
    },
    SIDE_BY_SIDE,
)

PROBE = ("look", "network")
SHORTEST_GAP = 0.02
"""Seconds; gaps are log-uniform between this and the longest."""


class ODERNNLaboratory(Experiment):
    """Train on sequences with times of their own, and follow the state between one observation and the next."""

    about = About(
        "ode-rnn",
        "ODE-RNN",
        icon=":material/cadence:",
        section="Continuous time",
        rank=40,
        door="What happens between two observations?",
        sought="neural ODE irregular time series missing observations latent state GRU-D neural CDE solver jump",
        question="What does a network know between two observations, and how far into a gap does it hold?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("hidden", "width", "observations", "batch")

    task: Literal["oscillator", "sines", "linear", "market"] = setting(
        "oscillator", group="Task", essential=True, labels=TASKS
    )
    """Where the sequences come from."""
    data: str = market_settings.market()
    market_seed: int = market_settings.market_seed()
    observations: int = setting(20, ge=2, le=100, group="Task", essential=True, unit="observations")
    """Observations of a sequence."""
    longest_gap: float = setting(0.6, ge=0.05, le=5, group="Task", essential=True)
    """Training gaps are log-uniform from 0.02 to this (market: weeks); test gaps reach twice as far."""
    noise: float = setting(0.02, ge=0, le=1, group="Task")
    """Standard deviation of what is observed."""
    hidden_share: float = setting(0.0, ge=0, le=0.9, group="Task")
    """Share of each channel's observations that is missing."""
    networks: str = NETWORKS
    """Which networks are trained, from the same seed on the same sequences."""
    cell: str = setting("gru", group="Network", one_of=JUMPS)
    """What happens to the ODE-RNN's state at an observation."""
    hidden: int = standard.hidden(16)
    """Hidden units of every network."""
    width: int = setting(32, ge=2, le=128, group="Network", unit="units")
    """Units of the field's two layers."""
    solver: str = setting("rk4", group="Solver", essential=True, one_of=SOLVERS)
    """How the state is carried through a gap."""
    step_cap: float = setting(0.1, ge=0.005, le=10, group="Solver", essential=True, logarithmic=True)
    """Longest step of a fixed-step solver: a long gap gets more steps."""
    tolerance: float = standard.tolerance()
    """Relative error that an adaptive solver allows in a step; the absolute one is a tenth of it."""
    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(1e-2)
    """Size of the optimiser's largest steps; it rises to that and falls again over the run."""
    clip: float = standard.clip(1.0)
    steps: int = standard.steps(600)
    batch: int = standard.batch(64, "sequences")
    look_every: int = standard.look_every(100)
    """Paths, test errors and the solver's check are recorded every so many steps."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "loss": Variable(EVERY_STEP, "Loss on the step's sequences", must_stay_finite=True, kind="training_loss"),
        "gradient_norm": Variable(EVERY_STEP, "Norm of the whole gradient before clipping", kind="gradient_norm"),
        "evaluations": Variable(
            ("step", "seed"),
            "Evaluations of the field for a batch, forward",
            label="Evaluations for a batch, forward",
            scale="zero",
        ),
        "error": Variable(
            LOOK, "Mean squared error of the next value, gaps as in training", label="Gaps as in training", scale="log"
        ),
        "long_gap_error": Variable(
            LOOK,
            "Mean squared error after an unseen gap, up to twice the longest",
            label="Longer gaps than any in training",
            scale="log",
        ),
        "refined_error": Variable(("look", "seed"), "The ODE-RNN's error with steps four times as fine"),
        "coverage": Variable(
            LOOK, "Share of values inside the 90 % band", label="Unseen values inside the 90 % band", format=".1%"
        ),
        "field_saturation": Variable(
            ("look", "seed"),
            "Share of the field's hidden values above 0.97",
            label="Share of saturated units",
            format=".1%",
            scale="zero",
        ),
        "field_stiffness": Variable(
            ("look", "seed"),
            "Largest spectral norm of the field's Jacobian along the paths",
            label="Spectral norm of df/dh, largest",
            scale="log",
        ),
        "state_size": Variable(LOOK, "Largest hidden value along the paths"),
        "gap_sensitivity": Variable(LOOK, "Change of the forecast when gaps are shuffled, over its spread"),
        "state_gradient_norm": Variable(
            (*LOOK, "observation"), "Norm of dL/dh after each observation", kind="state_gradient_norm"
        ),
        **layers.activation_values((*PROBE, "row")),
        **layers.weight_gradients((*PROBE, "layer")),
        **layers.update_to_data((*LOOK, "layer")),
        **layers.gradient_to_data((*LOOK, "layer")),
        "jump": Variable(
            (*PROBE, "observation"),
            "Size of the jump h(t+) - h(t-), first seed",
            label="Size of the jump",
            scale="zero",
        ),
        "interval_evaluations": Variable(
            ("look", "observation"),
            "Evaluations in the gap before an observation, first seed",
            label="Evaluations of the field",
            scale="zero",
        ),
        "interval_error": Variable(
            ("look", "observation"),
            "Distance from a solution refined in float64, first seed",
            label="Distance from a refined solution",
            scale="log",
        ),
        "state": Variable((*PROBE, "moment", "unit"), "Hidden state along the probe sequence, first seed"),
        "decoded_mean": Variable((*PROBE, "moment", "channel"), "Decoded mean along the probe sequence"),
        "decoded_scale": Variable((*PROBE, "moment", "channel"), "Decoded standard deviation along it"),
        "weights": Variable(("look", "weight"), "The ODE-RNN's weights in the order of its parameters, first seed"),
        "plane_path": Variable(("look", "moment", "axis"), "The states along their principal axes, first seed"),
        "plane_current": Variable(("look", "axis"), "The state after the last observation along them, first seed"),
        "explained_variance": Variable(("look", "axis"), "Share of the states' variance along the axis, first seed"),
        "arrow_position": Variable(("look", "arrow", "axis"), "Places of the field's arrows, first seed"),
        "arrow_direction": Variable(("look", "arrow", "axis"), "The field dh/dt along the axes there, first seed"),
        "probe_time": Variable(("observation",), "Times of the probe sequence's observations", once=True),
        "probe_value": Variable(("observation", "channel"), "Observed values (NaN where missing)", once=True),
        "probe_truth": Variable(("moment", "channel"), "The noiseless signal (NaN where nobody knows it)", once=True),
        "zero_error": Variable(("horizon",), "Error of forecasting zero, in range and after long gaps", once=True),
        "zero_error_by_seed": Variable(("horizon", "seed"), "The same on each seed's own test sequences", once=True),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "row": Coordinate("Observation", "observation %{x}", linked="observation")
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Between observations the state flows: dh/dt = f(h) (document 001, eq. 31).",
        "Before the next one it is h'_i = ODESolve(f, h_(i-1), t_(i-1), t_i) (eq. 32).",
        "At the observation it jumps: h_i = RNNCell(h'_i, x_i) (eq. 33).",
        "A neural CDE never jumps: h_1 = W_x x_1 + b_x, then dh = F(h) dX (Kidger et al. 2020). X goes along in time "
        "first, then along the values that came.",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "A damped oscillator seen at irregular times. On ten seeds of ten the ODE-RNN goes on swinging in gaps "
            "longer than any of training.",
        ),
        Preset(
            "Partial observations",
            "A linear system of two channels, each missing half of the time; its exact answer is known.",
            {"task": "linear", "hidden_share": 0.5},
        ),
        Preset(
            "Break it: one step a gap",
            "Without a cap on its steps the network learns the solver's map, not an ODE. With finer steps its error "
            "is 1.8 to 5 times as large, on ten seeds of ten.",
            {"networks": "ode_rnn", "step_cap": 10.0},
            figure="consistency",
        ),
        Preset(
            "Fix it: capped steps",
            "The same network with steps of at most 0.1: refining changes the error by less than 1 %, on ten seeds of "
            "ten.",
            {"networks": "ode_rnn"},
            figure="consistency",
        ),
        Preset(
            "Break it: Euler",
            "Each step adds energy to what turns, and the network learns a field for such steps. With finer steps "
            "its error is 4 to 9 times as large, on ten seeds of ten.",
            {"networks": "ode_rnn", "solver": "euler", "step_cap": 0.3},
            figure="consistency",
        ),
        Preset(
            "The market's returns",
            "Gold's returns at observed days, weekends and holidays as gaps. Do not expect skill: on ten seeds of ten "
            "the ODE-RNN's error is 0.97 of predicting zero's. Look at the gaps.",
            {"task": "market", "steps": 200},
        ),
    )

    kept_by_presets: ClassVar[tuple[str, ...]] = market_settings.MARKET_SETTINGS

    def without_effect(self) -> Mapping[str, str]:
        """The market, where sequences come from elsewhere."""
        return {} if self.task == "market" else dict.fromkeys(market_settings.MARKET_SETTINGS, "No market is read.")

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: what the field computes at every stage of every gap."""
        stages, cde_evaluations = self._asked()
        rows = max(self.batch, 256) if self._fused else self.batch
        field = stages * (5 * self.hidden + 4 * self.width) + cde_evaluations * (10 * self.hidden + 4 * self.width)
        values = rows * (field + 36 * self.observations * self.hidden)
        weights = 2 * self.hidden * self.width + self.width**2 + 9 * self.hidden**2
        return bytes_of_training(weights, 4 * len(self.seeds), values)

    def sizes(self) -> dict[str, float]:
        """How often each field is asked on the way through a sequence, and how many networks go without one."""
        asked, driven = self._asked()
        own = {
            "fused": asked * self._fused,
            "unfused": asked * (not self._fused),
            "driven": driven,
            "jumping": float(sum(lane.startswith("gru") for lane in lanes(self.networks))),
            "flowing": float("ode_rnn" in lanes(self.networks)),
        }
        return {**super().sizes(), **own}

    def _asked(self) -> tuple[float, float]:
        """How often the ODE-RNN's field and the neural CDE's are asked on the way through a sequence."""
        trained = lanes(self.networks)
        return (
            self.observations * self._evaluations_of_a_gap() if "ode_rnn" in trained else 0.0,
            self.observations * self._evaluations_of_a_row() if "neural_cde" in trained else 0.0,
        )

    @property
    def _fused(self) -> bool:
        return self.cell == "gru" and self.solver in FIXED

    def _evaluations_of_a_gap(self) -> float:
        """Of a batch: as many steps as its longest gap needs; fused, where nobody waits, as its mean gap does."""
        method = method_of(self.solver)
        if method.adaptive:
            return 25.0 * method.evaluations / METHODS["dopri5"].evaluations
        mean = (self.longest_gap - SHORTEST_GAP) / math.log(self.longest_gap / SHORTEST_GAP)
        steps = max(1.0, mean / self.step_cap + 0.5 if self._fused else self.longest_gap / self.step_cap)
        return steps * method.tableau.stages

    def _evaluations_of_a_row(self) -> float:
        """Of a neural CDE: of the longest gap in the batch, and of the values' two steps."""
        method = method_of(self.solver)
        if method.adaptive:
            return 50.0 * method.evaluations / METHODS["dopri5"].evaluations
        return (max(1.0, self.longest_gap / self.step_cap) + 2) * method.tableau.stages
