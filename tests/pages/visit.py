"""A visitor of the real app: what is on the page, and what can be done there."""

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import pytest
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.testing.v1 import AppTest

from goldviz.declare.settings import Experiment
from goldviz.figures.spec import FigureSpec
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.examples import example
from goldviz.ui.panels import controls
from goldviz.ui.panels.lanes import EXAMPLE
from goldviz.ui.serving import frames, services
from goldviz.ui.words import STATES
from tests.spoken_names import names_with_markdown

APP = Path(__file__).parents[2] / "app.py"
HOME, RUNS, LABORATORY = "pages/home.py", "pages/runs.py", "pages/depth_gradients.py"
PATIENCE_SECONDS = 60
ADDRESSES: dict[str, Any] = {}
"""The pages as the navigation registers them: the first visitor of all finds them out on the home page."""


class Visitor:
    """One session of the app. Every method that changes something also runs the page, as a browser does."""

    def __init__(self, page: str = HOME, link: dict[str, str] | None = None, theme: str = "light") -> None:
        self.at = AppTest.from_file(APP, default_timeout=PATIENCE_SECONDS)
        self.at.context["theme"] = theme
        if not ADDRESSES:
            ADDRESSES.update(self.at.run()._registered_pages)
        self.at._registered_pages = dict(ADDRESSES)
        self.go(page, link)

    def go(self, page: str, link: dict[str, str] | None = None) -> "Visitor":
        """Open a page, as the navigation or a link does."""
        self.at.query_params.clear()
        self.at.query_params.update(link or {})
        self.at.switch_page(page)
        return self.look()

    def go_back(self, page: str, link: dict[str, str] | None = None) -> "Visitor":
        """Come to a page by the browser's Back or Forward, which Streamlit tells its script."""
        with pytest.MonkeyPatch.context() as patched:
            reset = ScriptRunContext.reset
            patched.setattr(
                ScriptRunContext,
                "reset",
                lambda context, *args, **kwargs: reset(context, *args, **kwargs | {"is_history_navigation": True}),
            )
            return self.go(page, link)

    def look(self) -> "Visitor":
        """Run the page again; whatever it shows, it has not crashed, and its controls can be named aloud."""
        self.at.run()
        assert not self.at.exception, self.at.exception[0].stack_trace
        assert not names_with_markdown(self.at)
        return self

    def click(self, key: str) -> "Visitor":
        self.at.button(key=key).click()
        return self.look()

    def press(self, label: str) -> "Visitor":
        """Click the last button of this name."""
        [*_, button] = [button for button in self.at.button if button.label == label]
        button.click()
        return self.look()

    def open(self, part: str) -> Self:
        """Open a part of the page by its name."""
        [strip] = [group for group in self.at.button_group if str(group.key).startswith("part-")]
        strip.set_value(part)
        self.look()
        return self

    def set(self, **values: Any) -> "Visitor":
        """Move the controls of settings."""
        for name, value in values.items():
            declared = getattr(self, "declared", DepthGradients)
            if getattr(declared, "position", "") == name:
                # As the browser's slider tells the server when it comes to rest.
                assert self.position["first"] <= value <= self.position["last"]
                self.at.session_state[controls.key_of(declared, name)] = value
            else:
                self.control(name).set_value(value)
        return self.look()

    @property
    def position(self) -> dict[str, Any]:
        """What an instant page's slider is told of its position."""
        return self._told("position")

    @property
    def positions(self) -> dict[str, Any]:
        """What an instant page sends of its figures at all positions."""
        return self._told("positions")

    def has_positions(self) -> bool:
        """Whether the open part has figures that follow a slider."""
        return any(part.proto.id.endswith("-positions") for part in self.at.get("bidi_component"))

    def _told(self, key: str) -> dict[str, Any]:
        [part] = [part for part in self.at.get("bidi_component") if part.proto.id.endswith(f"-{key}")]
        return json.loads(part.proto.json)  # type: ignore[no-any-return]

    @property
    def menu(self) -> Any:
        """The menu of presets."""
        [menu] = [one for one in self.at.selectbox if one.label == "Start from"]
        return menu

    def control(self, name: str) -> Any:
        key = controls.key_of(DepthGradients, name)
        kinds = (self.at.slider, self.at.select_slider, self.at.number_input, self.at.selectbox, self.at.text_input)
        return next(control for kind in kinds for control in kind if control.key == key)

    def wait_for(self, word: str) -> "Visitor":
        """Wait until every run in view is in this state, then look."""
        states = {state for state, (name, _, _) in STATES.items() if name == word}
        waiting = [lane for lane in self.runs if not lane.startswith(EXAMPLE)]
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not all((found := services.store().run(run_id)).status in states for run_id in waiting):
            assert time.monotonic() < deadline, f"run {found.id} is {found.status}, not {word}: {found.message}"
            time.sleep(0.02)
        return self.look()

    def watch_until(self, word: str) -> "Visitor":
        """Look again and again, as the page does by itself, until the only lane shows this state."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while word not in self.look().states[0]:
            assert time.monotonic() < deadline, f"the lane shows {self.states[0]}, not {word}"
            time.sleep(0.1)
        return self

    @property
    def states(self) -> list[str]:
        """The heads of the lanes: title and state."""
        return [line for line in self.markdown if "-badge[" in line and line.startswith("**")]

    @property
    def markdown(self) -> list[str]:
        return [element.value for element in self.at.markdown]

    @property
    def captions(self) -> list[str]:
        return [element.value for element in self.at.caption]

    @property
    def errors(self) -> list[str]:
        return [element.value for element in self.at.error]

    @property
    def warnings(self) -> list[str]:
        return [element.value for element in self.at.warning]

    @property
    def buttons(self) -> list[str]:
        return [button.label for button in self.at.button]

    @property
    def runs(self) -> list[str]:
        """The lanes that the address names."""
        named = self.at.query_params.get("runs", "")
        return named.split(",") if named else []

    def figures(self, name: str = "gradient_by_layer") -> list[dict[str, Any]]:
        """The figures of this name as Plotly is handed them, one a lane."""
        parts = [part for part in self.at.get("bidi_component") if re.match(rf"\$\$ID-\w+-{name}-", part.proto.id)]
        return [self._figure(json.loads(part.proto.json)) for part in parts]

    def _figure(self, data: dict[str, Any]) -> dict[str, Any]:
        if "figure" in data:
            return json.loads(data["figure"])  # type: ignore[no-any-return]
        where = data["frames"]
        token = where["address"].rpartition("/")[2]
        drawn = frames.drawn_at(token, where["lane"], where["name"], self.step)
        return json.loads(drawn.settled().to_json())  # type: ignore[no-any-return]

    @property
    def step(self) -> int | None:
        """The step in view; None while the page follows the run."""
        state, key = self.at.session_state, f"scrub-{DepthGradients.name}"
        kept = state[key] if key in state else {}  # noqa: SIM401 - the harness's session has no get
        return kept.get("step")

    def page_links(self) -> list[Any]:
        return list(self.at.get("page_link"))


def curve(figure: dict[str, Any], name: str) -> Any:
    """The y values of a trace, as Plotly's JSON holds them."""
    return next(trace["y"] for trace in figure["data"] if trace.get("name") == name and trace.get("y"))


def recorded_figures(declared: type[Experiment], figures: Mapping[str, FigureSpec], slug: str = "") -> set[str]:
    """The figures that a preset's example can show, the first preset's by default: it may be older than some."""
    recorded = example(declared, slug or declared.presets[0].slug)
    return {name for name, spec in figures.items() if set(spec.needs) <= set(recorded)}
