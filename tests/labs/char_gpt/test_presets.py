"""What presets say of five seeds: the kept trials of their advice trained each of them, as it is."""

import numpy as np
import pytest

from goldviz.labs.char_gpt import LAB
from goldviz.labs.char_gpt.measures import Reading
from goldviz.labs.char_gpt.page import head_start
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.runs.examples import example


def ended(where, after=None):
    """Dev losses of five seeds at the end of a preset, or after a remedy that leads to another one."""
    known = LAB.tried
    assert known is not None
    trial = next(t for t in known.trials if t.where == where and (after is None or after in t.changes))
    unigram = float(example(CharGpt, CharGpt.presets[1].slug)["unigram_dev_loss"])
    return np.array(trial.loss["GPT"][0 if after is None else 1]) * unigram


SMALL = ended("Break it: no residual", after="residual")
PAIRS = float(example(CharGpt, "small-to-compare")["bigram_dev_loss"])
SLOWER = "Fix it: slower steps"


@pytest.mark.parametrize(
    ("preset", "differences", "words"),
    [
        ("Small, to compare", PAIRS - SMALL, ("0.13", "0.18")),
        ("Break it: no LayerNorm", ended("Break it: no LayerNorm") - SMALL, ("0.26", "0.31")),
        ("Break it: rate × 30", ended("Break it: rate × 30") - PAIRS, ("0.6", "0.9")),
        ("Break it: no warm-up", ended("Break it: no warm-up") - SMALL, ("0.26", "0.45")),
    ],
)
def test_the_ends_that_presets_name_are_those_of_five_seeds(preset, differences, words):
    [described] = [one.words for one in CharGpt.presets if one.name == preset]
    assert " to ".join(words) in described
    assert "five seeds of five" in described
    assert [f"{end:.{len(words[0]) - 2}f}" for end in (differences.min(), differences.max())] == list(words)


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ("as-in-the-document", "about 1.7 nat"),
        ("small-to-compare", "about 0.8 nat"),
        ("break-it-no-layernorm", ""),
        ("break-it-no-residual", ""),
    ],
)
def test_why_says_how_far_ahead_the_token_just_read_starts_where_its_vector_reads_out(preset, words):
    said = head_start(Reading.of(example(CharGpt, preset), "gpt", CharGpt.preset(preset)))
    assert words in said
    assert bool(said) == bool(words)


def test_slower_steps_lose_less_than_no_warm_up_and_more_than_a_warm_up():
    gained = ended("Break it: no warm-up") - ended(SLOWER)
    assert ((gained > 0) & (gained < 0.225)).all()
    assert (ended(SLOWER) > SMALL).all()
    assert (ended("Break it: no residual") > PAIRS).all()
