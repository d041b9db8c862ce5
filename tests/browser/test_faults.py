"""What goes wrong in real life, provoked for real, and what a person then sees."""

import http.client
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.execution.worker import execute
from goldviz.runs.store.run_store import Store
from tests.browser.app_server import Server, running
from tests.browser.laboratory_page import (
    TRAINING,
    address,
    button,
    choose_preset,
    figure,
    press_until_address,
    progress,
    state,
    step_in_progress,
    train,
    wait_for_figure,
    wait_for_step,
)

Opener = Callable[..., Page]
WORKER_DIES = 5.0
REFUSALS = 4


@pytest.fixture
def own_server(tmp_path: Path) -> Server:
    with running(f"sqlite:///{tmp_path / 'runs.sqlite'}", tmp_path / "server.log") as up:
        yield up


def _workers(server: Server) -> list[psutil.Process]:
    """The server's worker processes: those of its children that have loaded torch."""
    return [
        child
        for child in psutil.Process(server.process.pid).children(recursive=True)
        if "spawn_main" in " ".join(child.cmdline()) and child.memory_info().rss > 150e6
    ]


def test_a_page_whose_name_was_rebound_to_this_machine_reaches_nothing(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/goldviz/nothing")
    answers = page.evaluate(
        """async (port) => {
          const opened = (host) => new Promise((done) => {
            const socket = new WebSocket(`ws://${host}:${port}/_stcore/stream`);
            socket.onopen = () => { socket.close(); done("open"); };
            socket.onerror = () => done("refused");
          });
          return [await opened("127.0.0.1"), await opened("localhost")];
        }""",
        server.address.rpartition(":")[2],
    )
    # The second one comes from a page of another origin, as a page at another port of this machine is.
    assert answers == ["open", "refused"]
    host, port = server.address.removeprefix("http://").split(":")
    for path in ("/", "/_stcore/health", "/goldviz/plotly.min.js"):
        connection = http.client.HTTPConnection(host, int(port))
        connection.request("GET", path, headers={"Host": f"rebound.example:{port}"})
        assert connection.getresponse().status == 403
        connection.close()


def test_a_killed_worker_fails_its_run_and_the_next_one_works(own_server: Server, open_page: Opener) -> None:
    page = open_page(address(own_server, "epochs=2000"))
    wait_for_figure(page)
    train(page)
    state(page, "Training")
    for worker in _workers(own_server):
        os.kill(worker.pid, signal.SIGKILL)
    died = time.monotonic()
    expect(page.get_by_text("The worker process that trained it died").first).to_be_visible(timeout=15_000)
    assert time.monotonic() - died < WORKER_DIES
    wait_for_figure(page)
    page.goto(address(own_server, "epochs=3"))
    wait_for_figure(page)
    train(page)
    state(page, "Finished")


def test_a_killed_server_leaves_runs_that_say_so_and_go_on(tmp_path: Path, open_page: Opener) -> None:
    database = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    with running(database, tmp_path / "first.log") as first:
        page = open_page(address(first, "epochs=3&width=9"))
        wait_for_figure(page)
        train(page)
        state(page, "Finished")
        finished = page.url.rpartition("runs=")[2]
        page.goto(address(first, "epochs=2000&depth=3"))
        wait_for_figure(page)
        train(page)
        state(page, "Training")
        expect(progress(page)).to_contain_text("of 2000")
        wait_for_step(page, 20)
        unfinished = page.url.rpartition("runs=")[2]
        first.kill()
    with running(database, tmp_path / "second.log") as second:
        page = open_page(address(second, f"runs={finished}"))
        state(page, "Finished")
        page.goto(address(second, f"runs={unfinished}"))
        state(page, "Interrupted")
        wait_for_figure(page)
        kept = step_in_progress(page)
        assert kept >= 1
        button(page, "Go on").click()
        state(page, "Training")
        wait_for_step(page, kept + 2)
        button(page, "Stop").click()
        state(page, "Stopped")


def test_closing_the_tab_does_not_end_the_run(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "epochs=60&depth=4"))
    wait_for_figure(page)
    train(page)
    state(page, "Training")
    link = page.url
    page.close()
    again = open_page(link)
    state(again, "Finished")


def test_a_second_tab_and_a_reload_see_the_same_run(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "epochs=2000&depth=4"))
    wait_for_figure(page)
    train(page)
    state(page, "Training")
    second = open_page(page.url)
    state(second, "Training")
    page.reload()
    state(page, "Training")
    # The page moves between the button's way down and its way up.
    button(second, "Stop").hover()
    second.mouse.down()
    second.evaluate("document.querySelector('.st-key-timeline').style.marginTop = '90px'")
    second.mouse.up()
    state(second, "Stopped")
    state(page, "Stopped")


def test_a_bad_link_is_answered_in_sentences_and_starts_nothing(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "depth=900&activation=<b>x</b>&learning_rate=0.002&runs=nosuchrun"))
    wait_for_figure(page)
    expect(page.get_by_text("Depth is '900'; allowed is a whole number from 1 to 100.")).to_be_visible()
    expect(page.get_by_text("There is no run 'nosuchrun'")).to_be_visible()
    state(page, "Recorded example")
    assert "learning_rate=0.002" in page.url
    assert "depth=" not in page.url


def test_markup_in_a_run_s_name_is_only_text(server: Server, open_page: Opener) -> None:
    settings = DepthGradients(epochs=2, depth=2)
    evil = "<img src=x onerror=window.broken=1> **bold** [link](x) $x$"
    run_id = Store(server.database).create(settings, name=evil)
    assert execute(settings, run_id, server.database) == "finished"
    page = open_page("about:blank")
    for where in (address(server, f"runs={run_id}"), f"{server.address}/", f"{server.address}/runs"):
        page.goto(where)
        if "/runs" in where:
            expect(page.get_by_test_id("stDataFrame")).to_be_visible()
            expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
        else:
            expect(page.get_by_text(evil).first).to_be_visible()
        assert page.evaluate("window.broken") is None


def test_a_database_that_cannot_be_opened_is_a_sentence(tmp_path: Path, open_page: Opener) -> None:
    (tmp_path / "runs.sqlite").mkdir()
    with running(f"sqlite:///{tmp_path / 'runs.sqlite'}", tmp_path / "server.log") as up:
        page = open_page(address(up))
        wait_for_figure(page)
        button(page, "Train").click()
        expect(page.get_by_text("cannot be opened").first).to_be_visible()
        (tmp_path / "runs.sqlite").rmdir()
        # A database that could not be opened is tried again a second later.
        press_until_address(page, "Train", "runs=")
        state(page, "Finished")


def test_a_module_that_does_not_arrive_at_first_is_asked_for_again(server: Server, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    refused: list[str] = []

    def away(route: Route) -> None:
        # The page names it ahead, and then a part imports it: neither may be the last word.
        if len(refused) == REFUSALS:
            route.continue_()
        else:
            refused.append(route.request.url)
            route.abort()

    page.route("**/figure_fill.js", away)
    page.goto(address(server))
    expect(figure(page, "gradient_by_layer").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(
        timeout=TRAINING
    )
    assert len(refused) == REFUSALS
    context.close()


def test_where_a_run_s_figures_do_not_come_no_other_run_s_stay_under_its_title(
    server: Server, open_page: Opener
) -> None:
    page = open_page(address(server))
    drawn = wait_for_figure(page)
    sentence = "The server could not answer this; its log says why."
    page.route("**/goldviz/frames/**", lambda route: route.fulfill(status=500, body=sentence))
    choose_preset(page, "Fix it: orthogonal")
    expect(drawn).to_contain_text(sentence)
    expect(drawn.locator(":is(.goldviz-picture, .main-svg)")).to_have_count(0)
    page.unroute("**/goldviz/frames/**")
    page.reload()
    wait_for_figure(page)
