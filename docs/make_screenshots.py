"""Take the screenshots of README and documents from the real app, or those named: run by ``make screenshots``.

``doors`` are the cards of the home page, a picture each.
"""

import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import torch
from playwright.sync_api import Locator, Page, expect, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from goldviz.runs.store.run_store import Store  # noqa: E402
from goldviz.watching.trial import tried_on  # noqa: E402
from tests.browser.app_server import running  # noqa: E402
from tests.browser.conftest import CHROMIUM  # noqa: E402
from tests.watching.cases import CASES  # noqa: E402
from tests.watching.loops import watching  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WATCHED, CURE = "watched-light", "inputs scaled to spread 1"
DOORS = "doors"
SHOTS = [
    ("home-light", "", 1440, 900, "light"),
    ("depth-light", "depth-gradients", 1440, 900, "light"),
    (
        "depth-lanes-dark",
        "depth-gradients?runs=example:as-in-the-document,example:fix-it-orthogonal",
        1440,
        900,
        "dark",
    ),
    ("steps-light", "backpropagation-steps", 1440, 900, "light"),
    ("tokens-light", "text-tokens", 1440, 900, "light"),
    ("gpt-light", "char-gpt", 1440, 900, "light"),
    ("price-tokens-dark", "price-tokens", 1440, 900, "dark"),
    ("time-light", "recurrent-gradients", 1440, 900, "light"),
    ("turing-light", "neural-turing-machine", 1440, 900, "light"),
    ("alignment-light", "attention-interface", 1440, 900, "light"),
    ("pondering-light", "adaptive-computation", 1440, 900, "light"),
    ("series-light", "series-attention", 1440, 900, "light"),
    ("attention-cost-dark", "attention-cost", 1440, 900, "dark"),
    ("leaderboard-light", "leaderboard", 1440, 900, "light"),
    ("forecast-light", "gold-forecast", 1440, 900, "light"),
    ("market-dark", "gold-market", 1440, 900, "dark"),
    ("ode-rnn-light", "ode-rnn", 1440, 900, "light"),
    ("flow-dark", "residual-flow", 1440, 900, "dark"),
    ("bert-light", "inside-bert", 1440, 900, "light"),
    ("bert-phone-dark", "inside-bert", 390, 844, "dark"),
    ("pre-training-dark", "bert-pretraining", 1440, 900, "dark"),
    ("documents-light", "policy-documents", 1440, 900, "light"),
    ("forecast-phone-dark", "gold-forecast", 390, 844, "dark"),
    ("lens-dark", "jacobian-lens", 1440, 900, "dark"),
    ("depth-phone-dark", "depth-gradients", 390, 844, "dark"),
    (WATCHED, "your_network", 1440, 1200, "light"),
    (DOORS, "", 1440, 900, "light"),
]


def watch(database: str) -> None:
    """A watched run with one card, whose cure was tried on it."""
    case = CASES["a table as it was measured"]
    torch.manual_seed(0)
    state = case.state()
    with watching(state["model"], store=Store(database), name="tumours, as measured", every=10, budget=0.1) as record:
        for number in range(1, 3001):
            record.step(loss=case.step(state, 0, number))
            if number == 100:
                results = tried_on(case.step, state, [], steps=60, orders=3, cures={case.kind: case.repair})
                record.keep_tried([replace(one, cure=CURE) if one.kind == case.kind else one for one in results])


def shots(page: Page, name: str) -> None:
    """A picture of what the window shows, or of each door in it."""
    pictures: dict[str, Page | Locator] = {name: page}
    if name == DOORS:
        pictures = {
            "door-" + re.findall(r"st-key-door-([\w-]+)", card.get_attribute("class") or "")[0]: card
            for card in page.locator("[class*=st-key-door-]").all()
        }
    for file, shown in pictures.items():
        shown.screenshot(path=IMAGES / f"{file}.png")
        print(f"docs/images/{file}.png")


IMAGES.mkdir(exist_ok=True)
with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    database = f"sqlite:///{Path(folder) / 'runs.sqlite'}"
    browser = playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
    )
    if WATCHED in sys.argv[1:] or not sys.argv[1:]:
        watch(database)
    with running(database, Path(folder) / "server.log") as server:
        for name, path, width, height, scheme in SHOTS:
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=1
            )
            page = context.new_page()
            page.goto(f"{server.address}/{path}")
            page.locator("h1").wait_for()
            if path:
                page.locator(":is(.goldviz-picture, .main-svg):visible, canvas:visible, svg:visible").first.wait_for()
            if name == WATCHED:
                page.locator(":is(.goldviz-picture, .main-svg)").first.wait_for(timeout=120_000)
            page.get_by_test_id("stStatusWidget").wait_for(state="detached")
            expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
            page.wait_for_timeout(1500)
            shots(page, name)
            context.close()
    browser.close()
