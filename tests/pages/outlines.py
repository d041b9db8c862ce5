"""What stands on every page and in each of its parts, kept as an outline so that a change shows.

An outline counts texts and figures by their kind, and has the key and the value of every control; words may change.
Where what stands there is meant to change, ``make kept`` keeps the outline anew, and the commit shows what came or
went.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from pathlib import Path

from goldviz.declare.laboratory import Laboratory
from tests.labs.small_runs import chosen
from tests.pages.visit import PATIENCE_SECONDS, Visitor

CONTROLS = (
    *("selectbox", "multiselect", "radio", "slider", "select_slider", "number_input", "text_input", "text_area"),
    *("toggle", "checkbox", "button_group", "button", "file_uploader", "download_button"),
)
ROOM = ("main", "column", "empty", "flex_container", "html")
"""What has no sight of its own."""
OF_THE_FRAME = ("glossary",)
"""What stands around every page."""


def outline(visitor: Visitor) -> list[str]:
    """The outline of what a visitor has in view, sorted."""
    texts: Counter[str] = Counter()
    controls = []
    for one in visitor.at.main:
        kind = str(one.type)
        if kind in CONTROLS:
            value = getattr(one, "value", None)
            shown = "" if kind in ("button", "download_button", "file_uploader") else f" = {str(value)[:40]}"
            controls.append(f"{kind} {getattr(one, 'key', None) or getattr(one, 'label', '')}{shown}")
        elif kind == "bidi_component":
            name = re.sub(r"^\$\$ID-\w+?-", "", one.proto.id)
            controls += [f"figure {name}"] * (name not in OF_THE_FRAME)
        elif kind not in ROOM:
            texts[kind] += 1
    return sorted([*controls, *(f"{count} {kind}" for kind, count in texts.items())])


def settled(visitor: Visitor) -> Visitor:
    """The page once all that it waits for has come."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while visitor.at.get("progress"):
        assert time.monotonic() < deadline, "the page still waits"
        time.sleep(0.05)
        visitor.look()
    return visitor


def outlines(lab: Laboratory) -> dict[str, list[str]]:
    """The outline of each part of a laboratory's page; of all but the first, what is not in the first one."""
    visitor = settled(Visitor(f"pages/{lab.folder}.py"))
    [strip] = [group for group in visitor.at.button_group if str(group.key).startswith("part-")]
    first = outline(visitor)
    everywhere: dict[str, list[str]] = {"": first}
    for question in strip.options[1:]:
        everywhere[question] = sorted(
            (Counter(outline(settled(_opened(visitor, question)))) - Counter(first)).elements()
        )
    return everywhere


def _opened(visitor: Visitor, question: str) -> Visitor:
    [strip] = [group for group in visitor.at.button_group if str(group.key).startswith("part-")]
    strip.set_value(question)
    return visitor.look()


def kept_in(lab: Laboratory) -> Path:
    """Where they are kept."""
    return Path(__file__).parents[1] / "labs" / lab.folder / "outlines.json"


def keep(lab: Laboratory) -> None:
    """Keep the outlines of today."""
    kept_in(lab).write_text(json.dumps(outlines(lab), indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for laboratory in chosen(sys.argv[1:]):
        keep(laboratory)
