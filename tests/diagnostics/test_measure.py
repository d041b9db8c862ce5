"""What a measure is called, says and gives, wherever it stands."""

import sys

import numpy as np
import pytest
import xarray as xr

from goldviz.diagnostics.findings import NetworkReading
from goldviz.diagnostics.findings.recorded import at_last
from goldviz.diagnostics.measure import RunReading, UnknownMeasureError, each, measure, measures_in

LABELS = {"rnn": "RNN", "lstm": "LSTM"}


class Whole(RunReading):
    last_step = measure(lambda n: n.dataset["step"].values[-1], "steps")
    """The last step."""


class Reading(NetworkReading):
    labels = LABELS
    loss = measure(at_last("loss", "step"), "nat")
    """The last loss."""

    @measure
    def twice(self):
        """Twice the last loss."""
        return 2 * self.loss


class Longer(Reading):
    labels = {"rnn": "RNN"}  # noqa: RUF012
    loss = measure(lambda n: n.at_last("loss", "step") + 1)


lstm_over_rnn = measure(lambda run: Reading.loss["lstm"](run) / Reading.twice["rnn"](run))
"""The LSTM's last loss
over twice the RNN's."""


@measure
def fallen(before, after):
    """How much lower the RNN's last loss is in the second run."""
    return Reading.loss["rnn"](before) - Reading.loss["rnn"](after)


SIZES = each({"rnn": "RNN"}, "{}_size", "The {}'s size.", lambda run, cell: run.attrs[cell])
RUN = xr.Dataset(
    {"loss": (("step", "network", "seed"), np.arange(8.0).reshape(2, 2, 2))},
    {"network": ["rnn", "lstm"], "step": [1, 9], "seed": [0, 1]},
    {"rnn": 30},
)


def test_a_module_s_measures_stand_under_their_names_with_words_and_units():
    found = {name: (one.words, one.unit) for name, one in measures_in(sys.modules[__name__]).items()}
    assert found == {
        "last_step": ("The last step.", "steps"),
        "rnn.loss": ("RNN: The last loss.", ""),
        "rnn.twice": ("RNN: Twice the last loss.", ""),
        "lstm.loss": ("LSTM: The last loss.", "nat"),
        "lstm.twice": ("LSTM: Twice the last loss.", ""),
        "lstm_over_rnn": ("The LSTM's last loss over twice the RNN's.", ""),
        "fallen": ("How much lower the RNN's last loss is in the second run.", ""),
        "rnn_size": ("The RNN's size.", ""),
    }


def test_a_measure_has_a_number_of_each_seed():
    found = measures_in(sys.modules[__name__])
    assert found["lstm_over_rnn"].by_seed(RUN).tolist() == [6 / 8, 7 / 10]
    assert found["fallen"].first(RUN, RUN - 1) == 1
    assert (found["last_step"](RUN), SIZES["rnn"](RUN)) == (9, 30)
    assert Longer.loss["rnn"].highest(RUN) == 6


def test_what_a_reading_computes_is_computed_once():
    reading = Reading.of(RUN, "lstm")
    assert reading.twice is reading.twice
    assert reading.twice.tolist() == [12, 14]


def test_a_name_that_is_none_is_a_mistake_and_a_network_that_is_not_there_is_not():
    with pytest.raises(UnknownMeasureError, match="There is no measure 'gru'; there are rnn, lstm"):
        Reading.loss["gru"]
    with pytest.raises(KeyError, match="The run has no network lstm; it has rnn"):
        Reading.loss["lstm"](RUN.sel(network=["rnn"]))
