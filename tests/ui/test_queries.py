"""Questions of a page's script: answered at once, or told in a sentence why not."""

import json
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.ui.serving import queries, server, services
from tests.runs.test_jobs import Gate


@pytest.fixture(name="client", scope="module")
def fixture_client() -> TestClient:
    return TestClient(Starlette(routes=server.routes()))


def ask(client: TestClient, laboratory: str, body: object) -> tuple[int, str]:
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    found = client.post(f"{queries.QUERIES_PATH}/{laboratory}", content=text)
    return found.status_code, found.text


def question(formula: object = "(probs - onehot(Y)) / n", asked: object = "logits", **settings: object) -> object:
    return {"settings": settings, "question": {"asked": asked, "formula": formula}}


def test_a_question_is_answered_and_kept_nowhere(client: TestClient) -> None:
    found = client.post(f"{queries.QUERIES_PATH}/backward-by-hand", content=json.dumps(question()))
    assert found.json()["kind"] == "equal"
    assert found.json()["wrong"] is None
    assert found.headers["cache-control"] == "no-store"
    assert found.headers["content-type"] == "application/json"


def test_the_answer_is_of_the_settings_that_are_asked_about(client: TestClient) -> None:
    _, text = ask(client, "backward-by-hand", question("sum(dlogits, 0)", "h", samples=7))
    assert "Expected is 7 × 10" in json.loads(text)["words"]


def test_numbers_that_are_none_are_null(client: TestClient) -> None:
    _, text = ask(client, "backward-by-hand", question("1 / (h - h)", "h"))
    assert json.loads(text)["wrong"][0][0] is None


def figures(names: object, theme: object = "light", **settings: object) -> object:
    return {"settings": settings, "question": {"figures": names, "theme": theme}}


def test_figures_are_of_the_settings_and_the_position_that_are_asked_about(client: TestClient) -> None:
    _, text = ask(client, "backward-by-hand", figures(["tensor", "paths"], hidden=7, place=31))
    found = json.loads(text)
    assert BackwardByHand.checked_json(found["subject"]) == BackwardByHand(hidden=7)
    drawn = {name: json.loads(figure) for name, figure in found["figures"].items()}
    assert list(drawn) == ["tensor", "paths"]
    assert drawn["tensor"]["layout"]["title"]["text"].startswith("dh, 16 × 7")


@pytest.mark.parametrize(
    ("laboratory", "body", "status", "words"),
    [
        ("backward-by-hand", "", 400, "not one that a page asks"),
        ("backward-by-hand", "[1]", 400, "not one that a page asks"),
        ("backward-by-hand", "[" * 4000, 400, "not one that a page asks"),
        ("backward-by-hand", b"\xff\xfe", 400, "not one that a page asks"),
        ("backward-by-hand", {"settings": [], "question": {}}, 400, "not one that a page asks"),
        ("backward-by-hand", question(3), 400, "names no gradient"),
        ("backward-by-hand", question("h", "loss"), 400, "names no gradient"),
        ("backward-by-hand", question("h", ["h"]), 400, "names no gradient"),
        ("backward-by-hand", question(samples=10**9), 400, "Samples is"),
        ("backward-by-hand", question(no_such=1), 400, "no_such"),
        ("backward-by-hand", question(words="   "), 400, "only blanks"),
        ("backward-by-hand", figures("graph"), 400, "names no figures"),
        ("backward-by-hand", figures(["no-such"]), 400, "names no figures"),
        ("backward-by-hand", figures(["graph"], "blue"), 400, "or no theme"),
        ("backward-by-hand", figures(["graph"], ["light"]), 400, "or no theme"),
        ("backward-by-hand", figures(["graph"], hidden=10**6), 400, "Hidden is"),
        ("jacobian-lens", figures([]), 404, "nobody"),
        ("backward-by-hand", "h" * 10_000, 413, "8000 bytes"),
        ("jacobian-lens", question(), 404, "nobody"),
        ("no-such", question(), 404, "nobody"),
        ("residual-flow", {"settings": {}, "question": {}}, 400, "figures alone"),
        ("residual-flow", figures(["no-such"]), 400, "names no figures"),
        ("residual-flow", figures(["carried"], blocks=0), 400, "Blocks is"),
    ],
)
def test_what_is_no_question_gets_a_sentence(
    client: TestClient, laboratory: str, body: object, status: int, words: str
) -> None:
    found, text = ask(client, laboratory, body)
    assert found == status
    assert words in text


def test_what_waits_for_a_worker_is_told_where_too_many_wait(client: TestClient, tmp_path: Path) -> None:
    for number in range(12):
        services.jobs().ask(Gate(tmp_path, str(number)).task, str(number))
    status, text = ask(client, "residual-flow", figures(["carried"], seed=903))
    services.close()
    assert (status, text) == (503, "12 other jobs are waiting on this server; try again when some are done.")


def test_answers_are_only_posted_for(client: TestClient) -> None:
    assert client.get(f"{queries.QUERIES_PATH}/backward-by-hand").status_code == 405
