"""The way of settings between declaration, controls and link, there and back."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment, facts, label, schemas
from goldviz.labs.attention_interface.settings import AttentionInterface
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.ui.panels import controls
from tests.ui.declared_settings import allowed_together, any_settings

SCHEMA = schemas(DepthGradients)
FIELDS = list(DepthGradients.model_fields)
NASTY = [
    "",
    " ",
    "nan",
    "inf",
    "-1",
    "1e999",
    "0x10",
    "1_0",
    "None",
    "[0]",
    "9" * 5000,
    "0-" + "9" * 5000,
    "٣",
    "1 2 2",
    "😀",
]

link_texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(NASTY),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from([choice for schema in SCHEMA.values() for choice in schema.get("enum", ())]),
)
links = st.dictionaries(st.one_of(st.sampled_from(FIELDS), st.text(max_size=10)), link_texts, max_size=6)


@given(any_settings(DepthGradients))
def test_a_link_brings_back_exactly_the_settings_it_was_made_of(chosen: Experiment) -> None:
    link = controls.to_link(chosen)
    assert all(isinstance(text, str) for text in link.values())
    assert controls.from_link(DepthGradients, link) == (chosen, [])


def test_the_defaults_need_no_link() -> None:
    assert controls.to_link(DepthGradients()) == {}


@given(links)
def test_any_link_gives_valid_settings_and_a_sentence_for_each_refused_parameter(link: dict[str, str]) -> None:
    taken, complaints = controls.from_link(DepthGradients, link)
    assert DepthGradients.checked(taken.model_dump()) == taken
    alone = {name: controls.from_link(DepthGradients, {name: text}) for name, text in link.items()}
    accepted = {name: getattr(settings, name) for name, (settings, sentences) in alone.items() if not sentences}
    assume(allowed_together(DepthGradients, accepted))
    for name, (settings_alone, sentences) in alone.items():
        assert len(sentences) <= 1
        assert set(sentences) <= set(complaints)
        if not sentences:
            assert getattr(taken, name) == getattr(settings_alone, name)
        else:
            assert name not in FIELDS or getattr(taken, name) == getattr(DepthGradients(), name)
            assert sentences[0].startswith("In the link: ")
            assert sentences[0].endswith(".")
            assert len(sentences[0]) < 600
    assert len(complaints) == len(link) - len(accepted)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (
            "depth",
            "101",
            "In the link: Depth is '101'; allowed is a whole number from 1 to 100. Depth keeps its default, 15.",
        ),
        (
            "activation",
            "swish",
            "In the link: Activation is 'swish'; allowed is one of leaky_relu, relu, tanh, sigmoid, gelu. "
            "Activation keeps its default, leaky_relu.",
        ),
        (
            "seeds",
            "1,x",
            "In the link: Seeds is 'x'; allowed is a list of 1 to 10 different values, "
            "each a whole number from 0 to 999999. Seeds keeps its default, 0.",
        ),
        ("depht", "3", "In the link: depth-gradients has no setting 'depht'."),
    ],
)
def test_a_refusal_names_the_setting_its_value_and_what_is_allowed(name: str, text: str, sentence: str) -> None:
    taken, complaints = controls.from_link(DepthGradients, {name: text, "epochs": "7"})
    assert complaints == [sentence]
    assert taken == DepthGradients(epochs=7)


def test_of_settings_that_are_not_allowed_together_one_keeps_its_default() -> None:
    taken, complaints = controls.from_link(DepthGradients, {"batch": "1", "normalisation": "batch", "epochs": "7"})
    assert taken == DepthGradients(batch=1, epochs=7)
    assert complaints == [
        "In the link: Batch is 1; with batch norm, which needs a spread, 0 or at least 2 is allowed. "
        "Normalisation keeps its default, none."
    ]


def test_a_link_is_never_evaluated(tmp_path: Any) -> None:
    marker = tmp_path / "marker"
    code = f"__import__('pathlib').Path({str(marker)!r}).touch()"
    pickled = f"cbuiltins\nexec\n(S{code!r}\ntR."
    for payload in (code, pickled, f"!!python/object/apply:builtins.exec [{code!r}]", "{7*7}", "${7*7}"):
        taken, complaints = controls.from_link(DepthGradients, dict.fromkeys(FIELDS, payload))
        assert taken == DepthGradients()
        assert len(complaints) == len(FIELDS)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0", [0]),
        ("0, 1,2  3", [0, 1, 2, 3]),
        ("3-5, 9", [3, 4, 5, 9]),
        ("", []),
        ("5-3", ["5-3"]),
        ("0-1000000000", ["0-1000000000"]),
        ("-1", ["-1"]),
        ("1.5", ["1.5"]),
        ("one", ["one"]),
        ("9" * 5000, ["9" * 5000]),
    ],
)
def test_numbers(text: str, found: list[Any]) -> None:
    assert controls.numbers(text) == found


@given(st.text())
def test_numbers_takes_any_text(text: str) -> None:
    assert all(isinstance(item, int | str) for item in controls.numbers(text))


def _page(chosen: dict[str, object] | None = None) -> None:
    import streamlit as st

    from goldviz.labs.depth_gradients.settings import DepthGradients
    from goldviz.ui.panels import controls

    if chosen is not None and "chosen" not in st.session_state:
        controls.put_link(DepthGradients, DepthGradients(**chosen), {})
        st.session_state["chosen"] = chosen
    controls.ensure(DepthGradients)
    controls.draw(DepthGradients, DepthGradients.model_fields)
    st.session_state["current"] = controls.current(DepthGradients)


@pytest.fixture(scope="module")
def drawn() -> AppTest:
    page = AppTest.from_function(_page, default_timeout=30).run()
    assert not page.exception
    return page


def test_a_slider_has_a_place_for_each_declared_value() -> None:
    for declared in (lab.declared for lab in laboratories().values()):
        numbers = [name for name in controls.knobs(declared) if schemas(declared)[name].get("type") == "number"]
        for name in (one for one in numbers if not facts(declared, one)["logarithmic"]):
            step, low = controls.step_of(declared, name), schemas(declared)[name]["minimum"]
            for preset in declared.presets if step else ():
                places = (getattr(declared.preset(preset.slug), name) - low) / step
                assert abs(places - round(places)) < 1e-6, (declared.name, name, preset.slug)


def _small_numbers() -> None:
    from goldviz.labs.adaptive_computation.settings import AdaptiveComputation
    from goldviz.ui.panels import controls

    controls.put_link(AdaptiveComputation, AdaptiveComputation.preset("two-numbers"), {"tau": ""})
    controls.ensure(AdaptiveComputation)
    controls.draw(AdaptiveComputation, ["tau", "clip", "epsilon"])


def test_a_number_smaller_than_a_sliders_step_is_not_read_as_zero() -> None:
    page = AppTest.from_function(_small_numbers, default_timeout=30).run()
    shown = [one for one in (*page.slider, *page.number_input) if one.label == "Tau"]
    assert [(one.type, one.proto.format % one.value) for one in shown] == [("number_input", "0.003")]


def _control(page: AppTest, name: str) -> Any:
    key = controls.key_of(DepthGradients, name)
    kinds = (page.slider, page.select_slider, page.number_input, page.selectbox, page.text_input, page.toggle)
    found = [control for kind in kinds for control in kind if control.key == key]
    assert len(found) == 1, f"{name} has {len(found)} controls"
    return found[0]


@pytest.mark.parametrize("name", FIELDS)
def test_every_setting_has_a_control_with_its_declared_range(drawn: AppTest, name: str) -> None:
    control, schema = _control(drawn, name), SCHEMA[name]
    assert control.label.startswith(label(name))
    assert SCHEMA[name]["description"] in control.help
    if control.type == "selectbox":
        assert len(control.options) == len(schema["enum"])
        assert control.value == schema["default"]
    elif schema["type"] == "boolean":
        assert control.value is schema["default"]
    elif control.type == "text_input":
        assert controls.numbers(control.value) == list(DepthGradients().seeds)
    elif control.type == "select_slider":
        assert (float(control.options[0]), float(control.options[-1])) == (schema["minimum"], schema["maximum"])
        assert control.value == schema["default"]
    else:
        assert (control.min, control.max) == (schema["minimum"], schema["maximum"])
        assert control.value == schema["default"]


def test_settings_are_either_in_sight_or_under_one_heading() -> None:
    headings = controls.groups(DepthGradients)
    below = [name for names in headings.values() for name in names]
    assert sorted(controls.essential(DepthGradients) + below) == sorted(FIELDS)


@settings(max_examples=8)
@given(any_settings(DepthGradients))
def test_the_controls_show_what_they_were_given(chosen: Experiment) -> None:
    page = AppTest.from_function(_page, default_timeout=30, kwargs={"chosen": chosen.model_dump()}).run().run()
    assert not page.exception
    assert page.session_state["current"] == chosen


@pytest.mark.parametrize(
    ("link", "longest", "steps"),
    [({"task": "sorting"}, 12, 800), ({"task": "sorting", "steps": "70"}, 12, 70), ({controls.VERSION: "2"}, 8, 450)],
)
def test_a_link_from_before_a_default_changed_still_means_what_it_meant(link, longest, steps) -> None:
    settings, complaints = controls.from_link(AttentionInterface, link)
    assert (settings.longest, settings.steps, complaints) == (longest, steps, [])
    assert controls.from_link(AttentionInterface, controls.to_link(settings)) == (settings, [])


@pytest.mark.parametrize("version", ["0", "-1", "two", "1.0", "", "9" * 5000])
def test_a_link_s_version_that_is_none_is_said(version: str) -> None:
    settings, complaints = controls.from_link(DepthGradients, {controls.VERSION: version, "width": "7"})
    assert settings.width == 7
    (sentence,) = complaints
    assert sentence.startswith(f"In the link: The version of the settings is {version[:40]!r}; allowed is a whole")
