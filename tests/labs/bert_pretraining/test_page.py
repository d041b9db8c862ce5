"""The laboratory *Pre-training and fine-tuning*: its figures, a run, the way into its model, own texts."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from goldviz.data.texts.kept_models import SHIPPED_MODEL, load_model
from goldviz.data.texts.kept_texts import keep_text, load_text
from goldviz.data.texts.labelled_texts import labelled_texts
from goldviz.labs.bert_pretraining.figures import FIGURES
from goldviz.labs.bert_pretraining.measures import torn_between
from goldviz.labs.bert_pretraining.settings import SIZES, BertPretraining
from goldviz.ui.panels import controls
from goldviz.ui.serving import services
from goldviz.ui.texts.start_panel import KEEPING
from goldviz.ui.words import plain
from tests.pages.visit import Visitor, recorded_figures

pytestmark = pytest.mark.usefixtures("on_pages")

PAGE = "pages/bert_pretraining.py"
SMALL = {
    "texts": "50",
    "labelled": "30",
    "vocabulary": "200",
    "layers": "1",
    "heads": "2",
    "width": "8",
    "inner": "8",
    "pretraining_steps": "2",
    "fine_tuning_steps": "2",
    "batch": "4",
}
CORPUS, START = (controls.key_of(BertPretraining, name) for name in ("corpus", "start"))


@pytest.fixture(autouse=True)
def _texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of one's own."""
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "data"))


def test_a_stranger_sees_both_phases_and_what_they_came_to() -> None:
    visitor = Visitor(PAGE)
    assert visitor.at.title[0].value == BertPretraining.title
    assert all(visitor.figures(name)[0]["data"] for name in ("learning", "attention"))
    assert not visitor.errors + visitor.warnings
    assert any(words.startswith("### Masked words") for words in visitor.markdown)
    assert any("generated sentences" in words for words in visitor.markdown)
    visitor.open("why")
    assert visitor.figures("why-heads")[0]["data"]
    assert any("$\\ln V = 7.82$ nat" in words for words in visitor.markdown)
    assert not services.executor_ready(), "looking needs no workers"


def test_a_loss_above_that_of_guessing_all_alike_is_no_number_of_pieces() -> None:
    assert torn_between(2.0, 7.8) == "as torn between 7 pieces"
    assert torn_between(15.0, 7.8) == "worse than guessing all alike"


def test_every_figure_can_be_chosen() -> None:
    visitor = Visitor(PAGE, {"shown": "closer"})
    for name in recorded_figures(BertPretraining, FIGURES) - {"learning", "attention", "network"}:
        visitor.at.button_group(key="detail-bert-pretraining").set_value(name)
        visitor.look()
        assert visitor.figures(name)[0]["data"], name


def test_a_run_is_trained_and_leads_into_its_model() -> None:
    visitor = Visitor(PAGE, SMALL)
    assert "Look inside this model" not in [link.proto.label for link in visitor.page_links()]
    visitor.click("train-bert-pretraining").wait_for("Finished")
    assert visitor.figures("learning")[0]["data"]
    run = services.store().run(visitor.runs[0])
    assert (run.status, run.step) == ("finished", 4)
    [link] = [link.proto for link in visitor.page_links() if link.proto.label == "Look inside this model"]
    assert link.page.endswith("inside-bert")
    assert f"model=run%3A{run.id}" in link.query_string or f"model=run:{run.id}" in link.query_string


@pytest.mark.untrusted
def test_a_text_of_ones_own_is_read_next_and_shown_as_plain_text() -> None:
    kept = keep_text(b"Gold <b>rose</b> as yields fell. " * 40, "own.txt")
    visitor = Visitor(PAGE, {"corpus": kept.name})
    [line] = [words for words in visitor.markdown if "Next run reads" in words and plain("own.txt") in words]
    assert "200 words" in line
    assert "<b>" not in line
    visitor.click("text-generated")
    assert visitor.at.session_state[CORPUS] == "generated"
    assert "corpus" not in visitor.at.query_params


def test_an_uploaded_file_is_shown_before_it_is_used() -> None:
    visitor = Visitor(PAGE)
    visitor.at.file_uploader(key="text-file").set_value(("own.txt", b"Prices rose. Growth slowed.", "text/plain"))
    visitor.look()
    assert any("**4 words** were read" in words for words in visitor.markdown)
    assert visitor.at.session_state[CORPUS] == "generated"
    visitor.click("use-text")
    name = visitor.at.session_state[CORPUS]
    assert load_text(name) == "Prices rose. Growth slowed."
    assert visitor.at.query_params["corpus"] in (name, [name])
    labelled = b"text,label\n" + b"".join(b"It was %d.,%s\n" % (n, (b"good", b"bad")[n % 2]) for n in range(20))
    visitor.at.file_uploader(key="labelled-file").set_value(("own.csv", labelled, "text/csv"))
    while "use-labelled" not in [button.key for button in visitor.look().at.button]:
        assert not visitor.errors
    assert any("16 texts are learned" in words for words in visitor.captions), visitor.captions
    visitor.click("use-labelled")
    assert labelled_texts(visitor.at.session_state[controls.key_of(BertPretraining, "labelled_texts")]).classes == (
        "bad",
        "good",
    )
    assert load_text(name) == "Prices rose. Growth slowed."


@pytest.mark.parametrize(("content", "words"), [(b"", "is empty"), (b"\x00\x01\x02" * 30, "")])
def test_a_file_that_is_no_text_is_refused_in_a_sentence(content: bytes, words: str) -> None:
    visitor = Visitor(PAGE)
    visitor.at.file_uploader(key="text-file").set_value(("own.txt", content, "text/plain"))
    visitor.look()
    [error] = visitor.errors
    assert words in error
    assert "use-text" not in [button.key for button in visitor.at.button]


def test_a_text_that_is_gone_is_named_and_can_be_left() -> None:
    visitor = Visitor(PAGE, {"corpus": "0123456789abcdef"})
    assert any("does not hold the text 0123456789abcdef" in words for words in visitor.markdown)
    visitor.click("text-generated")
    assert any("generated sentences" in words for words in visitor.markdown)


def test_a_model_to_start_from_is_named_and_its_sizes_have_no_knobs() -> None:
    visitor = Visitor(PAGE, {"start": SHIPPED_MODEL})
    [line] = [words for words in visitor.markdown if "goes on from" in words]
    assert "**Small financial BERT**: 4 layers of 4 heads, width 128, 4,000 pieces" in line
    sizes = [controls.key_of(BertPretraining, name) for name in SIZES]
    assert not visitor.errors
    assert not {slider.key for slider in visitor.at.slider} & set(sizes)
    visitor.click("start-random")
    assert any("**random weights**" in words for words in visitor.markdown)
    lit = {slider.key for slider in visitor.at.slider}
    assert controls.key_of(BertPretraining, "layers") in lit
    assert "start" not in visitor.at.query_params


def _choosing() -> None:
    """The panel of a visitor who has just chosen the shipped model in the dialog."""
    import streamlit as st

    from goldviz.labs.bert_pretraining.settings import BertPretraining
    from goldviz.ui.panels import controls
    from goldviz.ui.texts import start_panel

    controls.ensure(BertPretraining)
    if "chosen" not in st.session_state:
        st.session_state["chosen"] = True
        start_panel.begin("shipped")
    start_panel.show(BertPretraining)


@pytest.mark.slow
def test_a_model_that_was_chosen_is_kept_and_then_named() -> None:
    at = AppTest.from_function(_choosing, default_timeout=30).run()
    job = services.jobs().job(at.session_state[KEEPING].key)
    assert job is not None
    assert job.over.wait(120)
    at.run()
    assert not at.exception
    assert at.session_state[START] == SHIPPED_MODEL
    assert load_model(SHIPPED_MODEL)
    assert any("goes on from **Small financial BERT**" in element.value for element in at.markdown)


def test_a_model_that_is_gone_is_named_and_can_be_left() -> None:
    visitor = Visitor(PAGE, {"start": "0123456789abcdef"})
    assert any("does not hold the model 0123456789abcdef" in words for words in visitor.markdown)
    assert visitor.click("start-random").at.session_state[START] == "random"
