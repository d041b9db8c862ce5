"""The page *Your network*: what it says before anything was watched, and what it shows of a run."""

import re

import numpy as np
import pytest
import torch

from goldviz.declare.settings import Variable
from goldviz.runs.recorder import Batch, Command, Progress
from goldviz.ui.pages.your_network import CHOSEN
from goldviz.ui.serving import services
from goldviz.watching.declared import TRY, VARIABLES, WatchedScript
from goldviz.watching.figures import layer_map
from tests.pages.visit import RUNS, Visitor
from tests.watching.loops import classified, mlp, watching
from tests.watching.test_through_time import Reader

PAGE = "pages/your_network.py"


def watched(steps: int = 10, name: str = "mine", **more: object) -> str:
    """A run that a script of somebody's wrote into the store of the pages; its id."""
    torch.manual_seed(0)
    model = mlp()
    model[2].requires_grad_(False)
    chosen = torch.optim.AdamW(model.parameters(), 3e-3)
    with watching(model, store=services.store(), name=name, **more) as record:
        for step in range(1, steps + 1):
            loss = classified(model, step) * (np.inf if step == 8 else 1)
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
    return record.run_id


def said(visitor: Visitor) -> str:
    """All words of the page."""
    at = visitor.at
    return " ".join(str(one.value) for one in [*at.markdown, *at.caption, *at.warning, *at.code]).replace("\\", "")


def opened(visitor: Visitor) -> Visitor:
    """The page with all that is drawn only once it is opened."""
    for part in ("modules", "others"):
        visitor.at.session_state[f"your-network-{part}"] = True
    return visitor.look()


def test_before_anything_was_watched_it_shows_the_lines_to_paste_and_a_run_that_fails() -> None:
    visitor = Visitor(PAGE)
    assert "The gradient vanishes on its way to the first layers" in said(visitor)
    assert "Tried on this run. nn.ReLU for nn.Sigmoid, and weights drawn for it: helped" in said(visitor)
    assert "A recorded example" in said(visitor)
    assert [box.value for box in visitor.at.selectbox if box.key == "your-network-quantity"] == ["gradient_by_layer"]
    assert "Put three lines around the loop" in said(visitor)
    assert "with goldviz.watch(model, optimizer" in visitor.at.code[0].value
    assert "goldviz open run.gv" in said(visitor)


def test_a_run_shows_its_cause_its_cards_and_its_map() -> None:
    run_id = watched(name="my *first* run")
    visitor = Visitor(PAGE)
    words = said(visitor)
    assert "my *first* run" in words
    assert "A value was no finite number" in words
    assert "at step 8" in words
    assert "Layers are frozen" in words
    assert "requires_grad_(True)" in words
    assert "nobody tried it on your run" in words
    assert not visitor.at.dataframe, "what is closed is not drawn at every look"
    [table] = [frame.value for frame in opened(visitor).at.dataframe]
    assert [box.value for box in visitor.at.selectbox if box.key == "your-network-figure"]
    assert list(table["Layer"]) == ["0", "1", "2", "3", "4"]
    assert list(table["Parameters"]) == [288, 0, 1056, 0, 99]
    visitor.at.text_input(key="your-network-query").set_value("[024] : weight")
    visitor.look()
    assert not visitor.at.warning
    visitor.at.text_input(key="your-network-query").set_value("nowhere")
    assert "No layer is called 'nowhere'" in said(visitor.look())
    listed = Visitor(RUNS).at.dataframe[0].value
    assert list(listed["Laboratory"]) == ["Your network"]
    assert list(listed["Id"]) == [run_id]


def test_a_recurrent_run_shows_its_time_steps_and_how_much_larger_its_rate_could_be() -> None:
    torch.manual_seed(0)
    model = Reader()
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    with watching(model, store=services.store(), name="mine") as record:
        for step in range(1, 11):
            x = torch.randn(4, 6, 3, generator=torch.Generator().manual_seed(step))
            loss = model(x).square().mean()
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss, again=lambda x=x: model(x).square().mean())
    words = said(Visitor(PAGE))
    assert re.search(r"Your rate could be (more than )?[\d.]+ times larger", words)
    assert re.search(r"\*\*cell\*\*: its last layer, .* differ from the module's own by [\d.e-]+ at most", words)
    assert "Gates are valves" in words


def test_six_hundred_modules_are_one_map_and_one_table() -> None:
    names = [f"model.layers.{number}.mlp" for number in range(600)]
    store = services.store()
    run_id = store.create(WatchedScript(), name="deep", status="running")
    batch = Batch(0)
    for step in range(1, 301):
        values = np.full(600, 1e-3, dtype=np.float32)
        values[599] = np.inf if step == 77 else 1e-3
        batch.add("update_to_data", step, values)
        batch.add("loss", step, np.float32(1 / step))
        batch.last_step = step
    facts = {"layers": [[name, "Linear", 10] for name in names], "knobs": ["learning_rate", "clip", "freeze"]}
    store.append(run_id, Progress(300, 0, 3.0, 0.1), batch=batch, coordinates={"layer": names}, attributes=facts)
    visitor = Visitor(PAGE)
    assert "deep" in said(visitor)
    assert len(opened(visitor).at.dataframe[0].value) == 600
    assert [one.label for one in visitor.at.number_input] == ["Learning rate", "Clip gradients at this norm (0: not)"]
    visitor.at.number_input[0].set_value(0.02)
    next(button for button in visitor.at.button if button.label == "Change it").click()
    visitor.look()
    assert store.take_commands(run_id) == [Command("change", {"learning_rate": 0.02})]
    figure = layer_map("update_to_data").draw(services.live_run(run_id).snapshot()[1])
    cells, crosses = figure.data
    assert np.shape(cells.z)[0] == 600
    assert list(crosses.y) == [599]
    assert len(figure.to_json()) < 1_500_000


def test_a_card_s_button_asks_the_script_to_try_its_cure_once() -> None:
    store = services.store()
    run_id = store.create(WatchedScript(), name="offers", status="running")
    facts = {"layers": [["a", "Linear", 10]], "watched": {"frozen": ["a"]}, "offered_trials": ["frozen"]}
    batch = Batch(1)
    batch.add("loss", 1, np.float32(1))
    store.append(run_id, Progress(1, 0, 0.0, 0.0), batch=batch, coordinates={"layer": ["a"]}, attributes=facts)
    visitor = Visitor(PAGE)
    visitor.at.button(key=f"try-{run_id}-frozen").click()
    words = said(visitor.look())
    assert "The script tries it after a step" in words
    assert store.take_commands(run_id) == [Command(TRY, {"card": "frozen"})]
    assert not [one for one in visitor.at.button if one.label == "Try it on my run"]
    tried = {"kind": "frozen", "helped": True, "sentence": "let every layer learn: helped, loss -0.5 [-0.6, -0.4]."}
    store.append(run_id, Progress(2, 0, 0.0, 0.0), attributes={"tried": [tried]})
    assert "Tried on this run. let every layer learn: helped, loss -0.5 [-0.6, -0.4]." in said(visitor.look())


def test_a_card_that_is_known_is_set_aside_and_comes_back() -> None:
    run_id, other = watched(), watched(name="the other")
    visitor = Visitor(PAGE)
    visitor.at.multiselect(key=CHOSEN).set_value([run_id, other])
    assert said(visitor.look()).count("Layers are frozen") == 2
    visitor.at.button(key=f"aside-{run_id}-frozen").click()
    words = said(visitor.look())
    assert words.count("requires_grad_(True)") == 1, "the other run keeps its card"
    assert "Set aside: Layers are frozen that the optimiser holds." in words
    visitor.at.button(key=f"show-{run_id}").click()
    words = said(visitor.look())
    assert words.count("requires_grad_(True)") == 2
    assert "Set aside" not in words


def test_a_run_that_begins_while_another_is_in_view_is_named_and_shown_when_asked_for() -> None:
    watched(2, "the first")
    visitor = Visitor(PAGE)
    assert "has begun" not in said(visitor)
    later = watched(2, "a *later* one")
    words = said(visitor.look())
    assert "**a *later* one** has begun." in words
    assert visitor.at.multiselect(key=CHOSEN).value != [later]
    visitor.click("your-network-show")
    assert visitor.at.multiselect(key=CHOSEN).value == [later]
    assert "has begun" not in said(visitor)
    assert "has begun" not in said(Visitor(PAGE))


@pytest.mark.parametrize("facts", [{"watched": "no mapping", "layers": 7}, {"watched": {"first_cause": [1]}}])
def test_facts_that_are_none_break_nothing(facts: dict[str, object]) -> None:
    store = services.store()
    newer = WatchedScript(variables={**VARIABLES, "mood": Variable(("step",), "What a later version records")})
    run_id = store.create(newer, name="<script>alert(1)</script>", status="running")
    batch = Batch(1)
    batch.add("mood", 1, np.float32(1))
    store.append(run_id, Progress(1, 0, 0.0, 0.0), batch=batch, coordinates={"layer": ["a"]}, attributes=facts)
    words = said(Visitor(PAGE))
    assert "<script>alert(1)</script>" in words
    assert "leaves out what it does not know: mood." in words


def test_a_link_to_no_run_says_so_and_shows_nobody_else_s() -> None:
    run_id = watched()
    visitor = Visitor(PAGE, {"run": "000000000000"})
    for _ in range(2):
        assert "There is no run '000000000000'" in said(visitor)
        assert visitor.at.session_state[CHOSEN] == []
        assert visitor.at.query_params["run"] == "000000000000"
        visitor.look()
    visitor = Visitor(PAGE, {"run": f"000000000000,{run_id}"})
    assert "There is no run '000000000000'" in said(visitor)
    assert visitor.at.session_state[CHOSEN] == [run_id]
    assert visitor.at.query_params["run"] == run_id


@pytest.mark.untrusted
@pytest.mark.parametrize("page", [PAGE, "pages/depth_gradients.py"])
def test_a_link_that_no_page_writes_is_told_in_a_few_sentences(page: str) -> None:
    watched(2)
    names = {f"strange{number}": "1" for number in range(60)} | {"run": ",".join(f"{one:012d}" for one in range(500))}
    visitor = Visitor(page, names)
    told = [one.value for one in visitor.at.warning]
    assert 1 <= len(told) <= 8
    expected = "it names 500 runs" if page == PAGE else r"\d\d things more are not as a page writes them"
    assert any(re.search(expected, sentence) for sentence in told)
