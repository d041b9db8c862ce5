from pathlib import Path

import pytest
import xarray as xr

from goldviz.cli import main

NAME = "depth-gradients"
SMALL = [
    "--width",
    "6",
    "--epochs",
    "2",
    "--samples",
    "32",
    "--features",
    "4",
    "--histogram-every",
    "0",
    "--workers",
    "0",
]


def said(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0) -> tuple[str, str]:
    assert main(["sweep", NAME, *SMALL, *options]) == code
    told = capsys.readouterr()
    return told.out, told.err


def test_a_sweep_says_its_ranges_its_cost_and_its_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sweep.nc"
    out, err = said(
        capsys, "--depth", "2,", "--gain", "0.5:2:3", "--dropout", "0:0.2:2", "--seeds", "0:2", "--to", str(file)
    )
    assert "Gain in equal ratios: 0.5, 1, 2." in err
    assert "Dropout in equal steps: 0, 0.2." in err
    assert "12 cells of depth-gradients in this process: about" in err
    assert f"The sweep is in {file}." in err
    lines = out.splitlines()
    assert lines[0].split() == ["Depth", "Gain", "Dropout", "plain.worth", "residual.worth"]
    assert len(lines) == 1 + 6 + 1
    assert lines[-1] == "Median of 2 seeds, with the lowest and the highest."
    ds = xr.load_dataset(file)
    assert dict(ds.sizes) == {"depth": 1, "gain": 3, "dropout": 2, "seed": 2}
    assert (ds["failed"] == "").all()
    first = ds["plain.worth"].sel(depth=2, gain=0.5, dropout=0).median().item()
    assert lines[1].split()[3] == f"{first:.3g}"


def test_lists_of_words_and_measures_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, "--activation", "tanh,relu", "--depth", "2", "--measures", "plain.test,plain.depth")
    assert [line.split()[0] for line in out.splitlines()] == ["Activation", "tanh", "relu"]
    assert out.splitlines()[0].split() == ["Activation", "plain.test", "plain.depth"]
    assert "2 cells" in err


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "--depth", "2,3", "--quiet") == ("", "")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--gain", "0.5:2"], "--gain is '0.5:2'; allowed is LOW:HIGH:COUNT, such as 0.5:2:7, or values with commas."),
        (["--gain", "a:b:c"], "--gain is 'a:b:c'; allowed is"),
        (["--gain", "0:2:3"], "Gain is read by ratio; allowed is a range above 0, not 0 to 2."),
        (["--seeds", "5:2"], "--seeds is '5:2'; allowed is FIRST:END, such as 0:5, or seeds with commas."),
        (["--seeds", "a"], "Seeds is 'a'; allowed is"),
        (["--depth", "2,300"], "Depth is '300'; allowed is a whole number from 1 to 100."),
        (["--depth", "2,3", "--measures", "plain.wort"], "did you mean 'plain.worth'?"),
        (["--gain", "0.1:10:1000", "--depth", "1:100:100"], "This sweep has 100,000 cells, about"),
        (["--depth", "2", "--to", "sweep.csv"], "The file sweep.csv ends in .csv; allowed is .nc."),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_said(capsys: pytest.CaptureFixture[str], options: list[str], sentence: str) -> None:
    out, err = said(capsys, *options, code=2)
    assert sentence in err
    assert not out
