"""What the routes of frames answer: only what the page of the token shows, and a sentence for everything else."""

import asyncio
import json
import math
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr
from starlette.applications import Starlette
from starlette.testclient import TestClient

from goldviz.arrays.light import LightDataset
from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep
from goldviz.figures.spec import FAILED, FigureSpec
from goldviz.figures.table import BYTES_OF_A_FIGURE, EDITIONS, Arrays, FrameTable
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.examples import example
from goldviz.runs.recorder import Batch, Progress
from goldviz.ui.panels import lanes
from goldviz.ui.panels.lanes import EXAMPLE
from goldviz.ui.panels.watched import RECORDED
from goldviz.ui.serving import frames, frames_route, services

FIRST = EXAMPLE + DepthGradients.presets[0].slug
GONE = EXAMPLE + "gone"
OFFER = frames.Offer(DepthGradients.name, (FIRST,), "light")
LONG = 120.0
"""Seconds for what comes much sooner, on a machine that is not busy."""


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(frames_route, "HELD_SECONDS", 0.3)
    with TestClient(Starlette(routes=frames_route.routes("/frames"))) as up:
        yield up
    frames.boards.clear()


def wish(lane: str = FIRST, *names: str, **more: Any) -> dict[str, str]:
    return {"has": json.dumps({lane: {"wants": names, **more}})}


def header(content: bytes) -> Any:
    length = int.from_bytes(content[:4], "little")
    assert (4 + length) % 8 == 0
    return json.loads(content[4 : 4 + length])


def test_a_page_s_token_brings_its_figures_and_nothing_twice(client: TestClient) -> None:
    token = frames.boards.offer("a visitor", OFFER)
    assert token == frames.boards.offer("a visitor", OFFER)
    assert token != frames.boards.offer("another", OFFER)
    answer = client.get(f"/frames/{token}", params=wish(FIRST, "loss"))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    [lane] = header(answer.content)["lanes"]
    assert set(lane["figures"]) == {"loss"}
    assert lane["last"] == 20
    again = wish(FIRST, "loss", edition=lane["version"], has=["loss"], sense=lane["sense"])
    assert client.get(f"/frames/{token}", params=again).status_code == 204
    more = wish(FIRST, "loss", "decay_rate", edition=lane["version"], has=["loss"], sense=lane["sense"])
    [lane] = header(client.get(f"/frames/{token}", params=more).content)["lanes"]
    assert set(lane["figures"]) == {"decay_rate"}


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("{", "not one that a page asks"),
        ("[]", "not one that a page asks"),
        (json.dumps({FIRST: 3}), "not one that a page asks"),
        (json.dumps({FIRST: {}}), "not one that a page asks"),
        (json.dumps({FIRST: {"wants": [], "edition": "x"}}), "not one that a page asks"),
        (json.dumps({FIRST: {"wants": [], "edition": math.inf}}), "not one that a page asks"),
        ("[" * 15_000, "not one that a page asks"),
        ('{"another-run": {"wants": ["loss"]}}', "does not show"),
        (json.dumps({FIRST: {"wants": ["../../etc/passwd"]}}), "no such figure"),
        (" " * (frames.LARGEST_QUESTION + 1), "bytes long"),
    ],
)
def test_what_no_page_asks_is_answered_in_a_sentence(client: TestClient, asked: str, sentence: str) -> None:
    answer = client.get(f"/frames/{frames.boards.offer('a visitor', OFFER)}", params={"has": asked})
    assert answer.status_code == 400
    assert sentence in answer.text
    assert answer.text.endswith(".")
    assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("lane", "laboratory", "asked", "status", "sentence"),
    [
        (FIRST, DepthGradients.name, "{}", 404, "asks nothing"),
        (EXAMPLE + "another", "ode-rnn", "{}", 404, "asks nothing"),
        (GONE, "ode-rnn", "{}", 404, "preset"),
        (FIRST, "ode-rnn", "[1]", 400, "not one that a page asks"),
        (FIRST, "ode-rnn", "[" * 15_000, 400, "not one that a page asks"),
        (FIRST, "ode-rnn", " " * (frames.LARGEST_QUESTION + 1), 413, "longer than"),
        (FIRST, "ode-rnn", "{}", 400, "names no look"),
    ],
)
def test_a_question_about_a_lane_that_no_page_asks(
    client: TestClient, lane: str, laboratory: str, asked: str, status: int, sentence: str
) -> None:
    offer = frames.Offer(laboratory, (FIRST, GONE), "light")
    found = client.post(f"/frames/{frames.boards.offer('a visitor', offer)}/{lane}", content=asked)
    assert (found.status_code, sentence in found.text, found.text[-1]) == (status, True, "."), found.text
    assert client.post(f"/frames/guess/{lane}", content=asked).status_code == 404


def test_a_change_of_a_run_wakes_only_those_who_wait_for_it() -> None:
    store = services.store()
    one, another = (store.create(DepthGradients()) for _ in range(2))

    async def waits() -> bool:
        watch = frames_route.Watch()
        with watch.watching([one, another]):
            await asyncio.gather(watch.change([one], LONG), watch.change([another], LONG))
            assert None not in watch.versions([one, another])
            others = asyncio.create_task(watch.change([another], LONG))
            hearing = asyncio.gather(watch.change([one], LONG), watch.change([another, one], LONG))
            store.begin(one)
            await hearing
            slept = not others.done()
            others.cancel()
            await asyncio.wait([others])
        assert not watch._waiting
        return slept

    assert asyncio.run(waits())


def test_without_a_page_s_token_there_is_nothing(client: TestClient) -> None:
    for path in ("/frames/guessed", f"/frames/guessed/{FIRST}/loss/3"):
        answer = client.get(path, params=wish(FIRST, "loss"))
        assert answer.status_code == 404
        assert "Reload" in answer.text


@pytest.mark.parametrize("where", [f"{FIRST}/nothing/3", "another-run/loss/3", f"{FIRST}/loss/-1", f"{FIRST}/loss/1e3"])
def test_one_step_of_what_is_not_there(client: TestClient, where: str) -> None:
    answer = client.get(f"/frames/{frames.boards.offer('a visitor', OFFER)}/{where}")
    assert answer.status_code == 404
    assert answer.text.endswith(".")


def test_one_step_is_the_figure_of_that_step(client: TestClient) -> None:
    token = frames.boards.offer("a visitor", OFFER)
    answer = client.get(f"/frames/{token}/{FIRST}/decay_rate/7")
    [lane] = header(answer.content)["lanes"]
    assert "Epoch 7." in json.dumps(lane["figures"]["decay_rate"]["figure"])


def test_a_browser_that_lacks_nothing_is_not_a_reason_to_read_the_run(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, reads, read = services.store(), [], frames.lanes.read
    run_id = store.create(DepthGradients(), status="running")
    token = frames.boards.offer("a visitor", frames.Offer(DepthGradients.name, (run_id,), "light"))
    monkeypatch.setattr(frames.lanes, "read", lambda *which: reads.append(which) or read(*which))
    asked = wish(run_id, "loss")

    def ask() -> Any:
        reads.clear()
        answer = client.get(f"/frames/{token}", params=asked)
        return header(answer.content)["lanes"][0] if answer.content else None

    lane = ask()
    known = {"edition": lane["version"], "has": ["loss"], "sense": lane["sense"]}
    asked = wish(run_id, "loss", **known)
    # The first look at versions may come after the question, on a busy machine after several.
    assert next(turn for turn in range(20) if ask() is None and not reads) < 20
    store.append(run_id, Progress(1, 20, 1.0, 0.0))
    assert ask()["version"] > known["edition"]
    for more in ({"edition": 1}, {"sense": "another"}, {"has": []}):
        asked = wish(run_id, "loss", **known | more)
        assert ask() is not None
        assert reads


def test_a_page_that_is_drawn_tells_what_it_says_now_however_long_other_runs_rest(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = services.store()
    run_id = store.create(DepthGradients(), status="running")
    batch = Batch(7)
    batch.add("loss", 7, np.ones((2, 1), np.float32))
    labels = {"network": ["plain", "residual"], "seed": [0]}
    store.append(run_id, Progress(7, 20, 1.0, 0.0), batch=batch, coordinates=labels)
    offer = frames.Offer(DepthGradients.name, (run_id,), "light")
    said = frames.felt(offer, lanes.read(DepthGradients, run_id))
    monkeypatch.setattr(frames.boards, "rest_until", time.monotonic() + 3600)
    store.rename(run_id, "Another name")
    assert frames.felt(offer, lanes.read(DepthGradients, run_id)) != said


def test_a_run_that_is_deleted_while_it_is_watched_is_said_to_be_gone(client: TestClient) -> None:
    run_id = services.store().create(DepthGradients())
    offer = frames.Offer(DepthGradients.name, (run_id,), "dark")
    token = frames.boards.offer("a visitor", offer)
    [lane] = header(client.get(f"/frames/{token}", params=wish(run_id, "loss")).content)["lanes"]
    assert lane["progress"]["words"].startswith("Waiting")
    services.store().delete([run_id])
    [lane] = header(client.get(f"/frames/{token}", params=wish(run_id, "loss")).content)["lanes"]
    assert run_id in lane["gone"]


def run_of(count: int, values: np.ndarray | None = None) -> xr.Dataset:
    """A run of so many epochs with two networks, three layers and twenty seeds."""
    rows = np.arange(count * 2 * 3 * 20, dtype=np.float32).reshape(count, 2, 3, 20) if values is None else values
    return xr.Dataset(
        {
            "gradient_norm": (("epoch", "network", "layer", "seed"), rows),
            "loss": (("epoch", "network", "seed"), rows[:, :, 0] + 1),
        },
        {
            "epoch": np.arange(1, count + 1),
            "network": ["plain", "residual"],
            "layer": [0, 1, 2],
            "hidden": [0, 1],
            "seed": np.arange(20),
        },
        {"step_dimension": "epoch", "title": "a run"},
    )


def figures(*names: str) -> dict[str, FigureSpec]:
    found = frames.figures_of(OFFER)
    return {name: found[name] for name in names}


def test_only_what_is_new_travels() -> None:
    table = FrameTable("light")
    shown = figures("gradient_by_layer", "loss")
    table.bring(1, run_of(10), None)
    table.since(None, [], shown, Arrays())
    before = table.edition
    table.bring(2, run_of(11), None)
    arrays = Arrays()
    sent = table.since(before, list(shown), shown, arrays)
    assert not sent["fresh"]
    assert sent["steps"]["epoch"] == {"from": 10, "labels": [11]}
    rows = sent["figures"]["gradient_by_layer"]["rows"]
    assert {row["from"] for row in rows if row["dim"]} == {10}
    assert all(row.get("count", 1) <= 3 for row in rows if row["dim"])
    assert arrays.size < 1000
    assert table.since(table.edition, list(shown), shown, Arrays())["figures"] == {}


def test_an_edition_that_is_forgotten_brings_everything() -> None:
    table = FrameTable("light")
    shown = figures("loss")
    table.bring(0, run_of(3), None)
    table.since(None, [], shown, Arrays())
    first = table.edition
    for count in range(4, 6 + EDITIONS):
        table.bring(count, run_of(count), None)
        table.since(None, [], shown, Arrays())
    sent = table.since(first, ["loss"], shown, Arrays())
    assert sent["fresh"]
    assert sent["steps"]["epoch"]["from"] == 0
    assert "figure" in sent["figures"]["loss"]


def test_a_run_that_went_back_is_drawn_anew() -> None:
    table = FrameTable("light")
    shown = figures("gradient_by_layer")
    table.bring(1, run_of(10), None)
    table.since(None, [], shown, Arrays())
    before = table.edition
    other = run_of(12)
    other["epoch"] = [1, 2, 3, *range(5, 14)]
    table.bring(2, other, None)
    assert table.since(before, list(shown), shown, Arrays())["fresh"]
    assert table.drawn["gradient_by_layer"].kept["epoch"] == list(range(12))


@pytest.mark.slow
def test_a_hundred_thousand_steps_of_twenty_seeds_arrive_in_less_than_two_megabytes() -> None:
    values = np.ones((100_000, 2, 3, 20), np.float32)
    table, arrays = FrameTable("light"), Arrays()
    table.bring(1, run_of(100_000, values), None)
    sent = table.since(None, [], figures("gradient_by_layer", "loss"), arrays)
    drawn = table.drawn["gradient_by_layer"]
    assert drawn.kept["epoch"][-1] == 99_999, "the last step is always there"
    assert arrays.size < 3 * BYTES_OF_A_FIGURE
    assert arrays.size + len(json.dumps(sent)) < 2_000_000


def test_a_run_that_grew_under_a_viewer_s_eyes_arrives_in_less_than_two_megabytes() -> None:
    values = np.random.default_rng(0).random((8_000, 2, 3, 20)).astype(np.float32)
    shown = figures("gradient_by_layer")
    table, watcher, travelled = FrameTable("light"), None, 0
    for version, count in enumerate(range(400, 8_001, 400)):
        table.bring(version, run_of(count, values[:count]), None)
        arrays = Arrays()
        [sent] = table.since(watcher, list(shown) if watcher else [], shown, arrays)["figures"].values()
        drawn, watcher, travelled = table.drawn["gradient_by_layer"], table.edition, travelled + arrays.size
        start = sent["kept"]["epoch"]["from"]
        assert len(drawn.past) > 1 or start == 0, "what was thinned travels as a whole"
        assert drawn.kept["epoch"][start:] == sent["kept"]["epoch"]["places"]
    kept, arrays = np.array(drawn.kept["epoch"]), Arrays()
    assert (kept[0], kept[-1]) == (0, 7_999)
    assert np.diff(kept).max() == drawn.stride > 1, "no gap is wider than the stride"
    table.since(None, [], shown, arrays)
    assert arrays.size < 1.1 * BYTES_OF_A_FIGURE
    everything = shown["gradient_by_layer"].frames(LightDataset.of(run_of(8_000, values))).template().rows
    pairs = [(row, whole) for row, whole in zip(drawn.rows, everything, strict=True) if isinstance(row, AtStep)]
    assert all(np.array_equal(np.asarray(row.values), np.asarray(whole.values)[kept]) for row, whole in pairs)
    once = sum(np.asarray(whole.values).nbytes for _, whole in pairs)
    assert travelled < 3 * once, "a watcher gets all of it anew seldom"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0])
def test_what_is_no_number_travels_all_the_same(value: float) -> None:
    values = np.ones((5, 2, 3, 20), np.float32)
    values[2] = value
    table = FrameTable("dark")
    table.bring(1, run_of(5, values), None)
    sent = table.since(None, [], figures("gradient_by_layer", "loss"), Arrays())
    json.dumps(sent, allow_nan=False)
    rows = [row.values for row in table.drawn["gradient_by_layer"].rows if isinstance(row, AtStep)]
    assert all(len(row) == 5 for row in rows)


def test_before_the_first_step_a_figure_says_what_it_waits_for() -> None:
    table = FrameTable("light")
    table.bring(1, run_of(0), None)
    sent = table.since(None, [], figures("gradient_by_layer"), Arrays())
    assert "Waiting for epoch 1" in json.dumps(sent["figures"]["gradient_by_layer"]["figure"])


def test_lanes_beside_one_another_share_their_axes(client: TestClient) -> None:
    other = EXAMPLE + DepthGradients.presets[1].slug
    token = frames.boards.offer("a visitor", frames.Offer(DepthGradients.name, (FIRST, other), "light"))
    asked = json.dumps({lane: {"wants": ["gradient_by_layer"]} for lane in (FIRST, other)})
    sections = header(client.get(f"/frames/{token}", params={"has": asked}).content)["lanes"]
    ranges = [section["figures"]["gradient_by_layer"]["figure"]["layout"]["xaxis"]["range"] for section in sections]
    assert ranges[0] == ranges[1]
    alone = FrameTable("light")
    alone.bring(1, example(DepthGradients, DepthGradients.presets[0].slug), None)
    own = alone.since(None, [], figures("gradient_by_layer"), Arrays())["figures"]["gradient_by_layer"]["figure"]
    assert own["layout"]["xaxis"]["range"] != ranges[0]


def test_boards_of_runs_that_nobody_watches_any_more_go_however_small_they_are() -> None:
    boards = frames.Boards()
    first = boards.board(frames.Offer("depth-gradients", ("0",), "light"), "0")
    for number in range(2 * frames.BOARDS_IN_MEMORY):
        boards.board(frames.Offer("depth-gradients", (str(number),), "light"), str(number))
    assert not boards._boards.holds(first)
    assert boards._boards.room <= frames.BYTES_IN_MEMORY


def test_after_a_costly_look_at_findings_others_wait_twenty_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]

    def two_seconds(lane: object) -> str:
        now[0] += 2
        return "what it says"

    monkeypatch.setattr(frames, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(frames, "boards", frames.Boards())
    lane = lanes.read(DepthGradients, FIRST)
    board = frames.boards.board(OFFER, FIRST)
    frames._feel(board, lane, two_seconds, due=True)
    assert (board.sense, board.felt) == ("what it says", lane.version)
    assert frames.boards.rest_until == 100 + 2 * frames.FINDINGS_REST


def test_a_figure_that_fails_says_so_under_its_run_s_name_and_takes_nothing_from_the_others(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(ds: Any, **view: Any) -> Figure:
        return ds["nowhere"]

    figures = dict(frames.figures_of(OFFER))
    figures["loss"] = replace(figures["loss"], draw=fails, frames=fails)
    monkeypatch.setattr(frames, "figures_of", lambda name: figures)
    token = frames.boards.offer("a visitor", OFFER)
    answer = client.get(f"/frames/{token}", params=wish(FIRST, "loss", "gradient_by_layer"))
    [lane] = header(answer.content)["lanes"]
    assert FAILED.split()[-1] in json.dumps(lane["figures"]["loss"])
    assert not lane["figures"]["loss"]["figure"]["data"]
    assert lane["figures"]["gradient_by_layer"]["figure"]["data"]
    assert "nowhere" in caplog.text


def test_a_watched_run_s_figures_need_no_step_in_common_and_are_of_the_layers_that_were_asked_for(
    client: TestClient,
) -> None:
    offer = frames.Offer("watched", (RECORDED,), "light", asked="[02]")
    token = frames.boards.offer("a visitor", offer)
    answer = client.get(f"/frames/{token}", params=wish(RECORDED, "map-gradient_by_layer", "loss", "network"))
    [lane] = header(answer.content)["lanes"]
    assert lane["apart"]
    assert lane["last"] == 200
    assert lane["progress"]["share"] is None
    assert set(lane["figures"]) == {"map-gradient_by_layer", "loss", "network"}
    layout = lane["figures"]["map-gradient_by_layer"]["figure"]["layout"]
    assert layout["yaxis"]["ticktext"] == ["0", "2"]
    assert client.post(f"/frames/{token}/{RECORDED}", json={}).status_code == 404
