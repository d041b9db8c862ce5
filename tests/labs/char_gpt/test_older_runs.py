"""Runs of earlier versions, whose simple guesses were asked all of the dev text, open without them."""

import pytest

from goldviz.declare.registry import laboratories
from goldviz.runs.examples import example

EARLIER = ("unigram_loss", "bigram_loss", "gzip_bits")
"""Their names of what was of another text than the dev loss."""


@pytest.mark.parametrize("name", ["char-gpt", "char-language-model"])
def test_a_run_without_guesses_on_the_same_tokens_is_drawn_and_compared_with_none(name: str) -> None:
    lab = laboratories()[name]
    slug = lab.declared.presets[0].slug
    run = example(lab.declared, slug)
    lines = [
        one for one in run.data_vars if str(one).endswith(("gram_dev_loss", "gzip_dev_bits", "bigram_position_loss"))
    ]
    older = run.drop_vars(lines).assign(dict.fromkeys(EARLIER, run["uniform_loss"]))
    kinds = {one.kind for one in lab.part("findings").findings_of(lab.declared.preset(slug), older)}
    assert not kinds & {"beats_pairs", "no_better_than_pairs", "beats_letters", "beats_gzip"}
    for title, figure in lab.figures().FIGURES.items():
        drawn = str(figure(older))
        assert "pairs: " not in drawn, title
        assert "gzip: " not in drawn, title
