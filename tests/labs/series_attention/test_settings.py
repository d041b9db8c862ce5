"""Settings that cannot be carried out are refused in a sentence that says what is allowed."""

import numpy as np
import pytest

import goldviz
from goldviz.declare.settings import SettingsError
from goldviz.labs.series_attention.extent import trained_networks
from goldviz.labs.series_attention.settings import SeriesAttention
from goldviz.models.series.attention import ATTENTIONS

SMALL = {"horizon": 4, "series": 8, "steps": 1, "batch": 2, "layers": 1, "width": 8, "networks": "transformer"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"width": 10, "heads": 2}, "Width is 10; allowed is an even number for each of the 2 heads"),
        ({"context": 12}, "Context is 12; allowed are at least 24 rows"),
        ({"task": "cycle", "context": 10, "period": 11}, "Period is 11; allowed are at most the 10 rows"),
        ({"attention": "log_sparse", "window": 8, "restart": 4}, "Window is 8; allowed are at most the 4 rows"),
        ({"attention": "prob_sparse", "factor": 20.0}, "for 77 active rows of 48; allowed is at most 12.40"),
        ({"compared_row": 49}, "Compared row is 49; allowed are 0 to 48, the rows of a series"),
        ({"horizon": 0}, "Horizon is 0; allowed is a whole number from 1"),
        ({"task": "cycle", "context": 1}, "Context is 1; allowed is a whole number from 2"),
    ],
)
def test_what_cannot_be_is_refused(changes, words) -> None:
    with pytest.raises(SettingsError, match=words):
        SeriesAttention.checked(changes)


def test_with_k_1_there_is_no_second_transformer() -> None:
    assert trained_networks(SeriesAttention(kernel="1")) == ("transformer", "gru")
    assert trained_networks(SeriesAttention(kernel="3")) == ("transformer", "pointwise", "gru")


def test_settings_that_nothing_reads_say_why() -> None:
    unread = SeriesAttention().without_effect()
    assert {"data", "period", "longest", "window", "factor"} <= set(unread)
    assert {"context", "horizon"} <= set(SeriesAttention(task="surroundings").without_effect())
    assert "factor" not in SeriesAttention(attention="prob_sparse").without_effect()


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_what_an_attention_leaves_unread_changes_nothing(attention) -> None:
    settings = SeriesAttention(**SMALL, attention=attention)
    sparse = {"restart": 2, "window": 64, "factor": 20.0}
    other = settings.changed(**{name: value for name, value in sparse.items() if name in settings.without_effect()})
    assert other != settings
    one, again = (goldviz.run(each, progress=False) for each in (settings, other))
    for name in one:
        np.testing.assert_array_equal(one[name], again[name])
