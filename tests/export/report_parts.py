"""What a report carries, read as its script reads it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

ODD_RUNS = [
    pytest.param(lambda run: run.isel(epoch=slice(0), histogram_epoch=slice(0)), "nothing measured yet", 0, id="none"),
    pytest.param(lambda run: run.map(lambda one: one * np.nan), "no recorded value is a finite number", 20, id="NaN"),
    pytest.param(
        lambda run: run.isel(epoch=np.arange(20_000) % 20).assign_coords(epoch=np.arange(1, 20_001)),
        "Epoch 20000",
        20_000,
        id="20,000",
    ),
]
"""What a recorded run of 20 epochs becomes, what its first figure says then, and its last step: without records, of no
finite number, and much longer."""
TEXT = re.compile(r'<script type="text/plain" id="(\w+)">(.*?)</script>', re.DOTALL)


def message_in(report: str) -> tuple[dict[str, Any], bytes]:
    """The header of a report's frames, and the arrays after it."""
    whole = gzip.decompress(base64.b64decode(dict(TEXT.findall(report))["frames"]))
    start = 4 + int.from_bytes(whole[:4], "little")
    return json.loads(whole[4:start]), whole[start:]


def lanes_in(report: str) -> list[dict[str, Any]]:
    """A report's lanes, their figures as templates."""
    lanes: list[dict[str, Any]] = message_in(report)[0]["lanes"]
    return lanes


def words_of(report: str) -> str:
    """All that a report says outside its figures."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", report, flags=re.DOTALL)


def figure_texts(report: str) -> list[str]:
    """All texts of a report's figures."""
    return list(_texts(lanes_in(report)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value.replace("<br>", " ")
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
