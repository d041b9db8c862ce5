"""Frames that the browser fetches: what a laboratory's figures show at every step of its lanes, as the runs grow.

A page offers its lanes under a secret token; whoever has the token may ask for the figures of these lanes, and of
nothing else. One frame table a lane draws them, once for all who look, and each visitor gets what came since the
edition that the browser names. ``assets/figure_fill.js`` reads what travels: four bytes with the length of a JSON
header, little-endian; the header, padded with blanks; then arrays, each at a multiple of eight bytes.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.cache import Cache
from goldviz.declare.registry import experiment, laboratories
from goldviz.declare.settings import SettingsError
from goldviz.figures.draft import Figure
from goldviz.figures.limits import Limits
from goldviz.figures.spec import FigureSpec, of_unread_run, or_said
from goldviz.figures.table import Arrays, FrameTable, packed
from goldviz.figures.theme import Theme
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import keys
from goldviz.ui.panels import lanes
from goldviz.ui.panels.lanes import Lane, Shown, UnreadLane
from goldviz.ui.serving import services
from goldviz.ui.serving.answers import BINARY, Answer, answered, as_json
from goldviz.watching.declared import WATCHED

OFFERS_IN_MEMORY = 4096
BYTES_IN_MEMORY = 256 * 2**20
BOARDS_IN_MEMORY = 256
"""Thirty visitors with four lanes each have half as many."""
LARGEST_QUESTION = 20_000
"""Bytes of what a browser says it has."""
FINDINGS_EVERY = 5.0
"""Seconds after which a growing run's findings are looked at again; nobody reads cards faster."""
FINDINGS_REST = 20.0
"""So many times as long as that look took, no other growing run's findings are looked at: many share a twentieth."""

GONE = "This page is not known to the server any more. Reload it."


class Offer(NamedTuple):
    """What a page shows: lanes of a laboratory, in a theme, to a visitor who has ``keys`` of files that they used; of
    watched runs the layers that were ``asked`` for."""

    laboratory: str
    lanes: tuple[str, ...]
    theme: Theme
    keys: frozenset[str] = frozenset()
    asked: str = ""


@dataclass
class _Board:
    """A lane's table among the lanes it stands beside, as of the run's ``version``; ``sense`` is what a page would say
    of the run, as of the version ``felt``."""

    table: FrameTable
    version: int | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    sense: str = ""
    status: str | None = None
    trouble: str = ""
    felt: int = -1
    felt_at: float = 0.0


def _room_of_board(board: _Board) -> int:
    """Its arrays, and its share of the room that so many boards may have in all: templates take more than arrays."""
    return max(board.table.nbytes, BYTES_IN_MEMORY // BOARDS_IN_MEMORY)


class Boards:
    """The offers of all visitors, and the tables behind them."""

    def __init__(self) -> None:
        self._offers: Cache[Offer] = Cache(OFFERS_IN_MEMORY, lambda _: 1)
        self._tokens: Cache[str] = Cache(OFFERS_IN_MEMORY, lambda _: 1)
        self._boards: Cache[_Board] = Cache(BYTES_IN_MEMORY, _room_of_board)
        self.rest_until = 0.0

    def offer(self, visitor: str, offer: Offer) -> str:
        """The token under which a visitor's page may ask for these lanes; the same one for the same page."""
        token = self._tokens.get((visitor, offer), lambda: secrets.token_urlsafe(24))
        self._offers.put(token, offer)
        return token

    def offered(self, token: str) -> Offer | None:
        """What stands under a token, if it is known."""
        return self._offers.held(token)

    def board(self, offer: Offer, lane_id: str) -> _Board:
        """The table of a lane of an offer; shared by all pages with the same lanes."""
        return self._boards.get((offer, lane_id), lambda: _Board(FrameTable(offer.theme)))

    def known_board(self, offer: Offer, lane_id: str) -> _Board | None:
        """The table of a lane, if somebody has asked for it."""
        return self._boards.held((offer, lane_id))

    def clear(self) -> None:
        """Forget everything."""
        self._offers.clear()
        self._tokens.clear()
        self._boards.clear()


boards = Boards()
"""Those of all visitors."""


class _Origin(NamedTuple):
    """Where lanes come from: what figures they have, how one is read, and what is said of it.

    ``apart`` says that figures name the step that each shows, so that they need not have the step in view in common.
    """

    figures: Mapping[str, FigureSpec]
    read: Callable[[str], Shown]
    limits: Callable[[Sequence[Run]], Limits]
    progress: Callable[[Any], tuple[float | None, str]]
    sense: Callable[[Any], str]
    apart: bool = False


def _origin(offer: Offer) -> _Origin:
    if offer.laboratory == WATCHED:
        from goldviz.ui.panels import watched
        from goldviz.watching.figure_table import figures_in_view, limits_of

        figures = figures_in_view(offer.asked)
        return _Origin(figures, watched.read, limits_of, watched.progress_of, watched.sense_of, apart=True)
    own = laboratories()[offer.laboratory].figures()
    read = partial(lanes.read, experiment(offer.laboratory))
    return _Origin(own.FIGURES, read, own.shared_limits, lanes.progress_of, lanes.sense_of)


def figures_of(offer: Offer) -> Mapping[str, FigureSpec]:
    """An offer's figures by name."""
    return _origin(offer).figures


def answer(token: str, question_text: str) -> Answer | None:
    """What came since, by the editions and figures that a browser has and wants, as JSON; None: nothing new."""
    offer = boards.offered(token)
    if offer is None:
        return Answer.refused(404, GONE)
    try:
        question = _question(question_text, offer)
    except ValueError as error:
        return Answer.refused(400, str(error))
    lanes = {lane_id: _lane(offer, lane_id) for lane_id in offer.lanes}
    limits = _limits(offer, lanes)
    arrays = Arrays()
    sections = []
    for lane_id, lane in lanes.items():
        state = question.get(lane_id)
        if state is not None:
            section = _section(offer, lane_id, lane, limits, state, arrays)
            if section is not None:
                sections.append(section)
    return Answer(200, packed({"lanes": sections}, arrays), BINARY) if sections else None


def lacks_nothing(token: str, question_text: str, editions: Mapping[str, tuple[int, str] | None]) -> bool:
    """Whether a browser has all there is of runs whose present version and trouble were seen, so that none is read.

    Said of what has been drawn alone; a queue moves on without a new version of the runs in it.
    """
    offer = boards.offered(token)
    try:
        question = _question(question_text, offer) if offer else {}
    except ValueError:
        return False
    return (
        offer is not None
        and question.keys() == set(offer.lanes)
        and all(
            (board := boards.known_board(offer, lane_id)) is not None
            and board.status != "queued"
            and not _due(board, board.version)
            and (lane_id.startswith(lanes.EXAMPLE) or _is_as_seen(board, editions.get(lane_id)))
            and (board.table.edition, board.sense) == (state.edition, state.sense)
            and set(state.wants) <= set(state.figures)
            for lane_id, state in question.items()
        )
    )


def _is_as_seen(board: _Board, edition: tuple[int, str] | None) -> bool:
    if edition is None:
        return board.version is None
    version, trouble = edition
    return board.version == version and (board.status != "running" or board.trouble == trouble)


class _Known(NamedTuple):
    """What a browser has of a lane: an edition, the figures of it, the page's sense; and the figures it wants."""

    edition: int | None
    figures: Sequence[str]
    sense: str
    wants: Sequence[str]


def _question(text: str, offer: Offer) -> dict[str, _Known]:
    if len(text) > LARGEST_QUESTION:
        raise ValueError(f"The question is {len(text)} bytes long; allowed are {LARGEST_QUESTION}.")
    try:
        values = json.loads(text or "{}")
        states = {
            str(lane): _Known(
                int(one["edition"]) if one.get("edition") is not None else None,
                [str(name) for name in one.get("has", [])],
                str(one.get("sense", "")),
                [str(name) for name in one["wants"]],
            )
            for lane, one in values.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError("The question is not one that a page asks.") from error
    figures = figures_of(offer)
    for lane, one in states.items():
        if lane not in offer.lanes:
            raise ValueError("The question is about a run that this page does not show.")
        if any(name not in figures for name in one.wants):
            raise ValueError(f"There is no such figure; there are {', '.join(figures)}.")
    return states


def _lane(offer: Offer, lane_id: str) -> Shown | str:
    """A lane as of now, or a sentence that says why there is none."""
    try:
        with keys.held(offer.keys):
            return _origin(offer).read(lane_id)
    except (UnknownRunError, SettingsError, StoreError) as error:
        return str(error)


def _limits(offer: Offer, lanes: Mapping[str, Shown | str]) -> Limits | None:
    """Common axes where several lanes stand side by side."""
    datasets = [lane.records for lane in lanes.values() if isinstance(lane, Shown) and not isinstance(lane, UnreadLane)]
    return _origin(offer).limits(datasets) if len(datasets) > 1 else None


def _section(
    offer: Offer, lane_id: str, lane: Shown | str, limits: Limits | None, state: _Known, arrays: Arrays
) -> dict[str, Any] | None:
    """What a browser lacks of one lane; None where it lacks nothing."""
    if isinstance(lane, str):
        return {"id": lane_id, "gone": lane} if state.sense != lane else None
    board = boards.board(offer, lane_id)
    origin, is_read = _origin(offer), not isinstance(lane, UnreadLane)
    share, words = origin.progress(lane)
    waiting = words if lane.run is not None and lane.run.status == "queued" else ""
    with board.lock:
        board.table.bring((lane.version, str(limits), waiting), lane.records, limits if is_read else None)
        board.version = lane.version
        _feel(board, lane, origin.sense, _due(board, lane.version))
        news = board.table.edition != state.edition or board.sense != state.sense
        if not news and set(state.wants) <= set(state.figures):
            return None
        changes = board.table.since(state.edition, state.figures, _specs(offer, lane, state.wants), arrays)
    return {
        "id": lane_id,
        "run": lane.run is not None,
        "sense": board.sense,
        "last": lane.last_step,
        "progress": {"share": share, "words": words},
        "apart": origin.apart,
        **changes,
    }


def _specs(offer: Offer, lane: Shown, names: Sequence[str]) -> dict[str, FigureSpec]:
    figures = figures_of(offer)
    draw_safely = of_unread_run if isinstance(lane, UnreadLane) else or_said
    return {name: draw_safely(figures[name]) for name in names}


def _feel(board: _Board, lane: Shown, sense_of: Callable[[Any], str], due: bool) -> None:
    """Look at what a page would say of the run: when that is due, and at once when its state changes."""
    status = lane.run.status if lane.run else ""
    began = time.monotonic()
    trouble = services.trouble(lane.id) if status == "running" else ""
    changed_state = (board.status, board.trouble) != (status, trouble) or lane.last_step <= 1
    if changed_state or due:
        board.trouble, board.sense, board.status, board.felt, board.felt_at = (
            trouble,
            sense_of(lane),
            status,
            lane.version,
            began,
        )
    if due:
        boards.rest_until = began + FINDINGS_REST * (time.monotonic() - began)


def _due(board: _Board, version: int | None) -> bool:
    """Whether it is time to look again at what a page says of a run."""
    now = time.monotonic()
    return board.felt != version and now - board.felt_at > FINDINGS_EVERY and now > boards.rest_until


def felt(offer: Offer, lane: Shown) -> str:
    """What a page says of the run as of now, which is then what browsers are told."""
    board = boards.board(offer, lane.id)
    with board.lock:
        _feel(board, lane, _origin(offer).sense, due=True)
        return board.sense


def drawn_at(token: str, lane_id: str, name: str, step: int | None) -> Figure:
    """One figure of a lane of an offer at one step; raises ``LookupError`` with a sentence where there is none."""
    offer = boards.offered(token)
    if offer is None:
        raise LookupError(GONE)
    if lane_id not in offer.lanes or name not in figures_of(offer):
        raise LookupError("This page does not show such a figure.")
    lanes = {one: _lane(offer, one) for one in offer.lanes}
    lane = lanes[lane_id]
    if isinstance(lane, str):
        raise LookupError(lane)
    limits = None if isinstance(lane, UnreadLane) else _limits(offer, lanes)
    step = min(step, lane.last_step) if step is not None and lane.last_step else None
    return _specs(offer, lane, [name])[name].draw(lane.dataset, epoch=step, limits=limits, theme=offer.theme)


def answer_at(token: str, lane_id: str, name: str, step: str) -> Answer:
    """One figure at one step, for what is not among a browser's frames."""
    if not (step.isascii() and step.isdigit() and len(step) < 12):
        return Answer.refused(404, "A step is not a whole number.")
    try:
        figure = drawn_at(token, lane_id, name, int(step))
    except LookupError as error:
        return Answer.refused(404, str(error.args[0]))
    template, look, arrays = figure.template(), figure.to_dict()["layout"].get("template"), Arrays()
    whole = [np.asarray(row) for row in template.rows]
    rows = [{"dim": None, "from": 0, "shape": row.shape[1:], **arrays.add(row)} for row in whole]
    figures = {name: {"figure": template.figure, "rows": rows}}
    section = {"id": lane_id, "fresh": True, "look": look, "steps": {}, "figures": figures}
    return Answer(200, packed({"lanes": [section]}, arrays), BINARY)


def answer_about(token: str, lane_id: str, body: bytes) -> Answer:
    """What a laboratory answers to a question about a lane of an offer, or a sentence about why it does not.

    Such a laboratory has ``answer_about_run(lane, question, theme)`` in its file ``queries.py``: JSON in, JSON out. It
    raises ``ValueError`` with a sentence for what its page does not ask.
    """
    offer = boards.offered(token)
    if offer is None:
        return Answer.refused(404, GONE)
    lab = laboratories().get(offer.laboratory)
    answer_of_lab = lab.hook("queries", "answer_about_run") if lab else None
    if lane_id not in offer.lanes or answer_of_lab is None:
        return Answer.refused(404, "This page asks nothing about such a run.")
    if len(body) > LARGEST_QUESTION:
        return Answer.refused(413, f"The question is longer than {LARGEST_QUESTION} bytes.")
    lane = _lane(offer, lane_id)
    if not isinstance(lane, Lane):
        return Answer.refused(404, lane if isinstance(lane, str) else getattr(lane, "complaint", GONE))
    try:
        question = json.loads(body)
    except (ValueError, RecursionError):
        question = None
    if not isinstance(question, dict):
        return Answer.refused(400, "The question is not one that a page asks.")
    return answered(lambda: answer_of_lab(lane, question, offer.theme), as_json)


def runs_of(token: str) -> list[str]:
    """The runs of an offer that may change."""
    offer = boards.offered(token)
    return [lane_id for lane_id in offer.lanes if not lane_id.startswith(lanes.EXAMPLE)] if offer else []
