"""No type of a figure or a component is too small to be read from the second row."""

import re
from pathlib import Path

import goldviz

SMALLEST = 12
SIZES = re.compile(r"font_size ?= ?(\d+)|font\"?: ?\{\"size\": ?(\d+)|font-size: ?(\d+)px|font: ?(\d+)px")


def test_type_is_at_least_twelve_pixels_high() -> None:
    room = Path(goldviz.__file__).parent
    files = [file for kind in ("py", "css", "js") for file in room.rglob(f"*.{kind}") if ".min." not in file.name]
    found = {
        f"{file.relative_to(room)}: {match.group()}"
        for file in files
        for match in SIZES.finditer(file.read_text(encoding="utf-8"))
        if int(next(filter(None, match.groups()))) < SMALLEST
    }
    assert not found
