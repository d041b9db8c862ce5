"""The home page and the list of all laboratories: doors, rooms, the machine, the latest runs."""

import json
from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from goldviz.declare.registry import CHAPTERS, laboratories
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
DOORS, OWN, LABORATORIES = 6, "your-network", "pages/laboratories.py"
HOSTILE = '<img src=x onerror=alert(1)> **bold** [x](http://a.example) :material/error: $x$ "quoted"'


def _of_runs(visitor: Visitor) -> list[Any]:
    """The links that open a run."""
    return [link.proto for link in visitor.page_links() if link.proto.query_string.startswith("open=")]


def _pictures(visitor: Visitor) -> list[str]:
    parts = [part.proto for part in visitor.at.get("bidi_component") if "-picture-" in part.proto.id]
    return [json.loads(part.json)["svg"] for part in parts]


def test_a_stranger_finds_six_doors_with_pictures_and_the_ways_to_all_else() -> None:
    visitor = Visitor()
    assert visitor.at.title[0].value == "goldviz"
    doors, ways = [link.proto for link in visitor.page_links()][:DOORS], visitor.page_links()[DOORS:]
    assert [door.page for door in doors] == [*(page.path for page in chrome.laboratories() if page.door), OWN]
    assert all(door.label.strip("*").rstrip().endswith(("?", "yours")) for door in doors)
    assert [way.proto.page for way in ways] == ["laboratories", "stories", "runs"]
    pictures = _pictures(visitor)
    assert len(pictures) == len(set(pictures)) == DOORS
    assert all("goldviz-reveal" in picture or "goldviz-frame" in picture for picture in pictures)
    assert not visitor.errors


def test_all_laboratories_stand_below_their_chapters_questions_in_the_menu_s_order() -> None:
    pages, visitor = chrome.laboratories(), Visitor(LABORATORIES)
    cards = [link.proto.page for link in visitor.page_links()]
    menu = list(CHAPTERS)
    declared = {name: lab.declared for name, lab in laboratories().items()}
    assert cards == sorted(declared, key=lambda name: menu.index(declared[name].section))
    questions = [title.value for title in visitor.at.subheader]
    assert questions[: len(CHAPTERS)] == list(CHAPTERS.values())
    assert len({page.icon for page in pages}) == len(pages)
    assert len(_pictures(visitor)) == len(pages)


def test_a_page_leads_to_the_other_rooms_of_its_chapter() -> None:
    links = [link.proto.page for link in Visitor(LABORATORY).page_links()]
    assert links[:2] == ["backpropagation-steps", "backward-by-hand"]
    assert all(page.room for page in chrome.laboratories())
    rooms = [page.room for page in chrome.laboratories()]
    assert len(set(rooms)) == len(rooms)


def test_no_two_laboratories_have_names_that_sound_alike() -> None:
    titles = [lab.declared.title for lab in laboratories().values()]
    alike = [
        (one, other)
        for one, other in combinations(titles, 2)
        if SequenceMatcher(None, one.lower(), other.lower()).ratio() > ALIKE
    ]
    assert not alike


def test_the_machine_says_what_it_trains_on_and_where_runs_are_kept(database: Path) -> None:
    visitor = Visitor(LABORATORIES)
    assert any("the workers are starting" in line and str(database) in line for line in visitor.markdown)
    services.executor()
    assert any("1 worker for training" in line for line in visitor.look().markdown)


def test_workers_that_cannot_start_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_WORKERS", "several")
    with pytest.raises(ExecutionError):
        services.executor()
    sentence = "GOLDVIZ_WORKERS is 'several'; allowed is a whole number from 0 to 1024."
    assert plain(sentence) in Visitor(LABORATORIES).markdown


def test_the_latest_runs_lead_to_their_laboratory() -> None:
    ids = [services.store().create(DepthGradients(depth=depth)) for depth in range(1, 9)]
    visitor = Visitor()
    runs = _of_runs(visitor)
    assert [link.query_string for link in runs] == [f"open={run_id}" for run_id in reversed(ids[-home.LATEST :])]
    assert {link.page for link in runs} == {DepthGradients.name}


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
    assert len(visitor.page_links()) >= DOORS
