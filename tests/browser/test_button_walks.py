"""Every button of every page is pressed once, every tab, select and expander opened: something in sight answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from urllib.parse import urlencode

import pytest
import torch
from playwright.sync_api import Page
from torch import nn

import goldviz
from goldviz.declare.registry import experiments, laboratories
from goldviz.runs.store.run_store import Store
from goldviz.ui.chrome import pages_of_no_laboratory
from goldviz.ui.panels.controls import to_link
from tests.browser.app_server import Server
from tests.browser.button_walk import OPEN_PART, Walk, walk_page
from tests.labs.small_runs import cases

Opener = Callable[..., Page]
PAGES = ["", *(page.path for page in pages_of_no_laboratory()), *laboratories()]
"""Every page's path; home's is empty."""

BEGUN = (
    ("neural-programmer?shown=ask", 1440, OPEN_PART),
    ("recurrent-gradients?shown=words", 1440, OPEN_PART),
    ("translation-transformer?shown=sentence", 1440, OPEN_PART),
    ("your-network", 390, ""),
    ("lstm-valves", 390, ".st-key-knobs"),
)
"""What the ordinary suite presses: the buttons that nothing answered once, in the parts that they stand in, a page of
words on a phone, and a phone's sheet without its selects. The long one presses all else."""


def smallest(name: str) -> str:
    """The smallest settings of a laboratory that trains, as its address has them; nothing of another page."""
    if name not in experiments():
        return ""
    lab = laboratories()[name]
    return urlencode(to_link(lab.declared.checked(cases(lab).RUNS[0])))


@contextmanager
def watched(database: str) -> Iterator[None]:
    """A run of somebody's own script, for the page that shows such runs."""
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    with goldviz.watch(model, optimizer, name="a script", to=database) as record:
        for _ in range(30):
            x = torch.randn(32, 8)
            loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            record.step(loss=loss)
    yield
    store = Store(database)
    store.delete([run.id for run in store.list(text="a script")[0]])


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", PAGES)
def test_every_button_of_a_page_answers(server: Server, open_page: Opener, name: str, width: int) -> None:
    page = open_page("about:blank", width=width)
    with watched(server.database) if name in ("your-network", "runs") else nullcontext():
        faults = walk_page(page, f"{server.address}/{name}", Store(server.database), smallest(name))
    assert not faults, "\n".join(faults)


def test_five_pages_answer_their_buttons(server: Server, open_page: Opener) -> None:
    page, store = open_page("about:blank"), Store(server.database)
    for name, width, area in BEGUN:
        page.set_viewport_size({"width": width, "height": 1000})
        walk = Walk(
            page, f"{server.address}/{name}", store, skips=lambda one: one.kind in ("select", "tick"), area=area
        )
        walk.press_all()
        assert not walk.faults, "\n".join(walk.faults)
        walk.forget_runs()
