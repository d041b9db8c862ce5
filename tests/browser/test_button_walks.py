"""Every button of every page is pressed once, every tab, select and expander opened: something in sight answers."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from goldviz.declare.registry import experiments, laboratories
from goldviz.runs.store.run_store import Store
from goldviz.ui.chrome import pages_of_no_laboratory
from goldviz.ui.panels.controls import to_link
from tests.browser.app_server import Server
from tests.browser.button_walk import walk_page
from tests.labs.small_runs import cases

Opener = Callable[..., Page]
PAGES = ["", *(page.path for page in pages_of_no_laboratory()), *laboratories()]
"""Every page's path; home's is empty."""


def smallest(name: str) -> str:
    """The smallest settings of a laboratory that trains, as its address has them; nothing of another page."""
    if name not in experiments():
        return ""
    lab = laboratories()[name]
    return urlencode(to_link(lab.declared.checked(cases(lab).RUNS[0])))


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", PAGES)
def test_every_button_of_a_page_answers(server: Server, open_page: Opener, name: str, width: int) -> None:
    page = open_page("about:blank", width=width)
    faults = walk_page(page, f"{server.address}/{name}", Store(server.database), smallest(name))
    assert not faults, "\n".join(faults)
