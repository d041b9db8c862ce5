"""Texts in a real browser: a look inside, a model from a hub on the loopback address, pre-training, documents."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import open_part, state, train
from tests.data.hub.fake_hub import FakeHub

Opener = Callable[..., Page]

MODEL = "tests/random-bert"
TINY = "layers=1&heads=2&width=16&inner=32&pretraining_steps=6&fine_tuning_steps=4&texts=60&labelled=30&look_every=5"

PARTS = ("Beyond weights", "Evidence", "Hidden word", "Pieces", "Take it with you")

OWN_WORDS = (
    "Notwithstanding disinflationary surprises, the committee reconvened in an extraordinary session, and its "
    "spokespersons explained tokenization, collateralization and macroprudential forbearance to bewildered listeners."
)


def explored(page: Page) -> None:
    """Wait until the explorer is drawn, with what stands out in it."""
    expect(page.locator(".scroller canvas").first).to_be_visible()
    expect(page.locator(".explorer .notice")).to_contain_text(re.compile(r"0\.\d\d"))


def another_head(page: Page) -> None:
    """What stands below the explorer follows a click there at once, is drawn once, and comes again with a reload."""
    figures = [page.locator(f".st-key-{name}-inside-bert .goldviz-figure") for name in ("scores", "mixing")]
    # What lies below the first screen asks for Plotly when it comes in sight.
    figures[0].scroll_into_view_if_needed()
    for figure in figures:
        expect(figure.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
    drawn = [figure.get_attribute("data-updates") for figure in figures]
    by_hand = page.locator(".goldviz-by-hand")
    before = by_hand.text_content() or ""
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))
    overview = page.locator(".explorer [data-part=overview]")
    place = page.locator(".explorer").evaluate(
        "host => { const { x, y } = host.goldvizExplorer.overview.placeOf(6); return { x: x + 8, y: y + 8 }; }"
    )
    overview.click(position=place)
    expect(by_hand).not_to_have_text(before)
    assert any("/ahead/" in address for address in scripts)
    # The second layer's, in which the page arrives: the address names what differs.
    expect(page).to_have_url(re.compile("head=3"))
    assert "layer=" not in page.url
    for figure, updates in zip(figures, drawn, strict=True):
        expect(figure).to_have_attribute("data-updates", str(int(updates or 0) + 1))
    expect(page.get_by_role("spinbutton", name="Head", exact=True)).to_have_value("3")
    after = by_hand.text_content() or ""
    page.reload()
    expect(by_hand).to_have_text(after)


def write(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name="Sentence", exact=True)
    box.fill(text)
    box.press("Control+Enter")


def model_line(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator(".st-key-text-model")).to_contain_text(text)


def test_a_text_is_read_and_every_part_answers(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/inside-bert")
    explored(page)
    model_line(page, "Small financial BERT")
    model_line(page, "goldviz")
    another_head(page)
    for question in PARTS:
        open_part(page, question)
    open_part(page, "At a glance")
    explored(page)
    hostile = "Gold <b>rose</b> <script>window.stolen = 1</script> שלום 🙂 by 2 percent."
    write(page, hostile)
    expect(page).to_have_url(re.compile("text="))
    expect(page.locator("b", has_text="rose")).to_have_count(0)
    assert page.evaluate("window.stolen") is None
    other = open_page(page.url)
    explored(other)
    expect(other.get_by_role("textbox", name="Sentence", exact=True)).to_have_value(hostile)


@pytest.mark.parametrize("width", [1440, 390])
def test_own_words_are_whole_in_a_box_that_shows_all_of_them(server: Server, open_page: Opener, width: int) -> None:
    page = open_page(f"{server.address}/inside-bert", width=width, height=900)
    explored(page)
    write(page, OWN_WORDS)
    words = page.locator(".explorer [data-part=queries] [role=option]")
    for word in ("notwithstanding", "disinflationary", "tokenization"):
        expect(words.filter(has_text=word)).to_have_count(1)
    box = page.get_by_role("textbox", name="Sentence", exact=True)
    assert box.evaluate("one => one.scrollHeight - one.clientHeight") <= 1
    place, drawing = box.bounding_box(), page.locator(".explorer").bounding_box()
    assert place is not None
    assert drawing is not None
    assert place["y"] + place["height"] <= drawing["y"]
    assert 0 <= place["x"] <= place["x"] + place["width"] <= width


def test_nothing_to_read_is_told_and_the_last_text_stays(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/inside-bert")
    explored(page)
    write(page, "   ")
    expect(page.get_by_role("alert").first).to_contain_text("allowed is")
    expect(page.locator(".scroller canvas").first).to_be_visible()


def ask_the_hub(page: Page) -> None:
    page.get_by_role("button", name="Change model").click()
    page.get_by_role("tab", name="From a hub").click()
    box = page.get_by_role("textbox", name="Or any other BERT of the hub")
    box.fill(MODEL)
    box.press("Enter")
    page.get_by_role("button", name="Look it up").click()


def test_a_model_is_downloaded_stopped_gone_on_with_and_used_without_the_hub(
    server: Server, open_page: Opener, hub: FakeHub, tmp_path: Path
) -> None:
    from tests.random_bert import write_random_bert  # transformers takes seconds to load, for this test alone.

    written = write_random_bert(tmp_path / "model", width=96)
    hub.add(MODEL, {path.name: path.read_bytes() for path in written.iterdir()})
    page = open_page(f"{server.address}/inside-bert")
    explored(page)
    hub.faults[MODEL] = "500"
    ask_the_hub(page)
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(MODEL)
    del hub.faults[MODEL]
    hub.pace = 150_000
    page.get_by_role("button", name="Look it up").click()
    page.get_by_role("button", name=re.compile("Download .* MB")).click()
    stop = page.get_by_role("button", name="Stop", exact=True)
    stop.click()
    expect(page.get_by_text("What has come so far is kept")).to_be_visible()
    hub.pace = 0.0
    page.get_by_role("button", name="Download again").click()
    page.get_by_role("button", name="Use it").click()
    model_line(page, MODEL)
    expect(page).to_have_url(re.compile("model=tests"))
    hub.faults[MODEL] = "hang up"
    other = open_page(page.url)
    expect(other.locator(".scroller canvas").first).to_be_visible()
    model_line(other, MODEL)
    # It was never trained for a tone, which is said beside its name.
    expect(other.locator(".st-key-text-model")).to_contain_text("so it gives a text no tone")


def test_a_model_that_was_trained_here_is_looked_into(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/bert-pretraining?{TINY}")
    expect(page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first).to_be_visible()
    run = train(page)
    state(page, "Finished")
    page.get_by_role("link", name="Look inside this model").click()
    explored(page)
    model_line(page, "1 layers of 2 heads")
    assert run


def test_a_model_that_learned_from_pairs_says_whether_b_follows(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/bert-pretraining?{TINY}&objective=next_sentence")
    expect(page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first).to_be_visible()
    assert train(page)
    state(page, "Finished")
    open_part(page, "Look closer")
    expect(page.get_by_text("Does B follow A?").first).to_be_visible()
    open_part(page, "At a glance")
    page.get_by_role("link", name="Look inside this model").click()
    explored(page)
    write(page, "Gold rose in May. [SEP] Silver fell.")
    open_part(page, "Word order")
    expect(page.get_by_text("Its next-sentence head gives")).to_be_visible()
    page.goto(f"{server.address}/bert-pretraining?{TINY}&objective=permutation")
    assert train(page)
    state(page, "Finished")
    open_part(page, "Look closer")
    expect(page.get_by_text("Who may see whom?").first).to_be_visible()


def test_documents_are_brought_compared_and_become_channels(server: Server, open_page: Opener, tmp_path: Path) -> None:
    texts = [
        f"Inflation {word} and the Committee keeps the target range. Gold is at {price} dollars."
        for word, price in (
            ("rose", 1900),
            ("fell", 1950),
            ("fell again", 1990),
            ("eased", 2010),
            ("rose", 2030),
            ("stayed", 2040),
            ("rose again", 2050),
            ("fell", 2060),
        )
    ]
    days = [f"2023-{month:02}-01" for month in range(2, 10)]
    file = tmp_path / "statements.csv"
    pd.DataFrame({"Date": days, "Type": "Statement", "Text": [*texts[:-1], texts[-1] + " <i>Risks</i>"]}).to_csv(
        file, index=False
    )
    page = open_page(f"{server.address}/policy-documents")
    expect(page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first).to_be_visible()
    expect(page.locator(".st-key-documents")).to_contain_text("enerated")
    page.get_by_role("button", name="Change documents").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(str(file))
    page.get_by_role("button", name="Use these documents").click()
    line = page.locator(".st-key-documents")
    expect(line).to_contain_text("statements.csv")
    expect(line).to_contain_text("8 documents")
    expect(page).to_have_url(re.compile("documents=[0-9a-f]{16}"))
    expect(page.locator("i", has_text="Risks")).to_have_count(0)
    open_part(page, "Could a market have known?")
    page.get_by_role("button", name="Use these as channels in the forecast lab").click()
    page.get_by_role("link", name="Open the forecast lab").click()
    expect(page.locator(".st-key-market")).to_contain_text("more channels")
    expect(page).to_have_url(re.compile("gold-forecast.*data=[0-9a-f]{16}"))
