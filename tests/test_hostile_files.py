"""Five hundred damaged or hostile files, one door after another: each gives a result, or one sentence."""

from __future__ import annotations

import io
import shutil
import sqlite3
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from goldviz.data.markets.files import look_into, market_from_file
from goldviz.data.markets.kept_markets import keep, load_market
from goldviz.data.markets.kept_markets import kept as kept_markets
from goldviz.data.markets.market import MarketError
from goldviz.data.tables.kept_files import market_folder
from goldviz.data.texts.dated_files import texts_from_files
from goldviz.data.texts.dated_tables import TextColumns, look_into_texts, texts_from_table
from goldviz.data.texts.dated_texts import DatedTextError
from goldviz.data.texts.kept_models import KEPT_MODELS, about_model, load_model
from goldviz.data.texts.kept_texts import keep_text, load_text
from goldviz.data.texts.pieces import TextError
from goldviz.models.text.loading import load_text_model
from goldviz.models.text.model import TextModelError
from goldviz.runs.store.rescue import rescue
from goldviz.runs.store.run_store import Store, UnknownRunError
from goldviz.runs.store.schema import StoreError
from tests.hostile_files import hostile
from tests.random_bert import write_random_bert
from tests.runs.strangers import trained

pytestmark = pytest.mark.slow

SENTENCES = (MarketError, DatedTextError, TextError, TextModelError, StoreError, UnknownRunError)
LONGEST_SENTENCE = 1000
PATIENCE_SECONDS = 30.0
NOW = pd.Timestamp("2026-01-02", tz="UTC")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "data"))


def _try_all(sound: bytes, count: int, door: Callable[[bytes], object]) -> None:
    """The sound file goes through the door, and every hostile one goes through it or is refused in a sentence."""
    door(sound)
    refused = 0
    for number, content in enumerate(hostile(sound, count, seed=len(sound))):
        began = time.monotonic()
        try:
            door(content)
        except SENTENCES as error:
            refused += 1
            said = str(error)
            assert "\n" not in said, (number, said)
            assert said.endswith((".", "?")), (number, said)
            assert len(said) < LONGEST_SENTENCE, (number, said)
        except Exception as error:
            raise AssertionError(f"file {number}, {content[:80]!r}, raised {type(error).__name__}: {error}") from error
        assert time.monotonic() - began < PATIENCE_SECONDS, number
    assert refused


def _days() -> pd.DataFrame:
    days = pd.bdate_range("2023-01-02", periods=120)
    prices = [1900 + 3 * (day % 17) + day / 10 for day in range(len(days))]
    return pd.DataFrame({"Date": days, "Close": prices, "Silver": [price / 80 for price in prices], "Rate": 4.5})


def _csv(**how: object) -> bytes:
    return _days().to_csv(index=False, **how).encode()  # type: ignore[call-overload, no-any-return]


def _parquet() -> bytes:
    sink = io.BytesIO()
    _days().to_parquet(sink)
    return sink.getvalue()


def _workbook() -> bytes:
    sink = io.BytesIO()
    _days().to_excel(sink, index=False)
    return sink.getvalue()


def _with_sheet(workbook: bytes, sheet: bytes) -> bytes:
    """The workbook with other bytes in its sheet."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, sheet if name == SHEET else old.read(name))
    return sink.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
MARKETS = {
    "commas": _csv(),
    "semicolons": _csv(sep=";", decimal=","),
    "UTF-16": _csv().decode().encode("utf-16"),
    "Parquet": _parquet(),
    "Excel": _workbook(),
}


def _use_market(content: bytes) -> None:
    if look_into(content, "gold.csv").date_order != "either":
        load_market(keep(market_from_file(content, "gold.csv", retrieved=NOW)))


@pytest.mark.parametrize("kind", MARKETS)
def test_markets(kind: str) -> None:
    _try_all(MARKETS[kind], 50, _use_market)


def test_sheets_inside_a_sound_workbook() -> None:
    whole = MARKETS["Excel"]
    with zipfile.ZipFile(io.BytesIO(whole)) as file:
        sheet = file.read(SHEET)
    _try_all(sheet, 40, lambda content: _use_market(_with_sheet(whole, content)))


def test_markets_that_were_damaged_where_they_are_kept() -> None:
    name = keep(market_from_file(_csv(), "gold.csv", retrieved=NOW))
    path = market_folder() / f"{name}.parquet"

    def door(content: bytes) -> None:
        path.write_bytes(content)
        kept_markets()
        load_market(name)

    _try_all(path.read_bytes(), 40, door)


def test_documents() -> None:
    sound = b"---\ndate: 2024-12-18\ntype: Statement\nreleased: 2024-12-19\n---\n" + b"Rates rose, as expected.\n" * 50
    _try_all(sound, 50, lambda content: texts_from_files([("statement.txt", content)]))


def test_tables_of_documents() -> None:
    rows = "".join(
        f'2024-{month:02d}-18,Statement,"Rates rose {month} times,\nas expected."\n' for month in range(1, 13)
    )

    def door(content: bytes) -> None:
        found = look_into_texts(content, "statements.csv")
        texts_from_table(content, "statements.csv", TextColumns(found.date, found.text, found.release, found.kind))

    _try_all(f"Date,Type,Text\n{rows}".encode(), 50, door)


def test_texts() -> None:
    def door(content: bytes) -> None:
        load_text(keep_text(content, "notes.txt").name)

    _try_all("gold is a metal, sagt man – and so on\n".encode() * 40, 50, door)


@pytest.mark.parametrize("part", ["model.safetensors", "config.json", "tokenizer.json", "pytorch_model.bin"])
def test_folders_of_models(part: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    write_random_bert(folder)
    if part == "pytorch_model.bin":
        import torch
        from safetensors.torch import load_file

        torch.save(load_file(folder / "model.safetensors"), folder / part)
        (folder / "model.safetensors").unlink()
    file = folder / part if (folder / part).is_file() else folder / "vocab.txt"

    def door(content: bytes) -> None:
        file.write_bytes(content)
        load_text_model(folder)

    _try_all(file.read_bytes(), 40, door)


def test_models_to_start_from_that_were_damaged_where_they_are_kept() -> None:
    from goldviz.data.texts.kept_models import keep_model
    from goldviz.models.text.loading import shipped_text_model
    from goldviz.models.text.one_file import text_model_bytes

    sound = text_model_bytes(shipped_text_model())
    name = keep_model(sound)
    end = 8 + int.from_bytes(sound[:8], "little")

    def door(content: bytes) -> None:
        KEPT_MODELS.path(name).write_bytes(content + sound[end:])
        about_model(name)
        load_model(name)

    _try_all(sound[:end], 30, door)


def test_databases(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'sound.sqlite'}")
    ids = [trained(store, f"run {number}") for number in range(3)]
    store.close()
    with closing(sqlite3.connect(store.place)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    file = tmp_path / "runs.sqlite"

    def door(content: bytes) -> None:
        for beside in tmp_path.glob("runs.sqlite*"):
            beside.unlink()
        file.write_bytes(content)
        opened = Store(f"sqlite:///{file}")
        opened.check()
        opened.list()
        opened.results(ids)
        opened.sizes(ids)
        for run_id in ids:
            opened.load(run_id)

    _try_all(Path(store.place).read_bytes(), 60, door)


def test_databases_that_are_rescued(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'sound.sqlite'}")
    for number in range(3):
        trained(store, f"run {number}")
    store.close()
    with closing(sqlite3.connect(store.place)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    folder = tmp_path / "rescued"

    def door(content: bytes) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "runs.sqlite").write_bytes(content)
        rescue(f"sqlite:///{folder / 'runs.sqlite'}")
        Store(f"sqlite:///{folder / 'runs.sqlite'}").list()

    _try_all(Path(store.place).read_bytes(), 40, door)
