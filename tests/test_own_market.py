"""A market file of one's own, from a notebook and from a shell: the same numbers, and every fault in one sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import goldviz
from goldviz.cli import main
from goldviz.coded_errors import Code
from goldviz.data.markets.files import LARGEST_FILE
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import MarketError, Release
from tests.refusals import refused

DAYS = pd.bdate_range("2019-01-01", periods=900)
SMALL: dict[str, Any] = {
    "network": "rnn",
    "hidden": 4,
    "window": 5,
    "epochs": 1,
    "refits": 1,
    "train_years": 1,
    "test_years": 1,
}
SMALL_OPTIONS = [part for name, value in SMALL.items() for part in (f"--{name.replace('_', '-')}", str(value))]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(order: str = "%Y-%m-%d") -> pd.DataFrame:
    drawn = np.random.default_rng(5).standard_normal((len(DAYS), 2))
    prices = (1900 * np.exp(np.cumsum(0.01 * drawn, axis=0))).round(2)
    return pd.DataFrame({"Date": DAYS.strftime(order), "Bullion": prices[:, 0], "Silver": prices[:, 1]})


def test_notebook_and_shell_read_the_same_market_and_get_the_same_numbers(folder: Path) -> None:
    table().to_csv(folder / "mine.csv", index=False)
    name = goldviz.market(folder / "mine.csv", columns=["Silver", "Bullion"])
    assert [channel.name for channel in load_market(name).channels] == ["Silver", "Bullion"]
    here = goldviz.run("gold-forecast", data=name, progress=False, **SMALL)
    options = ["--market", "mine.csv", "--market-columns", "Silver,Bullion", "--output", "run.nc", "--quiet"]
    assert main(["run", "gold-forecast", *SMALL_OPTIONS, *options]) == 0
    there = xr.load_dataset(folder / "run.nc")
    assert there.attrs["settings"] == here.attrs["settings"]
    for variable in here.data_vars:
        np.testing.assert_array_equal(there[variable], here[variable])
    price = table()["Silver"].set_axis(DAYS).loc[pd.DatetimeIndex(here["time"].values)]
    np.testing.assert_allclose(here["price"], price, rtol=1e-6)


def test_without_columns_all_numbers_are_used(folder: Path) -> None:
    table().to_parquet(folder / "mine.parquet")
    market = load_market(goldviz.market("mine.parquet"))
    assert {channel.name for channel in market.channels} == {"Bullion", "Silver"}
    np.testing.assert_array_equal(market.channels[0].observed, table()[market.channels[0].name])


def test_a_sheet_and_a_symbol_are_told_and_a_file_s_name_tells_nothing(folder: Path) -> None:
    with pd.ExcelWriter(folder / "CL=F.xlsx") as workbook:
        table().to_excel(workbook, sheet_name="Notes", index=False)
        table().rename(columns={"Bullion": "Close"}).to_excel(workbook, sheet_name="Prices", index=False)
    plain = load_market(goldviz.market("CL=F.xlsx", sheet="Prices")).target
    assert (plain.name, plain.transformation, plain.unit) == ("Close", "log_return", "")
    told = goldviz.market("CL=F.xlsx", sheet="Prices", symbols={"Close": "CL=F"})
    assert (load_market(told).target.name, load_market(told).target.unit) == ("CL=F", "USD/barrel")
    options = ["--market", "CL=F.xlsx", "--market-sheet", "Prices", "--market-symbols", "Close=CL=F"]
    assert main(["compute", "gold-market", *options, "--output", "seen.nc"]) == 0
    assert xr.load_dataset(folder / "seen.nc").attrs["data_last"] == f"{load_market(told).last:%Y-%m-%d}"


@pytest.mark.parametrize(("order", "says"), [("%d/%m/%Y", "day-first"), ("%m/%d/%Y", "month-first")])
def test_dates_that_fit_both_readings_are_read_as_told(order: str, says: str, folder: Path) -> None:
    months = pd.date_range("2012-01-01", periods=96, freq="MS")
    table()[:96].assign(Date=months.strftime(order)).to_csv(folder / "mine.csv", index=False)
    with refused(MarketError, "two_readings", "mine.csv"):
        goldviz.market("mine.csv")
    found = load_market(goldviz.market("mine.csv", day_first=says == "day-first"))
    assert list(found.target.observed.index) == list(months)
    command = ["compute", "gold-market", "--market", "mine.csv", "--output", "seen.nc"]
    assert main(command) == 2
    assert main([*command, "--market-dates", says]) == 0


def test_header_price_and_split_are_told_in_notebook_and_shell_alike(folder: Path) -> None:
    rows = table().to_csv(index=False, header=False)
    (folder / "mine.csv").write_text(f"Value,x,y\nDay,a,b\n{rows}")
    name = goldviz.market("mine.csv", header=2, price="b", dates="Day", decimal=".")
    assert [channel.name for channel in load_market(name).channels] == ["b", "a"]
    options = ["--market-header", "2", "--market-price", "b", "--market-date-column", "Day", "--market-decimal", "."]
    command = ["compute", "gold-market", "--market", "mine.csv", *options, "--output", "seen.nc"]
    assert main(command) == 0
    assert xr.load_dataset(folder / "seen.nc").attrs["data_last"] == f"{DAYS[-1]:%Y-%m-%d}"
    sides = table().assign(Side=["east", "west"] * 450)[["Date", "Bullion", "Side"]]
    sides = pd.concat([sides, sides[:1].assign(Side="east", Bullion=1.5)])
    sides.to_csv(folder / "mine.csv", index=False)
    with refused(MarketError, "unanswered", "split=''", "split='Side'"):
        goldviz.market("mine.csv")
    assert len(load_market(goldviz.market("mine.csv", split="")).target.observed) == 900
    options = ["--market-split", "", "--output", "seen.nc"]
    assert main(["compute", "gold-market", "--market", "mine.csv", *options]) == 0


@pytest.mark.parametrize(
    ("told", "code", "facts"),
    [
        ({"header": -1}, "not_allowed", ("row -1",)),
        ({"header": True}, "not_allowed", ("row True",)),
        ({"decimal": ";"}, "not_allowed", ("';'", "'.' and ','")),
        ({"price": "Lead"}, "not_offered", ("'Lead'", "Bullion, Silver")),
        ({"split": "Silver"}, "not_offered", ("'Silver'",)),
    ],
)
def test_what_is_told_wrongly_is_named(told: dict[str, Any], code: Code, facts: tuple[str, ...], folder: Path) -> None:
    table().to_csv(folder / "mine.csv", index=False)
    with refused(MarketError, code, *facts):
        goldviz.market("mine.csv", **told)


def _text_in_numbers() -> bytes:
    frame = table().drop(columns="Silver").astype({"Bullion": str})
    frame.loc[::2, "Bullion"] = "closed"
    return frame.to_csv(index=False).encode()


FAULTS: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "empty"),
    "header alone": (lambda: b"Date,Bullion\n", "row"),
    "no dates": (lambda: table().drop(columns="Date").to_csv(index=False).encode(), "date"),
    "duplicate dates": (lambda: table().assign(Date="2020-01-02").to_csv(index=False).encode(), "2020-01-02"),
    "text in numbers": (_text_in_numbers, "Bullion"),
    "no numbers": (lambda: table()[["Date"]].to_csv(index=False).encode(), "column"),
    "binary": (lambda: np.random.default_rng(1).bytes(4000), ""),
    "broken parquet": (lambda: b"PAR1" + bytes(400) + b"PAR1", ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_one_sentence_that_names_the_file(
    fault: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, names = FAULTS[fault]
    (folder / "mine.csv").write_bytes(content())
    with pytest.raises(MarketError) as caught:
        goldviz.market("mine.csv")
    said = str(caught.value)
    assert "mine.csv" in said
    assert names in said
    assert said.endswith(".")
    assert len(said) < 400
    assert main(["run", "gold-forecast", "--market", "mine.csv"]) == 2
    assert capsys.readouterr().err == f"goldviz: {said}\n"
    assert not (folder / "kept").exists()


def test_a_huge_file_is_refused_before_it_is_read(folder: Path) -> None:
    with (folder / "huge.csv").open("wb") as file:
        file.truncate(400 * LARGEST_FILE)
    with refused(MarketError, "too_large", "huge.csv", "20,000.0 MB", "50 MB"):
        goldviz.market("huge.csv")


def test_when_values_are_known_is_said_and_told_in_notebook_and_shell_alike(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    days = pd.date_range("2012-01-01", periods=len(table()), freq="MS")
    table().assign(Date=days)[:96].to_csv(folder / "mine.csv", index=False)
    goldviz.market("mine.csv", columns=["Silver"])
    assert "mine.csv: Dated by the first day of their month, values count from its end." in capsys.readouterr().err
    told = goldviz.market("mine.csv", columns=["Silver"], releases={"Silver": "9:00 Prague, end of month, next day"})
    assert load_market(told).target.release == Release("09:00", "Europe/Prague", days=1, period="month")
    assert "Dated by" not in capsys.readouterr().err
    command = ["compute", "gold-market", "--market", "mine.csv", "--market-columns", "Silver", "--output", "seen.nc"]
    known = "Silver=9:00 Prague, end of month, next day"
    assert main([*command, "--market-known", known]) == 0
    assert "Dated by" not in capsys.readouterr().err
    assert xr.load_dataset(folder / "seen.nc")["released"].values[0].startswith("09:00")
    assert main([*command, "--market-known", "Silver"]) == 2
    assert "--market-known has 'Silver'" in capsys.readouterr().err
    assert main([*command, "--market-known", "Silver=soon"]) != 0
    assert "'soon'" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "reason"), [("none.csv", "No such file"), ("folder.csv", "no regular file")])
def test_what_cannot_be_read_is_named(name: str, reason: str, folder: Path) -> None:
    (folder / "folder.csv").mkdir()
    with refused(MarketError, "disk", name, reason):
        goldviz.market(name)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--market-columns", "Bullion"], "--market-columns says how --market FILE"),
        (["--market-sheet", "Gold"], "--market-sheet says how --market FILE"),
        (["--market", "mine.csv", "--market-symbols", "Close"], "--market-symbols has 'Close'"),
        (["--market", "mine.csv", "--data", "simulated"], "--market and --data"),
        (["--market", "mine.csv", "--market-dates", "backwards"], "'backwards'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: list[str], named: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table().to_csv(folder / "mine.csv", index=False)
    assert main(["run", "gold-forecast", *options]) == 2
    assert named in capsys.readouterr().err


def test_a_column_that_there_is_not_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table().to_csv(folder / "mine.csv", index=False)
    assert main(["run", "gold-forecast", "--market", "mine.csv", "--market-columns", "Copper"]) == 2
    said = capsys.readouterr().err
    assert "'Copper'" in said
    assert "Bullion, Silver" in said


def test_a_market_that_is_too_short_is_said_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table().to_csv(folder / "mine.csv", index=False)
    assert main(["run", "gold-forecast", "--market", "mine.csv", "--quiet"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "14.00 years" in line


def test_laboratories_without_a_market_have_no_such_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "depth-gradients", "--market", "mine.csv"]) == 2
    assert "Unrecognized arguments: --market mine.csv." in capsys.readouterr().err
