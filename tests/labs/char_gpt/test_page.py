"""The page of *Character GPT*: a text is completed by jobs alone, and shown as the run's tokens stand for it."""

import html
import json
import threading
from typing import Any

import pytest
import torch
from torch.nn.functional import cross_entropy

import goldviz
from goldviz.labs.char_gpt import completing, texts
from goldviz.labs.char_gpt.instruments import Asked
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_gpt.texts import token_text
from goldviz.runs.examples import example
from goldviz.runs.jobs.kept_weights import KeptWeights
from tests.labs.char_gpt.cases import PIECES, SMALL
from tests.pages.visit import Visitor
from tests.thinned import thinned

pytestmark = pytest.mark.usefixtures("on_pages")
PAGE = "pages/char_gpt.py"


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads that have asked for a corpus in tokens since the fixture was made."""
    asked: list[str] = []

    def noted(*of: Any) -> texts.TokenText:
        asked.append(threading.current_thread().name)
        return token_text(*of)

    for module in (texts, completing):
        monkeypatch.setattr(module, "token_text", noted)
    completing.loaded.cache_clear()
    return asked


def test_a_text_is_completed_on_arrival_with_weights_that_score_as_the_recorded_run() -> None:
    visitor = Visitor(PAGE, {"shown": "complete"})
    visitor.at.slider(key="gpt-count").set_value(20)
    visitor.press("Complete")
    assert not visitor.errors
    [written] = [part.proto.body for part in visitor.at.get("html") if "<pre" in part.proto.body]
    assert "The <b>" in written
    assert any("Weights of the same settings, trained once more, of step 500." in line for line in visitor.captions)
    slug = CharGpt.presets[0].slug
    settings = CharGpt.preset(slug)
    network, text = completing.loaded(KeptWeights(f"example:{slug}", settings.steps, settings.model_dump_json()))
    dev = Asked.of(text, settings.block, torch.device("cpu")).dev
    with torch.no_grad():
        loss = cross_entropy(network(dev[:, :-1]).flatten(0, 1), dev[:, 1:].flatten())
    assert float(loss) == pytest.approx(float(example(CharGpt, slug).dev_loss.values[-1].mean()), abs=0.02)


@pytest.mark.parametrize("changes", thinned([SMALL, PIECES]), ids=["characters", "pieces"])
def test_a_text_is_completed_and_the_page_itself_reads_no_corpus(changes: dict[str, Any], readers: list[str]) -> None:
    kept = goldviz.run("char-gpt", progress=False, keep=True, **changes)
    readers.clear()
    visitor = Visitor(PAGE, {"runs": kept.attrs["run_id"], "shown": "complete"})
    visitor.at.slider(key="gpt-count").set_value(30)
    visitor.press("Complete")
    assert not visitor.errors
    [written] = [part.proto.body for part in visitor.at.get("html") if "<pre" in part.proto.body]
    before, _, after = html.unescape(written.partition(">")[2].removesuffix("</b></pre>")).partition("<b>")
    assert before == "san "
    assert after
    visitor.at.slider(key=f"gpt-token-{kept.attrs['run_id']}-30").set_value(30)
    visitor.look()
    [said] = [line for line in visitor.captions if line.startswith("Drawn: ")]
    corpus = token_text(changes["corpus"], changes.get("tokens", "characters"), changes.get("vocabulary", 512))
    assert said.removeprefix("Drawn: ").partition(". Its probability")[0] in corpus.signs
    drawn = {
        part.proto.id.split("-gpt-")[1].split("-")[0]
        for part in visitor.at.get("bidi_component")
        if "-gpt-" in part.proto.id
    }
    assert {"candidates", "lens", "looked"} <= drawn
    assert {name.startswith("goldviz-job-") for name in readers} == {True}, "jobs read the corpus, and nobody else"


def test_candidates_are_those_of_the_temperature_that_is_set() -> None:
    visitor = Visitor(PAGE, {"shown": "complete"})
    visitor.at.slider(key="gpt-count").set_value(1)
    visitor.press("Complete")
    bars = []
    for temperature in (0.8, 1.0):
        visitor.at.slider(key="gpt-temperature").set_value(temperature)
        visitor.look()
        [part] = [one for one in visitor.at.get("bidi_component") if "-gpt-candidates-" in one.proto.id]
        [bar] = json.loads(json.loads(part.proto.json)["figure"])["data"]
        bars.append(bar["text"])
    assert bars[0] != bars[1]
