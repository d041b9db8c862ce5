"""The attention explorer's Python side: what it sends, and what it believes of what comes back."""

import json
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from goldviz.figures.theme import INKS
from goldviz.labs.inside_bert.parts import explorer
from goldviz.labs.inside_bert.parts.explorer import Choice
from goldviz.ui.serving import server
from goldviz.ui.serving.page_modules import modules
from goldviz.ui.serving.queries import shelf
from tests.labs.inside_bert.reading_cases import known_exhibit

pytestmark = pytest.mark.usefixtures("on_pages")


def page(token: str, layer: int, head: int, piece: int | None, theme: str) -> None:
    from goldviz.labs.inside_bert.parts.explorer import Choice, attention_explorer

    attention_explorer(token, Choice(layer, head, piece), key="explorer", theme=theme)


def sent(token: str, layer: int = 0, head: int = 0, piece: int | None = None, theme: str = "light") -> Any:
    at = AppTest.from_function(page, default_timeout=60, args=(token, layer, head, piece, theme)).run()
    assert not at.exception
    [element] = at.get("bidi_component")
    return json.loads(element.proto.json)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_only_the_address_the_choice_and_the_colours_go_over_the_web_socket(theme: str) -> None:
    token = shelf.put(known_exhibit())
    data = sent(token, 2, 1, 4, theme)
    assert data["address"] == f"/goldviz/exhibits/{token}"
    assert data["choice"] == {"layer": 2, "head": 1, "token": 4}
    assert data["inks"][data["theme"]]["accent"] == INKS[theme].accent
    assert data["inks"][data["theme"]]["surface"] == INKS[theme].surface
    assert len(json.dumps(data)) < 1000


def test_a_server_under_a_path_of_its_own_is_asked_there(monkeypatch: pytest.MonkeyPatch) -> None:
    real = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "/lab/" if name == "server.baseUrlPath" else real(name))
    token = shelf.put(known_exhibit())
    data = sent(token)
    assert data["address"] == f"/lab/goldviz/exhibits/{token}"
    with TestClient(Starlette(routes=server.routes())) as client:
        assert client.get(f"{data['address']}/overview").content == known_exhibit().overview_bytes()


def test_an_exhibit_that_is_gone_is_no_fault_of_the_page() -> None:
    assert sent("gone", 1, 1)["choice"] == {"layer": 1, "head": 1, "token": None}


@pytest.mark.parametrize(
    ("told", "believed"),
    [
        ({"layer": 2, "head": 3, "token": 10}, Choice(2, 3, 10)),
        ({"layer": 0, "head": 0, "token": None}, Choice(0, 0)),
        ({"layer": 0, "head": 0}, Choice(0, 0)),
        ({"layer": 0, "head": 0, "token": 11}, Choice(0, 0)),
        ({"layer": 3, "head": 0, "token": 1}, None),
        ({"layer": 0, "head": -1, "token": 1}, None),
        ({"layer": "0", "head": 0}, None),
        ({"layer": True, "head": 0}, None),
        ({"layer": float("nan"), "head": 0}, None),
        ({"layer": 1e400, "head": 0}, None),
        ({}, None),
    ],
)
def test_what_the_browser_tells_is_held_to_the_exhibit(told: dict[str, Any], believed: Choice | None) -> None:
    token = shelf.put(known_exhibit())
    assert explorer._chosen({**told, "exhibit": token}, token, explorer._sizes(token)) == believed


@pytest.mark.parametrize("told", [None, "layer", 3, [1, 2], {"layer": 0, "head": 0, "exhibit": "another"}])
def test_anything_else_is_no_choice(told: Any) -> None:
    token = shelf.put(known_exhibit())
    assert explorer._chosen(told, token, explorer._sizes(token)) is None


def test_the_modules_of_the_page_never_make_html_of_text() -> None:
    script = "".join(text for path, text in modules().items() if path.startswith("labs/inside_bert/"))
    assert "class Explorer" in script
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert way not in script
