"""Pages with figures: a preset's recorded run, an instant page's preset, a story's step."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment, Preset
from goldviz.declare.stories import Guess, Step, Story, place, stories
from goldviz.export.report import Lane, figures_html, lane_of_run, lane_of_view, marked, numbers_html, words_html
from goldviz.export.report_frames import carried
from goldviz.figures.limits import Limits
from goldviz.runs.examples import example, has_example
from goldviz.site.shell import PLOTLY, SitePage, link, up_from

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.figures.spec import FigureSpec

ROOM = 420_000
"""Characters of numbers that a page has at most: a hundred pages and more stay below 60 MB together."""
RUN, VIEW, STORY = "Recorded run", "Set up and computed", "Story"


def preset_path(lab: Laboratory, preset: Preset) -> str:
    """Where the page of a preset lies."""
    return f"{lab.name}/{preset.slug}.html"


def step_path(slug: str, number: int) -> str:
    """Where a story's step lies, counted from 1."""
    return f"stories/{slug}-{number}.html"


def presets_of(lab: Laboratory) -> list[Preset]:
    """The presets that a site can show: an experiment's where a recorded run ships, an instant page's where figures
    are what it draws."""
    declared = lab.declared
    if issubclass(declared, Experiment):
        return [preset for preset in declared.presets if has_example(declared, preset.slug)]
    return list(declared.presets) if hasattr(lab.figures(), "FIGURES") else []


def preset_page(lab: Laboratory, preset: Preset) -> SitePage:
    """A preset with all figures, what they show, and how it was made.

    Raises :class:`goldviz.extras.MissingExtraError` where an instant page computes with what is not installed.
    """
    declared, figures = lab.declared, lab.figures().FIGURES
    path = preset_path(lab, preset)
    if issubclass(declared, Experiment):
        lane, kind = lane_of_run(declared.preset(preset.slug), example(declared, preset.slug), figures), RUN
    else:
        settings = cast(Instant, declared.preset(preset.slug))
        lane, kind = _lane_of_view(settings, settings.compute(), figures), VIEW
    up = up_from(path)
    ways = " · ".join(
        f"<b>{html.escape(other.name)}</b>" if other == preset else link(preset_path(lab, other), other.name, up)
        for other in presets_of(lab)
    )
    about = (
        f"{_rooms(lab, up)}<p>{html.escape(declared.question)}</p><p class=presets>{ways}</p>"
        f"<p>{marked(preset.words)}</p>"
    )
    body = about + _drawn([lane], up) + words_html([lane])
    return SitePage(path, f"{declared.title}: {preset.name}", body, f"{declared.question} {preset.words}", kind)


def _rooms(lab: Laboratory, up: str) -> str:
    """The laboratories of its chapter in a row, each a way to its first page here."""
    section = lab.declared.section
    rooms = [one for one in laboratories().values() if one.declared.section == section and presets_of(one)]
    if len(rooms) < 2:
        return ""
    ways = " · ".join(
        f"<b>{html.escape(one.declared.room or one.declared.title)}</b>"
        if one == lab
        else link(preset_path(one, presets_of(one)[0]), one.declared.room or one.declared.title, up)
        for one in rooms
    )
    return f"<p class=rooms>{html.escape(section)}: {ways}</p>"


def _lane_of_view(settings: Instant, dataset: xr.Dataset, figures: Mapping[str, FigureSpec]) -> Lane:
    """What an instant page shows of these settings, at every position."""

    def numbers_at(position: int) -> xr.Dataset:
        return settings.changed(**{settings.position: position}).compute()

    return lane_of_view(settings, dataset, figures, numbers_at)


def step_page(slug: str, number: int) -> SitePage:
    """One step of a story: its words, its guess, and the figures that it is about with its presets side by side."""
    _, story = stories()[slug]
    step, path = story.steps[number - 1], step_path(slug, number)
    lab = laboratories()[place(slug, number)]
    numbers = _numbers(lab, step)
    lanes = _lanes(lab, step, numbers)
    up = up_from(path)
    body = "".join(
        [
            f"<p><small>Step {number} of {len(story.steps)}</small></p>",
            f"<p class=told>{marked(step.words)}</p>",
            _guess(step.guess, step.guess.found(*numbers)) if step.guess else "",
            _task(step),
            f"<div class=answer>{_drawn(lanes, up)}</div>",
            f"<p class=ways>{' · '.join(_ways(slug, story, number, up))}</p>",
        ]
    )
    return SitePage(path, story.title, body, step.words, STORY, asks=step.guess is not None)


def _numbers(lab: Laboratory, step: Step) -> list[xr.Dataset]:
    """What was recorded of a step's presets, or what an instant page computes of them."""
    declared = lab.declared
    if issubclass(declared, Experiment):
        return [example(declared, preset) for preset in step.presets]
    return [cast(Instant, declared.preset(preset)).compute() for preset in step.presets]


def _lanes(lab: Laboratory, step: Step, numbers: Sequence[xr.Dataset]) -> list[Lane]:
    """A step's presets side by side, each with the laboratory's main figure and the one that the step is about."""
    declared, figures = lab.declared, lab.figures().FIGURES
    main = next(iter(figures))
    about = {name: figures[name] for name in dict.fromkeys([step.figure or main, main])}
    settings = [declared.preset(slug) for slug in step.presets]
    if issubclass(declared, Experiment):
        limits: Limits | None = lab.figures().shared_limits(numbers) if len(numbers) > 1 else None
        runs = cast("list[Experiment]", settings)
        lanes = [lane_of_run(one, run, about, limits) for one, run in zip(runs, numbers, strict=True)]
    else:
        views = cast("list[Instant]", settings)
        lanes = [_lane_of_view(one, view, about) for one, view in zip(views, numbers, strict=True)]
    titles = {preset.slug: preset.name for preset in declared.presets}
    return [replace(lane, title=titles[slug], data=()) for lane, slug in zip(lanes, step.presets, strict=True)]


def story_steps() -> Iterator[tuple[str, int]]:
    """Every step of every story, by the story's slug and the step's number."""
    for slug, (_, story) in stories().items():
        yield from ((slug, number) for number in range(1, len(story.steps) + 1))


def _drawn(lanes: Sequence[Lane], up: str) -> str:
    numbered = {f"lane-{number}": lane for number, lane in enumerate(lanes)}
    frames = carried({name: lane.frames for name, lane in numbered.items()}, ROOM)
    return figures_html(numbered, frames) + numbers_html(numbered, frames, up + PLOTLY)


def _guess(guess: Guess, answer: tuple[int, str]) -> str:
    right, sentence = answer
    choices = "".join(f"<button type=button class=outlined>{html.escape(choice)}</button>" for choice in guess.choices)
    return (
        f'<div class=guess data-right="{right}"><p><b>{html.escape(guess.question)}</b></p><p>{choices}</p>'
        f"<p hidden><b></b> {html.escape(sentence)}</p></div>"
    )


def _task(step: Step) -> str:
    return f"<p><b>Now you, where goldviz runs:</b> {html.escape(step.task.words)}</p>" if step.task else ""


def _ways(slug: str, story: Story, number: int, up: str) -> Iterator[str]:
    if number > 1:
        yield link(step_path(slug, number - 1), "← Back", up)
    if number < len(story.steps):
        yield link(step_path(slug, number + 1), "Next →", up)
    else:
        yield link("stories.html", "All stories", up)
