"""*Look closer* offers the figures that a run can show."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from goldviz.declare.registry import experiments
from goldviz.runs import examples
from goldviz.runs.examples import example
from goldviz.runs.store.arrays import dataset_to_bytes
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")


def offered(visitor: Visitor, name: str) -> list[str]:
    return list(visitor.at.button_group(key=f"detail-{name}").options)


LATER = "gradient_to_data"
"""A variable that runs recorded later than others."""


@pytest.fixture
def older_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The recorded examples as they were before ``LATER`` was recorded."""
    declared = experiments()["recurrent-gradients"]
    for preset in declared.presets:
        kept = dataset_to_bytes(example(declared, preset.slug).drop_vars(LATER))
        (tmp_path / f"{preset.slug}.safetensors").write_bytes(kept)
    monkeypatch.setattr(examples, "example_path", lambda _, slug: tmp_path / f"{slug}.safetensors")
    example.cache_clear()
    yield
    example.cache_clear()


@pytest.mark.usefixtures("older_examples")
def test_what_an_example_did_not_record_is_no_choice_until_a_run_records_it() -> None:
    visitor = Visitor("pages/recurrent_gradients.py", {"steps": "4", "length": "5", "hidden": "4", "shown": "closer"})
    assert "How large are the gradients beside the weights?" not in offered(visitor, "recurrent-gradients")
    visitor.click("train-recurrent-gradients").wait_for("Finished")
    assert "How large are the gradients beside the weights?" in offered(visitor, "recurrent-gradients")


def test_terms_of_the_glossary_stand_as_near_beside_each_other_as_below() -> None:
    assert {one.gap for one in Visitor("pages/glossary.py").at.columns} == {"small"}
