"""What a report carries, read as its script reads it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

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
