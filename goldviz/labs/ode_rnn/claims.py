"""What document 001 says of ODE-RNNs (section 3.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.declare.claims import Claim, Part
from goldviz.labs.ode_rnn import LAB
from goldviz.labs.ode_rnn.readings import Reading

if TYPE_CHECKING:
    import xarray as xr


SHORT = {"observations": 12, "steps": 300}


def beside_a_gru(run: xr.Dataset) -> float:
    """The ODE-RNN's error after gaps as in training, over that of a GRU that knows nothing of time."""
    return float(Reading.of(run, "ode_rnn").beside_plain[0])


def beside_a_gru_with_gaps(run: xr.Dataset) -> float:
    """The same over that of a GRU that is told the gaps."""
    return float(Reading.of(run, "ode_rnn").error[0] / Reading.of(run, "gru_gap").error[0])


def beside_a_gru_with_gaps_after_long_ones(run: xr.Dataset) -> float:
    """The same after gaps longer than any in training."""
    return float(Reading.of(run, "ode_rnn").long_gap_error[0] / Reading.of(run, "gru_gap").long_gap_error[0])


def refined(run: xr.Dataset) -> float:
    """The ODE-RNN's error with steps four times as fine over its error with the steps of training."""
    return float(Reading.of(run, "ode_rnn").refined_ratio[0])


CLAIMS = (
    Claim(LAB, "C97", "ODE-RNNs naturally handle irregularly sampled data.", "001, 3.2.2, eq. 31-33",
        lanes=(SHORT,),
        parts=(
            Part("12 observations, 300 steps (600 is usual), gaps as in training: the error is {:.2g} of that of a GRU "
                "without times", beside_a_gru, below=1, scale="ratio"),
            Part("it is {:.2g} of that of a GRU that is told the gaps", beside_a_gru_with_gaps, below=1,
                scale="ratio"),
            Part("after gaps longer than any in training it is {:.2g} of that GRU's",
                beside_a_gru_with_gaps_after_long_ones, below=1, scale="ratio"),
        )),
    Claim(LAB, "C98", "The state before an observation is the ODE's solution, ODESolve(f, h, t, t').",
        "001, 3.2.2, eq. 32",
        lanes=({**SHORT, "networks": "ode_rnn"}, {**SHORT, "networks": "ode_rnn", "step_cap": 10.0}),
        parts=(
            Part("after 300 training steps (600 is usual), solver steps of at most 0.1: refined, the error is {:.3g} "
                "times what it was", refined, above=0.9, below=1.1, scale="ratio", lanes=(1,)),
            Part("one step a gap: refined, it is {:.3g} times what it was", refined, above=0.9, below=1.1,
                scale="ratio", lanes=(2,)),
        )),
)  # fmt: skip
