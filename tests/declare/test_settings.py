import json
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiment, experiments
from goldviz.declare.settings import (
    About,
    Experiment,
    Preset,
    SettingsError,
    Variable,
    allowed,
    description,
    facts,
    label,
    setting,
)
from goldviz.labs.depth_gradients.settings import DepthGradients

NAMES = list(DepthGradients.model_fields)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=90)
VALUES = PLAIN | st.lists(PLAIN, max_size=4) | st.dictionaries(st.text(max_size=3), PLAIN, max_size=2)


class Sample(Experiment):
    """One setting of every kind."""

    about = About("sample", "Sample", question="Is every kind of setting explained?", icon="")
    variables: ClassVar[dict[str, Variable]] = {}
    presets: ClassVar[tuple[Preset, ...]] = ()

    count: int = setting(1_500_000, ge=1, le=2_500_000, group="A", description="A count.")
    share: float = setting(0.5, gt=0, lt=1, group="A", description="A share.", hot=True)
    free: float = setting(0.0, group="A", description="Any number.")
    flag: bool = setting(False, group="A", description="Yes or no.")
    words: str = setting("", group="A", description="Words.")


def said(values: dict[str, Any], declared: type[Experiment] = DepthGradients) -> dict[str, str]:
    with pytest.raises(SettingsError) as raised:
        declared.checked(values)
    assert str(raised.value) == " ".join(raised.value.sentences.values())
    return raised.value.sentences


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"depth": 0}, "Depth is 0; allowed is a whole number from 1 to 100."),
        ({"depth": 101}, "Depth is 101; allowed is a whole number from 1 to 100."),
        ({"depth": 2.5}, "Depth is 2.5; allowed is a whole number from 1 to 100."),
        ({"depth": "deep"}, "Depth is 'deep'; allowed is a whole number from 1 to 100."),
        ({"depth": None}, "Depth is None; allowed is a whole number from 1 to 100."),
        ({"learning_rate": float("nan")}, "Learning rate is nan; allowed is a number from 1e-07 to 10."),
        ({"learning_rate": float("inf")}, "Learning rate is inf; allowed is a number from 1e-07 to 10."),
        ({"time_limit": 0.5}, "Time limit is 0.5; allowed is a number from 1 to 86400."),
        ({"read_out": "loose"}, "Read out is 'loose'; allowed is one of tied, untied."),
        ({"normalisation": "batches"}, "Normalisation is 'batches'; allowed is one of none, batch, layer."),
        ({"device": "tpu"}, "Device is 'tpu'; allowed is one of auto, cpu, cuda, mps."),
        ({"dept": 3}, "depth-gradients has no setting 'dept'."),
    ],
)
def test_a_bad_value_is_explained_in_a_sentence(values: dict[str, Any], sentence: str) -> None:
    assert said(values) == {next(iter(values)): sentence}


@pytest.mark.parametrize("seeds", [[], [1, 1], [-1], [1_000_000], ["x"], "7", 7, None, list(range(11))])
def test_bad_seeds_are_explained(seeds: Any) -> None:
    sentence = said({"seeds": seeds})["seeds"]
    assert sentence.startswith("Seeds is ")
    assert sentence.endswith("allowed is a list of 1 to 10 different values, each a whole number from 0 to 999999.")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"count": 0}, "Count is 0; allowed is a whole number from 1 to 2500000."),
        ({"share": 1}, "Share is 1; allowed is a number above 0 below 1."),
        ({"free": float("inf")}, "Free is inf; allowed is a number."),
        ({"flag": "perhaps"}, "Flag is 'perhaps'; allowed is true or false."),
        ({"words": 3}, "Words is 3; allowed is a text."),
    ],
)
def test_every_kind_of_setting_says_what_it_allows(values: dict[str, Any], sentence: str) -> None:
    assert list(said(values, Sample).values()) == [sentence]


def test_every_bad_setting_gets_its_own_sentence() -> None:
    assert list(said({"depth": 0, "width": 1, "nonsense": 1, "seeds": [1, -1, "x"]})) == [
        "seeds",
        "depth",
        "width",
        "nonsense",
    ]


def test_long_values_are_shown_shortened() -> None:
    for sentence in (said({"depth": "9" * 5000})["depth"], said({"x" * 5000: 1})["x" * 5000]):
        assert len(sentence) < 150
        assert "..." in sentence
    with pytest.raises(SettingsError) as raised:
        DepthGradients.preset("p" * 5000)
    assert len(str(raised.value)) < 500


def outcome(check: Callable[[], DepthGradients]) -> DepthGradients | SettingsError:
    try:
        return check()
    except SettingsError as error:
        return error


@given(st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=12), VALUES, max_size=6))
def test_any_values_are_settings_or_are_explained(values: dict[str, Any]) -> None:
    found = outcome(lambda: DepthGradients.checked(values))
    if isinstance(found, SettingsError):
        assert found.sentences
        for name, sentence in found.sentences.items():
            assert name in values
            assert sentence.endswith(".")
            assert sentence.startswith(f"{label(name)} is " if name in NAMES else "depth-gradients has no setting ")
            assert "\n" not in sentence
    else:
        assert set(values) <= set(NAMES)
        assert DepthGradients.checked_json(found.model_dump_json()) == found
        assert DepthGradients.checked(found.differences()) == found


@given(st.text(max_size=60) | st.builds(json.dumps, VALUES))
def test_any_stored_text_is_settings_or_is_explained(text: str) -> None:
    found = outcome(lambda: DepthGradients.checked_json(text))
    if isinstance(found, SettingsError):
        assert found.sentences
        assert all(sentence.endswith(".") for sentence in found.sentences.values())
    else:
        assert DepthGradients.checked_json(found.model_dump_json()) == found


def test_text_from_a_link_is_understood() -> None:
    values = {"depth": "30", "learning_rate": "1e-2", "activation": "relu", "seeds": ["0", "5"]}
    assert DepthGradients.checked(values) == DepthGradients(
        depth=30, learning_rate=0.01, activation="relu", seeds=(0, 5)
    )


@pytest.mark.parametrize("name", list(experiments()))
def test_presets_are_allowed_and_come_back_from_their_names(name: str) -> None:
    declared = experiment(name)
    slugs = [preset.slug for preset in declared.presets]
    assert len(set(slugs)) == len(slugs)
    assert declared.preset(slugs[0]) == declared()
    for preset in declared.presets:
        settings = declared.preset(preset.slug)
        assert declared.checked(settings.differences()) == settings
        plain = json.loads(settings.model_dump_json())
        assert all(settings.differences()[key] == plain[key] for key in settings.differences())
        assert set(settings.differences()) == set(preset.changes)


@pytest.mark.parametrize("name", list(experiments()))
def test_every_setting_is_explained(name: str) -> None:
    declared = experiment(name)
    for setting_name in declared.model_fields:
        assert description(declared, setting_name).endswith(".")
        assert facts(declared, setting_name)["group"]
        assert allowed(declared, setting_name)
        labels = facts(declared, setting_name)["labels"]
        choices = declared.model_json_schema()["properties"][setting_name].get("enum")
        # A text may have labels for words that stand for something, beside what else it may be.
        assert not labels or choices is None or list(labels) == choices


@pytest.mark.parametrize("name", list(experiments()))
def test_every_experiment_declares_what_the_rooms_ask_for(name: str) -> None:
    declared = experiment(name)
    settings = declared()
    assert declared.__doc__
    assert settings.steps_planned() >= 1
    assert settings.estimated_seconds() > 0
    assert declared.question.endswith("?")
    for variable in declared.variables.values():
        assert variable.long_name
        assert variable.units
        assert len(set(variable.dims)) == len(variable.dims)
    assert any(declared.step in variable.dims for variable in declared.variables.values())


def test_settings_cannot_be_changed_in_place_but_copied() -> None:
    settings = DepthGradients()
    with pytest.raises(ValidationError):
        settings.depth = 3
    changed = settings.changed(depth=3)
    assert (settings.depth, changed.depth) == (15, 3)
    assert changed.differences() == {"depth": 3}
    assert settings.differences() == {}
    with pytest.raises(SettingsError, match="Depth is 0"):
        settings.changed(depth=0)


class Later(Experiment):
    """What became of the sample: the share is called a part, the words are gone, counts are in thousands."""

    version: ClassVar[int] = 3
    thousands: float = setting(1500.0, ge=0, le=2500, group="A", description="A count.")
    part: float = setting(0.5, gt=0, lt=1, group="A", description="A part.", hot=True)
    free: float = setting(0.0, group="A", description="Any number.")
    flag: bool = setting(False, group="A", description="Yes or no.")

    @classmethod
    def upgrade(cls, version: int, values: dict[str, Any]) -> dict[str, Any]:
        if version < 2 and "share" in values:
            values["part"] = values.pop("share")
        if version < 3:
            values.pop("words", None)
            if "count" in values:
                values["thousands"] = int(values.pop("count")) / 1000
        return values


Later.name = "sample"


def test_kept_settings_of_an_earlier_version_become_those_of_today() -> None:
    kept = Sample(count=3000, share=0.25, words="gone", seeds=(3, 4)).model_dump_json()
    assert Later.from_store(1, kept) == Later(thousands=3.0, part=0.25, seeds=(3, 4))
    later = Later(part=0.1)
    assert Later.from_store(3, later.model_dump_json()) == later
    assert Sample.from_store(1, kept).model_dump_json() == kept
    assert Later.changes_from_store(1, {"share": 0.75}) == {"part": 0.75}
    assert Later.changes_from_store(3, {"part": 0.75}) == {"part": 0.75}


@pytest.mark.parametrize(
    ("version", "kept", "reason"),
    [
        (3, {"width": 3, "part": 2}, "Part is 2; allowed is a number above 0 below 1; sample has no setting 'width'"),
        (2, {"share": 0.5}, "sample has no setting 'share'"),
        (1, {"count": "many"}, "Settings of version 1 of sample cannot be turned into those of today"),
        (4, {}, "Settings of version 4 of sample come from a later goldviz; update goldviz"),
    ],
)
def test_kept_settings_that_nobody_understands_are_named_in_one_sentence(
    version: int, kept: dict[str, Any], reason: str
) -> None:
    expected = f"The settings of this run (version {version} of sample; today's is 3) are not understood: {reason}"
    for read in (lambda: Later.from_store(version, json.dumps(kept)), lambda: Later.changes_from_store(version, kept)):
        with pytest.raises(SettingsError) as raised:
            read()
        assert str(raised.value).startswith(expected)
        assert str(raised.value).endswith(".")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"depth"'])
def test_kept_settings_that_are_no_settings_are_told(text: str) -> None:
    with pytest.raises(SettingsError, match="The settings of this run of sample are not valid JSON"):
        Sample.from_store(1, text)


@pytest.mark.parametrize("name", list(experiments()))
def test_every_experiment_says_what_makes_it_smaller(name: str) -> None:
    declared = experiment(name)
    assert declared.smaller
    for smaller in declared.smaller:
        schema = declared.model_json_schema()["properties"][smaller]
        assert schema["type"] in ("integer", "number")
        assert schema["minimum"] < schema["maximum"]


def test_hot_settings_are_those_declared_so() -> None:
    assert DepthGradients.hot_settings() == ("dropout", "learning_rate", "clip")
    assert Sample.hot_settings() == ("share",)


def test_an_experiment_without_a_name_of_its_own_is_not_listed() -> None:
    assert Sample not in experiments().values()


def test_the_setting_that_counts_names_the_step() -> None:
    assert (Sample.step, DepthGradients.step) == ("epoch", "epoch")
    assert experiment("neural-turing-machine").step == "step"
    assert experiment("bert-pretraining").step == "step"


def test_what_an_experiment_does_not_declare_is_said() -> None:
    sample = Sample()
    with pytest.raises(TypeError, match="Sample declares no number of steps"):
        sample.steps_planned()
    with pytest.raises(TypeError, match="Sample stands in no laboratory's folder"):
        laboratory_of(sample)
