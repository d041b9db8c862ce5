"""Kept markets come back as they were or not at all, whatever else writes, reads or damages the folder."""

import hashlib
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets.kept_markets import keep, kept, load_market
from goldviz.data.markets.market import Channel, Market, MarketError, Release
from goldviz.data.markets.parquet import DamagedMarketError, market_file, market_name, read_market
from goldviz.data.markets.simulated import simulated_market
from goldviz.data.tables.kept_files import market_folder
from tests.data.markets.real_gold import COVARIATES, real_gold
from tests.refusals import refused

NOW = pd.Timestamp("2026-11-20 14:03", tz="UTC")
NOBODY = 65534


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "markets"))
    monkeypatch.delenv("GOLDVIZ_DATA_MB", raising=False)
    return tmp_path / "markets"


def market(seed=0, days=50, retrieved=NOW, **notes):
    generator = np.random.default_rng(seed)
    index = pd.date_range("2020-01-01", periods=days)
    values = generator.uniform(1, 2, (2, days))
    values[1, ::7] = np.nan
    gold = Channel("GC=F", "Gold – “front” future", pd.Series(values[0], index), "log_return", unit="USD/oz")
    rate = Channel("rate", "Yield", pd.Series(values[1], index), "difference", Release("16:15", "America/New_York", 1))
    return Market((gold, rate), "file", "gold <b>.csv", retrieved, notes)


def assert_same(one, other):
    assert (one.source, one.origin, one.retrieved, one.notes) == (
        other.source,
        other.origin,
        other.retrieved,
        other.notes,
    )
    assert len(one.channels) == len(other.channels)
    for left, right in zip(one.channels, other.channels, strict=True):
        assert replace(left, values=right.values) == right
        pd.testing.assert_series_equal(
            left.values, right.values, check_exact=True, check_freq=False, check_index_type=False, check_names=False
        )


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@st.composite
def channels(draw, name):
    days = sorted(draw(st.sets(st.integers(-60_000, 60_000), max_size=12)))
    values = draw(st.lists(st.floats(width=64, allow_infinity=False), min_size=len(days), max_size=len(days)))
    index = pd.DatetimeIndex(np.array(days, dtype="datetime64[D]").astype("datetime64[s]"))
    release = Release("13:30", draw(st.sampled_from(["UTC", "Asia/Tokyo"])), draw(st.integers(0, 9)))
    kind = draw(st.sampled_from(["log_return", "difference", "level"]))
    return Channel(name, draw(TEXTS), pd.Series(values, index, dtype="float64"), kind, release, draw(TEXTS))


@st.composite
def markets(draw):
    target = Channel("target", "Target", pd.Series([1.0], pd.DatetimeIndex(["2024-01-01"])), "level")
    names = draw(st.lists(TEXTS.filter(lambda text: text != "target"), max_size=3, unique=True))
    covariates = tuple(draw(channels(name)) for name in names)
    return Market((target, *covariates), "file", draw(TEXTS), NOW, draw(st.dictionaries(TEXTS, TEXTS, max_size=2)))


@given(markets())
def test_every_market_comes_back_exactly(one):
    assert_same(read_market(market_file(one)), one)
    assert market_name(read_market(market_file(one))) == market_name(one)


def test_a_kept_market_is_loaded_by_its_name(folder):
    one = market(gold="Rolls are not adjusted.")
    name = keep(one)
    assert [path.name for path in folder.iterdir()] == [f"{name}.parquet"]
    assert_same(load_market(name), one)


def test_the_same_numbers_have_the_same_name_and_other_numbers_another():
    one = market()
    last_bit = one.target.values.copy()
    last_bit.iloc[-1] = np.nextafter(last_bit.iloc[-1], 9)
    gold, rate = one.channels
    others = [
        replace(one, channels=(replace(gold, values=last_bit), rate)),
        replace(one, channels=(rate, gold)),
        replace(one, channels=(gold, replace(rate, transformation="level"))),
        replace(one, channels=(gold, replace(rate, release=Release("16:15", "America/New_York", 2)))),
        replace(one, channels=(gold, replace(rate, values=rate.values.dropna()))),
        replace(one, source="yahoo"),
    ]
    assert market_name(replace(one, retrieved=NOW + pd.Timedelta(days=1), notes={"a": "b"})) == market_name(one)
    as_nanoseconds = replace(gold, values=gold.values.set_axis(gold.values.index.as_unit("ns")))
    assert market_name(replace(one, channels=(as_nanoseconds, rate))) == market_name(one)
    assert len({market_name(other) for other in [one, *others]}) == 1 + len(others)


def test_a_name_is_that_of_the_content_for_ever():
    """Stored settings hold names, so a change of how they are made would orphan everybody's runs."""
    days = pd.DatetimeIndex(["2024-01-01", "2024-01-02"])
    one = Market((Channel("gold", "Gold", pd.Series([1.0, np.nan], days), "level"),), "file", "by hand", NOW)
    said = (
        b'{"channels": [{"name": "gold", "release": {"business_days": null, "clock": "23:59", "days": 0, '
        b'"zone": "UTC"}, '
        b'"transformation": "level", "unit": "", "words": "Gold"}], "origin": "by hand", "source": "file"}'
    )
    numbers = struct.pack("<q2q2d", 2, 1_704_067_200, 1_704_153_600, 1.0, math.nan)
    assert market_name(one) == hashlib.sha256(said + numbers).hexdigest()[:16]


def test_kept_again_it_was_retrieved_later():
    assert keep(market()) == keep(market(retrieved=NOW + pd.Timedelta(days=3)))
    assert [one.retrieved for one in kept()] == [NOW + pd.Timedelta(days=3)]


def test_what_is_kept_is_listed_with_the_newest_first():
    assert kept() == []
    keep(market(1))
    keep(market(2, days=20, retrieved=pd.Timestamp("2026-11-21")))
    newest, oldest = kept()
    assert newest.retrieved == pd.Timestamp("2026-11-21", tz="UTC")
    assert (newest.last, newest.observations) == (pd.Timestamp("2020-01-20"), 20 + 17)
    assert (oldest.source, oldest.origin, oldest.retrieved) == ("file", "gold <b>.csv", NOW)
    assert (oldest.target_words, oldest.channels) == ("Gold – “front” future", ("GC=F", "rate"))
    assert (oldest.first, oldest.last) == (pd.Timestamp("2020-01-01"), pd.Timestamp("2020-02-19"))
    assert oldest.observations == 50 + 42
    assert_same(load_market(oldest.name), market(1))


def test_the_simulated_market_is_always_there_and_never_written(folder):
    assert_same(load_market("simulated", 3), simulated_market(3))
    assert load_market("simulated").simulated
    assert not folder.exists()


@pytest.mark.parametrize("name", ["", "gold", "../../etc/passwd", "0123456789ABCDEF", "0123456789abcdef\n"])
def test_a_name_that_is_none_is_refused(name):
    with refused(MarketError, "not_allowed", "'simulated'", "16"):
        load_market(name)


def test_a_market_of_another_machine_is_missed():
    with refused(MarketError, "gone", "0123456789abcdef"):
        load_market("0123456789abcdef")


@given(st.data())
def test_a_changed_byte_never_changes_a_number(data):
    content = bytearray(market_file(market(days=30)))
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = read_market(bytes(content))
    except DamagedMarketError:
        return
    assert_same(found, market(days=30))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:100],
        lambda content: content[:-20],
        lambda content: b"Date,Close\n2024-01-01,1\n",
        lambda content: market_file(market(99)),
    ],
    ids=["empty", "head only", "tail cut", "a CSV file", "another market"],
)
def test_a_damaged_file_is_refused_left_out_of_the_list_and_mended_by_keeping_again(folder, damage):
    name, other = keep(market()), keep(market(1))
    path = folder / f"{name}.parquet"
    path.write_bytes(damage(path.read_bytes()))
    with refused(MarketError, "damaged", path):
        load_market(name)
    assert [one.name for one in kept()] == [other]
    keep(market())
    assert_same(load_market(name), market())


def test_a_target_without_values_is_not_kept(folder):
    nothing = Channel("gold", "Gold", pd.Series([np.nan], pd.DatetimeIndex(["2024-01-01"])), "level")
    with refused(MarketError, "no_values", "Gold"):
        keep(Market((nothing,), "file", "empty", NOW))
    assert not folder.exists()


def seeded(seed):
    return market(seed, days=20_000)


def megabytes(folder):
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def test_the_least_recently_used_go_when_the_room_is_used_up(folder, monkeypatch):
    names = [keep(seeded(seed)) for seed in range(3)]
    each = megabytes(folder) / 3
    monkeypatch.setenv("GOLDVIZ_DATA_MB", str(int(3.9 * each)))
    for age, name in enumerate(names):
        os.utime(folder / f"{name}.parquet", (1000 + age, 1000 + age))
    load_market(names[0])
    while len(list(folder.iterdir())) == len(names):
        names.append(keep(seeded(len(names))))
    held = {one.name for one in kept()}
    assert names[0] in held
    assert names[-1] in held
    assert names[1] not in held
    assert megabytes(folder) <= int(3.9 * each)


def test_a_market_larger_than_all_the_room_is_refused_and_others_stay(monkeypatch):
    name = keep(market())
    monkeypatch.setenv("GOLDVIZ_DATA_MB", "0")
    megabytes = len(market_file(seeded(1))) / 1e6
    with refused(MarketError, "too_large", f"{megabytes:.1f} MB", "0 MB", "GOLDVIZ_DATA_MB"):
        keep(seeded(1))
    assert [one.name for one in kept()] == [name]


@pytest.mark.parametrize("room", ["much", "-1", "1.5", ""])
def test_a_room_that_is_no_number_is_named(monkeypatch, room):
    monkeypatch.setenv("GOLDVIZ_DATA_MB", room)
    with refused(MarketError, "not_allowed", f"GOLDVIZ_DATA_MB is '{room}'"):
        keep(market())


def test_what_a_killed_process_left_behind_is_cleared_away_in_time(folder):
    keep(market())
    old, new = folder / "0123456789abcdefxyz.part", folder / "0123456789abcdefzyx.part"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    keep(market(1))
    assert not old.exists()
    assert new.exists()
    assert len(kept()) == 2


def test_the_folder_is_the_one_that_is_named(monkeypatch, tmp_path):
    assert market_folder() == tmp_path / "markets"
    monkeypatch.setenv("GOLDVIZ_DATA", "relative")
    assert market_folder() == Path.cwd() / "relative"
    monkeypatch.delenv("GOLDVIZ_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert market_folder().name == "markets"
    assert market_folder().parent.name == "goldviz"


def test_a_folder_that_cannot_be_is_named(monkeypatch, tmp_path):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "a file" / "markets"))
    with refused(MarketError, "disk", tmp_path / "a file", "GOLDVIZ_DATA"):
        keep(market())
    assert kept() == []


@pytest.fixture
def locked_folder(monkeypatch):
    """A folder with one market that may be read and not written, and a process without the right to do it anyway."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    monkeypatch.setenv("GOLDVIZ_DATA", str(place))
    name = keep(market())
    (place / f"{name}.parquet").chmod(0o444)
    place.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    yield place, name
    if root:
        os.seteuid(0)
    place.chmod(0o755)
    shutil.rmtree(place)


def test_a_folder_that_can_only_be_read_is_read_and_not_written(locked_folder):
    place, name = locked_folder
    assert_same(load_market(name), market())
    assert [one.name for one in kept()] == [name]
    with refused(MarketError, "disk", place, "Permission denied", "GOLDVIZ_DATA"):
        keep(market(1))


KEEPER = """
import os
import sys
import pandas as pd
from goldviz.data.markets.kept_markets import keep, kept, load_market
from tests.data.markets.test_kept_markets import assert_same, seeded
for turn in range(15):
    for seed in (0, int(sys.argv[1])):
        name = keep(seeded(seed))
        assert_same(load_market(name), seeded(seed))
        assert name in {market.name for market in kept()}
# What is asked is whether it came so far: threads of Arrow sometimes abort an interpreter that ends on a busy machine.
os._exit(0)
"""


@pytest.mark.slow
def test_several_processes_keep_and_read_the_same_markets_at_once(folder):
    keepers = [
        subprocess.Popen([sys.executable, "-c", KEEPER, str(seed)], stderr=subprocess.PIPE, text=True)
        for seed in (1, 1, 2)
    ]
    troubles = [keeper.communicate(timeout=120)[1] for keeper in keepers]
    assert [keeper.returncode for keeper in keepers] == [0, 0, 0], troubles
    assert {path.name for path in folder.iterdir()} == {f"{market_name(seeded(seed))}.parquet" for seed in (0, 1, 2)}


def test_the_real_market_is_kept_exactly():
    real = real_gold(*COVARIATES)
    assert_same(load_market(keep(real)), real)
