"""Files that a visitor's browser sends and the page never reads: the server holds a bounded sum of them."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from goldviz.ui.serving.uploads import MOST_OF_A_VISITOR, NO_ROOM

pytest.importorskip("playwright")

from playwright.sync_api import Page

from tests.browser.app_server import Server
from tests.browser.test_refused_uploads import bring

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FILES, SIZE = 12, 45 * 10**6
SEND = """async ([address, headers, files, size]) => {
  const statuses = [];
  for (let number = 0; number < files; number += 1) {
    const body = new FormData();
    body.append("file", new Blob([new Uint8Array(size)]), "a.csv");
    const to = address.replace(/[^/]+$/, crypto.randomUUID());
    statuses.push((await fetch(to, { method: "PUT", body, headers })).status);
  }
  return statuses;
}"""


def test_files_that_are_sent_and_dropped_take_no_more_than_a_visitor_s_sum(
    server: Server, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("date,gold\n2020-01-01,1500\n", encoding="utf-8")
    page = open_page(f"{server.address}/gold-market")
    with page.expect_request(lambda request: "/_stcore/upload_file/" in request.url) as sent:
        bring(page, file)
    token = {name: value for name, value in sent.value.headers.items() if name == "x-xsrftoken"}
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    statuses = Counter(page.evaluate(SEND, [sent.value.url, token, FILES, SIZE]))
    print("MB more:", (process.memory_info().rss - before) / 1e6, statuses)
    assert statuses == {204: MOST_OF_A_VISITOR // SIZE, NO_ROOM: FILES - MOST_OF_A_VISITOR // SIZE}
    assert process.memory_info().rss - before < MOST_OF_A_VISITOR + 3 * SIZE
