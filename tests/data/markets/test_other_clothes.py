"""The public kinds of files as other programs would have saved them: right, asked about or refused, and none wrong."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.market import MarketError
from tests.data.markets.test_public_kinds import KINDS, Twin, read

pytestmark = pytest.mark.slow

Rows = list[list[str]]
DAY = re.compile(r"\d{4}-\d\d-\d\d")
NUMBER = re.compile(r"\d+\.\d+")


def by_cell(pattern: re.Pattern[str], change: Callable[[str], str]) -> Callable[[Rows], Rows]:
    """The rows with those cells changed that have this pattern."""
    return lambda rows: [[change(cell) if pattern.fullmatch(cell) else cell for cell in row] for row in rows]


def dated(form: str) -> Callable[[Rows], Rows]:
    return by_cell(DAY, lambda cell: pd.Timestamp(cell).strftime(form))


CHANGES: dict[str, Callable[[Rows], Rows]] = {
    "as it is": lambda rows: rows,
    "empty column behind": lambda rows: [[*row, ""] for row in rows],
    "row numbers in front": lambda rows: [[str(place - 1) if place else "", *row] for place, row in enumerate(rows)],
    "empty rows": lambda rows: [*rows[:9], [""] * len(rows[9]), *rows[9:], []],
    "a title": lambda rows: [["Prices of a thing"], [], *rows],
    "a source": lambda rows: [*rows, [], ["Source: somebody"]],
    "a mean": lambda rows: [*rows, ["Average", "1.5", *[""] * (len(rows[-1]) - 2)]],
    "the other order": lambda rows: [*rows[:4], *rows[:3:-1]],
    "a row twice": lambda rows: [*rows[:9], rows[9], *rows[9:]],
    "dollars": by_cell(NUMBER, lambda cell: f"${cell}"),
    "euros": by_cell(NUMBER, lambda cell: f"{cell} EUR"),
    "days first": dated("%d.%m.%Y"),
    "months first": dated("%m/%d/%Y"),
    "afternoons": dated("%m/%d/%Y 4:00:00 PM"),
    "weekdays": dated("%a, %d %b %Y"),
    "digits alone": dated("%Y%m%d"),
    "east": dated("%Y年%m月%d日"),
    "short years": dated("%d-%b-%y"),
}
SAVED: dict[str, Callable[[str], bytes]] = {
    "UTF-8": str.encode,
    "byte-order mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
}
TEXTS = [make for make in KINDS if not make().refused and b"\0" not in make().content]


def rows_of(twin: Twin) -> Rows | None:
    """The cells of a text in UTF-8; None for any other."""
    try:
        text = twin.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    separator = max(",;\t", key=lambda sign: min(line.count(sign) for line in text.splitlines()[5:30]))
    return list(csv.reader(io.StringIO(text), delimiter=separator))


@pytest.mark.parametrize("make", TEXTS, ids=lambda make: make.__name__)
def test_no_file_in_other_clothes_is_read_wrong(make: Callable[[], Twin]) -> None:
    twin = make()
    rows = rows_of(twin)
    if rows is None:
        pytest.skip("no text in UTF-8")
    right = read(twin).target.observed
    outcomes = []
    for name, change in CHANGES.items():
        for separator, how in ((",", "UTF-8"), (";", "byte-order mark"), ("\t", "UTF-16")):
            sink = io.StringIO()
            csv.writer(sink, delimiter=separator).writerows(change(rows))
            try:
                found = read(replace(twin, content=SAVED[how](sink.getvalue()))).target.observed
            except MarketError:
                outcomes.append(False)
                continue
            assert len(found) == len(right), (name, separator)
            np.testing.assert_allclose(found, right, err_msg=f"{name}, {separator!r}")
            outcomes.append(True)
    assert np.mean(outcomes) > 0.7
