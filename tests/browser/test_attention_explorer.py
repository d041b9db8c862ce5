"""The attention explorer in a real browser, by mouse, touch and keyboard, held to numbers that are known."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Error, Locator, Page, expect

from goldviz.figures.theme import INKS, Theme
from tests.browser.app_server import Server, own_faults, running
from tests.labs.inside_bert.reading_cases import TOKENS, known_exhibit, known_weights

pytestmark = [pytest.mark.component, pytest.mark.slow]
"""In the ordinary suite: a choice and the numbers behind it, what was let go, and what strangers wrote."""

STREAMLIT = {
    "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
    "STREAMLIT_SERVER_HEADLESS": "true",
    "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
}


@pytest.fixture(scope="module")
def lonely_explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose app is a page with the explorer alone."""
    log = tmp_path_factory.mktemp("explorer") / "server.log"
    script = Path(__file__).parent / "attention_app" / "app.py"
    with running(f"sqlite:///{log.parent / 'runs.sqlite'}", log, more=STREAMLIT, script=script) as up:
        yield up
    assert not own_faults(log)


Opener = Callable[..., Page]


@pytest.fixture
def open_explorer(lonely_explorer: Server, open_page: Opener) -> Opener:
    def opened(query: str, **look: object) -> Page:
        page = open_page(f"{lonely_explorer.address}/?{query}", **look)
        drawn(page)
        return page

    return opened


@pytest.fixture(scope="module")
def window(browser: Browser, lonely_explorer: Server) -> Iterator[Page]:
    """One page for all tests of the small exhibit: loading it takes longer than most of them."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(lonely_explorer.address)
    drawn(page)
    yield page
    page.close()


@pytest.fixture
def page(window: Page) -> Iterator[Page]:
    """The small exhibit in an explorer that was just put up, where nothing was chosen."""
    errors: list[str] = []

    def remember(error: Error) -> None:
        errors.append(str(error))

    window.on("pageerror", remember)
    window.mouse.move(0, 0)
    visit = int(window.get_by_text(re.compile(r"^Visit \d+$")).inner_text().split()[1])
    window.get_by_role("button", name="Begin anew").click()
    expect(window.get_by_text(f"Visit {visit + 1}", exact=True)).to_be_visible()
    expect(window.locator(".explorer")).to_have_count(1)
    drawn(window)
    yield window
    window.remove_listener("pageerror", remember)
    assert not errors, errors


def rgb(colour: str) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


def drawn(page: Page) -> None:
    expect(page.locator(".explorer[data-drawn][data-shown]")).to_be_visible()


def select(page: Page, name: str, option: str) -> None:
    """Choose in one of the rarer controls, which a button lays open and Escape puts away."""
    page.locator(".explorer summary").click()
    part(page, name).select_option(option)
    part(page, name).press("Escape")
    expect(part(page, name)).to_be_hidden()


def part(page: Page, name: str) -> Locator:
    return page.locator(f".explorer [data-part={name}]")


def shown(page: Page, head: str) -> None:
    """Wait until a head is drawn, by the end of its address."""
    expect(page.locator(".explorer")).to_have_attribute("data-shown", re.compile(re.escape(head)))


def tile_place(page: Page, layer: int, head: int) -> dict[str, float]:
    """The middle of a head's tile on the canvas."""
    place: dict[str, float] = page.locator(".explorer").evaluate(
        """(host, [layer, head]) => {
            const overview = host.goldvizExplorer.overview;
            const { x, y } = overview.placeOf(overview.shown.indexOf(layer * overview.header.heads + head));
            return { x: x + overview.tile / 2, y: y + overview.tile / 2 };
        }""",
        [layer, head],
    )
    return place


def cell_place(page: Page, row: int, column: int) -> dict[str, float]:
    """The middle of a cell of the heat map on its canvas."""
    place: dict[str, float] = page.locator(".explorer").evaluate(
        """(host, [row, column]) => {
            const { gutter, side, view } = host.goldvizExplorer.map;
            const middle = (index, start, span) => gutter + ((index + 0.5 - start) / span) * side;
            return { x: middle(column, view.column, view.columns), y: middle(row, view.row, view.rows) };
        }""",
        [row, column],
    )
    return place


def four_digits(value: float) -> str:
    """As the explorer writes a weight."""
    number = float(f"{value:.3e}")
    if number >= 1e-6:
        return f"{value:.{3 - int(np.floor(np.log10(number)))}f}"
    return re.sub(r"e([+-])0*", r"e\1", f"{value:.3e}")


def chosen(page: Page, layer: int, head: int, token: int | None = None) -> None:
    expect(page.get_by_text(f"Chosen: layer {layer}, head {head}, token {token}")).to_be_visible()


def test_a_click_on_a_tile_chooses_its_head(page: Page) -> None:
    part(page, "overview").click(position=tile_place(page, 1, 2))
    shown(page, "head/1/2")
    expect(part(page, "one-title")).to_have_text("Layer 2, head 3")
    chosen(page, 1, 2)


@pytest.mark.slow
def test_hovering_over_the_overview_names_head_value_tokens_and_summaries(page: Page) -> None:
    part(page, "overview").hover(position=tile_place(page, 2, 3))
    tip = part(page, "tip")
    expect(tip).to_contain_text("Layer 3, head 4")
    # Eleven tokens: the middle of the tile is the sixth of each side.
    expect(tip).to_contain_text(f"{np.float16(known_weights(2, 3, 11)[5, 5]):.3g} from query to key")
    expect(tip).to_contain_text(TOKENS[5])
    for words in ("Entropy 3.90 bits", "Distance 11.5 pieces", "Share on special pieces 91.7 %"):
        expect(tip).to_contain_text(words)


@pytest.mark.slow
def test_heads_can_be_put_in_order(page: Page) -> None:
    before = tile_place(page, 0, 0)
    select(page, "order", "all:entropy")
    after = tile_place(page, 2, 3)
    assert after["y"] <= before["y"]
    part(page, "overview").click(position=after)
    chosen(page, 2, 3)
    select(page, "order", "layer:entropy")
    assert tile_place(page, 0, 3)["x"] < tile_place(page, 0, 0)["x"]


@pytest.mark.slow
def test_the_keyboard_chooses_a_head_and_hears_of_it(page: Page) -> None:
    part(page, "overview").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(part(page, "spoken")).to_contain_text("Layer 2, head 2")
    chosen(page, 0, 0)
    page.keyboard.press("Enter")
    chosen(page, 1, 1)
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    chosen(page, 2, 3)


def test_the_heat_map_gives_exact_values_in_both_orientations(page: Page) -> None:
    value = four_digits(known_weights(0, 0, 11)[2, 7])
    part(page, "map").hover(position=cell_place(page, 2, 7))
    expect(part(page, "tip")).to_contain_text(value)
    expect(part(page, "tip")).to_contain_text("query 3: \u2068committee")
    expect(part(page, "map-note")).to_contain_text("Each row is a query, as code writes it; every row sums to 1.")
    select(page, "rows", "keys")
    part(page, "map").hover(position=cell_place(page, 7, 2))
    expect(part(page, "tip")).to_contain_text(value)
    expect(part(page, "tip")).to_contain_text("query 3: \u2068committee")
    expect(part(page, "map-note")).to_contain_text("Each column is a query, as the documents write it")
    part(page, "map").click(position=cell_place(page, 7, 2))
    chosen(page, 0, 0, 2)


@pytest.mark.slow
def test_the_colour_scale_states_its_range_and_the_largest_weight_is_ink(page: Page) -> None:
    weights = known_weights(0, 0, 11)
    expect(part(page, "map-scale")).to_have_text(f"0{four_digits(weights.max())}")
    row, column = (int(place) for place in np.unravel_index(weights.argmax(), weights.shape))
    place = cell_place(page, row, column)
    pixel = part(page, "map-base").evaluate(
        "(canvas, at) => [...canvas.getContext('2d').getImageData(at.x, at.y, 1, 1).data]", place
    )
    assert pixel == [*bytes.fromhex(INKS["light"].text[1:]), 255]
    select(page, "scale", "log")
    expect(part(page, "map-scale")).to_have_text(
        f"{four_digits(weights[weights > 0].min())}{four_digits(weights.max())}"
    )


@pytest.mark.slow
def test_the_heat_map_works_by_keyboard(page: Page) -> None:
    part(page, "map").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "+"):
        page.keyboard.press(key)
    value = four_digits(known_weights(0, 0, 11)[1, 1])
    expect(part(page, "spoken")).to_have_text(re.compile(f"^{re.escape(value)}, query 2: .the.*key 2"))
    page.keyboard.press("Enter")
    chosen(page, 0, 0, 1)


@pytest.mark.slow
def test_lines_show_a_token_s_largest_weights_and_tell_what_was_chosen(page: Page) -> None:
    page.get_by_role("button", name="Lines").click()
    row = known_weights(0, 0, 11)[2]
    part(page, "queries").get_by_role("option", name="query 3: committee").hover()
    strongest = part(page, "strongest")
    expect(strongest).to_contain_text("“committee” looks at")
    for rank, key in enumerate(np.argsort(-row)[:3]):
        expect(strongest.get_by_role("button").nth(rank)).to_have_text(f"{TOKENS[key]} {row[key]:.3f}")
        expect(part(page, "keys").locator(".unit").nth(int(key))).to_contain_text(f"{row[key]:.3f}")
    expect(strongest.get_by_role("button")).to_have_count(3)
    part(page, "top").fill("7")
    expect(strongest.get_by_role("button")).to_have_count(7)
    part(page, "queries").get_by_role("option", name="query 3: committee").click()
    chosen(page, 0, 0, 2)
    part(page, "queries").get_by_role("option", name="query 3: committee").click()
    chosen(page, 0, 0, None)


@pytest.mark.slow
def test_lines_work_by_keyboard(page: Page) -> None:
    page.get_by_role("button", name="Lines").click()
    part(page, "queries").locator(".unit").first.focus()
    page.keyboard.press("ArrowDown")
    expect(part(page, "spoken")).to_contain_text("“the” looks at")
    page.keyboard.press("ArrowRight")
    expect(part(page, "keys").locator(".unit").nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    chosen(page, 0, 0, 1)


@pytest.mark.slow
def test_words_hidden_pieces_and_norms(page: Page) -> None:
    page.get_by_role("button", name="Words").click()
    select(page, "special", "hidden")
    shown(page, "by=word&special=hidden&measure=weights")
    expected = known_exhibit().weights(0, 0, "word", "hidden", "weights")
    part(page, "map").hover(position=cell_place(page, 2, 4))
    expect(part(page, "tip")).to_contain_text(four_digits(expected.values[2, 4]))
    expect(part(page, "tip")).to_contain_text("query 3: \u2068raised")
    expect(part(page, "tip")).to_contain_text(f"{100 * expected.hidden[2]:.3g} % of this query’s weight was on hidden")
    share = f"Hidden pieces had {100 * expected.hidden.mean():.3g} % of the weight"
    expect(part(page, "map-note")).to_contain_text(share)
    part(page, "map").click(position=cell_place(page, 2, 4))
    chosen(page, 0, 0, 3)
    select(page, "measure", "norms")
    shown(page, "measure=norms")
    expect(part(page, "map-note")).to_contain_text("lengths of weighted values do not sum to 1")


def test_text_is_shown_and_never_run(page: Page) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"The text was run: {dialog.message}"))
    page.get_by_role("button", name="Lines").click()
    names = part(page, "queries").locator(".unit bdi")
    assert names.all_text_contents() == list(TOKENS)
    assert page.locator(".explorer script").count() == 0
    # A word from right to left keeps to its own name, and the numbers around it stay in order.
    part(page, "queries").locator(".unit").nth(7).hover()
    expect(part(page, "strongest")).to_contain_text("“##ים” looks at")


@pytest.mark.slow
def test_the_page_may_choose_too(page: Page) -> None:
    part(page, "overview").click(position=tile_place(page, 0, 3))
    chosen(page, 0, 3)
    page.get_by_role("button", name="Choose layer 3, head 2").click()
    shown(page, "head/2/1")
    chosen(page, 2, 1)
    part(page, "overview").click(position=tile_place(page, 0, 3))
    shown(page, "head/0/3")
    chosen(page, 0, 3)


def test_an_exhibit_that_was_let_go_is_put_up_again(page: Page) -> None:
    page.get_by_role("button", name="Forget the exhibit").click()
    expect(page.get_by_text("Put up 1 times")).to_be_visible()
    part(page, "overview").click(position=tile_place(page, 1, 1))
    expect(page.get_by_text("Put up 2 times")).to_be_visible()
    shown(page, "head/1/1")
    expect(part(page, "trouble")).to_be_hidden()


@pytest.mark.slow
def test_a_choice_that_the_server_hears_of_after_it_let_the_exhibit_go_is_kept(page: Page) -> None:
    # The browser holds this head's numbers: it asks for nothing that would tell it that the exhibit is gone.
    for layer, head in [(1, 1), (0, 2)]:
        part(page, "overview").click(position=tile_place(page, layer, head))
        shown(page, f"head/{layer}/{head}")
        chosen(page, layer, head)
    page.get_by_role("button", name="Forget the exhibit").click()
    expect(page.get_by_text("Forgotten")).to_be_visible()
    part(page, "overview").click(position=tile_place(page, 1, 1))
    expect(page.get_by_text("Put up 2 times")).to_be_visible()
    shown(page, "head/1/1")
    chosen(page, 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light"), (1440, "dark"), (390, "light")])
def test_512_pieces_and_144_heads_fit_the_page(open_explorer: Opener, width: int, scheme: Theme) -> None:
    sizes: dict[str, int] = {}
    page = open_explorer("n=512&layers=12&heads=12", width=width, scheme=scheme)
    for name in ("overview", "head/11/11?by=piece&special=shown&measure=weights"):
        sizes[name] = page.locator(".explorer").evaluate(
            """async (host, name) => {
                const answer = await fetch(`${host.goldvizExplorer.data.address}/${name}`);
                return (await answer.arrayBuffer()).byteLength;
            }""",
            name,
        )
    overview, head = sizes.values()
    assert overview <= 1_500_000
    assert head <= 1_200_000
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("overview-scroller", "map", "map-note", "order", "special"):
        box = part(page, name).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    accent = page.locator(".explorer").evaluate("host => getComputedStyle(host).getPropertyValue('--ink-accent')")
    assert accent == INKS[scheme].accent
    part(page, "overview").hover(position=tile_place(page, 11, 0))
    expect(part(page, "tip")).to_contain_text(re.compile(r"largest of pieces 2\d\d–2\d\d × 2\d\d–2\d\d"))


@pytest.mark.slow
def test_a_long_text_can_be_looked_at_closely(open_explorer: Opener) -> None:
    page = open_explorer("n=512&layers=1&heads=2")
    canvas = part(page, "map")
    canvas.click(position=cell_place(page, 200, 300))
    chosen(page, 0, 0, 200)
    for _ in range(12):
        page.mouse.wheel(0, -300)
    expect(canvas).to_have_class(re.compile("zoomed"))
    value = four_digits(known_weights(0, 0, 512)[201, 301])
    canvas.hover(position=cell_place(page, 201, 301))
    expect(part(page, "tip")).to_contain_text(value)
    page.get_by_role("button", name="Show all").click()
    expect(canvas).not_to_have_class(re.compile("zoomed"))
    page.get_by_role("button", name="Lines").click()
    expect(part(page, "queries").locator(".unit").nth(200)).to_be_in_viewport()


@pytest.mark.slow
def test_touch_shows_a_value_and_keeps_it(browser: Browser, lonely_explorer: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(lonely_explorer.address)
    drawn(page)
    part(page, "map").scroll_into_view_if_needed()
    part(page, "map").tap(position=cell_place(page, 3, 4))
    expect(part(page, "tip")).to_contain_text(four_digits(known_weights(0, 0, 11)[3, 4]))
    chosen(page, 0, 0, 3)
    expect(part(page, "tip")).to_be_visible()
    part(page, "one-title").tap()
    expect(part(page, "tip")).to_be_hidden()
    context.close()


@pytest.mark.slow
def test_the_drawing_follows_the_size_of_the_window_and_the_theme(page: Page) -> None:
    page.set_viewport_size({"width": 700, "height": 900})
    expect(page.locator(".explorer.wide")).to_have_count(0)
    page.locator(".explorer").evaluate("() => new Promise(requestAnimationFrame)")
    for name in ("overview", "map"):
        box = part(page, name).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 700
    page.emulate_media(color_scheme="dark")
    expect(part(page, "one-title")).to_have_css("color", rgb(INKS["dark"].text))
