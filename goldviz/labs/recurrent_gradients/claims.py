"""What documents 001 (section 2), 003 and 004 say of trained recurrent networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.declare.claims import Claim, Part
from goldviz.labs.recurrent_gradients import LAB
from goldviz.labs.recurrent_gradients.readings import Reading

if TYPE_CHECKING:
    import xarray as xr

ADDING = "adding-50-steps"
BATCHES = (4, 32, 256)
OF_A_BATCH = {"networks": "rnn", "length": 10, "steps": 200, "look_every": 0}


def rnn_worth(run: xr.Dataset) -> float:
    """The plain RNN's test loss over the best loss without memory."""
    return _worth(run, "rnn")


def lstm_worth(run: xr.Dataset) -> float:
    """The same of the LSTM."""
    return _worth(run, "lstm")


def gru_worth(run: xr.Dataset) -> float:
    """The same of the GRU."""
    return _worth(run, "gru")


def lstm_over_rnn(run: xr.Dataset) -> float:
    """The LSTM's test loss over the RNN's."""
    return _loss(run, "lstm") / _loss(run, "rnn")


def gru_over_rnn(run: xr.Dataset) -> float:
    """The GRU's test loss over the RNN's."""
    return _loss(run, "gru") / _loss(run, "rnn")


def lstm_reaches_further(run: xr.Dataset) -> float:
    """log10 of how many times more of a change fifty steps back the LSTM's state keeps than the RNN's, at the end."""
    return float(Reading.of(run, "lstm").farthest[0] - Reading.of(run, "rnn").farthest[0])


def diverges(run: xr.Dataset) -> float:
    """1 where the loss stopped being a number."""
    return float(not np.isfinite(run["loss"].values).all() or run.attrs.get("status") == "diverged")


def lstm_size(run: xr.Dataset) -> float:
    """The LSTM's number of parameters over the RNN's."""
    return _size(run, "lstm") / _size(run, "rnn")


def gru_size(run: xr.Dataset) -> float:
    """The GRU's number of parameters over the LSTM's."""
    return _size(run, "gru") / _size(run, "lstm")


def scatter_over_largest_batch(small: xr.Dataset, _middle: xr.Dataset, large: xr.Dataset) -> float:
    """How many times as far the loss jumps from step to step at the smallest batch as at the largest."""
    return _scatter(small) / _scatter(large)


def scatter_by_batch(*runs: xr.Dataset) -> float:
    """The power of the batch that the scatter goes with; -1/2 is what independent samples have."""
    return float(np.polyfit(np.log(BATCHES), np.log([_scatter(run) for run in runs]), 1)[0])


def _scatter(run: xr.Dataset) -> float:
    """The spread of the step's loss in the second half of a run, read off neighbours: learning hardly shows there."""
    losses = run["loss"].values.ravel().astype(np.float64)
    return float(np.diff(losses[len(losses) // 2 :]).std() / np.sqrt(2))


def _loss(run: xr.Dataset, network: str) -> float:
    return float(run["test_loss"].sel(network=network))


def _worth(run: xr.Dataset, network: str) -> float:
    return _loss(run, network) / float(run["memoryless_loss"])


def _size(run: xr.Dataset, network: str) -> float:
    return float(run["parameter_count"].sel(network=network))


CLAIMS = (
    Claim(LAB, "C10", "A loss that jumps much from step to step may come from too small a batch.", "002, 1.3.3",
        lanes=tuple({**OF_A_BATCH, "batch": batch} for batch in BATCHES),
        parts=(
            Part("at batch 4 it scatters {:.1f} times as far as at 256", scatter_over_largest_batch, above=1,
                scale="ratio", lanes=(1, 2, 3)),
            Part("it scatters by the batch to the power {:.2f}, where independent samples would give −0.50",
                scatter_by_batch, above=-0.6, below=-0.4, lanes=(1, 2, 3)),
        )),
    Claim(LAB, "C68", "LSTMs are significantly more stable than standard RNNs when trained through time.",
        "001, 2.2.2", lanes=(ADDING,),
        parts=(
            Part("fifty steps back log10 of what is left is {:.1f} higher in the LSTM", lstm_reaches_further, above=0),
            Part("its test loss is {:.2g} of the RNN's", lstm_over_rnn, below=1, scale="ratio"),
        )),
    Claim(LAB, "C69", "With forget gates near 1 long-term dependencies are learned; near 0 they are not.",
        "001, 2.2.2, eq. 18", lanes=("fix-it-forget-bias-1", "break-it-forget-bias-2"),
        parts=(
            Part("forget bias 1: the test loss is {:.2g} of the best without memory", lstm_worth, below=0.9,
                scale="ratio", lanes=(1,)),
            Part("forget bias −2: it is {:.2g} of it", lstm_worth, above=0.9, scale="ratio", lanes=(2,)),
        )),
    Claim(LAB, "C70", "GRUs mitigate vanishing gradients with a simpler structure than LSTMs.", "001, 2.3.2, eq. 24",
        lanes=(ADDING,),
        parts=(
            Part("the GRU's test loss is {:.2g} of the RNN's", gru_over_rnn, below=1, scale="ratio"),
            Part("the GRU has {:.0%} of the LSTM's parameters", gru_size, below=1),
        )),
    Claim(LAB, "C71", "Gates cost parameters: an LSTM has more than a plain RNN, and a GRU fewer than an LSTM.",
        "001, 2.2.3", lanes=({"steps": 1, "look_every": 0, "length": 8, "hidden": 16},),
        parts=(
            Part("the LSTM has {:.2f} times the RNN's parameters", lstm_size, above=1),
            Part("the GRU has {:.0%} of the LSTM's", gru_size, below=1),
        )),
    Claim(LAB, "C72", "A gradient that is clipped to a largest norm no longer explodes.", "003, clipping",
        lanes=("break-it-exploding", "fix-it-clip-at-1"),
        parts=(
            Part("without clipping {:.0%} of the runs diverge", diverges, above=0.5, scale="share", lanes=(1,)),
            Part("with the norm held at 1, {:.0%} do", diverges, below=0.5, scale="share", lanes=(2,)),
        )),
    Claim(LAB, "C73", "RNNs work well on short-term dependencies, but poorly on long-term ones.", "004, 2.1",
        lanes=({"networks": "rnn", "length": 8}, {"networks": "rnn"}),
        parts=(
            Part("over 8 steps the test loss is {:.2g} of the best without memory", rnn_worth, below=0.5,
                scale="ratio", lanes=(1,)),
            Part("over 50 steps it is {:.2g} of it", rnn_worth, above=0.5, scale="ratio", lanes=(2,)),
        )),
    Claim(LAB, "C74", "LSTM saved us from the RNN's problem with long-term dependencies.", "004, 2.1",
        lanes=(ADDING, "reviews-cue-40-words-back"),
        parts=(
            Part("adding over 50 steps: the LSTM's test loss is {:.2g} of the best without memory", lstm_worth,
                below=0.5, scale="ratio", lanes=(1,)),
            Part("reviews with the cue 40 words back: it is {:.2g} of it", lstm_worth, below=0.5, scale="ratio",
                lanes=(2,)),
        )),
)  # fmt: skip
