"""Attention on its way to the browser: what is sent, what is refused, what is kept."""

import json
import re
import threading

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from goldviz.labs.inside_bert.maps import block_edges
from goldviz.labs.inside_bert.queries import LARGEST_OVERVIEW, By
from goldviz.ui.serving import server
from goldviz.ui.serving.queries import EXHIBITS_PATH, Exhibit, QueryError, Shelf, shelf
from tests.labs.inside_bert.reading_cases import TOKENS, WORD_TEXTS, known_exhibit, known_weights

SPECIAL = np.array([token in {"[CLS]", "[SEP]"} for token in TOKENS])


def read(content: bytes, dtype: str) -> tuple[dict, np.ndarray]:
    length = int.from_bytes(content[:4], "little")
    assert length % 4 == 0
    return json.loads(content[4 : 4 + length]), np.frombuffer(content, dtype, offset=4 + length)


def test_the_overview_holds_every_head_s_tile_and_the_text() -> None:
    exhibit = known_exhibit()
    header, tiles = read(exhibit.overview_bytes(), "<f2")
    assert np.array_equal(tiles.reshape(3, 4, 11, 11), exhibit.tiles)
    assert (header["layers"], header["heads"], header["tile"]) == (3, 4, 11)
    assert header["tokens"] == list(TOKENS)
    assert header["special"] == SPECIAL.tolist()
    assert header["edges"] == list(range(12))
    assert header["summaries"]["distance"][1][2] == 6.5


def test_a_head_travels_exactly() -> None:
    header, values = read(known_exhibit().head_bytes(2, 3, "piece", "shown", "weights"), "<f4")
    assert np.array_equal(values.reshape(11, 11), known_weights(2, 3, 11))
    assert (header["layer"], header["head"]) == (2, 3)
    assert header["labels"] == list(TOKENS)
    assert header["first"] == list(range(11))
    assert header["hidden"] == [0] * 11


def test_words_are_summed_as_keys_and_averaged_as_queries() -> None:
    header, values = read(known_exhibit().head_bytes(0, 1, "word", "shown", "weights"), "<f4")
    assert header["labels"] == ["[CLS]", *WORD_TEXTS, "[SEP]"]
    assert header["first"] == [0, 1, 2, 3, 5, 6, 8, 9, 10]
    words, pieces = values.reshape(9, 9), known_weights(0, 1, 11)
    assert words[3, 5] == pytest.approx(pieces[3:5, 6:8].sum() / 2, rel=1e-6)
    assert words.sum(1) == pytest.approx(np.ones(9), abs=1e-6)


@pytest.mark.parametrize("by", ["piece", "word"])
def test_hidden_special_pieces_are_left_out_and_their_share_is_told(by: By) -> None:
    shown = known_exhibit().weights(1, 2, by, "shown", "weights")
    header, values = read(known_exhibit().head_bytes(1, 2, by, "hidden", "weights"), "<f4")
    keep = ~shown.units.special
    assert header["labels"] == [label for label, kept in zip(shown.units.labels, keep, strict=True) if kept]
    assert not any(header["special"])
    values = values.reshape(keep.sum(), keep.sum())
    assert values.sum(1) == pytest.approx(np.ones(len(values)), abs=1e-6)
    hidden = shown.values[keep][:, ~keep].sum(1)
    assert header["hidden"] == pytest.approx(hidden.tolist(), abs=1e-5)
    assert values * (1 - hidden)[:, None] == pytest.approx(shown.values[np.ix_(keep, keep)], abs=1e-6)


def test_lengths_are_not_rescaled_when_special_pieces_are_hidden() -> None:
    shown = known_exhibit().weights(1, 2, "piece", "shown", "norms")
    hidden = known_exhibit().weights(1, 2, "piece", "hidden", "norms")
    keep = ~shown.units.special
    assert np.array_equal(hidden.values, shown.values[np.ix_(keep, keep)])
    share = shown.values[keep][:, ~keep].sum(1) / shown.values[keep].sum(1)
    assert hidden.hidden == pytest.approx(share, abs=1e-6)


def test_a_text_of_special_pieces_alone_leaves_nothing() -> None:
    exhibit = known_exhibit(1)
    header, values = read(exhibit.head_bytes(0, 0, "piece", "hidden", "weights"), "<f4")
    assert header["labels"] == []
    assert values.size == 0


def test_512_pieces_keep_to_the_limits() -> None:
    exhibit = known_exhibit(512, 1, 2)
    full = known_exhibit(512, 1, 2, tiles=np.repeat(np.repeat(exhibit.tiles, 12, 0), 6, 1))
    assert full.tiles.shape == (12, 12, 64, 64)
    assert len(known_exhibit(512, 1, 2, tiles=full.tiles, summaries={}).overview_bytes()) <= 1_500_000
    for by in ("piece", "word"):
        assert len(exhibit.head_bytes(0, 1, by, "shown", "weights")) <= 1_200_000


def test_more_heads_than_bert_base_get_smaller_tiles_that_keep_their_peaks() -> None:
    exhibit = known_exhibit(200, 1, 2)
    tiles = np.repeat(np.repeat(exhibit.tiles, 24, 0), 8, 1)
    header, sent = read(known_exhibit(200, 1, 2, tiles=tiles, summaries={}).overview_bytes(), "<f2")
    assert sent.nbytes <= LARGEST_OVERVIEW
    side = header["tile"]
    assert 40 < side < 64
    edges = header["edges"]
    assert (edges[0], edges[-1], len(edges)) == (0, 200, side + 1)
    assert set(edges) <= set(block_edges(200, 64).tolist())
    largest = known_weights(0, 1, 200)[edges[3] : edges[4], edges[5] : edges[6]].max()
    assert sent.reshape(24, 16, side, side)[7, 9, 3, 5] == np.float16(largest)


def test_numbers_that_are_none_are_sent_as_none() -> None:
    header, _ = read(known_exhibit(summaries={"entropy": np.full((3, 4), np.nan)}).overview_bytes(), "<f2")
    assert header["summaries"]["entropy"][0] == [None] * 4


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=server.routes()), raise_server_exceptions=True)


def test_the_server_sends_what_the_exhibit_gives(client: TestClient) -> None:
    exhibit = known_exhibit()
    token = shelf.put(exhibit)
    overview = client.get(f"{EXHIBITS_PATH}/{token}/overview")
    assert overview.status_code == 200
    assert overview.content == exhibit.overview_bytes()
    assert overview.headers["content-type"] == "application/octet-stream"
    assert overview.headers["cache-control"].startswith("private")
    query = {"by": "word", "special": "hidden", "measure": "norms"}
    head = client.get(f"{EXHIBITS_PATH}/{token}/head/2/1", params=query)
    assert head.content == exhibit.head_bytes(2, 1, "word", "hidden", "norms")


def test_what_stands_beside_the_maps_comes_as_json(client: TestClient) -> None:
    asked: list[tuple[object, ...]] = []

    def ahead(*place: object) -> dict[str, object]:
        asked.append(place)
        return {"subject": "s", "figures": {}}

    token = shelf.put(known_exhibit(ahead=ahead))
    found = client.get(f"{EXHIBITS_PATH}/{token}/ahead/2/1/10", params={"theme": "dark"})
    assert (found.json(), asked) == ({"subject": "s", "figures": {}}, [(2, 1, 10, "dark")])
    assert found.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("part", "status", "words"),
    [
        ("head/3/0", 404, "no layer 3; allowed is 0 to 2"),
        ("head/0/4", 404, "no head 4; allowed is 0 to 3"),
        ("head/-1/0", 404, "not a number"),
        ("head/²/0", 404, "not a number"),
        ("head/" + "9" * 5000 + "/0", 404, "not a number"),
        ("head/0", 404, "no such part"),
        ("", 404, "no such part"),
        ("overview/more", 404, "no such part"),
        ("ahead/0/0", 404, "no such part"),
        ("ahead/3/0/0", 404, "no layer 3; allowed is 0 to 2"),
        ("ahead/0/4/0", 404, "no head 4; allowed is 0 to 3"),
        ("ahead/0/0/11", 404, "no piece 11; allowed is 0 to 10"),
        ("ahead/0/0/-1", 404, "not a number"),
        ("ahead/0/0/0?theme=%3Cscript%3E", 400, "theme is '<script>'; allowed is light or dark"),
        ("head/0/0?by=letter", 400, "by is 'letter'; allowed is piece or word"),
        ("head/0/0?special=%3Cscript%3E", 400, "special is '<script>'"),
        ("head/0/0?measure=", 400, "measure is ''; allowed is weights or norms or rollout"),
    ],
)
def test_what_there_is_not_is_refused_in_a_sentence(client: TestClient, part: str, status: int, words: str) -> None:
    answer = client.get(f"{EXHIBITS_PATH}/{shelf.put(known_exhibit())}/{part}")
    assert answer.status_code == status
    assert words in answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(("name", "value"), [("by", 7), ("special", None), ("measure", ["weights"]), ("theme", {})])
def test_a_setting_of_a_wrong_type_is_refused_in_a_sentence(name: str, value: object) -> None:
    part = "ahead/0/0/0" if name == "theme" else "head/0/0"
    with pytest.raises(QueryError, match=f"The setting {name} is .*; allowed is ") as refused:
        known_exhibit().part(part, {name: value})
    assert refused.value.status == 400


def test_an_unknown_token_is_not_found(client: TestClient) -> None:
    answer = client.get(f"{EXHIBITS_PATH}/guess/overview")
    assert answer.status_code == 404
    assert "no longer in the server's memory" in answer.text


def test_tokens_are_secret_and_never_the_same() -> None:
    tokens = {Shelf().put(known_exhibit()) for _ in range(20)}
    assert len(tokens) == 20
    assert all(re.fullmatch(r"[\w-]{32}", token) for token in tokens)


def test_the_least_recently_used_exhibits_are_let_go() -> None:
    small = Shelf(count=2)
    first, second = small.put(known_exhibit()), small.put(known_exhibit())
    assert small.get(first) is not None
    third = small.put(known_exhibit())
    assert [token in small for token in (first, second, third)] == [True, False, True]
    assert small.get(second) is None


def test_asking_whether_an_exhibit_is_there_is_no_use_of_it() -> None:
    small = Shelf(count=2)
    first, second = small.put(known_exhibit()), small.put(known_exhibit())
    assert first in small
    small.put(known_exhibit())
    assert [first in small, second in small] == [False, True]


def test_bytes_are_limited_but_the_newest_stays() -> None:
    small = Shelf(size=known_exhibit().nbytes + 10)
    first = small.put(known_exhibit())
    large = small.put(known_exhibit(held_bytes=1000))
    assert [first in small, large in small] == [False, True]


def test_a_dropped_exhibit_is_gone_and_dropping_twice_is_no_fault() -> None:
    small = Shelf()
    token = small.put(known_exhibit())
    small.drop(token)
    small.drop(token)
    assert token not in small


def test_many_may_put_and_get_at_once() -> None:
    small = Shelf(count=3)
    exhibit = known_exhibit()
    found: list[Exhibit | None] = []

    def visit() -> None:
        found.extend(small.get(small.put(exhibit)) for _ in range(200))

    visitors = [threading.Thread(target=visit) for _ in range(4)]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()
    assert len(found) == 800
    assert all(one in (exhibit, None) for one in found)


def test_a_word_is_one_unit_whatever_its_place_and_each_special_piece_its_own() -> None:
    words = np.array([0, 0, 1, -1, -1, 2, 2, 2, -1, 3, 4])
    spoken = known_exhibit(words=words).spoken
    assert spoken.first.tolist() == [0, 2, 3, 4, 5, 8, 9, 10]
    assert spoken.special.tolist() == [False, False, True, True, False, True, False, False]
