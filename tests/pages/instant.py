"""A visitor of an instant page."""

import json
import re
from collections.abc import Sequence
from typing import Any

from goldviz.declare.instant import Instant
from goldviz.declare.registry import laboratories
from goldviz.ui.panels import controls
from goldviz.ui.panels.parts import Part
from tests.pages.visit import Visitor


class InstantVisitor(Visitor):
    """One session on an instant page."""

    def __init__(self, declared: type[Instant], link: dict[str, str] | None = None, theme: str = "light") -> None:
        self.declared = declared
        super().__init__(f"pages/{declared.name.replace('-', '_')}.py", link, theme)

    def control(self, name: str) -> Any:
        """The control of one setting."""
        key = controls.key_of(self.declared, name)
        kinds = (self.at.slider, self.at.select_slider, self.at.number_input, self.at.selectbox, self.at.text_input)
        return next(control for kind in kinds for control in kind if control.key == key)

    def settings_in_sight(self) -> set[str]:
        """The settings that have a control on the page."""
        kinds = (self.at.slider, self.at.select_slider, self.at.number_input, self.at.selectbox, self.at.text_input)
        prefix = controls.key_of(self.declared, "")
        return {control.key.removeprefix(prefix) for kind in kinds for control in kind if control.key}

    def choose(self, slug: str) -> "InstantVisitor":
        """Press a preset."""
        self.menu.set_value(slug)
        self.look()
        return self

    def all_drawn(self) -> dict[str, dict[str, Any]]:
        """Every figure of all parts by its name; the first part is open again."""
        found = {}
        for part in reversed(self.parts()):
            self.open(part.name)
            found.update(self.drawn())
        return found

    def parts(self) -> Sequence[Part]:
        """What the page can open."""
        page = laboratories()[self.declared.name].part("page").PAGE
        return page.questions()  # type: ignore[no-any-return]

    def drawn(self) -> dict[str, dict[str, Any]]:
        """Every figure of the open part by its name."""
        found = {}
        for part in self.at.get("bidi_component"):
            match = re.match(rf"\$\$ID-\w+-(\w+)-{self.declared.name}", part.proto.id)
            if match:
                found[match[1]] = json.loads(json.loads(part.proto.json)["figure"])
        return found
