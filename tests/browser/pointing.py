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


def point_at(host: Locator, number: int) -> None:
    """Move the mouse to this number of a figure's first trace, and wait until the figure says what it is."""
    host.page.wait_for_function("host => !host.goldvizPlace.moved", arg=host.element_handle())
    host.page.mouse.move(*host.evaluate(PLACE, number))
    expect(host.locator(".hoverlayer text").first).to_be_visible()
