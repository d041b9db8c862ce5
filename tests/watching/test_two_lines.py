"""A script that is watched by the two lines of docs/watch.md is, without them, the script of before."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from goldviz.runs.store.run_store import Store
from goldviz.watching.declared import WATCHED

PAGE = Path(__file__).parents[2] / "docs" / "watch.md"
PLACE = "# in your script, before its loop\n"
SCRIPT = f"""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3)
)
optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=60)
x = torch.randn(320, 8)
data = torch.utils.data.TensorDataset(x, x[:, :3].argmax(1))
loader = torch.utils.data.DataLoader(data, 32, shuffle=True)
{PLACE}
for epoch in range(6):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        schedule.step()
torch.save({{"weights": model.state_dict(), "random": torch.get_rng_state()}}, "trained.pt")
"""
NOWHERE = "import runpy, sys; sys.modules['goldviz'] = None; runpy.run_path('mine.py')"
"""To import goldviz is an error then, as it is where nobody installed it."""


def trained(script: str, folder: Path, *how: str, path: str) -> Any:
    """What a script leaves behind, run in a folder of its own by an interpreter of its own."""
    folder.mkdir()
    (folder / "mine.py").write_text(script)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    environment |= {"GOLDVIZ_DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite'}", "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, *how], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return torch.load(folder / "trained.pt", weights_only=True)


@pytest.mark.slow
def test_without_its_two_lines_a_script_needs_no_goldviz_and_learns_the_same(tmp_path: Path) -> None:
    [two] = re.findall(rf"```python\n{PLACE}(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in two.splitlines() if line]) == 2
    watched = SCRIPT.replace(PLACE, two)
    alone = watched.replace(two, "")
    assert "goldviz" not in alone
    seen = trained(watched, tmp_path / "watched", "mine.py", path=str(PAGE.parents[1]))
    bare = trained(alone, tmp_path / "bare", "-c", NOWHERE, path="")
    assert all(torch.equal(seen["weights"][name], value) for name, value in bare["weights"].items())
    assert torch.equal(seen["random"], bare["random"])
    store = Store(f"sqlite:///{tmp_path / 'watched' / 'runs.sqlite'}")
    [run], _ = store.list(experiment=WATCHED)
    assert (run.name, run.status, run.step) == ("my run", "finished", 60)
    told = store.load(run.id)
    assert len(told["gradient_by_layer"]) == len(told["update_to_data"]) == 60
    assert float(told["learning_rate"].max()) == pytest.approx(1e-2, rel=1e-3)
    assert "loss" not in told
    store.close()
