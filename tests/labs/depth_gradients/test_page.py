"""The laboratory *Gradient flow in depth*: what a person sees and does there."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates

from goldviz.declare.laboratory import laboratory_of
from goldviz.labs.depth_gradients.figures import FIGURES
from goldviz.labs.depth_gradients.findings import BRANCH
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.examples import example
from goldviz.runs.store.run_store import Store
from goldviz.ui.pages.laboratory import LaboratoryPage
from goldviz.ui.panels import controls
from goldviz.ui.panels import settings as settings_panel
from goldviz.ui.panels.lanes import in_words
from goldviz.ui.serving import services
from goldviz.ui.words import plain
from tests.pages.databases import FAULTS, a_folder
from tests.pages.visit import LABORATORY, Visitor, curve, recorded_figures

pytestmark = pytest.mark.usefixtures("on_pages")

SMALL = {"depth": "2", "width": "4", "samples": "16", "features": "2", "epochs": "4", "histogram_every": "2"}
LONG = SMALL | {"epochs": "2000", "histogram_every": "0"}
TRAIN, BESIDE = "train-depth-gradients", "beside-depth-gradients"
PRESETS = "preset-depth-gradients"


def _laboratory(link: dict[str, str] | None = None, theme: str = "light") -> Visitor:
    return Visitor(LABORATORY, link, theme)


def _settings(link: dict[str, str]) -> DepthGradients:
    return DepthGradients.checked(link)


def _count_runs() -> int:
    return services.store().list()[1]


# -- arriving -------------------------------------------------------------------------------------------------------


def test_what_was_set_is_kept_while_the_browser_has_not_heard_that_the_menu_followed() -> None:
    visitor = _laboratory({"depth": "30", "activation": "sigmoid"})
    assert visitor.menu.value == "break-it-sigmoid"
    before = visitor.menu._widget_state
    visitor.set(depth=29)

    def unheard() -> str:
        """Something is pressed: the browser tells of it, and of the menu as it was before; returns the depth."""
        told = visitor.at._tree.get_widget_states().widgets
        menu = visitor.menu.id
        visitor.at._run(WidgetStates(widgets=[*(one for one in told if one.id != menu), before]))
        assert not visitor.at.exception
        return visitor.at.query_params["depth"]  # type: ignore[no-any-return]

    assert unheard() == "29"
    visitor.control("depth").set_value(28)
    assert unheard() == "28"
    assert unheard() == "28"
    visitor.menu.set_value("break-it-sigmoid")
    visitor.look()
    assert visitor.at.query_params["depth"] == "30"


def test_what_is_typed_while_the_browser_has_not_heard_of_a_preset_stays_and_so_does_the_preset() -> None:
    visitor = _laboratory({"depth": "20", "epochs": "33"})
    ignorant = {one.id: one for one in visitor.at._tree.get_widget_states().widgets}
    visitor.menu.set_value("break-it-sigmoid")
    visitor.look()
    assert visitor.control("epochs").value == 20

    def told(**typed: int) -> tuple[str, str, str]:
        """The browser tells of the menu and of what is typed, else of what was there before; returns what is set."""
        for name, value in typed.items():
            visitor.control(name).set_value(value)
        heard = {one.id: one for one in visitor.at._tree.get_widget_states().widgets}
        known = (visitor.menu.id, *(visitor.control(name).id for name in typed))
        visitor.at._run(WidgetStates(widgets=[*(ignorant | {key: heard[key] for key in known}).values()]))
        assert not visitor.at.exception
        return tuple(visitor.at.query_params[name] for name in ("depth", "activation", "epochs"))

    assert told(epochs=77) == ("30", "sigmoid", "77")
    assert (visitor.control("depth").value, visitor.control("epochs").value) == (30, 77)
    assert visitor.control("epochs").proto.set_value, "the answer to the preset may have set it back in the browser"
    assert told(epochs=77, depth=25) == ("25", "sigmoid", "77")
    # The next message is of a browser that has heard all: what stood before the preset may be chosen again.
    visitor.set(depth=20)
    assert visitor.control("depth").value == 20
    visitor.set(epochs=33)
    assert (visitor.control("depth").value, visitor.control("epochs").value) == (20, 33)


def test_a_choice_whose_call_another_message_interrupted_is_no_choice_less() -> None:
    visitor = _laboratory({"depth": "20"})
    # What the browser tells stays in the session state; the call that should have answered it does not come again.
    visitor.at.session_state[visitor.menu.key] = "break-it-sigmoid"
    visitor.look()
    assert visitor.at.query_params["activation"] == "sigmoid"
    assert (visitor.menu.value, visitor.control("depth").value) == ("break-it-sigmoid", 30)


@pytest.mark.slow
def test_train_that_is_pressed_while_the_browser_has_not_heard_of_a_preset_trains_the_preset() -> None:
    visitor = _laboratory({"depth": "20", "epochs": "2"})
    visitor.menu.set_value("break-it-sigmoid")
    ignorant = {one.id: one for one in visitor.at._tree.get_widget_states().widgets}
    visitor.look()
    visitor.at.button(key="train-depth-gradients").click()
    heard = {one.id: one for one in visitor.at._tree.get_widget_states().widgets}
    pressed = visitor.at.button(key="train-depth-gradients").id
    visitor.at._run(WidgetStates(widgets=[*(ignorant | {pressed: heard[pressed]}).values()]))
    assert not visitor.at.exception
    trained = DepthGradients.checked_json(services.store().run(visitor.runs[0]).settings).like_preset()
    assert trained is not None
    assert trained.slug == "break-it-sigmoid"


def test_a_menu_in_use_stays_the_same_one() -> None:
    visitor = _laboratory()
    menu = visitor.menu.id
    for slug in ("break-it-sigmoid", DepthGradients.presets[0].slug):
        visitor.menu.set_value(slug)
        visitor.look()
        assert (visitor.menu.id, visitor.menu.value) == (menu, slug), "whoever moves in it by keys keeps the focus"


def test_a_stranger_sees_the_documents_experiment_drawn() -> None:
    visitor = _laboratory()
    assert visitor.at.title[0].value == DepthGradients.title
    [state] = visitor.states
    assert state.startswith("**As in the document**")
    assert "Recorded example" in state
    [figure] = visitor.figures()
    assert curve(figure, "plain")
    assert curve(figure, "residual")
    assert curve(visitor.figures("loss")[0], "plain")
    assert not visitor.errors + visitor.warnings
    assert "Train" in visitor.buttons
    assert not services.executor_ready(), "looking needs no workers"


def test_every_figure_can_be_chosen_with_its_question_and_limits() -> None:
    visitor = _laboratory({"runs": "example:32-layers-the-residual-network-learns", "shown": "closer"})
    shown = visitor.at.button_group(key="detail-depth-gradients")
    always = {"loss_by_depth", "loss", "network"}
    for name in recorded_figures(DepthGradients, FIGURES, "32-layers-the-residual-network-learns") - always:
        visitor.at.button_group(key=shown.key).set_value(name)
        visitor.look()
        assert visitor.figures(name)[0]["data"], name
        assert any(FIGURES[name].caption in caption for caption in visitor.captions)


def test_a_depth_that_asks_for_more_says_so_below_its_own_control() -> None:
    visitor = _laboratory({"depth": "30"})
    drawn = [str(getattr(one, "key", None) or getattr(one, "value", "")) for one in visitor.at.main]
    below = drawn[drawn.index("setting-depth-gradients-depth") + 1 :]
    words, cure = [text for text in below if text][:2]
    assert "20 layers" in words
    assert cure == "cure-depth-gradients-depth"
    visitor.click(cure)
    assert visitor.at.session_state[controls.key_of(DepthGradients, "residual_scale")] == BRANCH
    assert visitor.at.session_state[controls.key_of(DepthGradients, "depth")] == 30
    assert cure not in [button.key for button in visitor.at.button]


def test_a_preset_opens_on_the_figure_that_shows_what_it_says() -> None:
    deep, exploding = (f"example:{slug}" for slug in ("32-layers-the-residual-network-learns", "break-it-exploding"))
    visitor = _laboratory({"runs": deep})
    assert visitor.figures("loss_by_depth")
    assert visitor.figures("loss")
    assert not visitor.figures("gradient_by_layer")
    beside_another = _laboratory({"runs": f"{deep},{exploding}"})
    assert len(beside_another.figures("gradient_by_layer")) == 2, "two presets' figures are not one another's"
    closer = _laboratory({"runs": deep, "shown": "closer", "figure": "gradient_by_layer"})
    assert closer.figures("gradient_by_layer"), "the page's own is looked closer at"


def test_a_run_of_one_depth_says_how_to_train_others() -> None:
    visitor = _laboratory({"figure": "loss_by_depth"})
    [figure] = visitor.figures("loss_by_depth")
    assert not figure["data"]
    assert "set Shallower above 0" in figure["layout"]["annotations"][0]["text"].replace("<br>", " ")


def test_table_1_and_the_measured_factors_stand_with_the_mathematics() -> None:
    words = " ".join(element.value for element in _laboratory({"shown": "why"}).at.markdown)
    assert "| Parameters | 38,810 | 38,810 |" in words
    assert "over 15 blocks" in words
    assert "10^" not in words


def test_a_preset_sets_its_knobs_and_shows_its_recorded_run() -> None:
    preset = DepthGradients.presets[1]
    visitor = _laboratory({"width": "77", "epochs": "3"})
    visitor.at.selectbox(key="preset-depth-gradients").set_value(preset.slug)
    visitor.look()
    wanted = DepthGradients.preset(preset.slug)
    for name in (
        "depth",
        "activation",
        "gain",
        "learning_rate",
        "initialisation",
        "clip",
        "dropout",
        "width",
        "epochs",
    ):
        assert visitor.control(name).value == getattr(wanted, name)
    assert preset.words in visitor.captions
    assert visitor.at.query_params == controls.to_link(wanted) | (
        {} if wanted == DepthGradients() else {"runs": f"example:{preset.slug}"}
    )
    assert "Recorded example" in visitor.states[0]
    [figure] = visitor.figures()
    assert figure["data"] or figure["layout"]["annotations"], "curves, or the reason why there are none"


def test_the_figure_follows_the_theme() -> None:
    light, dark = (_laboratory(theme=theme).figures()[0] for theme in ("light", "dark"))
    assert light["layout"] != dark["layout"]
    assert curve(light, "plain") == curve(dark, "plain")


# -- the link -------------------------------------------------------------------------------------------------------


def test_a_link_sets_the_knobs_and_the_address_stays_a_link() -> None:
    visitor = _laboratory({"depth": "30", "seeds": "1,2", "activation": "tanh"})
    assert visitor.control("depth").value == 30
    assert controls.numbers(visitor.control("seeds").value) == [1, 2]
    assert visitor.control("activation").value == "tanh"
    visitor.set(depth=31)
    assert visitor.at.query_params == {"depth": "31", "seeds": "1,2", "activation": "tanh"}


def test_settings_out_of_range_are_told_one_by_one_and_the_rest_of_the_link_counts() -> None:
    visitor = _laboratory({"depth": "5000", "epochs": "7", "gain": "nan", "nonsense": "<b>1</b>"})
    assert sorted(visitor.warnings) == sorted(
        plain(sentence)
        for sentence in (
            "In the link: Depth is '5000'; allowed is a whole number from 1 to 100. Depth keeps its default, 15.",
            "In the link: Gain is 'nan'; allowed is a number from 0.01 to 10. Gain keeps its default, 1.",
            "In the link: depth-gradients has no setting 'nonsense'.",
        )
    )
    assert visitor.control("epochs").value == 7
    assert visitor.control("depth").value == 15
    assert visitor.at.query_params == {"epochs": "7"}
    assert _count_runs() == 0
    assert not services.executor_ready()
    assert not visitor.look().warnings, "told once"


@pytest.mark.parametrize(
    "garbage", ["0123456789ab", "<script>alert(1)</script>", "example:none", "'; DROP TABLE runs; --"]
)
def test_a_run_that_does_not_exist_is_told_and_the_example_shown(garbage: str) -> None:
    visitor = _laboratory({"runs": garbage, "epochs": "7"})
    [warning] = visitor.warnings
    assert warning.startswith(plain("In the link: There is no "))
    assert "Recorded example" in visitor.states[0]
    assert visitor.figures()[0]["data"]
    assert visitor.control("epochs").value == 7
    assert visitor.at.query_params == {"epochs": "7"}


def test_more_runs_than_fit_are_told() -> None:
    ids = [services.store().create(DepthGradients()) for _ in range(6)]
    visitor = _laboratory({"runs": ",".join(ids)})
    assert visitor.runs == ids[:4]
    [warning] = visitor.warnings
    assert "6 runs" in warning


def test_a_shared_link_opens_the_same_view_for_another_visitor() -> None:
    first = _laboratory(SMALL).click(TRAIN).wait_for("Finished")
    second = _laboratory(dict(first.at.query_params))
    assert second.figures() == first.figures()
    assert second.states == first.states
    assert second.control("depth").value == 2


# -- training -------------------------------------------------------------------------------------------------------


def test_a_run_is_trained_shown_and_ends() -> None:
    visitor = _laboratory(SMALL)
    before = visitor.figures()
    visitor.click(TRAIN)
    assert len(visitor.runs) == 1
    visitor.watch_until("Finished")
    assert visitor.figures() != before
    assert curve(visitor.figures()[0], "plain")
    run = services.store().run(visitor.runs[0])
    assert (run.status, run.step, run.total) == ("finished", 4, 4)
    assert DepthGradients.checked_json(run.settings) == _settings(SMALL)
    assert not {"Pause", "Stop", "Go on"} & set(visitor.buttons)
    command = visitor.open("take").at.code[0].value
    assert "goldviz run depth-gradients --depth 2 " in command


def test_a_double_click_starts_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_panel, "DOUBLE_CLICK_SECONDS", 600.0)
    visitor = _laboratory(SMALL).click(TRAIN).click(TRAIN).click(BESIDE)
    assert _count_runs() == 1
    monkeypatch.setattr(settings_panel, "DOUBLE_CLICK_SECONDS", 0.0)
    visitor.wait_for("Finished").click(TRAIN).wait_for("Finished")
    assert _count_runs() == 2


def test_a_second_click_counts_only_when_the_page_has_shown_what_the_first_one_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settings_panel, "DOUBLE_CLICK_SECONDS", 0.0)
    with monkeypatch.context() as interrupted:
        interrupted.setattr(settings_panel, "lanes_are_drawn", lambda experiment: None)
        visitor = _laboratory(SMALL).click(TRAIN).click(TRAIN).click(BESIDE)
        assert _count_runs() == 1
    visitor.wait_for("Finished").click(TRAIN).wait_for("Finished")
    assert _count_runs() == 2


def test_a_click_counts_once_the_new_lane_is_shown_though_figures_are_still_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settings_panel, "DOUBLE_CLICK_SECONDS", 0.0)
    at = _laboratory(SMALL).at
    # The panel stays in the browser while the script that draws it anew is interrupted.
    train, beside = (at.button(key=key) for key in (TRAIN, BESIDE))
    with monkeypatch.context() as interrupted:
        interrupted.setattr(LaboratoryPage, "_first", lambda page, view: st.stop())
        train.click().run()
        assert _count_runs() == 1
        train.set_value(False)
        beside.click().run()
    assert _count_runs() == 2


def test_seeds_that_are_none_are_told_and_nothing_can_be_started() -> None:
    visitor = _laboratory()
    for text in ("one", "", "1,1", "-1", "0.5", "1 2 3 4 5 6 7 8 9 10 11", "9" * 5000, "**1**"):
        visitor.set(seeds=text)
        [error] = visitor.errors
        assert error.startswith("Seeds is ")
        assert "allowed is a list of 1 to 10 different values" in error
        assert "**" not in error
        disabled = {button.key: button.disabled for button in visitor.at.button}
        assert disabled[TRAIN]
        assert disabled[BESIDE]
        assert visitor.figures()[0]["data"]
    visitor.set(seeds="0-2")
    assert not visitor.errors
    assert visitor.at.query_params == {"seeds": "0,1,2"}


def test_a_run_can_be_paused_continued_by_a_step_and_stopped() -> None:
    visitor = _laboratory(LONG).click(TRAIN).wait_for("Training")
    [run_id] = visitor.runs
    visitor.press("Pause").wait_for("Paused")
    paused_at = services.store().run(run_id).step
    assert 0 < paused_at < 2000
    visitor.press("Step")
    visitor.wait_for("Paused")
    assert services.store().run(run_id).step in (paused_at, paused_at + 1)
    visitor.press("Go on").wait_for("Training")
    visitor.press("Stop").wait_for("Stopped")
    assert services.store().run(run_id).step > paused_at


def test_hot_settings_change_while_the_run_goes_on() -> None:
    visitor = _laboratory(LONG).click(TRAIN).wait_for("Training")
    [run_id] = visitor.runs
    visitor.at.number_input(key=f"hot-learning_rate-{run_id}").set_value(0.5)
    visitor.press("Apply from the next step").press("Stop").wait_for("Stopped")
    assert dict(services.store().run(run_id).changes) == {"learning_rate": 0.5}


def test_a_fork_goes_on_from_a_kept_step_in_a_lane_beside() -> None:
    visitor = _laboratory(SMALL).click(TRAIN).wait_for("Finished")
    [parent] = visitor.runs
    visitor.at.selectbox(key=f"fork-step-{parent}-None").set_value(2)
    visitor.at.number_input(key=f"fork-learning_rate-{parent}").set_value(0.25)
    visitor.press("Fork").wait_for("Finished")
    assert visitor.runs[0] == parent
    fork = services.store().run(visitor.runs[1])
    assert (fork.parent, fork.parent_step, fork.step) == (parent, 2, 4)
    assert dict(fork.changes) == {"learning_rate": 0.25}
    first, second = (services.store().load(run_id)["loss"].values for run_id in visitor.runs)
    assert (first[:2] == second[:2]).all()
    assert (first[3] != second[3]).any()


# -- lanes ----------------------------------------------------------------------------------------------------------


def test_lanes_open_beside_and_close_and_the_oldest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_panel, "DOUBLE_CLICK_SECONDS", 0.0)
    visitor = _laboratory(SMALL | {"epochs": "1"})
    assert "Close lane" not in visitor.buttons
    for lanes in (2, 3, 4):
        visitor.click(BESIDE)
        assert len(visitor.states) == lanes
    assert visitor.runs[0] == "example:as-in-the-document"
    visitor.click(BESIDE)
    assert len(visitor.runs) == 4
    assert "example:as-in-the-document" not in visitor.runs
    visitor.wait_for("Finished")
    assert len(visitor.figures()) == 4
    left = visitor.runs[:3]
    visitor.press("Close lane")
    assert visitor.runs == left
    assert _count_runs() == 4, "a closed lane's run stays"


def test_an_example_that_is_in_view_already_gets_no_second_lane() -> None:
    visitor = _laboratory({"runs": "example:as-in-the-document,example:break-it-sigmoid"})
    for slug in ("break-it-sigmoid", "as-in-the-document"):
        visitor.at.selectbox(key=PRESETS).set_value(slug)
        assert len(visitor.look().states) == 2


def test_a_preset_changes_settings_and_leaves_a_trained_run_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_panel, "DOUBLE_CLICK_SECONDS", 0.0)
    visitor = _laboratory(SMALL).click(TRAIN).wait_for("Finished")
    [mine] = visitor.runs
    for slug in ("break-it-sigmoid", "fix-it-clip"):
        visitor.at.selectbox(key=PRESETS).set_value(slug)
        assert visitor.look().runs == [mine, f"example:{slug}"]
    assert any("another preset takes its place" in element.proto.help for element in visitor.at.markdown)
    visitor.set(depth=2, width=6, epochs=2, samples=40).click(TRAIN)
    assert len(visitor.runs) == 2
    assert visitor.runs[0] == mine
    assert not visitor.runs[1].startswith("example:")


def test_a_preset_says_where_four_runs_leave_its_example_no_room() -> None:
    ids = [services.store().create(DepthGradients(depth=depth)) for depth in range(1, 5)]
    visitor = _laboratory({"runs": ",".join(ids)})
    visitor.at.selectbox(key=PRESETS).set_value("break-it-sigmoid")
    assert visitor.look().runs == ids
    [told] = visitor.at.toast
    assert "Close a lane" in told.value


def test_what_a_finding_proposes_is_named_by_what_it_changes_and_its_settings_are_the_panel_s() -> None:
    visitor = _laboratory({"runs": "example:as-in-the-document", "shown": "happened"})
    visitor.press("Try this")
    tried = services.store().run(visitor.look().runs[-1])
    settings = DepthGradients.checked_json(tried.settings)
    assert tried.name.startswith("Tried: ")
    changed = settings.differences().items()
    assert all(in_words(DepthGradients, {name: value}).lower() in tried.name.lower() for name, value in changed)
    assert visitor.at.query_params == {**controls.to_link(settings), "runs": ",".join(visitor.runs)}
    services.executor().stop(tried.id)


def test_findings_of_several_lanes_are_one_table_with_a_column_for_each() -> None:
    slugs = ("as-in-the-document", "break-it-sigmoid")
    visitor = _laboratory({"runs": ",".join(f"example:{slug}" for slug in slugs), "shown": "happened"})
    [table] = [text for text in visitor.markdown if text.startswith("| ") and "badge" in text]
    head, _, *rows = table.splitlines()
    assert head.count("|") == 4
    found = [
        laboratory_of(DepthGradients).findings(DepthGradients.preset(slug), example(DepthGradients, slug))
        for slug in slugs
    ]
    assert len(rows) == len({one.kind for findings in found for one in findings})
    assert all(plain(one.number) in table for findings in found for one in findings)
    assert "Try this" in visitor.buttons, "the cards stand behind the table"
    alone = _laboratory({"shown": "happened"})
    assert not any(text.startswith("| ") and "badge" in text for text in alone.markdown)


def test_all_lanes_can_be_drawn_in_one_figure() -> None:
    visitor = _laboratory({"runs": "example:as-in-the-document,example:break-it-sigmoid"})
    visitor.at.toggle(key="together-depth-gradients").set_value(True)
    [part] = [one for one in visitor.look().at.get("bidi_component") if "lanes-together" in one.proto.id]
    names = [trace["name"] for trace in json.loads(json.loads(part.proto.json)["figure"])["data"]]
    titles = ("As in the document", "Break it: sigmoid")
    assert names == [f"{title}: {network}" for title in titles for network in ("plain", "residual")]
    assert "together-depth-gradients" not in {one.key for one in _laboratory().at.toggle}, (
        "one lane is one figure already"
    )


def test_lanes_share_their_axes() -> None:
    visitor = _laboratory({"runs": "example:as-in-the-document,example:break-it-sigmoid"})
    first, second = visitor.figures()
    assert first["layout"]["yaxis"]["range"] == second["layout"]["yaxis"]["range"]


def test_a_name_is_shown_as_plain_text() -> None:
    hostile = '<img src=x onerror=alert(1)> **bold** [x](http://a.example) :material/error: "quoted"'
    run_id = services.store().create(DepthGradients(), name=hostile)
    visitor = _laboratory({"runs": f"{run_id},example:as-in-the-document"})
    assert visitor.states[0].startswith(f"**{plain(hostile)}** :")
    assert not any("<img" in text.replace("\\<", "") for text in (*visitor.markdown, *visitor.captions))


def test_the_reason_of_a_failure_is_shown_as_plain_text() -> None:
    run_id = services.store().create(DepthGradients())
    services.store().set_status(run_id, "failed", "**Reason** <b>")
    visitor = _laboratory({"runs": run_id})
    assert plain("**Reason** <b>") in visitor.captions


def test_a_run_that_is_deleted_elsewhere_gives_way_to_the_example() -> None:
    run_id = services.store().create(DepthGradients())
    visitor = _laboratory({"runs": run_id})
    services.store().delete([run_id])
    visitor.look()
    assert visitor.errors == [plain(f"There is no run {run_id!r} in this store; it may have been deleted.")]
    assert "Recorded example" in visitor.states[0]
    assert visitor.runs == []


# -- a database that cannot be used ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("breaks", "sentence"), FAULTS.items())
def test_without_a_database_one_can_look_and_is_told_on_training(
    breaks: Callable[[Path], None], sentence: str, database: Path
) -> None:
    breaks(database)
    visitor = _laboratory()
    assert visitor.figures()[0]["data"]
    assert not visitor.errors
    visitor.click(TRAIN)
    assert len(visitor.errors) == 1
    assert visitor.errors[0].startswith(plain(sentence.format(file=database)))
    assert "Recorded example" in visitor.states[0]


def test_workers_that_cannot_start_are_told_before_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_WORKERS", "several")
    visitor = _laboratory()
    assert visitor.errors == [plain("GOLDVIZ_WORKERS is 'several'; allowed is a whole number from 0 to 1024.")]
    assert visitor.at.button(key=TRAIN).disabled


def test_a_database_that_is_mended_works_again_without_a_reload(database: Path) -> None:
    a_folder(database)
    visitor = _laboratory(SMALL).click(TRAIN)
    assert visitor.errors
    database.rmdir()
    visitor.at.session_state["clicked-depth-gradients"] = 0.0
    visitor.click(TRAIN).wait_for("Finished")


def test_a_database_that_goes_away_leaves_the_example_and_a_sentence(database: Path) -> None:
    run_id = Store().create(DepthGradients())
    visitor = _laboratory({"runs": f"example:as-in-the-document,{run_id}"})
    assert len(visitor.states) == 2
    a_folder(database)
    visitor.look()
    assert len(visitor.states) == 1
    assert visitor.figures()[0]["data"]
    assert len(visitor.errors) == 1
    assert visitor.runs == ["example:as-in-the-document", run_id], "the link still names the run"


def test_the_time_that_a_run_takes_goes_by_the_machine_until_one_was_timed_on_it() -> None:
    visitor = _laboratory(SMALL)
    before = (", not timed here yet.", ", going by this machine's speed.")
    assert any(words.endswith(before) for words in visitor.captions)
    visitor.click(TRAIN).wait_for("Finished")
    assert any("going by 1 run timed here" in words for words in visitor.look().captions)


def test_a_run_longer_than_its_time_limit_is_foretold() -> None:
    def foretold(**link: str) -> bool:
        captions = [caption.value for caption in _laboratory(link).at.caption]
        return any("The time limit of 10 min stops it before" in words for words in captions)

    assert foretold(depth="100", width="64", epochs="2000", samples="20000")
    assert not foretold()
