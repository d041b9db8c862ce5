"""Home, runs page and laboratory over databases that others have written to: they draw, and say what is wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest

from goldviz.runs.store.run_store import Store
from goldviz.ui.serving import services
from goldviz.ui.words import plain
from tests.pages.visit import HOME, LABORATORY, RUNS, Visitor
from tests.runs.strangers import FILES, READ, RECORDS, ROWS, Change, lost_pages
from tests.runs.test_kept import BY_NAME, THEN, unpacked
from tests.thinned import thinned

SOUND = [BY_NAME["Fork of it"], BY_NAME["Kept depth-gradients"]]
DAMAGED = BY_NAME["Paused half way"]


@pytest.fixture(autouse=True)
def _kept(database: Path) -> None:
    """Runs of which each test damages one."""
    unpacked(database.parent)


def seen() -> None:
    """What must be there whatever happened to one run: the others, on every page."""
    services.store()
    home = Visitor()
    assert not home.errors
    assert SOUND[0] in str([link.proto.query_string for link in home.page_links()])
    table = home.go(RUNS).at.dataframe[0].value
    assert not home.errors
    assert set(table["Id"]) == set(THEN)
    assert all("loss: " in result for result in table["Result"][table["Id"].isin(SOUND)])
    home.at.text_input(key="runs-text").set_value("Fork of it")
    assert list(home.look().at.dataframe[0].value["Id"]) == [SOUND[0]]
    laboratory = home.go(LABORATORY, {"runs": ",".join([DAMAGED, SOUND[0]])})
    assert SOUND[0] in laboratory.runs
    assert laboratory.figures()


CHANGES = [(name, change) for changes in (ROWS, RECORDS, READ) for name, change in changes.items()]
FIRST = [("a state that nobody knows", ROWS["a state that nobody knows"])]


@pytest.mark.parametrize(("name", "change"), thinned([*FIRST, *[one for one in CHANGES if one not in FIRST]]))
def test_whatever_happened_to_one_run_all_pages_show_the_others(name: str, change: Change, database: Path) -> None:
    services.store()
    change(database, DAMAGED)
    seen()
    if name in ROWS:
        assert any(f"Run {DAMAGED} is unclear" in caption for caption in Visitor(RUNS).captions)


def test_a_run_whose_records_are_damaged_leaves_its_lane_with_a_sentence(database: Path) -> None:
    visitor = Visitor(LABORATORY, {"runs": f"{DAMAGED},{SOUND[0]}"})
    RECORDS["records that are noise"](database, DAMAGED)
    services._shared.runs.clear()
    assert visitor.look().runs == [SOUND[0]]
    assert any("are damaged and cannot be read" in error.replace("\\", "") for error in visitor.errors)
    table = visitor.go(RUNS).at.dataframe[0].value
    assert table["Result"][list(table["Id"]).index(DAMAGED)] == "records damaged"


@pytest.mark.parametrize(("change", "said"), thinned(FILES.values()), ids=FILES)
def test_a_useless_database_leaves_home_and_runs_page_with_a_sentence(
    change: Callable[[Path], None], said: str, database: Path
) -> None:
    Store(f"sqlite:///{database}").close()
    change(database)
    assert Visitor(HOME).at.title[0].value == "goldviz"
    for page in (HOME, RUNS)[said == "no such table" :]:
        visitor = Visitor(page)
        assert len(visitor.errors) == 1
        assert plain(said) in visitor.errors[0]
        assert plain("'goldviz rescue'") in visitor.errors[0]
    assert Visitor(LABORATORY).figures(), "the recorded example needs no database"


def test_notices_of_the_database_stand_over_the_runs(database: Path) -> None:
    services.store()
    lost_pages(database)
    services.store().check()
    for page in (HOME, RUNS):
        visitor = Visitor(page)
        assert any(plain("is damaged") in warning for warning in visitor.warnings)
    database.unlink()
    assert any(plain("was gone and has been made anew") in warning for warning in visitor.look().warnings)


@pytest.mark.parametrize("text", thinned(["a\x00b", "\u2028", "%" * 60_000]))
def test_a_strange_search_matches_no_run(text: str) -> None:
    visitor = Visitor(RUNS)
    visitor.at.text_input(key="runs-text").set_value(text)
    assert [info.value for info in visitor.look().at.info] == ["No run matches."]
