"""A file of one's own as a series: what is read, what is refused in which words, and what it is recognised as."""

import gzip
from datetime import datetime, timedelta

import numpy as np
import pytest

from goldviz.declare.settings import SettingsError
from goldviz.labs.leaderboard import multivariate as kept
from goldviz.labs.leaderboard.multivariate import SeriesError
from goldviz.labs.leaderboard.problem import problem_of
from goldviz.labs.leaderboard.public_sets import PUBLIC_SETS, recognised
from goldviz.labs.leaderboard.series_file import WITHOUT_TIMES, keep_series, read_series
from goldviz.labs.leaderboard.settings import Leaderboard
from tests.places import REAL_DATA
from tests.refusals import refused

BEGIN = datetime(2024, 1, 1)


def table(values, hours=1):
    """A file of the usual layout: the time first, then a channel in each column."""
    head = ",".join(["date", *(f"c{channel}" for channel in range(np.shape(values)[1]))])
    rows = [f"{BEGIN + row * timedelta(hours=hours)},{','.join(map(str, line))}" for row, line in enumerate(values)]
    return "\n".join([head, *rows])


NOISE = np.random.default_rng(0).standard_normal((400, 2))
FILE = table(NOISE)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    kept.kept_series.cache_clear()


def test_values_come_back_to_the_last_bit_under_their_content_s_name():
    name = keep_series(FILE.encode(), "own.csv").name
    series = kept.kept_series(name)
    np.testing.assert_array_equal(series.values, NOISE)
    assert (series.names, series.row) == (("c0", "c1"), "hour")
    newest_first = "\n".join([FILE.splitlines()[0], *FILE.splitlines()[:0:-1]])
    again = keep_series(newest_first.encode(), "other.csv")
    assert again.name == name
    assert again.notes == ("The newest row stood first: sorted oldest first.",)


def test_settings_take_rows_and_channels_of_the_file():
    name = keep_series(FILE.encode(), "own.csv").name
    settings = Leaderboard.checked({"series": name, "horizon": 12, "look_back": 24, "channel": 2})
    assert settings.extent == (400, 2)
    alike = settings.changed(series="load", rows=400, channels=2)
    assert settings.estimated_seconds() == alike.estimated_seconds()
    assert settings.estimated_bytes() == alike.estimated_bytes()
    assert {*settings.without_effect()} == {"rows", "channels", "series_seed"}
    assert settings.like_preset() is None
    np.testing.assert_allclose(problem_of(settings).scaled[:280].std(axis=0), 1)
    with pytest.raises(SettingsError, match="Horizon is 50; the validation part of 400 rows has 40"):
        settings.changed(horizon=50)
    with pytest.raises(SettingsError, match="Channel is 3; a series of 2 allows at most 2"):
        settings.changed(channel=3)


def test_a_series_that_is_not_here_is_refused_when_it_is_needed():
    settings = Leaderboard(series="0123456789abcdef")
    with refused(SeriesError, "gone", "0123456789abcdef", "bring its file here again"):
        problem_of(settings)
    with refused(SeriesError, "not_allowed", "another visitor's file"):
        problem_of(Leaderboard(series="sealed-01234567"))


def changed(old, new):
    assert old in FILE
    return FILE.replace(old, new, 1)


FIRST = f",{NOISE[3, 0]},"
GAP = [line for row, line in enumerate(FILE.splitlines()) if row != 50]


@pytest.mark.parametrize(
    ("text", "code", "fact"),
    [
        (table(NOISE[:2]), "too_few", "x.csv has 2 rows; allowed are 30 to 100,000."),
        (
            changed("00:00:00", "01:00:00"),
            "twice",
            "Rows 2 and 3 of x.csv have the same time; allowed is each time once.",
        ),
        (
            changed("2024-01-01 03", "2024-01-01 00"),
            "not_ascending",
            "The time in row 5 of x.csv is before that in row 4",
        ),
        (
            changed(FIRST, ",,"),
            "bad_column",
            "Column c0 of x.csv has no number in row 5; allowed is a number in every row.",
        ),
        (changed(FIRST, ",nan,"), "bad_column", "Column c0 of x.csv has 'nan' in row 5"),
        (changed(FIRST, ",many,"), "bad_column", "Column c0 of x.csv has 'many' in row 5"),
        (table(np.ones((40, 2))), "constant", "No channel of x.csv ever changes; allowed are channels that vary."),
        (table(np.ones((40, 500))), "too_large", "x.csv has 501 columns; allowed are at most 200."),
        ("a,b\n" + "".join(f"word,{row % 7}\n" for row in range(40)), "no_dates", "x.csv has no column of dates"),
        (
            "year,b\n" + "".join(f"{1950 + row % 30},{row % 7}\n" for row in range(40)),
            "no_dates",
            "x.csv has no column of dates",
        ),
        (",b\n" + "".join(f"{row},{row % 7}\n" for row in range(40)), "no_dates", "x.csv has no column of dates"),
        ("", "empty", "x.csv is empty"),
    ],
)
def test_what_is_no_series_is_refused_in_a_sentence(text, code, fact):
    with refused(SeriesError, code, fact):
        read_series(text.encode(), "x.csv")


@pytest.mark.parametrize(
    ("head", "names"), [("", ("column 1", "column 2")), ("a,b\n", ("a", "b")), ("0,1\n", ("0", "1"))]
)
def test_numbers_alone_are_rows_at_equal_steps(head, names):
    file = read_series((head + "\n".join(f"{x},{y}" for x, y in NOISE)).encode(), "x.csv")
    np.testing.assert_array_equal(file.series.values, NOISE)
    assert (file.series.names, file.series.row) == (names, "step")
    assert file.notes == (WITHOUT_TIMES,)


def test_more_numbers_than_a_run_takes_are_refused(monkeypatch):
    monkeypatch.setattr("goldviz.labs.leaderboard.series_file.MOST_NUMBERS", 700)
    with refused(SeriesError, "too_large", "x.csv has 800 numbers", "at most 700."):
        read_series(FILE.encode(), "x.csv")


def test_what_is_left_out_or_uneven_is_said():
    flat = np.c_[NOISE, np.full(len(NOISE), 7)]
    file = read_series(table(flat).encode(), "x.csv")
    assert file.series.names == ("c0", "c1")
    assert file.notes == ("Left out, for it is 7 in every row: c2.",)
    uneven = read_series("\n".join(GAP).encode(), "x.csv")
    assert uneven.notes == ("1 step between rows is longer or shorter than the rest; all count as one.",)
    assert uneven.series.rows == 399


def test_published_scores_are_those_of_horizon_and_split():
    hourly, rates = PUBLIC_SETS
    assert hourly.published(96, "months-hourly")["NLinear"] == 0.374
    assert rates.published(720, "70-10-20")["repeat"] == 0.823
    assert hourly.published(96, "70-10-20") == hourly.published(24, "months-hourly") == {}
    assert recognised(read_series(FILE.encode(), "x.csv").series) is None


def test_the_public_files_are_recognised():
    folder = REAL_DATA / "series"
    if not folder.is_dir():
        pytest.skip("needs the real series beside the project")
    load = read_series((folder / "ETTh1.csv").read_bytes(), "mine.csv")
    assert recognised(load.series) is PUBLIC_SETS[0]
    packed = (folder / "exchange_rate.txt.gz").read_bytes()
    text = gzip.decompress(packed).decode()
    dated = table([line.split(",") for line in text.splitlines()], hours=24)
    for content in (packed, text.encode(), dated.encode(), dated.partition("\n")[2].encode()):
        assert recognised(read_series(content, "mine.csv").series) is PUBLIC_SETS[1]
