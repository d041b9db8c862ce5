"""What a screen reader says of a figure: its name and description in Chromium's accessibility tree."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page


def spoken(page: Page, host: Locator) -> tuple[str, str]:
    """A figure's name and description; a figure that is no such in the tree fails."""
    tools = page.context.new_cdp_session(page)
    tools.send("DOM.getDocument", {"depth": 0})
    host.evaluate("host => { window.asked = host; }")
    found = tools.send("Runtime.evaluate", {"expression": "window.asked"})
    tree = tools.send(
        "Accessibility.getPartialAXTree", {"objectId": found["result"]["objectId"], "fetchRelatives": False}
    )
    tools.detach()
    (node,) = (one for one in tree["nodes"] if one.get("role", {}).get("value") == "figure")
    return node["name"]["value"], node.get("description", {}).get("value", "")


def assert_each_figure_says_what_it_shows(page: Page) -> int:
    """How many drawn figures a page has: each is called by its title, with its result or why there is none."""
    for host in (hosts := page.locator(".goldviz-figure[data-drawn]").all()):
        name, about = spoken(page, host)
        title, traces = host.evaluate(
            "host => [host.goldvizPlace.drawn.layout.title.text, host.goldvizPlace.drawn.data.length]"
        )
        assert name.startswith(title)
        if traces:
            assert re.search(r" from \S+ to \S+\.$", about), (name, about)
        else:
            assert name.removeprefix(title).strip(), "why there is nothing to draw"
    for host in page.locator(".goldviz-diagram[data-drawn]").all():
        assert spoken(page, host)[0]
    return len(hosts)
