"""Stories are data: what they say is short, and what they ask is answered by recorded numbers."""

import re

import pytest
import xarray as xr

from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.declare.stories import Found, Guess, Step, Story, place, step_of, stories
from goldviz.runs.examples import example

STEPS = [(slug, number, step) for slug, (_, story) in stories().items() for number, step in enumerate(story.steps, 1)]
GUESSES = [pytest.param(*one, id=f"{one[0]}.{one[1]}") for one in STEPS if one[2].guess]
TASKS = [pytest.param(*one, id=f"{one[0]}.{one[1]}") for one in STEPS if one[2].task]


def recorded(slug: str, number: int, step: Step) -> list[xr.Dataset]:
    declared = laboratories()[place(slug, number)].declared
    assert issubclass(declared, Experiment)
    return [example(declared, preset) for preset in step.presets]


def test_there_are_twelve_stories_and_each_ends_with_something_to_do_or_to_guess() -> None:
    assert len(stories()) == 12
    for _, story in stories().values():
        assert story.steps[-1].task
        assert any(step.guess for step in story.steps)


def test_a_step_names_what_there_is() -> None:
    for slug, number, step in STEPS:
        lab = laboratories()[place(slug, number)]
        for preset in step.presets:
            assert lab.declared.preset(preset), (slug, number)
        assert not step.figure or step.figure in lab.figures().FIGURES, (slug, number)
        if step.guess and isinstance(step.guess.found, Found):
            for name, run in step.guess.found.names():
                assert name in lab.measures, (slug, number, name)
                assert run in range(len(step.presets)), (slug, number, name)
        trained = issubclass(lab.declared, Experiment)
        assert trained or not (step.figure or step.guess or step.task or len(step.presets) > 1), (slug, number)


@pytest.mark.parametrize(("slug", "number", "step"), GUESSES)
def test_a_guess_is_answered_by_the_recorded_numbers(slug: str, number: int, step: Step) -> None:
    assert step.guess is not None
    right, sentence = step.guess.found(*recorded(slug, number, step))
    assert 0 <= right < len(step.guess.choices) == len(set(step.guess.choices))
    assert any(sign.isdigit() for sign in sentence)
    assert "nan" not in sentence


def test_a_guess_follows_other_numbers() -> None:
    """With the residual network's loss as high as the plain one's, "only the residual one" is no longer right."""
    step = stories()["deep-plain"][1].steps[1]
    assert step.guess is not None
    [run] = recorded("deep-plain", 2, step)
    other = run.copy()
    other["evaluation_loss"] = run.evaluation_loss.sel(network="plain").broadcast_like(run.evaluation_loss)
    assert [step.guess.choices[step.guess.found(one)[0]] for one in (run, other)] == [
        "Only the residual one",
        "Neither",
    ]


CURVES = [pytest.param(*one, id=f"{one[0]}.{one[1]}") for one in STEPS if one[2].guess and one[2].guess.curve]


@pytest.mark.parametrize(("slug", "number", "step"), CURVES)
def test_a_drawn_curve_that_is_the_measured_one_means_the_right_choice(slug: str, number: int, step: Step) -> None:
    assert step.guess is not None
    curve = step.guess.curve
    assert curve is not None
    lab = laboratories()[place(slug, number)]
    [run, *_] = recorded(slug, number, step)
    drawn = lab.figures().FIGURES[curve.figure].draw(run)
    line = next(trace for trace in drawn.data if trace.name == curve.line)
    values = dict(zip(map(float, line.x), map(float, line.y), strict=True))
    assert curve.means(values) == step.guess.found(*recorded(slug, number, step))[0]
    assert curve.means(dict.fromkeys(values, 0.9)) != curve.means(values)


def test_no_title_answers_its_storys_first_question() -> None:
    """Nor does it explain what is still to be seen, as "Why ..." does; words of all choices alike tell nothing."""
    for slug, (_, story) in stories().items():
        guess = next(step.guess for step in story.steps if step.guess)
        run = recorded(slug, *next((number, step) for number, step in enumerate(story.steps, 1) if step.guess))
        right = guess.found(*run)[0]
        told, others = (
            {word.rstrip("s") for choice in choices for word in re.findall(r"[a-z]{3,}", choice.lower())}
            for choices in (
                [guess.choices[right]],
                [*guess.choices[:right], *guess.choices[right + 1 :], guess.question],
            )
        )
        title = {word.rstrip("s") for word in re.findall(r"[a-z]{3,}", story.title.lower())}
        assert not title & (told - others) or title & (others - told), slug
        assert not story.title.startswith("Why"), slug


DOES = {
    "deep-plain": ("depth-gradients", "fix-it-orthogonal"),
    "memory": ("recurrent-gradients", "fix-it-orthogonal"),
    "valves": ("recurrent-gradients", "fix-it-forget-bias-1"),
    "flow": ("continuous-depth", "fix-it-one-more-dimension"),
    "gaps": ("ode-rnn", "partial-observations"),
    "attention": ("bert-pretraining", "as-in-the-document"),
    "gold": ("gold-forecast", "fix-it-shuffled-targets"),
    "spelling": ("char-gpt", "small-to-compare"),
    "prices": ("price-tokens", "fix-it-shuffled-days"),
}
"""Recorded runs that do what a story's last step asks for."""


@pytest.mark.parametrize(("slug", "number", "step"), TASKS)
def test_a_task_can_be_done_and_is_not_done_by_what_it_starts_from(slug: str, number: int, step: Step) -> None:
    assert step.task is not None
    declared = laboratories()[place(slug, number)].declared
    assert issubclass(declared, Experiment)
    if slug in DOES:
        name, preset = DOES[slug]
        assert name == declared.name
        assert step.task.done(declared.preset(preset), example(declared, preset))
    if DOES.get(slug, ("", ""))[1] not in step.presets:
        [start, *_] = step.presets
        assert not step.task.done(declared.preset(start), example(declared, start))


@pytest.mark.parametrize(
    "text", ["", "skip", "skip.0", "skip.99", "skip.-1", "skip.²", "nothing.1", "skip.1.1", "<b>.1"]
)
def test_a_link_to_no_step_is_none(text: str) -> None:
    assert step_of(text) is None
    assert step_of("skip.1") == ("skip", 1)


def test_a_step_of_many_words_and_a_story_of_few_steps_are_refused() -> None:
    with pytest.raises(ValueError, match="41 words; allowed are 40"):
        Step("word " * 41, ("a",))
    with pytest.raises(ValueError, match="has 1 steps; allowed are 5 to 7"):
        Story("short", "Short", "stop early.", (Step("one", ("a",), guess=Guess("?", ("a",), lambda: (0, ""))),))
