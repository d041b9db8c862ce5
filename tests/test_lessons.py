"""``docs/teachers.md``: what its lessons open is there, and what they quote is said of the recorded runs."""

import re
from pathlib import Path

import numpy as np
import pytest

import goldviz
from goldviz.arrays.labelled import Run
from goldviz.declare.registry import experiments, instants, laboratories
from goldviz.declare.settings import Experiment
from goldviz.declare.stories import stories
from goldviz.labs.inside_bert.measures import habit, moved_with_positions, moved_without_positions
from goldviz.models.text.packaged import packaged_folders
from goldviz.runs.examples import example, has_example
from goldviz.text_models import MINILM
from goldviz.ui import chrome

PAGE = (Path(__file__).parents[1] / "docs" / "teachers.md").read_text(encoding="utf-8")
LESSONS = re.findall(r"^## \d\. (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)

each_lesson = pytest.mark.parametrize(("question", "lesson"), LESSONS, ids=[question for question, _ in LESSONS])


def of(lesson: str) -> str:
    """The name of the laboratory that a lesson opens."""
    name: str = re.findall(r"\*\*Open\*\* `/([\w-]+)", lesson)[0]
    return name


def said_of(experiment: type[Experiment]) -> str:
    """All that cards say of a laboratory's recorded runs."""
    runs = [example(experiment, one.slug) for one in experiment.presets if has_example(experiment, one.slug)]
    cards = [card for run in runs for card in goldviz.findings(run)]
    return "\n".join(text for card in cards for text in (card.title, card.number, card.explanation, card.confidence))


def test_each_door_to_a_laboratory_has_its_lesson() -> None:
    doors = {page.path: page.door for page in chrome.laboratories() if page.door}
    assert {of(lesson) for _, lesson in LESSONS} == set(doors)
    assert [question for question, lesson in LESSONS if not doors[of(lesson)].startswith(question)] == []


@each_lesson
def test_it_takes_45_minutes(question: str, lesson: str) -> None:
    assert sum(map(int, re.findall(r"^\| (\d+) \|", lesson, re.MULTILINE))) == 45


@each_lesson
def test_what_it_opens_is_there(question: str, lesson: str) -> None:
    names = {one.name: one.slug for one in laboratories()[of(lesson)].declared.presets}
    said = re.findall(r"\*([^*\n]+)\*", lesson.replace("**", ""))
    assert len(set(said) & set(names)) >= 3
    elsewhere = {preset.name for lab in laboratories().values() for preset in lab.declared.presets}
    assert [one for one in said if one.startswith(("Break it", "Fix it")) and one not in elsewhere] == []
    assert [slug for slug in re.findall(r"example:([\w-]+)", lesson) if slug not in names.values()] == []
    assert [lab for lab in re.findall(r"`/([\w-]+)", lesson) if lab not in laboratories()] == []


@pytest.mark.slow
@each_lesson
def test_cards_say_what_it_quotes(question: str, lesson: str) -> None:
    quoted = [" ".join(words.split()) for words in re.findall(r"“([^”]+)”", lesson)]
    if of(lesson) not in experiments():
        assert not quoted
        return
    said = said_of(experiments()[of(lesson)])
    assert quoted
    assert [words for words in quoted if words not in said] == []


def test_stories_that_it_names_are_told() -> None:
    told = {story.title for _, story in stories().values()}
    paragraph = " ".join(PAGE.partition("a story leads")[2].partition("## 1.")[0].split())
    assert [name for name in re.findall(r"\*([^*]+)\*", paragraph) if name not in told] == []


@pytest.mark.slow
def test_numbers_of_the_lesson_on_depth_are_the_recorded_ones() -> None:
    depth = experiments()["depth-gradients"]
    for slug, losses in (("as-in-the-document", (0.887, 0.435)), ("fix-it-orthogonal", (0.461, 0.118))):
        np.testing.assert_allclose(example(depth, slug)["test_loss"].values.ravel(), losses, atol=5e-4)


@pytest.mark.slow
def test_numbers_of_the_lesson_on_bert_are_computed() -> None:
    declared = instants()["inside-bert"]
    small = goldviz.compute("inside-bert", model="shipped")
    assert float(small.attrs["rank_correlation"]) == pytest.approx(0.36, abs=0.005)
    assert special_share(small) == pytest.approx(0.10, abs=0.01)
    for slug, label, share in (("a-negation", "positive", 0.96), ("break-it-only-unknown-pieces", "neutral", 0.97)):
        text = declared.preset(slug).text  # type: ignore[attr-defined]
        read = goldviz.compute("inside-bert", model="shipped", text=text)
        assert read.attrs["label"] == label
        assert float(read["probability"].max()) == pytest.approx(share, abs=0.005)


@pytest.mark.slow
@pytest.mark.skipif(MINILM not in packaged_folders(), reason="MiniLM is not installed here: make run does it")
def test_numbers_of_minilm_are_computed() -> None:
    read = goldviz.compute("inside-bert", model=f"folder:{MINILM}")
    maps = read["all_attention"].values
    habits = [habit(one, special(read)).name for layer in maps for one in layer]
    assert (len(habits), habits.count("special")) == (72, 44)
    assert special_share(read) == pytest.approx(0.52, abs=0.005)
    assert moved_without_positions(read) < 1e-5
    assert moved_with_positions(read) == pytest.approx(0.62, abs=0.005)


def special(read: Run) -> np.ndarray:
    return np.array([piece.startswith("[") for piece in read["token"].values])


def special_share(read: Run) -> float:
    """How much of the ordinary pieces' attention goes to special ones, mean over all heads."""
    apart = special(read)
    return float(read["all_attention"].values[..., ~apart, :][..., apart].sum(-1).mean())
