"""``goldviz mcp``, asked by the official SDK's own client over standard input and output."""

import asyncio
import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcp import Client, StdioServerParameters

import goldviz


def dumped(file: Path) -> list[str]:
    """All that a database says; its bytes may move, when what was written to its log goes over into it."""
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())


@pytest.mark.slow
def test_a_program_reads_runs_findings_measures_and_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", url)
    run = goldviz.run(
        "depth-gradients", depth=12, activation="sigmoid", epochs=4, samples=64, progress=False, keep=True
    )
    number = run.attrs["run_id"]
    file = Path(str(tmp_path / "runs.sqlite"))
    before = dumped(file)

    async def asked() -> dict[str, Any]:
        environment = {**os.environ, "GOLDVIZ_DATABASE_URL": url, "PYTHONPATH": str(Path(__file__).parents[1])}
        process = StdioServerParameters(command=sys.executable, args=["-m", "goldviz", "mcp"], env=environment)
        async with Client(process) as client:
            tools = (await client.list_tools()).tools
            answers: dict[str, Any] = {"tools": tools}
            for name, arguments in {
                "runs": {},
                "findings": {"run": number},
                "measures": {"run": number},
                "figures": {"run": number},
                "figure": {"run": number, "name": "gradient_by_layer", "step": 2},
            }.items():
                answers[name] = await client.call_tool(name, arguments)
            answers["none"] = await client.call_tool("findings", {"run": "0123456789ab"})
            answers["no figure"] = await client.call_tool("figure", {"run": number, "name": "nothing"})
            return answers

    answers = asyncio.run(asyncio.wait_for(asked(), 200))
    assert {tool.name for tool in answers["tools"]} == {"runs", "findings", "measures", "figures", "figure"}
    assert all(tool.annotations.read_only_hint and tool.description for tool in answers["tools"])
    told = {name: value.structured_content for name, value in answers.items() if name != "tools"}
    assert [one["id"] for one in told["runs"]["result"]] == [number]
    expected = goldviz.findings(run)
    assert [card["kind"] for card in told["findings"]["result"]] == [finding.kind for finding in expected]
    assert [card["number"] for card in told["findings"]["result"]] == [finding.number for finding in expected]
    for name, one in goldviz.measures(run).items():
        np.testing.assert_allclose(
            [float(value) for value in told["measures"][name]["values"]], one.values, err_msg=name
        )
    drawn = goldviz.figure(run, "gradient_by_layer", step=2)
    for curve, trace in zip(told["figure"]["result"], drawn.data, strict=True):
        assert curve["name"] == trace.name
        assert curve["y"] == json.loads(json.dumps(list(map(float, trace.y))))
    assert answers["none"].is_error
    assert "0123456789ab" in answers["none"].content[0].text
    assert "There is no figure 'nothing'" in answers["no figure"].content[0].text
    assert dumped(file) == before
