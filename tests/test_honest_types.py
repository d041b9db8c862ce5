"""The type checker knows what a page's numbers can be asked, and that xarray's own can be asked the same."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

NAMES = '''
"""What figures, measures and notebooks do."""

import xarray as xr

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray, LightDataset
from goldviz.figures.plot import Plot


def figure(plot: Plot) -> None:
    plot.curves({figure})


def measure(run: Run) -> float:
    return float(run["loss"].isel(epoch=-1).{measure}())


def of_a_notebook(dataset: xr.Dataset, array: xr.DataArray) -> tuple[Run, Array]:
    return dataset, array


def of_a_page(dataset: LightDataset, array: LightArray) -> tuple[Run, Array]:
    return dataset, array
'''


def complaints(folder: Path, **names: str) -> list[str]:
    """What mypy says of the file with these names in it."""
    file = folder / "names.py"
    file.write_text(NAMES.format(**names), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(file)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return [line for line in checked.stdout.splitlines() if "names.py" in line]


def test_what_a_page_s_numbers_cannot_do_is_an_error_in_figures_and_measures(tmp_path: Path) -> None:
    assert complaints(tmp_path, figure='plot.ds["loss"].max("seed")', measure="mean") == []
    errors = complaints(tmp_path, figure='plot.ds["loss"].quantile(0.5)', measure="interpolate_na")
    assert [error.split("error: ")[1] for error in errors] == [
        '"Array" has no attribute "quantile"  [attr-defined]',
        '"Array" has no attribute "interpolate_na"  [attr-defined]',
    ]
