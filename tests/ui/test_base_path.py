"""Below its base path the server answers; without it, it says so."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit import config

from goldviz.ui.serving import addresses, server


@pytest.fixture(params=["lab", "/user/anna/lab/"])
def base(request: pytest.FixtureRequest) -> Iterator[str]:
    """A base path as a person may write it, and as addresses have it."""
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", request.param)
    yield f"/{request.param.strip('/')}"
    config.set_option("server.baseUrlPath", before)


@pytest.fixture
def client(base: str) -> Iterator[TestClient]:
    app = Starlette(routes=server.routes(), middleware=server.middleware())
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as asking:
        yield asking


def test_pages_and_routes_are_below_it(base: str, client: TestClient) -> None:
    for page in ("/", "/runs", "/depth-gradients"):
        answer = client.get(f"{base}{page}")
        assert answer.status_code == 200
        assert f'connect("{base}/", "{base}{page}", ' in answer.text
    assert addresses.address(addresses.PLOTLY_PATH) == f"{base}{addresses.PLOTLY_PATH}"
    assert client.get(addresses.address(addresses.PLOTLY_PATH)).status_code == 200


def test_the_path_itself_leads_to_the_page(base: str, client: TestClient) -> None:
    answer = client.get(f"{base}?theme=dark")
    assert (answer.status_code, answer.headers["location"]) == (307, f"{base}/?theme=dark")


@pytest.mark.parametrize("path", ["/", "/runs", "/goldviz/plotly.min.js", "/labs/", "/laboratory"])
def test_what_comes_without_it_is_told_where_goldviz_is(base: str, client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert f'goldviz is at <a href="{base}/">{base}/</a>' in answer.text
    assert "--base-path" in answer.text
    assert "{" not in answer.text.partition("</style>")[2]


def test_without_a_base_path_nothing_changes() -> None:
    app = Starlette(routes=server.routes(), middleware=server.middleware())
    with TestClient(app, base_url="http://localhost") as client:
        assert 'connect("/", "/runs", ' in client.get("/runs").text
        assert client.get("/nothing").text == "Not Found"
