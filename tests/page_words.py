"""The words of a laboratory's page: its verdict, what stands beside its equations, and what its parts say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import streamlit as st
import xarray as xr

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, Settings


class Column(nullcontext[None]):
    """A column that is nowhere; what is told in it is added to the words."""

    def __init__(self, words: list[str]) -> None:
        super().__init__()
        self.words = words

    def metric(self, label: str, value: str, delta: str = "", **_: Any) -> None:
        self.words.append(f"{label}: {value} {delta}".rstrip())


def on_page(lab: Laboratory, settings: Settings, run: xr.Dataset, parts: Sequence[str] = ()) -> list[str]:
    """The words of a laboratory's page about these numbers, and of these parts of it; a table's rows are paragraphs."""
    page, words = lab.part("page").PAGE, []

    def columns(widths: int | Sequence[int], **_: Any) -> list[Column]:
        return [Column(words) for _ in range(widths if isinstance(widths, int) else len(widths))]

    def table(rows: pd.DataFrame, **_: Any) -> None:
        words.extend("; ".join(f"{name}: {value}" for name, value in row.items()) for row in rows.to_dict("records"))

    def text(said: str, **_: Any) -> None:
        words.append(said.replace("\\", ""))

    with pytest.MonkeyPatch.context() as patch:
        for name, double in {"columns": columns, "markdown": text, "caption": text, "dataframe": table}.items():
            patch.setattr(st, name, double)
        for name in ("latex", "code", "subheader"):
            patch.setattr(st, name, nothing)
        for tell in _telling(page, settings, run, parts):
            tell()
    return words


def _telling(page: Any, settings: Settings, run: xr.Dataset, parts: Sequence[str]) -> list[Callable[[], None]]:
    if isinstance(settings, Experiment):
        lane = SimpleNamespace(dataset=run, settings=settings, run=None, id="example", unfinished=False)
        verdict = [lambda: page.verdict(lane)] if page.verdict else []
        return [*verdict, *([lambda: page.why(lane, nothing)] if page.why else [])]
    view = SimpleNamespace(settings=settings, dataset=run, draw=nothing, explain=nothing)
    return [partial(draw, view) for draw in (page.why, *(part.draw for part in page.parts if part.name in parts))]


def nothing(*_: Any, **__: Any) -> None:
    """Draw nothing."""
