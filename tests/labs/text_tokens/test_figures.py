"""Figures of tokens: every axis has its ends, and texts without merges are drawn with the reason."""

import pytest

from goldviz.labs.text_tokens.figures import FIGURES
from goldviz.labs.text_tokens.settings import TextTokens


@pytest.mark.parametrize("text", ["aaabdaaabac", "ab" * 200])
def test_the_axis_of_sizes_begins_with_bytes_and_ends_with_the_last_merge(text: str) -> None:
    ds = TextTokens(text=text, corpus="own", beside="none", pattern="none", vocabulary=4096).compute()
    made = FIGURES["compression"](ds)
    first, *_, last = made.layout.xaxis.ticktext
    assert (first, last) == ("256", str(int(ds["size"][-1])))
    assert [len(trace.y) for trace in made.data] == [ds.sizes["size"]] * 4


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_text_without_pairs_is_drawn_with_the_reason(theme: str) -> None:
    ds = TextTokens(text="a", corpus="own").compute()
    for figure in FIGURES.values():
        made = figure(ds, theme=theme)
        assert made.data or "No pair comes twice" in made.layout.annotations[0].text.replace("<br>", " ")


def test_a_line_stands_at_every_cut_of_a_number() -> None:
    ds = TextTokens(text="a", corpus="own", pattern="gpt2", beside="cl100k").compute()
    lines = FIGURES["digits"](ds).layout.shapes
    # 1,024, 31,415 and 271,828 are cut once, the three longer numbers twice; GPT-2's pattern cuts none.
    assert len(lines) == 9
    assert {line.xref for line in lines} == {"x2"}
