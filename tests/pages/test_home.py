"""The home page: laboratories, the machine, the latest runs."""

from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from goldviz.declare.registry import QUESTIONS, laboratories
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.execution.execution import ExecutionError
from goldviz.ui import chrome
from goldviz.ui.pages import home
from goldviz.ui.serving import services
from goldviz.ui.words import plain
from tests.pages.databases import FAULTS
from tests.pages.visit import LABORATORY, Visitor
from tests.runs.toy import Toy

ALIKE = 0.65
HOSTILE = '<img src=x onerror=alert(1)> **bold** [x](http://a.example) :material/error: $x$ "quoted"'


def _of_runs(visitor: Visitor) -> list[Any]:
    """The links that open a run."""
    return [link.proto for link in visitor.page_links() if link.proto.query_string.startswith("open=")]


def test_a_stranger_sees_the_laboratory_and_what_to_do() -> None:
    visitor = Visitor()
    assert visitor.at.title[0].value == "goldviz"
    card = next(link.proto for link in visitor.page_links() if not link.proto.query_string)
    assert card.page == DepthGradients.name
    assert DepthGradients.title in card.label
    assert DepthGradients.question in visitor.markdown
    assert "None yet. Open a laboratory and press Train." in visitor.captions
    assert not visitor.errors


def test_the_cards_stand_below_their_questions_in_the_menu_s_order_and_no_two_have_one_icon() -> None:
    pages, visitor = chrome.laboratories(), Visitor()
    cards = [link.proto.page for link in visitor.page_links() if not link.proto.query_string][: len(pages)]
    menu = [heading for headings in QUESTIONS.values() for heading in headings]
    declared = {name: lab.declared for name, lab in laboratories().items()}
    assert cards == sorted(declared, key=lambda name: menu.index(declared[name].section))
    questions = [title.value for title in visitor.at.subheader]
    assert questions[: len(QUESTIONS)] == list(QUESTIONS)
    assert len({page.icon for page in pages}) == len(pages)


def test_no_two_laboratories_have_names_that_sound_alike() -> None:
    titles = [lab.declared.title for lab in laboratories().values()]
    alike = [
        (one, other)
        for one, other in combinations(titles, 2)
        if SequenceMatcher(None, one.lower(), other.lower()).ratio() > ALIKE
    ]
    assert not alike


def test_one_story_one_experiment_and_one_thing_to_break_come_first() -> None:
    ways = [link.proto for link in Visitor().page_links() if link.proto.icon == ":material/arrow_forward:"]
    assert [way.label.partition(":")[0] for way in ways] == ["Follow a story", "Watch a network learn", "Break one"]
    story, _, broken = (dict(parse_qsl(way.query_string)) for way in ways)
    assert story == {"story": "deep-plain.1"}
    visitor = Visitor(LABORATORY, broken)
    assert visitor.menu.value == "break-it-sigmoid"
    assert visitor.at.session_state["lanes-depth-gradients"] == ["example:break-it-sigmoid"]
    assert not visitor.errors


def test_every_laboratory_has_a_picture() -> None:
    assert len(Visitor().at.image) == len(chrome.laboratories())


def test_the_machine_says_what_it_trains_on_and_where_runs_are_kept(database: Path) -> None:
    visitor = Visitor()
    assert any("the workers are starting" in line and str(database) in line for line in visitor.markdown)
    services.executor()
    assert any("1 worker for training" in line for line in visitor.look().markdown)


def test_workers_that_cannot_start_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_WORKERS", "several")
    with pytest.raises(ExecutionError):
        services.executor()
    sentence = "GOLDVIZ_WORKERS is 'several'; allowed is a whole number from 0 to 1024."
    assert plain(sentence) in Visitor().markdown


def test_the_latest_runs_lead_to_their_laboratory() -> None:
    ids = [services.store().create(DepthGradients(depth=depth)) for depth in range(1, 9)]
    visitor = Visitor()
    links = [link.proto for link in visitor.page_links()]
    runs = _of_runs(visitor)
    assert [link.query_string for link in runs] == [f"open={run_id}" for run_id in reversed(ids[-home.LATEST :])]
    assert {link.page for link in runs} == {DepthGradients.name}
    assert any(link.label == "All 8 runs" for link in links)


def test_following_a_run_from_home_opens_it_even_in_a_laboratory_seen_before() -> None:
    first, second = (services.store().create(DepthGradients(depth=depth)) for depth in (3, 4))
    visitor = Visitor(LABORATORY, {"runs": first, "epochs": "7"})
    assert visitor.runs == [first]
    visitor.go("pages/home.py").go(LABORATORY, {"runs": second})
    assert visitor.runs == [second]
    assert "Depth 4".lower() in visitor.states[0].lower()
    assert visitor.control("epochs").value == 7, "the knobs stay as they were left"


def test_opening_a_run_shows_its_settings_in_the_panel() -> None:
    first, second = (services.store().create(DepthGradients(depth=depth, epochs=9)) for depth in (3, 4))
    visitor = Visitor(LABORATORY, {"runs": first, "epochs": "7"})
    visitor.go("pages/home.py").go(LABORATORY, {"open": second})
    assert visitor.runs == [second]
    assert (visitor.control("depth").value, visitor.control("epochs").value) == (4, 9)
    assert "open" not in visitor.at.query_params


def test_going_to_a_laboratory_by_the_navigation_shows_it_as_it_was_left() -> None:
    run_id = services.store().create(DepthGradients(depth=3))
    visitor = Visitor(LABORATORY, {"runs": run_id, "epochs": "7"}).go("pages/home.py").go(LABORATORY)
    assert visitor.runs == [run_id]
    assert visitor.control("epochs").value == 7


def test_a_name_is_shown_as_plain_text() -> None:
    services.store().create(DepthGradients(), name=HOSTILE)
    visitor = Visitor()
    [link] = _of_runs(visitor)
    assert link.label == plain(HOSTILE)
    assert "<img" not in "".join(element.proto.body for element in visitor.at.get("html"))


def test_a_run_of_a_laboratory_that_is_not_here_is_listed_without_a_link() -> None:
    services.store().create(Toy(), name="a toy")
    visitor = Visitor()
    assert "a toy" in visitor.markdown
    assert not _of_runs(visitor)


@pytest.mark.parametrize(("breaks", "sentence"), FAULTS.items())
def test_a_database_that_cannot_be_used_is_told(breaks: Callable[[Path], None], sentence: str, database: Path) -> None:
    breaks(database)
    visitor = Visitor()
    assert len(visitor.errors) == 1
    assert visitor.errors[0].startswith(plain(sentence.format(file=database)))
    assert DepthGradients.question in visitor.markdown
