"""What the web process computes for an instant page while others wait for it: little of torch."""

import sys
from collections.abc import Iterator

import pytest

from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import instants
from goldviz.declare.settings import SettingsError
from goldviz.runs.jobs.instant import compute
from goldviz.ui.pages.instant import InstantPage
from goldviz.ui.panels.background import AT_ONCE_SECONDS
from tests.torch_work import TorchWork

MOST = 2 * AT_ONCE_SECONDS
"""Counted work is within a factor of 2.5 of what is measured."""
BY_KNOBS = [one for one in instants().values() if isinstance(laboratory_of(one).part("page").PAGE, InstantPage)]
WITHOUT_TORCH = ("gold-market", "policy-documents")
"""Their numbers are numpy's, which takes long for them: they are counted in the long suite alone."""


def _marks(declared: type[Instant]) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] * (declared.name in WITHOUT_TORCH)


def unheard(done: float, total: float) -> None:
    """Nobody hears."""


def largest(declared: type[Instant]) -> Iterator[Instant]:
    """The first preset, and every number as large as it may be, with each choice in turn."""
    yield declared()
    properties = declared.model_json_schema()["properties"]
    most = {name: told["maximum"] for name, told in properties.items() if "maximum" in told}
    choices = [{name: value} for name, told in properties.items() for value in told.get("enum", ())]
    yield from allowed(declared, [most, *({**most, **choice} for choice in choices)])


def others(declared: type[Instant]) -> Iterator[Instant]:
    """All presets, and each number as small and as large as it may be."""
    yield from (declared.preset(preset.slug) for preset in declared.presets)
    properties = declared.model_json_schema()["properties"]
    ends = [{name: told[end]} for name, told in properties.items() for end in ("minimum", "maximum") if end in told]
    yield from allowed(declared, ends)


def allowed(declared: type[Instant], changes: list[dict[str, object]]) -> Iterator[Instant]:
    """The settings with these changes, each once; those that are refused in company are left out."""
    known = set()
    for change in changes:
        try:
            settings = declared.checked(change)
        except SettingsError:
            continue
        if settings.model_dump_json() not in known:
            known.add(settings.model_dump_json())
            yield settings


def forget_numbers(declared: type[Instant]) -> None:
    """Let go of what the laboratory remembers: a visitor may come first."""
    package = f"goldviz.labs.{laboratory_of(declared).folder}."
    for name in [name for name in sys.modules if name.startswith(package)]:
        for known in list(vars(sys.modules[name]).values()):
            if callable(getattr(known, "cache_clear", None)):
                known.cache_clear()


def counted_seconds(settings: Instant) -> float:
    """About how long torch works for the numbers of these settings where nothing is remembered."""
    forget_numbers(type(settings))
    work = TorchWork()
    with work:
        compute(unheard, settings.name, settings.model_dump_json())
    return work.seconds


def too_much(cases: Iterator[Instant]) -> Iterator[tuple[str, float]]:
    """Settings whose numbers a page computes at once though they take long: what is changed, and the seconds."""
    for settings in cases:
        if laboratory_of(settings).part("page").PAGE.seconds(settings) <= AT_ONCE_SECONDS:
            seconds = counted_seconds(settings)
            if seconds > MOST:
                yield str(settings.differences()), seconds


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("declared", [pytest.param(one, marks=_marks(one), id=one.name) for one in BY_KNOBS])
def test_the_largest_settings_go_to_a_worker_or_ask_little_of_torch(declared: type[Instant]) -> None:
    """What a page declares of its settings' seconds decides who computes. Whatever it keeps for the web process has
    less than 0.1 s of torch's work in it, where nothing is remembered from before.

    Work is counted, in operators and numbers, so no busy machine changes the answer. What is done without torch, by
    numpy or in plain Python, is not counted.
    """
    assert next(too_much(largest(declared)), None) is None


@pytest.mark.slow
@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("declared", BY_KNOBS, ids=lambda declared: declared.name)
def test_presets_and_every_bound_go_to_a_worker_or_ask_little_of_torch(declared: type[Instant]) -> None:
    """The same for all presets, and for each number alone at its bounds."""
    assert next(too_much(others(declared)), None) is None


@pytest.mark.slow
def test_work_that_is_too_much_is_seen() -> None:
    """The count tells a long sequence, which takes about 0.17 s, from a short one, which takes 0.01."""
    short, long = (counted_seconds(instants()["lstm-valves"].checked({"length": length})) for length in (5, 200))
    assert short < MOST / 2 < MOST < long
