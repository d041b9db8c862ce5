"""The page of *Backward by hand*."""

import json
from typing import Any

import pytest

from goldviz.labs.backward_by_hand.network import BACKWARD
from goldviz.labs.backward_by_hand.parts.derive import KEY
from goldviz.labs.backward_by_hand.queries import answer
from goldviz.labs.backward_by_hand.settings import VARIANCES, BackwardByHand
from goldviz.ui.serving import queries
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")


@pytest.fixture(name="visitor")
def fixture_visitor() -> InstantVisitor:
    return InstantVisitor(BackwardByHand)


def test_every_gradient_stands_beside_autograd_s(visitor: InstantVisitor) -> None:
    assert set(visitor.all_drawn()) == {"graph", "tensor", "push_and_pull", "column_of_zeros", "paths"}
    visitor.open("every")
    [table] = [frame.value for frame in visitor.at.dataframe if "Largest difference" in frame.value]
    differences = [float(value) for value in table["Largest difference"] if value]
    assert len(differences) == 26
    assert max(differences) < 1e-9


def field(visitor: InstantVisitor) -> dict[str, Any]:
    """What the formula field is told."""
    [part] = [part for part in visitor.at.get("bidi_component") if part.proto.id.endswith(f"-{KEY}")]
    return json.loads(part.proto.json)  # type: ignore[no-any-return]


def test_the_field_knows_every_gradient_and_asks_about_the_settings_in_view(visitor: InstantVisitor) -> None:
    visitor.set(samples=9, place=33).open("own")
    told = field(visitor)
    assert [one["name"] for one in told["gradients"]] == list(BACKWARD)
    by_name = {one["name"]: one for one in told["gradients"]}
    assert "Expected shape: 10 × 12 (hidden unit × character)" in by_name["W2"]["hint"]
    assert "dlogits, dlogit_maxes, dnorm_logits, dcounts and the gradients before" in by_name["W2"]["hint"]
    assert len(told["labels"]["sample"]) == 9
    settings = BackwardByHand.checked_json(told["settings"])
    assert settings == BackwardByHand(samples=9)
    for name, one in by_name.items():
        assert answer(settings, {"asked": name, "formula": one["formula"]})["kind"] == "equal"


def test_figures_that_come_ahead_of_the_page_are_the_page_s_own(visitor: InstantVisitor) -> None:
    settings = {"hidden": 6, "variance": "biased", "place": 40}
    visitor.set(**settings)
    drawn = visitor.drawn()
    asked = {"settings": settings, "question": {"figures": list(drawn), "theme": "light"}}
    found = json.loads(queries.answer(BackwardByHand.name, json.dumps(asked).encode()).content)
    assert {name: json.loads(text) for name, text in found["figures"].items()} == drawn
    [told] = [json.loads(part.proto.json) for part in visitor.at.get("bidi_component") if "-ahead" in part.proto.id]
    assert told["settings"] == found["subject"]
    assert set(told["knobs"]) == set(BackwardByHand.model_fields) - {"place"}
    assert told["knobs"]["variance"][VARIANCES["biased"]] == "biased"


def test_words_that_are_none_are_told_and_the_last_good_ones_stay(visitor: InstantVisitor) -> None:
    before = visitor.drawn()
    visitor.set(words="   ")
    assert "only blanks" in visitor.errors[0]
    assert visitor.drawn() == before
