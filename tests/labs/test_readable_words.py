"""Every word of every figure can be read on its page in both themes: a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3)."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.figures.theme import INKS, Theme
from goldviz.runs.examples import example
from tests.figures.test_theme import contrast
from tests.labs.small_runs import REPRESENTED

HEX = re.compile(r"#[0-9a-fA-F]{6}")


def colours_of_words(part: Any, place: str = "", default: str = "") -> Iterator[tuple[str, str]]:
    """Where words stand and in which colour; those inside bars and maps stand on these, not on the page."""
    if isinstance(part, dict):
        for name, one in part.items():
            if name in ("font", "textfont", "tickfont") and isinstance(one, dict):
                colour = one.get("color")
                yield from (
                    (f"{place}/{name}", found) for found in ([colour] if isinstance(colour, str) else colour or [])
                )
            else:
                yield from colours_of_words(one, f"{place}/{name}")
    elif isinstance(part, list):
        for number, one in enumerate(part):
            if not (isinstance(one, dict) and one.get("type") in ("bar", "heatmap")):
                yield from colours_of_words(one, f"{place}/{number}")


@pytest.mark.parametrize("theme", ["light", "dark"])
@REPRESENTED
def test_every_word_of_a_figure_can_be_read(lab: Laboratory, theme: Theme) -> None:
    run, found = example(lab.declared, lab.declared.presets[0].slug), 0
    for spec in lab.figures().FIGURES.values():
        try:
            drawn = spec.draw(run, theme=theme).to_dict()
        except LookupError:
            continue
        for place, colour in colours_of_words({"data": drawn["data"], "layout": drawn["layout"]}):
            if HEX.fullmatch(colour):
                found += 1
                assert contrast(colour, INKS[theme].background) >= 4.5, (spec.name, place, colour)
    assert found
