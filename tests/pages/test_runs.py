"""The runs page: find, open, compare, name, delete."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from goldviz.diagnostics.findings import times
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.ui.runs import page as runs_page
from goldviz.ui.serving import services
from goldviz.ui.words import plain
from tests.pages.databases import FAULTS
from tests.pages.visit import LABORATORY, RUNS, Visitor
from tests.runs.toy import Toy


def _listed(visitor: Visitor) -> list[str]:
    return list(visitor.at.dataframe[0].value["Id"])


def _choose(visitor: Visitor, *ids: str) -> Visitor:
    """Tick these runs."""
    rows = [_listed(visitor).index(run_id) for run_id in ids]
    key = visitor.at.dataframe[0].key
    visitor.at.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    return visitor.look()


def _create(count: int) -> list[str]:
    """Runs, newest first."""
    return [services.store().create(DepthGradients(depth=depth + 1)) for depth in range(count)][::-1]


def test_an_empty_store_says_what_to_do() -> None:
    visitor = Visitor(RUNS)
    assert [info.value for info in visitor.at.info] == ["No runs yet. Open a laboratory and press Train."]


def test_runs_are_listed_newest_first_with_their_facts() -> None:
    ids = _create(3)
    services.store().set_status(ids[0], "failed")
    services.store().rename(ids[1], "a name <b>x</b>")
    visitor = Visitor(RUNS)
    table = visitor.at.dataframe[0].value
    assert list(table["Id"]) == ids
    assert list(table["State"]) == ["Failed", "Waiting", "Waiting"]
    assert table["Run"][1] == "a name <b>x</b>"
    assert table["Run"][2].lower() == "depth 1"
    assert set(table["Laboratory"]) == {DepthGradients.title}
    assert list(table["Steps"]) == ["0 / 20"] * 3
    assert list(table["Settings"]) == [f"As in the document · depth {depth}" for depth in (3, 2, 1)]
    assert list(table["Depth"]) == [3, 2, 1], "what differs among runs of one laboratory has a column"
    assert any(
        re.match(r"3 runs, \d+ MB on disk: states to go back to take up to 20 MB a run", line)
        for line in visitor.captions
    )


def test_the_settings_of_a_run_are_told_beside_the_nearest_preset() -> None:
    sigmoid = DepthGradients.preset("break-it-sigmoid")
    services.store().create(sigmoid.changed(learning_rate=0.01, time_limit=77.0), name="mine")
    services.store().create(sigmoid)
    services.store().create(Toy())
    told = list(Visitor(RUNS).at.dataframe[0].value["Settings"])
    assert told == ["", "Break it: sigmoid", "Break it: sigmoid · learning rate 0.01"]


def test_a_finished_run_tells_its_result_and_its_size() -> None:
    tiny = DepthGradients(depth=1, width=2, samples=16, epochs=1, histogram_every=0)
    visitor = Visitor(LABORATORY, {"runs": services.executor().submit(tiny)}).wait_for("Finished")
    tested = services.store().load(visitor.runs[0])["test_loss"].isel(seed=0).values
    table = Visitor(RUNS).at.dataframe[0].value
    assert table["Result"][0] == f"test loss: plain {times(tested[0])}, residual {times(tested[1])}"
    assert 0 < table["MB"][0] < 1


def test_a_click_on_a_row_opens_its_run() -> None:
    ids = _create(2)
    visitor = Visitor(RUNS)
    key = visitor.at.dataframe[0].key
    visitor.at.session_state[key] = {"selection": {"rows": [], "columns": [], "cells": [(1, "Run")]}}
    visitor.look()
    assert visitor.at.title[0].value == DepthGradients.title
    assert visitor.at.query_params["runs"] == ids[1]


def test_ticked_runs_of_one_laboratory_are_drawn_in_one_figure() -> None:
    tiny = DepthGradients(depth=1, width=2, samples=16, epochs=2, histogram_every=0)
    ids = [services.executor().submit(tiny) for _ in range(2)]
    Visitor(LABORATORY, {"runs": ",".join(ids)}).wait_for("Finished")
    visitor = _choose(Visitor(RUNS), *ids)
    names = {trace["name"] for trace in json.loads(_drawn(visitor))["data"]}
    assert len(names) == 4, "two runs with two networks each, no two of one name"
    assert not _drawn(_choose(visitor, ids[0]))


def _drawn(visitor: Visitor) -> str:
    parts = [part for part in visitor.at.get("bidi_component") if part.proto.id.endswith("-runs-together")]
    return str(json.loads(parts[0].proto.json)["figure"]) if parts else ""


def test_a_filter_by_text_state_and_laboratory() -> None:
    ids = _create(3)
    toy = services.store().create(Toy(), name="100 % wool")
    services.store().rename(ids[2], "Monday's run")
    services.store().set_status(ids[1], "finished")
    visitor = Visitor(RUNS)
    assert len(_listed(visitor)) == 4
    visitor.at.text_input(key="runs-text").set_value("monday")
    assert _listed(visitor.look()) == [ids[2]]
    visitor.at.text_input(key="runs-text").set_value(ids[0][:8])
    assert _listed(visitor.look()) == [ids[0]]
    visitor.at.text_input(key="runs-text").set_value("%")
    assert _listed(visitor.look()) == [toy]
    visitor.at.text_input(key="runs-text").set_value("")
    visitor.at.selectbox(key="runs-status").set_value("finished")
    assert _listed(visitor.look()) == [ids[1]]
    visitor.at.selectbox(key="runs-status").set_value("diverged")
    assert [info.value for info in visitor.look().at.info] == ["No run matches."]
    visitor.at.selectbox(key="runs-status").set_value("Any")
    visitor.at.selectbox(key="runs-experiment").set_value(DepthGradients.name)
    assert _listed(visitor.look()) == ids


def test_many_runs_come_in_pages() -> None:
    ids = _create(runs_page.ROWS + 3)
    visitor = Visitor(RUNS)
    assert _listed(visitor) == ids[: runs_page.ROWS]
    visitor.at.number_input(key="runs-page").set_value(2)
    assert _listed(visitor.look()) == ids[runs_page.ROWS :]
    visitor.at.selectbox(key="runs-status").set_value("queued")
    assert _listed(visitor.look()) == ids[: runs_page.ROWS], "another question begins with its first page"
    visitor.at.number_input(key="runs-page").set_value(2)
    assert _listed(visitor.look()) == ids[runs_page.ROWS :]
    services.store().delete(ids[runs_page.ROWS :])
    assert _listed(visitor.look()) == ids[: runs_page.ROWS], "a page that is no longer there gives way to the last"


def test_opening_a_run_shows_it_in_its_laboratory() -> None:
    ids = _create(2)
    visitor = _choose(Visitor(RUNS), ids[1]).press("Open")
    assert visitor.at.title[0].value == DepthGradients.title
    assert len(visitor.states) == 1
    assert visitor.control("depth").value == 1, "the run's settings are in the panel"
    assert visitor.look().runs == [ids[1]]


def test_comparing_runs_puts_them_side_by_side() -> None:
    ids = _create(4)
    visitor = _choose(Visitor(RUNS), *ids[1:])
    assert "Open" not in visitor.buttons
    visitor.press("Compare")
    assert len(visitor.states) == 3
    assert sorted(visitor.look().runs) == sorted(ids[1:])


def test_no_more_runs_than_fit_can_be_compared() -> None:
    ids = _create(5)
    for count, fit in [(5, False), (4, True)]:
        visitor = _choose(Visitor(RUNS), *ids[:count])
        [compare] = [button for button in visitor.at.button if button.label == "Compare"]
        assert compare.disabled != fit
        assert ("Up to 4 runs can stand side by side." in visitor.captions) != fit


def test_runs_of_different_laboratories_cannot_be_compared() -> None:
    toy = services.store().create(Toy())
    [run_id] = _create(1)
    visitor = _choose(Visitor(RUNS), toy, run_id)
    [compare] = [button for button in visitor.at.button if button.label == "Compare"]
    assert compare.disabled
    assert "Runs of one laboratory can be compared." in visitor.captions


def test_a_run_gets_a_name() -> None:
    ids = _create(2)
    visitor = _choose(Visitor(RUNS), ids[0])
    [box] = [box for box in visitor.at.text_input if box.label == "Name of the run"]
    box.set_value("  <b>two\twords</b> ")
    visitor.press("Save")
    assert services.store().run(ids[0]).name == "<b>two words</b>"
    assert visitor.at.dataframe[0].value["Run"][0] == "<b>two words</b>"


def test_a_name_that_is_too_long_is_told_and_not_cut() -> None:
    [run_id] = _create(1)
    visitor = _choose(Visitor(RUNS), run_id)
    [box] = [box for box in visitor.at.text_input if box.label == "Name of the run"]
    box.set_value("x" * 201)
    visitor.press("Save")
    assert visitor.errors == [plain("The name has 201 characters; allowed are up to 200.")]
    assert services.store().run(run_id).name == ""


def test_a_deleted_run_is_gone_and_no_other_is_ticked_in_its_place() -> None:
    ids = _create(3)
    visitor = _choose(Visitor(RUNS), ids[0])
    assert any(f"Delete {plain('“Depth 3”')}".lower() in line.lower() for line in visitor.markdown)
    visitor.click("delete-for-good")
    assert _listed(visitor) == ids[1:]
    assert any("Tick runs in the first column" in line for line in visitor.captions)
    with pytest.raises(UnknownRunError):
        services.store().run(ids[0])


def test_a_run_that_comes_in_meanwhile_does_not_move_the_ticks_to_another() -> None:
    ids = _create(2)
    visitor = _choose(Visitor(RUNS), ids[0])
    services.store().create(DepthGradients())
    visitor.look()
    assert "delete-for-good" not in [button.key for button in visitor.at.button]


def test_a_run_that_trains_is_stopped_before_it_is_deleted() -> None:
    run_id = services.executor().submit(DepthGradients(depth=1, width=2, samples=16, epochs=2000, histogram_every=0))
    visitor = _choose(Visitor(RUNS), run_id).click("delete-for-good")
    assert not visitor.errors
    assert [info.value for info in visitor.at.info] == ["No runs yet. Open a laboratory and press Train."]
    following = services.executor().submit(DepthGradients(depth=1, width=2, samples=16, epochs=1, histogram_every=0))
    Visitor(LABORATORY, {"runs": following}).wait_for("Finished")


def test_deleting_what_another_visitor_has_deleted_is_told() -> None:
    ids = _create(1)
    visitor = _choose(Visitor(RUNS), ids[0])
    services.store().delete(ids)
    visitor.click("delete-for-good")
    assert visitor.errors == [plain(f"There is no run {ids[0]!r} in this store; it may have been deleted.")]


def test_a_run_of_an_unknown_laboratory_is_not_opened() -> None:
    class Unknown(Toy):
        pass

    Unknown.name = "of-the-future"
    run_id = services.store().create(Unknown(), name="new")
    visitor = _choose(Visitor(RUNS), run_id).press("Open")
    assert visitor.errors == [f"This version has no laboratory {plain('of-the-future')}."]


@pytest.mark.parametrize(("breaks", "sentence"), FAULTS.items())
def test_a_database_that_cannot_be_used_is_told(breaks: Callable[[Path], None], sentence: str, database: Path) -> None:
    breaks(database)
    visitor = Visitor(RUNS)
    assert len(visitor.errors) == 1
    assert visitor.errors[0].startswith(plain(sentence.format(file=database)))
