"""A person's pointer over a figure."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

PLACE = """(host, number) => {
  host.scrollIntoView({ block: "center" });
  const { left, top } = host.getBoundingClientRect();
  const { xaxis, yaxis } = host._fullLayout;
  const { x, y } = host.calcdata[0][number];
  return [left + xaxis._offset + xaxis.c2p(x), top + yaxis._offset + yaxis.c2p(y)];
}"""


def touch(host: Locator) -> None:
    """Have Plotly draw the figure, as a pointer that moves over it does."""
    host.evaluate("host => host.goldvizPlace.touch()")
    expect(host).to_have_attribute("data-drawn", "plotly")
    host.evaluate("host => host.goldvizTurn")


def point_at(host: Locator, number: int) -> None:
    """Move the mouse to this number of a figure's first trace, and wait until the figure says what it is."""
    touch(host)
    host.page.mouse.move(*host.evaluate(PLACE, number))
    expect(host.locator(".hoverlayer text").first).to_be_visible()
