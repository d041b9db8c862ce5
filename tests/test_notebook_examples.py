"""What the pages of the documentation write for a notebook runs, in small."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from goldviz.runs.store.run_store import UnknownRunError

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/guide.md", "docs/continuous-time.md", "docs/attention.md", "docs/sweeps.md")
SMALLER = {
    "depth=15, epochs=20": "depth=3, epochs=2, samples=32",
    "data=gold, epochs=5": "data=gold, epochs=1, train_years=1, test_years=0.5, hidden=4",
    "seeds=range(5), **alike": "seeds=range(2), width=6, epochs=2, samples=32, workers=0, **alike",
    "steps=300": "steps=2, look_every=1, batch=4, hidden=4, width=4",
    "pretraining_steps=400, fine_tuning_steps=100": "pretraining_steps=1, fine_tuning_steps=1",
    "pretraining_steps=100": "pretraining_steps=1, fine_tuning_steps=1",
}
"""What takes long in an example, and what stands in its place here."""


def lines(page: str) -> list[str]:
    """The lines of a page's blocks that import goldviz, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(import goldviz\n.*?)```", text, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_writes_for_a_notebook_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    days = pd.bdate_range("2020-01-01", periods=900)
    walk = np.exp(0.01 * np.random.default_rng(0).standard_normal((900, 2)).cumsum(0))
    pd.DataFrame({"Date": days, "Close": 1500 * walk[:, 0], "Silver": 20 * walk[:, 1]}).to_csv("gold.csv", index=False)
    texts = ["Inflation has eased.", "Rates were raised by a quarter point.", "The committee left rates unchanged."]
    pd.DataFrame({"date": days[::300], "text": texts}).to_csv("statements.csv", index=False)
    known: dict[str, object] = {}
    for line in lines(page):
        code = line
        for long, short in SMALLER.items():
            code = code.replace(long, short)
        if "goldviz.load(" in code:
            with pytest.raises(UnknownRunError, match="There is no run '4f2a90c1d7e3'"):
                exec(code, known)
        else:
            exec(code, known)
    ds: xr.Dataset = known["ds"]  # type: ignore[assignment]
    assert (ds["failed"] == "").all() if "failed" in ds else ds.attrs["status"] == "finished"


def test_every_page_that_writes_for_a_notebook_is_tried() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    assert {str(page.relative_to(ROOT)) for page in pages if lines(str(page.relative_to(ROOT)))} == set(PAGES)
