"""A person who presses all that a page offers, each time from the page as it arrives, and tells what was wrong."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Download, ElementHandle, Error, FileChooser, Page, TimeoutError, expect

from goldviz.runs.store.rows import UNFINISHED
from goldviz.runs.store.run_store import Store, UnknownRunError
from tests.browser.laboratory_page import quiet

SIGHT = Path(__file__).with_name("sight.js").read_text(encoding="utf-8")
ANSWERED = 3.0
"""Seconds within which something in sight changes, or a wait names itself."""
ENDS = 90.0
"""Seconds in which such a wait comes to its end."""
RESTS = 15.0
"""Seconds in which a page comes to rest, or back."""
LOOKS = 0.1
RESTED = 3
"""Looks that see the same until a page is at rest."""
NARROW = 640
MEASURED = re.compile(r"^Takes about ")
"""What a page says of this machine: it may say something else after each run."""
DESTROYS = re.compile(r"^(Delete|Free|Remove|Forget)\b")
TRAINS = re.compile(r"^Train( beside)?$")
BUSY = ".stApp:not([data-test-script-state=notRunning]), [data-testid=stSkeleton]"
"""A script runs, or something waits for the browser's own part of it."""
STRIP, OPEN_PART, DIALOG = ".st-key-strip", ".st-key-closer-look", "[role=dialog]"


@dataclass(frozen=True)
class Control:
    """Something that can be pressed: what it is, what it is called, which of its name, and where it stands."""

    kind: str
    name: str
    nth: int
    place: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}" + (f" ({self.nth + 1})" if self.nth else "")


@dataclass
class Walk:
    """One page at one width. ``small`` is its address with the smallest settings, for what trains; ``skips`` says of a
    control that it is not pressed, ``told`` hears of each press. Only what stands in ``area`` is pressed from there."""

    page: Page
    address: str
    store: Store
    small: str = ""
    skips: Callable[[Control], bool] = lambda control: False
    area: str = ""
    told: Callable[[str], None] = lambda words: None
    faults: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    """Addresses of this page to which presses led."""
    presses: int = 0

    def __post_init__(self) -> None:
        self.errors: list[str] = []
        self.downloads: list[Download] = []
        self.choosers: list[FileChooser] = []
        self._before = {run.id for run in self.store.list(limit=100)[0]}
        self._at = ""
        self._arrived: Counter[str] = Counter()
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("download", lambda file: self.downloads.append(file))  # noqa: PLW0108 - Playwright marks it
        self.page.on("filechooser", lambda chooser: self.choosers.append(chooser))  # noqa: PLW0108 - Playwright marks it
        self.page.add_init_script(SIGHT)

    # The page's own words.

    def look(self, *, everything: bool = False) -> Counter[str]:
        """What is in sight, or all that the page says."""
        lines = self.page.evaluate("everything => goldvizSight.look(everything)", everything)
        return Counter(line for line in lines if not MEASURED.match(line))

    def scrolled(self, to: float | None = None) -> float:
        """How far the page is scrolled, after it was scrolled there."""
        return float(self.page.evaluate("to => goldvizSight.scrolled(to ?? undefined)", to))

    def controls(self) -> list[Control]:
        return [Control(**one) for one in self.page.evaluate("goldvizSight.controls()")]

    def find(self, control: Control) -> ElementHandle | None:
        found = self.page.evaluate_handle(
            "([kind, name, nth]) => goldvizSight.find(kind, name, nth)", [control.kind, control.name, control.nth]
        )
        return found.as_element()

    def fault(self, control: Control | str, words: str, after: Control | None = None) -> None:
        width = (self.page.viewport_size or {"width": 0})["width"]
        way = f"{after} > {control}" if after else str(control)
        sentence = f"{self.address.partition('//')[2].partition('/')[2] or 'home'} at {width}: {way}: {words}"
        self.told(f"FAULT {sentence}")
        self.faults.append(sentence)

    # Coming and going.

    def arrive(self, address: str = "") -> None:
        """Come to the page anew, as somebody who was never here."""
        self.forget_runs()
        address = address or self.address
        if self.page.url.startswith("http"):
            with suppress(Error):
                self.page.evaluate("localStorage.clear()")
        # Going to the address in view, with other words behind its #, would be a jump.
        self.page.goto(address)
        # What the frame around all pages draws last.
        expect(self.page.locator(".st-key-glossary")).to_be_attached()
        self.still()
        expect(self.page.locator("#goldviz-first-view")).to_have_count(0)
        self.rest(ENDS)
        self._at, self._url = address, self.page.url
        self._arrived = self.look(everything=True)

    def still(self) -> None:
        """Wait until the server has said all and all figures are drawn."""
        expect(self.page.locator(BUSY)).to_have_count(0)
        quiet(self.page)

    def is_busy(self) -> bool:
        return self.page.locator(BUSY).count() > 0

    def rest(self, within: float = RESTS) -> Counter[str]:
        """Wait until nothing in sight moves; what goes on moving is left out of what is returned."""
        before, deadline, rests = self.look(), time.monotonic() + within, 0
        while time.monotonic() < deadline and rests < RESTED:
            self.page.wait_for_timeout(1000 * LOOKS)
            now = self.look()
            rests = rests + 1 if now == before and not self.is_busy() else 0
            before = now
        return before

    def halt_runs(self) -> list[str]:
        """What a press started is let go; returns what still trains."""
        unfinished = [run.id for run in self.store.list(limit=100)[0] if run.status in UNFINISHED]
        for run_id in unfinished:
            with suppress(UnknownRunError):
                self.store.halt(run_id, "stop")
        return unfinished

    def forget_runs(self) -> None:
        """No run of this walk is left: a page offers other things where there is one."""
        deadline = time.monotonic() + RESTS
        while self.halt_runs() and time.monotonic() < deadline:
            time.sleep(LOOKS)
        self.store.delete([run.id for run in self.store.list(limit=100)[0] if run.id not in self._before])

    def entry(self) -> int:
        """Which entry of the history is in view."""
        return int(self.page.evaluate("navigation.currentEntry?.index ?? 0"))

    # Pressing.

    def press_all(self) -> None:
        """Press all controls of the page's address, and what those that open something show."""
        self.arrive()
        self.wide("on arrival")
        self.heard("on arrival")
        for control in [one for one in self.controls() if self.area in one.place and not self.skips(one)]:
            self.start(control)
            shows = self.press(control)
            opened = (self.page.url, self.look(everything=True))
            for inner in shows:
                if DESTROYS.match(inner.name) or self.skips(inner):
                    continue
                if (self.page.url, self.look(everything=True)) != opened:
                    self.start(control)
                    if not self.press(control, silently=True):
                        self.fault(control, "it opens nothing a second time")
                        break
                self.press(inner, after=control)
                self.bring_back(inner, opened)
            self.bring_back(control, (self._url, self._arrived))

    def start(self, control: Control) -> None:
        """See to it that the page is as it arrives, with the smallest settings for what trains."""
        address = self.small if self.small and TRAINS.match(control.name) else self.address
        is_there = (self.page.url, self.look(everything=True)) == (self._url, self._arrived) and self.find(control)
        if self._at != address or not is_there:
            self.arrive(address)

    def press(self, control: Control, *, after: Control | None = None, silently: bool = False) -> list[Control]:
        """Press one control; returns what can be pressed since, where it opened something on the page."""
        element = self.find(control)
        if element is None:
            if not silently:
                self.fault(control, "it is not there any more", after)
            return []
        # Not to the window's edge: a press there would scroll by a part of a pixel, and a list closes with that.
        with suppress(Error):
            element.evaluate("one => one.scrollIntoView({block: 'center', behavior: 'instant'})")
        before = self.rest()
        there, here, entry, top = set(self.controls()), self.page.url, self.entry(), self.scrolled()
        whole = self.look(everything=True)
        self.downloads.clear()
        self.choosers.clear()
        begun = time.monotonic()
        self.presses += 1
        try:
            if element.evaluate("one => one.matches('select')"):
                element.select_option(index=1)
            else:
                element.click(timeout=5000)
            self.page.mouse.move(0, self.page.viewport_size["height"] - 1 if self.page.viewport_size else 1)
        except (TimeoutError, Error) as error:
            self.fault(control, f"it cannot be pressed: {str(error).splitlines()[0]}", after)
            return []
        answered = self.answer(control, before, top, after)
        shows = [one for one in self.controls() if one not in there and one.name != control.name]
        if silently:
            return shows
        self.told(f"{control}: {answered} ({time.monotonic() - begun:.1f} s)")
        self.heard(control, after)
        self.wide(control, after)
        if self.entry() > entry:
            if control.place == STRIP:
                self.opened.append(self.page.url)
            self.back(control, here, whole, after)
            return []
        if control.kind == "select":
            self.page.keyboard.press("Escape")
            return []
        opens = control.kind in ("expander", "opener")
        return [one for one in shows if after is None and (opens or one.place == DIALOG)]

    def answer(self, control: Control, before: Counter[str], top: float, after: Control | None) -> str:
        """How the page answered a press, in a word; a fault where it did not."""
        deadline, waited, came = time.monotonic() + ANSWERED, "", False
        while time.monotonic() < deadline:
            if self.downloads:
                size = Path(self.downloads[0].path()).stat().st_size
                if not size:
                    self.fault(control, "the file is empty", after)
                return f"a file of {size} bytes"
            if self.choosers:
                return "asks for a file"
            if self.scrolled() != top:
                self.scrolled(top)
            now = self.look()
            if now - before:
                came = True
                break
            # While a script runs, what goes may come again.
            if before - now and not self.is_busy():
                came = True
                break
            words = self.page.evaluate("goldvizSight.waits()")
            if words and not waited:
                waited, deadline = words[0], time.monotonic() + ENDS
            elif waited and not words and not self.is_busy():
                deadline = min(deadline, time.monotonic() + ANSWERED)
            self.page.wait_for_timeout(1000 * LOOKS)
        with suppress(AssertionError, TimeoutError):
            self.still()
        self.page.wait_for_timeout(1000 * LOOKS)
        self.scrolled(top)
        now = self.look()
        if now == before and not came:
            self.fault(control, f"nothing in sight changed{f' after the wait {waited!r}' if waited else ''}", after)
            return "nothing"
        return next(iter(now - before), "less in sight")[:60]

    def heard(self, control: Control | str, after: Control | None = None) -> None:
        for words in dict.fromkeys(self.errors):
            self.fault(control, f"the console says: {words[:200]}", after)
        self.errors.clear()

    def wide(self, control: Control | str, after: Control | None = None) -> None:
        for words in self.page.evaluate("goldvizSight.wider()"):
            beyond = self.page.evaluate("goldvizSight.culprits()")
            self.fault(control, f"wider than the window: {words}; {beyond}", after)

    def back(self, control: Control, here: str, whole: Counter[str], after: Control | None) -> None:
        """The browser's Back brings back what was."""
        self.halt_runs()
        self.page.go_back()
        deadline = time.monotonic() + RESTS
        while time.monotonic() < deadline:
            with suppress(Error):
                if self.page.url == here and self.look(everything=True) == whole:
                    return
            self.page.wait_for_timeout(3000 * LOOKS)
        if self.page.url != here:
            self.fault(control, f"Back leads to {self.page.url}, not to {here}", after)
            return
        now = self.look(everything=True)
        gone, new = list(whole - now)[:3], list(now - whole)[:3]
        self.fault(control, f"Back brings {new} for {gone}", after)

    def bring_back(self, control: Control, was: tuple[str, Counter[str]]) -> None:
        """Undo a press where that takes another one; else the page is left to a new arrival."""

        def is_back() -> bool:
            return (self.page.url, self.look(everything=True)) == was

        if is_back():
            return
        for undo in ("Escape", "press")[: 2 if control.kind in ("expander", "tick", "opener") else 1]:
            with suppress(AssertionError, TimeoutError, Error):
                if undo == "Escape":
                    self.page.keyboard.press(undo)
                elif again := self.find(control):
                    again.click(timeout=2000)
                self.page.mouse.move(0, 1)
                self.still()
                self.page.wait_for_timeout(1000 * LOOKS)
            if is_back():
                return


def walk_page(
    page: Page, address: str, store: Store, small: str = "", told: Callable[[str], None] = print
) -> list[str]:
    """Press all that a page and its parts offer; returns what was wrong.

    Home's bar of pages stands on every page. On a narrow screen what opens something is pressed: it may be too wide
    there; a command does there what it does on a wide one.
    """
    width = page.viewport_size["width"] if page.viewport_size else 0
    is_home = urlsplit(address).path in ("", "/")

    def skips(control: Control) -> bool:
        if control.place == "header":
            return not is_home
        return width <= NARROW and control.kind == "button"

    walk = Walk(page, address, store, small and f"{address}?{small}", skips, told=told)
    walk.press_all()
    for part in dict.fromkeys(walk.opened):
        inside = Walk(page, part, store, small and f"{part}&{small}", skips, OPEN_PART, told)
        inside.press_all()
        walk.faults += inside.faults
    return walk.faults
