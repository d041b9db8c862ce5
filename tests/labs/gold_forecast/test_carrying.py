"""The last value of a channel and its age, carried on from row to row."""

import numpy as np
import pandas as pd
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets.alignment import Panel, aligned
from goldviz.data.markets.market import Channel, Market, Release
from goldviz.labs.gold_forecast.problem import carried
from goldviz.labs.gold_forecast.windows import Windows

AFTERNOON = Release("14:00", "America/New_York")
DAYS = pd.bdate_range("2020-01-01", "2020-12-31")
GOLD = Channel(
    "gold",
    "Gold",
    pd.Series(100 + np.arange(len(DAYS)) % 7, DAYS, float),
    "log_return",
    Release("13:30", "America/New_York"),
)

statements = st.dictionaries(st.sampled_from(list(DAYS)), st.floats(-1, 1), min_size=1, max_size=12)


def panel_with(tones: dict[pd.Timestamp, float]) -> Panel:
    tone = Channel("text tone", "Tone", pd.Series(dict(sorted(tones.items())), dtype=float), "level", AFTERNOON)
    return carried(aligned(Market((GOLD, tone), "file", "by hand", DAYS[-1])), ["text tone"])


@given(statements, st.sampled_from(list(DAYS)))
def test_later_documents_change_no_earlier_row(tones: dict[pd.Timestamp, float], day: pd.Timestamp) -> None:
    earlier = {when: tone for when, tone in tones.items() if when < day}
    if earlier:
        before = list(DAYS).index(day)
        # A statement of the day itself is out half an hour after that day's forecast was made.
        np.testing.assert_array_equal(panel_with(tones).values[: before + 1], panel_with(earlier).values[: before + 1])


@given(statements)
def test_every_row_has_the_last_statement_that_was_out_and_its_age(tones: dict[pd.Timestamp, float]) -> None:
    panel = panel_with(tones)
    assert panel.channels == ("gold", "text tone", "text tone age")
    for row, day in enumerate(DAYS):
        out = [when for when in tones if when < day]
        value, age = panel.values[row, 1:]
        if not out:
            assert np.isnan([value, age]).all()
            continue
        assert value == tones[max(out)]
        heard = DAYS[max(out) < DAYS][0]
        assert age == (day - heard).days


def test_a_statement_of_46_days_ago_counts_in_a_window_of_20_rows() -> None:
    tones = {DAYS[10]: 0.9, DAYS[61]: -0.9, DAYS[110]: 0.4}
    row = list(DAYS).index(DAYS[62] + pd.Timedelta(days=46))

    def last_row(panel: Panel) -> tuple[torch.Tensor, torch.Tensor]:
        days = panel.dates.as_unit("s").asi8 / 86_400
        batch = Windows(panel.values, days, 20, slice(0, row + 30)).ending_at(torch.tensor([row]), torch.ones(1))
        return batch.values[:, 0], batch.mask[:, 0]

    plain = panel_with(tones)
    bare = Panel(plain.dates, plain.moments, plain.channels[:2], aligned_values(tones), plain.price)
    assert not last_row(bare)[1][:, 1].any()
    values, mask = last_row(plain)
    assert mask[:, 1:].all()
    assert (values[:, 1] < -1).all()
    assert (values[:, 2].diff() > 0).all()


def aligned_values(tones: dict[pd.Timestamp, float]) -> np.ndarray:
    tone = Channel("text tone", "Tone", pd.Series(tones, dtype=float), "level", AFTERNOON)
    return aligned(Market((GOLD, tone), "file", "by hand", DAYS[-1])).values
