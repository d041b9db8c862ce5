"""Small folders of models as they are handed around, in page, notebook and shell alike."""

import subprocess
import sys
from pathlib import Path

import pytest
import xarray as xr

import goldviz
from goldviz.cli import main
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.models.text.places import kept_folders
from goldviz.text_models import loaded_models, text_model
from goldviz.ui.serving import services
from tests.pages.instant import InstantVisitor
from tests.places import REAL_DATA

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("on_pages")]
SAID = {
    "s60-padded-table": {"spare_rows"},
    "s61-many-labels": {"too_many_classes"},
    "s62-older-sentence-layout": set(),
    "s63 Prüfung": set(),
    "s64-capitals-lowered": {"lower_case"},
    "s65-byte-level-accents": set(),
}
"""What is noted of each, if anything."""
TEXT = "Gold naïve café."


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders, made anew by the script beside the project."""
    script = REAL_DATA / "cases" / "make_small_models.py"
    if not script.exists():
        pytest.skip("needs the script of small models beside the project")
    made = tmp_path_factory.mktemp("models")
    subprocess.run([sys.executable, "-W", "ignore", str(script), str(made)], check=True, capture_output=True)
    return made


@pytest.fixture(autouse=True)
def models(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_MODELS", str(folders))
    loaded_models.clear()
    services.jobs().results.clear()


def test_all_are_listed() -> None:
    assert SAID.keys() <= set(kept_folders())


@pytest.mark.parametrize("name", SAID)
def test_page_notebook_and_shell_read_a_folder_alike(name: str, tmp_path: Path) -> None:
    settings = {"model": f"folder:{name}", "text": TEXT}
    notebook = goldviz.compute("inside-bert", **settings)
    kept = tmp_path / "seen.nc"
    assert main(["compute", "inside-bert", "--model", settings["model"], "--text", TEXT, "--output", str(kept)]) == 0
    with xr.open_dataset(kept) as shell:
        xr.testing.assert_allclose(shell.load(), notebook)
    if name == "s65-byte-level-accents":
        assert "Ġcafé" in notebook["token"]
    page = InstantVisitor(InsideBert, settings)
    assert page.errors == []
    assert "scores" in page.drawn()
    assert SAID[name] <= dict(text_model(settings["model"]).notes).keys()
