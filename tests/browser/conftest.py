"""The real app in a real server, looked at by a real Chromium."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from tests.browser.app_server import Server, own_faults, running
from tests.data.hub.fake_hub import FakeHub
from tests.data.markets.fake_yahoo import FakeYahoo

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

ORDINARY = {
    "test_the_whole_journey",
    "test_arrives_with_a_finished_figure_and_without_the_internet",
    "test_markup_in_a_run_s_name_is_only_text",
    "test_a_page_whose_name_was_rebound_to_this_machine_reaches_nothing",
    "test_another_site_s_frame_stays_empty",
    "test_the_figure_comes_first",
    "test_nothing_is_wider_than_the_window",
    "test_the_verdict_stands_first_and_a_leak_is_called_one",
    "test_a_learner_steps_through_changes_a_weight_and_goes_on",
    "test_stories_go_on_by_their_buttons_to_their_last_steps",
    "test_five_pages_answer_their_buttons",
    "test_a_guess_comes_before_the_figure_and_a_run_fulfils_the_task",
}
"""The journeys of the ordinary suite: a run from arrival to export, what must not get in, a phone, and one page of
each kind. All others are slow."""

# What is expected comes much sooner where nobody else uses the machine.
expect.set_options(timeout=60_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if not item.get_closest_marker("component") and getattr(item, "originalname", item.name) not in ORDINARY:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def yahoo() -> Iterator[FakeYahoo]:
    with FakeYahoo() as up:
        yield up


@pytest.fixture(scope="session")
def hub() -> Iterator[FakeHub]:
    """It holds no model before a test lays one in."""
    with FakeHub() as up:
        yield up


@pytest.fixture(scope="session")
def server(yahoo: FakeYahoo, hub: FakeHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that do not harm it. Its Yahoo and its hub of models are on the loopback address."""
    folder = tmp_path_factory.mktemp("goldviz")
    more = {
        "GOLDVIZ_YAHOO": yahoo.address,
        "HF_ENDPOINT": hub.address,
        "HF_HOME": str(folder / "hub"),
        "HF_HUB_OFFLINE": "0",
        "GOLDVIZ_MODELS": str(folder / "models"),
    }
    with running(f"sqlite:///{folder / 'runs.sqlite'}", folder / "server.log", more=more) as up:
        yield up
        assert not own_faults(folder / "server.log")


def _while_open(fixture_name: str, config: pytest.Config) -> Literal["session", "module"]:
    """An open Playwright keeps an event loop in its thread: it is closed where others follow, which need theirs."""
    return "session" if config.args == ["tests/browser"] else "module"


@pytest.fixture(scope=_while_open)
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.fail("The browser tests need Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


Opener = Callable[..., Page]


@pytest.fixture(scope=_while_open)
def returning(browser: Browser) -> Iterator[BrowserContext]:
    """A visitor who has been here: scripts come out of the cache, as they mostly do."""
    context = browser.new_context(accept_downloads=True)
    yield context
    context.close()


@pytest.fixture
def open_page(browser: Browser, returning: BrowserContext) -> Iterator[Opener]:
    """Open an address as a visitor of its own: the first one of a test has been here, and kept no more than a cache."""
    contexts: list[BrowserContext] = []

    def open_address(address: str, *, width: int = 1440, height: int = 1000, scheme: str = "light") -> Page:
        context = browser.new_context(accept_downloads=True) if contexts else returning
        contexts.append(context)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.errors = []  # type: ignore[attr-defined]
        page.requested = []  # type: ignore[attr-defined]
        page.on("pageerror", lambda error: page.errors.append(str(error)))  # type: ignore[attr-defined]
        page.on("request", lambda request: page.requested.append(request.url))  # type: ignore[attr-defined]
        page.goto(address)
        return page

    yield open_address
    errors = [error for context in contexts for page in context.pages for error in page.errors]  # type: ignore[attr-defined]
    for context in contexts:
        if context is returning:
            _forget(context)
        else:
            context.close()
    assert not errors, errors


def _forget(context: BrowserContext) -> None:
    """Close the pages, and drop what they and the server stored with this visitor."""
    for page in context.pages:
        if page.url.startswith("http"):
            with suppress(Error):
                page.evaluate("localStorage.clear()")
        page.close()
    context.clear_cookies()
