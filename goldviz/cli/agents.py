"""``goldviz mcp``: kept runs for programs that speak the Model Context Protocol, over standard input and output.

All that is offered only reads: runs, what their numbers say, their measures, and the numbers behind their figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz import api
from goldviz.cli.errors import told
from goldviz.extras import check_extra
from goldviz.runs.store.run_store import Store
from goldviz.watching.findings import as_json

if TYPE_CHECKING:
    from mcp.server import MCPServer

MOST_NUMBERS = 2_000
"""Of each curve that is told; of a longer one every so-manieth."""
MOST_RUNS = 200
ARRAYS = ("x", "y", "z")


def serve() -> int:
    """Answer until standard input ends."""
    server().run()
    return 0


def server() -> MCPServer[Any]:
    """The server and its tools; raises :class:`goldviz.extras.MissingExtraError` without the official SDK."""
    check_extra("agents", "goldviz mcp")
    from mcp.server import MCPServer
    from mcp.types import ToolAnnotations

    mcp_server = MCPServer("goldviz", instructions="Runs of small neural networks. Begin with runs, then findings.")
    for tool in (runs, findings, measures, figures, figure):
        mcp_server.tool(annotations=ToolAnnotations(read_only_hint=True))(_in_sentences(tool))
    return mcp_server


def _in_sentences(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The tool, whose refusals reach the program that asked; faults that nobody foresaw reach the log alone."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def answer(*arguments: Any, **keywords: Any) -> Any:
        try:
            return tool(*arguments, **keywords)
        except Exception as error:
            code, sentences = told(error)
            if code is None:
                raise
            raise ToolError(" ".join(sentences)) from None

    return answer


def runs(limit: int = 20) -> list[dict[str, Any]]:
    """The latest kept runs, newest first: id, experiment, name, status, step and steps in all (0 where unknown)."""
    rows, _ = Store().list(limit=max(1, min(limit, MOST_RUNS)))
    names = ("id", "experiment", "name", "status", "message", "step", "total", "seconds")
    return [{name: getattr(row, name) for name in names} for row in rows]


def findings(run: str) -> list[dict[str, Any]]:
    """What a run's numbers say, most serious first: number, threshold, cure, and what a cure did that was tried."""
    dataset = api.load(run)
    return [as_json(finding, dataset) for finding in api.findings(dataset)]


def measures(run: str) -> dict[str, dict[str, Any]]:
    """A run's measures by name: words, unit, and a value for each seed."""
    numbers = api.measures(api.load(run))
    return {name: {"words": one.words, "unit": one.unit, "values": _plain(one.values)} for name, one in numbers.items()}


def figures(run: str) -> dict[str, str]:
    """The names of a run's figures, and what each asks."""
    return api.figures(api.load(run)).questions


def figure(run: str, name: str, step: int | None = None) -> list[dict[str, Any]]:
    """The numbers behind a figure at a step, the last one by default: each curve's name with x, y and z."""
    chart = api.figure(api.load(run), name, step=step)
    return [
        {"name": trace.name or "", "type": trace.type}
        | {array: _plain(values) for array in ARRAYS if (values := getattr(trace, array, None)) is not None}
        for trace in chart.data
    ]


def _plain(values: Iterable[Any]) -> list[Any]:
    """Numbers and words as JSON has them; what is no finite number is told as a word."""
    array = np.asarray(values)
    apart = math.ceil(max(len(array), 1) / MOST_NUMBERS)
    return [_plain_value(value) for value in array[::apart].tolist()]


def _plain_value(value: Any) -> Any:
    """One value, or a row of them.

    >>> _plain_value([1.5, float("inf"), "tanh", None])
    [1.5, 'inf', 'tanh', None]
    """
    if isinstance(value, list):
        return [_plain_value(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, int | float | str | None) else str(value)
