"""Instant pages with a position: what they send of all positions is what the server draws at each of them."""

import json
from pathlib import Path

import pytest

from goldviz.declare.instant import Instant
from goldviz.ui.pages import instant as instant_page
from tests.javascript import node
from tests.labs.small_runs import INSTANT
from tests.labs.test_frames import decoded, differences
from tests.pages.instant import InstantVisitor
from tests.thinned import thinned

pytestmark = pytest.mark.usefixtures("on_pages")

PAIRS = {"triangle", "one_loss", "direct_and_total"}
MOVED = {
    "backpropagation-by-hand": {"unrolled", "predictions", "vectors", "terms", "sums", *PAIRS},
    "backward-by-hand": {"graph", "tensor"},
    "gold-market": {"clock"},
    "jacobian-lens": {"map"},
    "lstm-valves": {"cell", "split"},
    "policy-documents": {"timeline"},
    "residual-flow": {"carried", "distance"},
}
"""The figures that follow the slider without the server."""

DECLARED = {lab.name: lab.declared for lab in INSTANT}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))


def opened_at(declared: type[Instant], position: int, **link: str) -> InstantVisitor:
    return InstantVisitor(declared, {declared.position: str(position), **link})


def filled(visitor: InstantVisitor, positions: list[int], folder: Path) -> dict[str, dict[str, dict]]:  # type: ignore[type-arg]
    """The figures of a page as the browser fills them."""
    (folder / "sent.json").write_text(json.dumps(visitor.positions))
    node("fill_positions.mjs", folder / "sent.json", folder / "filled.json", json.dumps(positions))
    found: dict[str, dict[str, dict]] = json.loads((folder / "filled.json").read_text())  # type: ignore[type-arg]
    return found


def assert_the_same_everywhere(visitor: InstantVisitor, folder: Path) -> set[str]:
    """What any part sent at one position is what the server draws at others; the names of what was sent."""
    sent: set[str] = set()
    for part in visitor.parts():
        sent |= _of_a_part(visitor.open(part.name), folder)
    return sent


def _of_a_part(visitor: InstantVisitor, folder: Path) -> set[str]:
    if not visitor.has_positions():
        return set()
    first, last = visitor.position["first"], visitor.position["last"]
    positions = sorted({first, (2 * first + last) // 3, (first + last) // 2 + 1, last})
    at = filled(visitor, positions, folder)
    for position in positions:
        visitor.set(**{visitor.declared.position: position})
        drawn = visitor.drawn()
        for name in at.keys() & drawn.keys():
            found = list(differences(decoded(drawn[name]), decoded(at[name][str(position)])))
            assert not found, (name, position, found[:3])
    return set(at)


@pytest.mark.parametrize("name", thinned(MOVED, 2))
def test_the_browser_fills_what_the_server_draws(name: str, tmp_path: Path) -> None:
    _, last = DECLARED[name]().positions()
    assert assert_the_same_everywhere(opened_at(DECLARED[name], last), tmp_path) == MOVED[name]


@pytest.mark.parametrize(
    ("name", "link", "figures"),
    thinned(
        [
            ("jacobian-lens", {"cell": "lstm", "length": "7", "hidden": "4"}, {"map", "cell_path"}),
            ("residual-flow", {"field": "moons", "blocks": "3"}, {"carried", "flow", "distance"}),
            ("residual-flow", {"field": "van_der_pol", "mu": "12", "blocks": "3"}, {"carried", "distance"}),
            ("policy-documents", {"map_kinds": "all", "colour": "tone"}, {"timeline"}),
            ("backpropagation-by-hand", {"text": "a <b>$x$", "hidden": "1"}, MOVED["backpropagation-by-hand"]),
        ]
    ),
)
def test_so_it_does_with_other_settings(name: str, link: dict[str, str], figures: set[str], tmp_path: Path) -> None:
    _, last = DECLARED[name].checked(link).positions()
    assert assert_the_same_everywhere(opened_at(DECLARED[name], last, **link), tmp_path) == figures


def test_another_position_sends_nothing_anew_and_other_settings_do() -> None:
    visitor = opened_at(DECLARED["jacobian-lens"], 3, length="9", hidden="4")
    sent = visitor.positions
    assert visitor.set(start=5).positions == sent
    assert visitor.position["step"] == 5
    assert visitor.at.query_params == {"start": "5", "length": "9", "hidden": "4"}
    assert visitor.set(hidden=5).positions != sent


def test_what_takes_too_much_room_is_left_to_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = DECLARED["backpropagation-by-hand"]
    sizes = {name: len(text) for name, text in opened_at(declared, 6).positions["figures"].items()}
    monkeypatch.setattr(instant_page, "ROOM", sum(sizes.values()) - 1)
    assert opened_at(declared, 6).positions["figures"].keys() == set(list(sizes)[:-1])
    monkeypatch.setattr(instant_page, "MOST_DRAWN", 2)
    assert not set(opened_at(declared, 6).positions["figures"]) - {"predictions"}
