"""What every laboratory's page does: it opens in both themes, and each preset sets its knobs and shows its figures."""

import re

import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, Preset
from goldviz.ui.panels import controls
from goldviz.ui.serving import services
from tests.labs.small_runs import EVERY_LABORATORY, LABORATORIES, cases
from tests.pages.visit import Visitor
from tests.thinned import represented, thinned

pytestmark = pytest.mark.usefixtures("on_pages")
PRESETS = represented((lab, preset) for lab in LABORATORIES for preset in lab.declared.presets[1:])


def link_to(lab: Laboratory) -> dict[str, str]:
    """The defaults, but quick."""
    return {name: str(value) for name, value in getattr(cases(lab), "QUICK", {}).items()}


def figures(visitor: Visitor) -> list[str]:
    return [part.proto.id for part in visitor.at.get("bidi_component") if re.match(r"\$\$ID-\w+-", part.proto.id)]


@EVERY_LABORATORY
@pytest.mark.parametrize("theme", thinned(["dark", "light"]))  # Presets are looked at in the light.
def test_it_opens_in_both_themes_and_starts_nothing(lab: Laboratory, theme: str) -> None:
    visitor = Visitor(f"pages/{lab.folder}.py", link_to(lab), theme)
    assert visitor.at.title[0].value.partition(": ")[0] == lab.declared.title
    assert not visitor.errors + visitor.warnings
    assert figures(visitor)
    assert not services.executor_ready(), "looking needs no workers"


@pytest.mark.parametrize(
    ("lab", "preset"), PRESETS, ids=lambda part: part.slug if isinstance(part, Preset) else part.name
)
def test_a_preset_sets_its_link_and_shows_its_figures(lab: Laboratory, preset: Preset) -> None:
    visitor = Visitor(f"pages/{lab.folder}.py", link_to(lab))
    visitor.at.selectbox(key=f"preset-{lab.name}").set_value(preset.slug)
    visitor.look()
    assert not visitor.errors
    assert preset.words in visitor.captions
    wanted = controls.to_link(lab.declared.preset(preset.slug))
    left_out = getattr(cases(lab), "TOO_LONG_FOR_A_LINK", {}).get(preset.slug, ())
    shown = dict(visitor.at.query_params)
    assert {name: value for name, value in wanted.items() if name not in left_out}.items() <= shown.items()
    assert figures(visitor)
    if issubclass(lab.declared, Experiment):
        assert "Recorded example" in visitor.states[0]
