"""The page *Inside BERT*."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from goldviz.labs.inside_bert.evidence import words_left_out
from goldviz.labs.inside_bert.head import head_norms, head_word_norms
from goldviz.labs.inside_bert.models import named
from goldviz.labs.inside_bert.overview import overview
from goldviz.labs.inside_bert.parts import (
    pieces as inside_bert_pieces,
)
from goldviz.labs.inside_bert.parts import (
    state as inside_bert_state,
)
from goldviz.labs.inside_bert.parts import (
    text as inside_bert_text,
)
from goldviz.labs.inside_bert.parts.compare import differences
from goldviz.labs.inside_bert.parts.evidence import correlation_sentence
from goldviz.labs.inside_bert.parts.explorer import exhibit
from goldviz.labs.inside_bert.parts.state import ReadText
from goldviz.labs.inside_bert.parts.text import shipped_words
from goldviz.labs.inside_bert.samples import NEGATION, ONE_WORD, PLAIN, TEN_WORDS
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.labs.inside_bert.tasks import reading_of
from goldviz.models.text.loading import SHIPPED_NAME
from goldviz.models.text.packaged import packaged_folders
from goldviz.text_models import text_model
from goldviz.ui.panels import background, controls
from goldviz.ui.serving import queries
from goldviz.ui.texts.model_dialog import megabytes
from goldviz.ui.words import plain
from tests.export.report_parts import lanes_in
from tests.pages.instant import InstantVisitor
from tests.random_bert import write_random_bert
from tests.text_model_folders import with_classifier, without_masked_words
from tests.thinned import thinned

pytestmark = pytest.mark.usefixtures("on_pages")

LAYER = {"layer", "layer_lengths", "neurons"}
ALWAYS = {
    "network",
    "scores",
    "mixing",
    "shares",
    "embeddings",
    "composition",
    "neighbours",
    "positions",
    "order",
} | LAYER
WITH_CLASSIFIER = {"evidence", "agreement", "without", "heads_off"}
FIRST = {"network", "scores", "mixing"}
SAME_WORD = {"word_cosine"}
"""Of texts that have a word in common with the second sentence."""
FIGURES = ALWAYS | WITH_CLASSIFIER | SAME_WORD
"""Guesses come with the visitor's own."""
SHORT = {"text": "Gold prices rose.", "settings_version": "2"}


class Reader(InstantVisitor):
    """A visitor of the page."""

    def __init__(self, link: dict[str, str] | None = None, theme: str = "light") -> None:
        super().__init__(InsideBert, link, theme)

    def look(self) -> "Reader":
        """Run the page again."""
        super().look()
        return self

    def choose(self, slug: str) -> "Reader":
        """Press a preset."""
        super().choose(slug)
        return self

    def write(self, text: str, box: str = "text") -> "Reader":
        """Type a text into its box."""
        self.at.text_area(key=controls.key_of(InsideBert, box)).set_value(text)
        self.look()
        return self

    @property
    def said(self) -> list[str]:
        """All lines and captions as they are read, without Markdown's escapes."""
        return [line.replace("\\", "") for line in [*self.markdown, *self.captions]]

    @property
    def told(self) -> list[str]:
        """All errors, as they are read."""
        return [error.replace("\\", "") for error in self.errors]

    def tone(self) -> str:
        """The HTML of the bars that say the probability of every class."""
        [bars] = [part.proto.body for part in self.at.get("html") if "auto 1fr auto" in part.proto.body]
        return str(bars)

    def coloured(self) -> str:
        """The text on the colours of its evidence."""
        [shown] = [part.proto.body for part in self.at.get("html") if "white-space:pre-wrap" in part.proto.body]
        return str(shown)

    def exhibits(self) -> list[dict[str, Any]]:
        """What the explorers are handed."""
        parts = [part for part in self.at.get("bidi_component") if "-attention-" in part.proto.id]
        return [json.loads(part.proto.json) for part in parts]


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def test_a_stranger_sees_every_part_at_once() -> None:
    visitor = Reader()
    drawn = visitor.all_drawn()
    assert set(drawn) == FIGURES
    assert all(figure["data"] for name, figure in drawn.items() if name != "network")
    assert set(visitor.drawn()) == FIRST
    assert visitor.drawn()["scores"]["layout"]["meta"]["notes"][0].startswith("Query of “rose”")
    assert not visitor.errors
    [explorer] = visitor.exhibits()
    assert explorer["choice"] == {"layer": 1, "head": 0, "token": 3}
    assert (explorer["view"], explorer["by"]) == ("lines", "word")
    assert visitor.at.query_params == {}
    assert any("30,873" in line for line in visitor.open("why").said)
    assert any("Attention is not an explanation" in line for line in visitor.open("evidence").said)
    assert re.sub(r"<[^>]*>", "", visitor.coloured()) == TEN_WORDS


def test_a_pair_of_sentences_shows_what_passes_between_them() -> None:
    visitor = Reader().choose("a-pair-of-sentences").open("order")
    assert {"across", "positions", "order"} <= set(visitor.drawn())
    assert any("12 pieces are segment A, 9 segment B" in line for line in visitor.said)
    assert any("all of it segment A" in line for line in visitor.said)
    visitor.open("context")
    assert set(visitor.drawn()) >= SAME_WORD
    visitor.at.text_area(key="context-sentence").set_value("Nothing else stands here.")
    assert [line.value for line in visitor.look().at.info if "no word in common" in line.value]
    assert not SAME_WORD & set(visitor.drawn())


def test_sentence_b_is_typed_into_a_box_of_its_own() -> None:
    visitor = Reader(SHORT)
    visitor.at.button(key="pair-of-sentences").click()
    visitor.look()
    visitor.write("[CLS] Yields fell. [SEP]", "sentence_b")
    assert not visitor.errors
    assert visitor.at.query_params["sentence_b"] == "[CLS] Yields fell. [SEP]"
    written = visitor.exhibits()[0]["exhibit"]
    header = queries.part_of_exhibit(written, "overview", {}).content
    assert [header.count(mark) for mark in (b'"[CLS]"', b'"[SEP]"')] == [1, 2]
    assert "across" in visitor.open("order").drawn()
    visitor.at.button(key="pair-of-sentences").click()
    visitor.look()
    assert "sentence_b" not in visitor.at.query_params
    assert [box.key for box in visitor.at.text_area] == [controls.key_of(InsideBert, "text")]


def test_another_head_and_piece_change_what_is_about_them_alone_and_the_link() -> None:
    visitor = Reader()
    before = visitor.all_drawn()
    [explorer] = visitor.exhibits()
    ahead = json.loads(queries.part_of_exhibit(explorer["exhibit"], "ahead/2/2/4", {"theme": "light"}).content)
    visitor.set(layer=3, head=3)
    visitor.at.selectbox(key=controls.key_of(InsideBert, "token")).set_value(5)
    visitor.look()
    after = visitor.all_drawn()
    changed = {name for name in FIGURES if before[name] != after[name]}
    assert changed == {"scores", "mixing", "shares"} | LAYER
    assert visitor.at.query_params == {"layer": "3", "head": "3", "token": "5", "settings_version": "2"}
    [explorer] = visitor.exhibits()
    assert explorer["choice"] == {"layer": 2, "head": 2, "token": 4}
    # What the browser fetched at a click is what the page's script comes to, so nothing is drawn twice.
    shown = {name: json.loads(text) for name, text in ahead["figures"].items()}
    assert (shown.pop("scores"), shown.pop("mixing")) == (after["scores"], after["mixing"])
    [weight] = [
        json.loads(one.proto.json) for one in visitor.at.get("bidi_component") if "weight-by-hand" in one.proto.id
    ]
    assert shown == {"weight": weight["words"], "network": {"layer": 3, "head": 3}}
    assert weight["subject"] == ahead["subject"]
    worked = {
        name: float(said.replace("−", "-")) for name, said in weight["words"].items() if name not in ("asked", "key")
    }
    assert worked["score"] == pytest.approx(worked["product"] / worked["width"] ** 0.5, abs=1e-3)
    assert worked["weight"] == pytest.approx(1 / worked["total"], abs=1e-3)


def test_presets_keep_the_place_in_view() -> None:
    visitor = Reader({"head": "2", "settings_version": "2"}).choose("a-negation")
    assert visitor.at.query_params == {"head": "2", "text": NEGATION, "settings_version": "2"}


def test_a_link_of_the_first_version_has_the_text_and_the_head_that_it_had() -> None:
    visitor = Reader({"head": "2"})
    assert visitor.at.text_area(key=controls.key_of(InsideBert, "text")).value == PLAIN
    [explorer] = visitor.exhibits()
    assert explorer["choice"] == {"layer": 0, "head": 1, "token": 1}


def test_a_model_that_a_package_carries_is_offered_with_its_size_and_reads_what_is_written_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged = tmp_path / "packages"
    write_random_bert(packaged / "a_bert" / "model")
    listed = packaged / "a_bert-1.0.dist-info"
    listed.mkdir()
    (listed / "METADATA").write_text("Metadata-Version: 2.1\nName: a-bert\nVersion: 1.0\n")
    (listed / "RECORD").write_text("a_bert/model/config.json,,\na_bert/model/model.safetensors,,\n")
    assert not any("a-bert" in label.replace("\\", "") for label in Reader(SHORT).buttons)
    monkeypatch.syspath_prepend(packaged)
    packaged_folders.cache_clear()
    visitor = Reader(SHORT)
    offers = [label.replace("\\", "") for label in visitor.buttons]
    assert f"Read with a-bert ({megabytes(named('folder:a-bert').total_bytes)})" in offers
    visitor.at.button(key="model-at-hand").click()
    visitor.look()
    visitor.write("Inflation fell.")
    assert not visitor.errors
    assert any("**a-bert**" in line for line in visitor.said)
    assert visitor.at.query_params["model"] == "folder:a-bert"
    assert not [button for button in visitor.at.button if button.key == "model-at-hand"]
    packaged_folders.cache_clear()


@pytest.mark.parametrize(
    "text",
    thinned(
        [
            "\u202egold\u202c \x00 rose",
            "הריבית עלתה والذهب ارتفع",
            "a" * 600,
            "x",
            "🙂 rates",
            "金價 ☂",
            "e\u0301\u0300",
        ],
        3,
    ),
    ids=["controls", "right to left", "one long word", "one character", "emoji", "unknown", "combining marks"],
)
def test_strange_texts_are_read(text: str) -> None:
    visitor = Reader().write(text)
    assert not visitor.errors
    assert set(visitor.all_drawn()) >= ALWAYS
    assert not visitor.errors


@pytest.mark.untrusted
def test_script_in_a_text_is_shown_and_never_run() -> None:
    hostile = "<script>alert(1)</script> <img src=x onerror=alert(1)> [a](javascript:alert(1)) $x$ **b** gold"
    visitor = Reader().write(hostile).open("evidence")
    assert not visitor.errors
    shown = visitor.coloured()
    assert set(re.findall(r"</?(\w+)", shown)) == {"div", "span"}
    assert "&lt;script&gt;" in re.sub(r"</?span[^>]*>", "", shown)
    for line in [*visitor.markdown, *visitor.captions]:
        assert "<script" not in line
        assert "](javascript" not in line
    for figure in visitor.all_drawn().values():
        assert "<script" not in json.dumps(figure)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The text is empty"),
        ("   \n ", "The text is empty"),
        ("gold " * 50_000, "The text has 250,000 characters; allowed are up to 20,000."),
    ],
    ids=["nothing", "blanks", "50,000 words"],
)
def test_what_cannot_be_read_is_told_in_a_sentence_and_nothing_is_lost(text: str, sentence: str) -> None:
    visitor = Reader(SHORT)
    before = visitor.drawn()
    visitor.write(text)
    [told] = visitor.told
    assert told.startswith(sentence)
    assert visitor.at.text_area(key=controls.key_of(InsideBert, "text")).value == text
    assert visitor.drawn() == before
    assert visitor.at.query_params == SHORT
    visitor.set(head=2)
    assert visitor.at.query_params == SHORT | {"head": "2"}
    visitor.write("Gold prices fell.")
    assert not visitor.told


def test_a_text_that_is_too_long_for_a_link_is_left_out_of_it_and_that_is_said() -> None:
    visitor = Reader(SHORT).write("Gold prices rose. " * 150)
    assert visitor.at.query_params == {}
    assert any("too long for a link" in line for line in visitor.open("take").said)


def test_letters_that_are_not_latin_count_as_an_address_writes_them() -> None:
    link, left_out = inside_bert_state.link_of(InsideBert(text="金" * 1000))
    assert (link, left_out) == ({}, ["text"])
    link, left_out = inside_bert_state.link_of(InsideBert(text="a" * 2000, second_text="b" * 2001))
    assert (list(link), left_out) == (["text", "settings_version"], ["second_text"])


def test_a_long_text_has_chunks_to_choose_from() -> None:
    visitor = Reader().choose("break-it-too-long")
    assert any(line.startswith("Chunk 1 of 2: 512 pieces, characters 1 to") for line in visitor.said)
    visitor.set(chunk=2)
    assert any(line.startswith("Chunk 2 of 2:") for line in visitor.said)
    assert visitor.at.query_params["chunk"] == "2"
    visitor.choose("as-in-the-document")
    assert "chunk" not in visitor.at.query_params


def test_a_stale_link_is_told_and_the_rest_counts() -> None:
    visitor = Reader({"layer": "77", "head": "500", "nonsense": "1", "token": "400", **SHORT})
    assert sorted(visitor.warnings) == sorted(
        plain(sentence)
        for sentence in (
            "In the link: Head is '500'; allowed is a whole number from 1 to 96. Head keeps its default, 1.",
            "In the link: inside-bert has no setting 'nonsense'.",
        )
    )
    layers = text_model("shipped").encoder.shape.layers
    assert visitor.at.query_params == SHORT | {"layer": str(layers), "token": "6"}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nobody/nothing", "nobody/nothing is not on this machine"),
        ("folder:gone", "This machine has no model folder 'gone'"),
        ("folder:..", "The model folder is '..'"),
        ("run:0123456789ab", "There is no run '0123456789ab'"),
        ("bert", "The model is 'bert'"),
    ],
)
def test_a_model_that_is_not_here_is_told_and_the_shipped_one_reads(name: str, sentence: str) -> None:
    visitor = Reader({"model": name, **SHORT})
    assert not visitor.told
    [told] = [line for line in visitor.said if line.startswith(":material/error:")]
    assert sentence in told
    assert set(visitor.drawn()) == FIRST
    assert "Change model" in visitor.buttons


def test_a_folder_that_is_no_model_is_told(models: Path) -> None:
    write_random_bert(models / "broken")
    (models / "broken" / "model.safetensors").write_bytes(b"no weights")
    visitor = Reader({"model": "folder:broken"})
    assert any(line.startswith(":material/error: broken") for line in visitor.said)
    assert set(visitor.drawn()) == FIRST


def test_a_model_without_a_classifier_says_so_in_place_of_empty_frames(models: Path) -> None:
    write_random_bert(models / "plain")
    visitor = Reader({"model": "folder:plain", **SHORT})
    assert not visitor.errors
    assert set(visitor.all_drawn()) == ALWAYS | SAME_WORD
    assert any("it gives a text no tone" in line for line in visitor.said)
    assert not [part for part in visitor.at.get("html") if "auto 1fr auto" in part.proto.body]


def test_a_model_without_a_masked_word_head_says_so(models: Path) -> None:
    without_masked_words(models / "judge")
    visitor = Reader({"model": "folder:judge", **SHORT})
    assert set(visitor.all_drawn()) == FIGURES
    visitor.open("hidden")
    assert any("This model has no masked-word head" in line for line in visitor.said)


@pytest.mark.untrusted
def test_the_thread_ends_with_what_each_word_moves() -> None:
    visitor = Reader({"text": "Gold <b>rose.", "settings_version": "2"})
    [bars] = [part.proto.body for part in visitor.at.get("html") if "Vector moves" in part.proto.body]
    assert "&lt;" in bars
    assert "<b>rose" not in bars
    read = ReadText.cut("shipped", "Gold <b>rose.")
    reading = reading_of(read.where)
    ds = words_left_out(reading)
    words = read.pieces.words
    assert ds.sizes["spoken"] == words.max() + 1
    assert float(ds["attention_received"].sum()) == pytest.approx(
        reading.received[:, words >= 0].mean(0).sum(), rel=1e-6
    )
    [last] = [str(name) for name in ds["spoken"].values[-1:]]
    alone = reading_of(ReadText.cut("shipped", "Gold <b>rose").where).hidden[-1].mean(0)
    whole = reading.hidden[-1].mean(0)
    turned = 1 - float(alone @ whole / alone.norm() / whole.norm())
    assert (last, float(ds["moved"][-1])) == (".", pytest.approx(turned, abs=1e-5))


def test_a_tone_that_is_no_better_than_counting_words_is_not_shown() -> None:
    visitor = Reader()
    assert not [part for part in visitor.at.get("html") if "auto 1fr auto" in part.proto.body]
    assert any("it is no better" in line for line in visitor.said)


def test_labels_are_the_models_own(models: Path) -> None:
    with_classifier(models / "own", ("<b>sunny</b>", "rainy"))
    visitor = Reader({"model": "folder:own", "label": "2", **SHORT})
    chances = re.findall(r">(&lt;b&gt;sunny&lt;/b&gt;|rainy)<.*?>(?:over |under )?(\d+) %<", visitor.tone())
    assert [name for name, _ in chances] == ["&lt;b&gt;sunny&lt;/b&gt;", "rainy"]
    assert sum(float(share) for _, share in chances) == pytest.approx(100, abs=1)
    assert "rainy" in visitor.open("evidence").drawn()["evidence"]["layout"]["title"]["text"]


def test_two_texts_side_by_side_share_their_axes() -> None:
    visitor = Reader().choose("one-word-apart")
    drawn = visitor.drawn()
    assert {"tones", "summaries", "pair_first", "pair_second"} <= set(drawn)
    assert any("The pieces differ in 1 of" in line and "rose" in line and "fell" in line for line in visitor.said)
    pair = drawn["pair_first"]["layout"], drawn["pair_second"]["layout"]
    axes = [[layout[axis]["range"] for axis in ("xaxis", "xaxis2")] for layout in pair]
    assert axes[0] == axes[1]
    assert len(visitor.exhibits()) == 2


def test_two_models_side_by_side_and_faults_of_the_second(models: Path) -> None:
    with_classifier(models / "other")
    visitor = Reader({"second_model": "folder:other", "second_text": ONE_WORD[1], **SHORT})
    assert {"tones", "summaries"} <= set(visitor.drawn())
    visitor = Reader({"second_model": "folder:gone", **SHORT})
    assert any(told.startswith("The second one cannot be shown. This machine has no") for told in visitor.told)
    assert set(visitor.drawn()) == FIRST


def test_what_differs_stands_by_the_switch_whatever_part_is_open(models: Path) -> None:
    visitor = Reader({"second_text": ONE_WORD[1], "shown": "why", **SHORT})
    assert any("changes most in how widely it looks" in line for line in visitor.said)


def test_two_models_are_compared_by_probabilities_and_not_head_by_head(models: Path) -> None:
    with_classifier(models / "first", seed=1)
    with_classifier(models / "other", seed=2)
    visitor = Reader({"model": "folder:first", "second_model": "folder:other", **SHORT})
    assert any("The two models differ most in the probability of" in line for line in visitor.said)
    assert any("a head of one has no partner in the other" in line for line in visitor.said)
    assert not any("logit of" in line or "changes most" in line for line in visitor.said)
    visitor = Reader({"model": "folder:first", "second_text": "Gold fell.", **SHORT})
    assert any("logit of" in line for line in visitor.said)
    assert any("changes most in how widely it looks" in line for line in visitor.said)
    assert not any("has no partner" in line for line in visitor.said)


def test_differences_are_told_with_the_numbers_of_both(models: Path) -> None:
    with_classifier(models / "m")
    first, second = (overview(reading_of(_read(text).where)) for text in ("Gold rose.", "Gold prices fell again."))
    *_, logit, entropy = differences(first, second)
    change = (second["logit"] - first["logit"]).values
    assert f"{change[np.abs(change).argmax()]:+.2g}".replace("-", "−") in logit
    shares = [ds["head_entropy_share"].values for ds in (first, second)]
    layer, head = np.unravel_index(np.abs(shares[1] - shares[0]).argmax(), shares[0].shape)
    assert f"Layer {layer + 1}, head {head + 1} " in entropy
    assert f"from {shares[0][layer, head]:.0%} to {shares[1][layer, head]:.0%}" in entropy
    stranger = second.assign_attrs(fingerprint="another")
    change = 100 * (second["probability"] - first["probability"]).values
    assert differences(first, stranger)[1:] == [
        "The two models differ most in the probability of "
        f"{first['label'].values[np.abs(change).argmax()]}, by "
        f"{change[np.abs(change).argmax()]:+.1f} percentage points.".replace("-", "−")
    ]


def _read(text: str) -> ReadText:
    return ReadText.cut("folder:m", text)


def test_a_second_text_that_is_switched_off_leaves_link_and_snippet_and_comes_back(models: Path) -> None:
    with_classifier(models / "other")
    second = {"second_text": "Gold prices fell.", "second_model": "folder:other"}
    visitor = Reader(SHORT | second)
    assert visitor.at.query_params == SHORT | second
    toggle = visitor.at.toggle(key=inside_bert_state.BESIDE)
    toggle.set_value(False)
    visitor.look()
    assert visitor.at.query_params == SHORT
    assert "second" not in visitor.open("take").at.code[0].value
    visitor.open("first").set(head=2)
    assert visitor.at.query_params == SHORT | {"head": "2"}
    visitor.at.toggle(key=inside_bert_state.BESIDE).set_value(True)
    visitor.look()
    assert visitor.at.query_params == SHORT | second | {"head": "2"}


def test_the_explorers_norms_by_word_are_those_of_summed_vectors(models: Path) -> None:
    with_classifier(models / "m")
    read = _read("gold lending rose")
    reading = reading_of(read.where)
    shown = exhibit(read, reading)
    by_word = shown.weights(1, 2, "word", "shown", "norms")
    np.testing.assert_allclose(by_word.values, head_word_norms(reading, 1, 2), rtol=1e-6)
    assert by_word.units.labels == ("[CLS]", "gold", "lending", "rose", "[SEP]")
    np.testing.assert_allclose(
        shown.weights(1, 2, "piece", "shown", "norms").values, head_norms(reading, 1, 2), rtol=1e-6
    )
    inside = shown.weights(1, 2, "word", "hidden", "norms").values
    np.testing.assert_array_equal(inside, by_word.values[1:-1, 1:-1])


@pytest.mark.parametrize(
    ("correlation", "count", "verdict"),
    [
        (0.95, 11, "with fewer than 12 pieces that says nothing either way"),
        (-0.95, 3, "with fewer than 12 pieces that says nothing either way"),
        (0.55, 12, "chance alone gives up to ±0.60, and this is within it"),
        (0.65, 12, "chance alone gives up to ±0.60, and attention agrees in part"),
        (-0.55, 17, "chance alone gives up to ±0.50, and attention goes to other pieces"),
        (0.8, 101, "chance alone gives up to ±0.20, and attention orders the pieces"),
        (0.25, 101, "chance alone gives up to ±0.20, and attention tells little"),
        (-0.15, 101, "chance alone gives up to ±0.20, and this is within it"),
        (float("nan"), 2, "The order of 2 pieces cannot be compared"),
    ],
)
def test_attention_is_judged_by_evidence_beyond_chance_alone(correlation: float, count: int, verdict: str) -> None:
    sentence = correlation_sentence(correlation, count)
    assert verdict in sentence
    assert f"{count} pieces" in sentence
    assert sentence.endswith("Attention is not an explanation.")


def test_those_who_wait_for_a_large_model_read_what_will_come(models: Path) -> None:
    for name, write in (("both", with_classifier), ("judge", without_masked_words), ("bare", write_random_bert)):
        write(models / name)
        visitor = AppTest.from_function(_wait, default_timeout=60, args=(f"folder:{name}",)).run()
        [caption] = visitor.caption
        assert "the maps of its 12 heads" in caption.value
        assert ("evidence" in caption.value) == (name != "bare")
        assert ("a hidden word to guess" in caption.value) == (name != "judge")


def _wait(name: str) -> None:
    from goldviz.labs.inside_bert.parts.state import ReadText
    from goldviz.labs.inside_bert.parts.text import what_will_come

    what_will_come(ReadText.cut(name, "gold"))


def test_the_shipped_models_tone_stands_beside_counted_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {"new draws": {"accuracy": 0.7125, "bag of words": 0.7275}, "new patterns": {"accuracy": 0.9}}
    monkeypatch.setattr(inside_bert_text, "SHIPPED_FOLDER", tmp_path)
    shipped_words.cache_clear()
    assert shipped_words() == inside_bert_text.SHIPPED_WORDS
    for counted, verdict in ((0.7, "better"), (0.88, "no better"), (0.97, "worse")):
        scores["new patterns"]["bag of words"] = counted
        (tmp_path / "card.json").write_text(json.dumps({"scores": {"tone": scores}}))
        shipped_words.cache_clear()
        assert shipped_words().endswith(
            "It finds the tone of 71% of new generated sentences, counting words 73%: it is no better. "
            f"On new patterns: 90%, counting words {counted:.0%}: it is {verdict}."
        )
    shipped_words.cache_clear()


def test_heads_are_switched_off_by_button_and_by_hand() -> None:
    visitor = Reader(SHORT).open("evidence")
    before = visitor.drawn()["without"]
    visitor.open("first").set(layer=2).open("evidence")
    visitor.click("off-head")
    assert visitor.at.query_params["off"] == "2.1"
    assert visitor.drawn()["without"] != before
    typed = visitor.at.text_input(key="inside-bert-off-typed")
    assert typed.value == "2.1"
    typed.set_value("1, 3.2")
    visitor.look()
    assert visitor.at.query_params["off"] == "1,3.2"
    visitor.at.text_input(key="inside-bert-off-typed").set_value("all of them")
    visitor.look()
    assert any("is no list such as" in told for told in visitor.told)
    visitor.open("take").open("evidence")
    assert visitor.at.text_input(key="inside-bert-off-typed").value == "all of them"
    assert visitor.at.query_params["off"] == "1,3.2"
    visitor.at.text_input(key="inside-bert-off-typed").set_value("99.1")
    visitor.look()
    assert any("Off names 99.1" in told for told in visitor.told)
    visitor.click("all-on")
    assert "off" not in visitor.at.query_params


def is_veiled(visitor: Reader) -> bool:
    """Whether the page blurs its text."""
    return any("blur" in part.proto.body for part in visitor.at.get("html"))


def test_the_masked_word_game_judges_a_guess() -> None:
    visitor = Reader({"text": "Gold prices rose.", "masked": "2", "shown": "hidden"})
    assert visitor.at.selectbox(key=controls.key_of(InsideBert, "masked")).value == 2
    [guess] = [box for box in visitor.at.text_input if str(box.key).startswith("guess-word")]
    piece = visitor.at.selectbox(key=controls.key_of(InsideBert, "masked"))
    assert not any("Gold" in option for option in piece.options), "the hidden word is hidden until the guess"
    assert "guesses" not in visitor.drawn()
    assert not any(line.startswith("There stands") for line in visitor.said)
    assert is_veiled(visitor), "the text itself says what is hidden"
    guess.set_value("Gold")
    visitor.look()
    assert [element.value for element in visitor.at.success] == ["That is what stands there."]
    assert any(line.casefold().startswith("there stands “gold”") for line in visitor.said)
    assert "guesses" in visitor.drawn()
    assert not is_veiled(visitor)
    visitor.open("take").open("hidden")
    assert visitor.at.text_input(key=guess.key).value == "Gold"
    visitor.at.text_input(key=guess.key).set_value("pterodactyl")
    visitor.look()
    assert any("is not one piece of this vocabulary" in line for line in visitor.said)


def test_the_documents_convention_turns_the_equations() -> None:
    visitor = Reader({"convention": "columns"})
    formulas = [element.value for element in visitor.at.latex]
    assert any(r"K_h^\top Q_h" in formula for formula in formulas)
    assert any(r"\sum_i A_{h,ij} = 1" in formula for formula in formulas)
    assert any("prints S = QᵀK" in line for line in visitor.said)


def test_special_pieces_can_be_hidden() -> None:
    visitor = Reader(SHORT | {"hide_special": "true", "shown": "beyond"})
    rows = visitor.drawn()["shares"]["layout"]["yaxis"]["ticktext"]
    assert not any("[CLS]" in row or "[SEP]" in row for row in rows)
    assert visitor.at.query_params["hide_special"] == "True"


def test_what_takes_long_waits_for_a_press_and_says_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "WAITED_SECONDS", 0.0)
    visitor = Reader({"text": "Gold prices rose again and again.", "shown": "evidence"})
    assert "evidence" not in visitor.drawn()
    [button] = [label for label in visitor.buttons if label.startswith("Work out what each piece adds (about ")]
    visitor.press(button)
    for _ in range(100):
        if "evidence" in visitor.look().drawn():
            break
    assert "evidence" in visitor.drawn()


def test_what_is_taken_along_is_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Callable[[], str]] = {}
    monkeypatch.setattr(inside_bert_pieces, "download", lambda words, make, *_: made.update({words: make}))
    hostile = "<script>alert(1)</script> Gold prices rose"
    visitor = Reader({"text": hostile, "layer": "2", "head": "3", "shown": "take"})
    rows = list(csv.reader(io.StringIO(made["Head 2.3 (CSV)"]())))
    weights = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    assert not any(row[0].startswith(("=", "+", "-", "@")) for row in rows)
    report = made["Report (HTML)"]()
    assert "default-src 'none'" in report
    assert "<script>alert(1)" not in report
    figures = [name.partition("-")[2] for name in lanes_in(report)[0]["figures"]]
    assert sorted(figures) == sorted(FIGURES - {"agreement", "without", "heads_off"} | {"tone", "map", "guesses"})
    [code] = [element.value for element in visitor.at.code]
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    np.testing.assert_allclose(namespace["ds"]["attention"], weights, rtol=1e-5, atol=1e-7)


def test_while_a_text_is_read_the_page_says_what_will_come(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_classifier(models / "m")
    for limit in ("AT_ONCE_SECONDS", "WAITED_SECONDS"):
        monkeypatch.setattr(background, limit, -1.0)
    visitor = Reader({"model": "folder:m", "text": "Gold rose once more."})
    assert any(line.startswith("Once m has read the text, you will see") for line in visitor.said)
    for _ in range(100):
        if "scores" in visitor.look().drawn():
            break
    assert not any(line.startswith("Once m has read") for line in visitor.said)
    assert set(visitor.drawn()) >= FIRST


def test_the_title_says_which_model_reads_and_finbert_is_a_press_away() -> None:
    visitor = Reader(SHORT)
    assert visitor.at.title[0].value == f"Inside BERT: {plain(SHIPPED_NAME)}"
    assert "Read with FinBERT" in visitor.buttons
    visitor.at.button(key="read-with-finbert").click()
    visitor.look()
    assert visitor.at.session_state["hub-model"] == "ProsusAI/finbert"
    assert any("Financial PhraseBank" in line for line in visitor.said)


def test_no_title_names_a_model_that_does_not_read() -> None:
    assert Reader({"model": "nobody/nothing", **SHORT}).at.title[0].value == "Inside BERT"


def test_a_story_is_told_with_goldviz_s_own_model_and_the_head_of_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inside_bert_state, "at_first_sight", lambda: {"model": "folder:first", "layer": 1, "head": 3})
    visitor = Reader({"story": "attention.1"})
    own = InsideBert()
    chosen = {name: visitor.at.session_state[inside_bert_state.key_of(name)] for name in ("model", "layer", "head")}
    assert chosen == {"model": own.model, "layer": own.layer, "head": own.head}
