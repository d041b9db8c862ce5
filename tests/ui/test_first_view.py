"""What stands at a laboratory's address before Streamlit has started."""

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import Future

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from goldviz.declare.registry import experiments, laboratories
from goldviz.ui.serving import deep_links, first_view
from goldviz.ui.serving.first_view import FirstViews, Opening, view_of
from goldviz.ui.serving.page_modules import FIRST_VIEW, module_path, modules, modules_ahead

NAME = "depth-gradients"
VIEW = 'id="goldviz-first-view"'


@pytest.fixture(scope="module")
def views() -> FirstViews:
    """Those of a server where the view of one laboratory is made."""
    views = FirstViews()
    views.asked(NAME).result()
    return views


@pytest.fixture
def client(views: FirstViews, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """Pages below /lab/."""
    monkeypatch.setattr(first_view, "views", views)
    with TestClient(Starlette(routes=deep_links.routes("/lab/", ["", "runs", *laboratories()]))) as client:
        yield client


def test_a_laboratory_s_bare_address_shows_how_its_page_opens(client: TestClient) -> None:
    page = client.get(f"/lab/{NAME}").text
    declared = experiments()[NAME]
    assert page.index('<div id="root"></div>') < page.index(VIEW)
    for words in (declared.title, declared.question, declared.presets[0].name, "Look closer", "Epoch 20"):
        assert f">{words}</div>" in page
    carried = json.loads(re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[-1])
    assert [one["figure"]["layout"]["title"]["text"] for one in carried["figures"]] == [
        "Does the gradient reach layer 1?",
        "Do the networks learn?",
    ]
    assert all(one["description"] for one in carried["figures"])


def test_what_draws_it_comes_first_from_below_the_base_path_and_in_one_file(client: TestClient) -> None:
    page = client.get(f"/lab/{NAME}").text
    address = f"/lab{module_path(FIRST_VIEW)}"
    assert page.index(f'fetchpriority="high" href="{address}"') < page.index('<script type="module" crossorigin')
    assert f'<script type="module" async src="{address}">' in page
    assert "import " not in modules()[FIRST_VIEW]
    assert FIRST_VIEW not in modules_ahead(NAME)


def test_nothing_stands_where_the_page_may_show_something_else(client: TestClient) -> None:
    for asked in (f"{NAME}?runs=abc", f"{NAME}?shown=why", f"{NAME}?story=1", "", "runs", "inside-bert", "text-tokens"):
        page = client.get(f"/lab/{asked}").text
        assert VIEW not in page, asked
        assert FIRST_VIEW not in page, asked


def test_an_address_that_asks_for_settings_alone_opens_with_the_same_figures(client: TestClient) -> None:
    assert VIEW in client.get(f"/lab/{NAME}?depth=9&width=20").text
    assert VIEW not in client.get(f"/lab/{NAME}?depth=9&runs=0123456789ab").text


def test_a_view_that_takes_long_keeps_nobody_waiting(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_view.views, "asked", lambda name: Future())
    began = time.monotonic()
    answer = client.get(f"/lab/{NAME}")
    assert time.monotonic() - began < 1
    assert answer.status_code == 200
    assert VIEW not in answer.text


def test_a_view_that_is_ready_soon_is_there_at_the_first_visit(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_view, "AT_MOST_SECONDS", 60)
    monkeypatch.setattr(first_view, "views", FirstViews())
    assert VIEW in client.get(f"/lab/{NAME}").text


def test_streamlit_s_page_is_read_once_for_all_visits(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    page = client.get(f"/lab/{NAME}").text
    monkeypatch.setattr(first_view, "_index", lambda: pytest.fail("read again"))
    assert client.get(f"/lab/{NAME}").text == page


def test_a_page_that_cannot_be_drawn_has_none_and_the_log_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    page = laboratories()[NAME].part("page").PAGE
    monkeypatch.setattr(type(page), "opening", lambda self: 1 / 0)
    monkeypatch.setattr(first_view, "AT_MOST_SECONDS", 60)
    views = FirstViews()
    assert [views.held(NAME), views.held(NAME)] == ["", ""]
    (warning,) = [one for one in caplog.records if one.name == first_view.__name__]
    assert warning.levelname == "WARNING"
    assert NAME in warning.message


def test_words_are_text_whatever_they_contain() -> None:
    bad = '</script><script>alert("1")</script>&<!--'
    view = view_of(Opening((bad,), bad, bad, bad, (bad,), bad, bad, ((json.dumps({"title": bad}), bad),)))
    assert "alert(" in view
    assert "<script>alert" not in view
    assert "<!--" not in view
    carried = re.findall(r'<script type="application/json">(.*?)</script>', view)
    assert json.loads(carried[0])["figures"] == [{"figure": {"title": bad}, "description": bad}]
