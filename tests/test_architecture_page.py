"""The page that tells how to add a laboratory is followed to the letter, in a copy of the checkout."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LOOK_AT_THE_PAGE = """
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

plain_init = PagesManager.__init__

def init(self, *arguments, **named):
    plain_init(self, *arguments, **named)
    PagesManager.uses_pages_directory = False  # as the server says when it starts

PagesManager.__init__ = init
page = AppTest.from_file("app.py", default_timeout=60).run()
page.switch_page("pages/random_walk.py").run()
assert not page.exception, page.exception
assert not page.error, [error.value for error in page.error]
assert page.title[0].value == "Random walk"
print("page is there")
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout with the page's files written into it."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in ("goldviz", "pages", "docs", "tests"):
        shutil.copytree(ROOT / name, copy / name)
    for name in ("app.py", "pyproject.toml", "Makefile", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, copy)
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python file=(\S+)\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 8
    for name, source in blocks:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(source, encoding="utf-8")
    _python(copy, "docs/make_examples.py", "random-walk")
    [(page, row)] = re.findall(r"```markdown row of (\S+)\n(.*?\n)```", text, flags=re.DOTALL)
    _edit(copy / page, "|---|---|\n", "|---|---|\n" + row)
    _edit(copy / "docs" / "guide.md", " lists what the", " and *Random walk* lists what the")
    return copy


def _edit(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")


def _python(folder: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "GOLDVIZ_DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite'}",
    }
    environment["GOLDVIZ_WORKERS"] = "0"
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_its_examples_are_recorded(checkout: Path) -> None:
    recorded = {path.name for path in (checkout / "goldviz" / "labs" / "random_walk" / "recorded").iterdir()}
    assert recorded == {"picture.svg", "fair.safetensors", "break-it-drift.safetensors"}


@pytest.mark.slow
def test_python_runs_it_the_same_every_time(checkout: Path) -> None:
    run = "goldviz.run('random-walk', seeds=[0, 3], steps=5, progress=False)"
    call = f"import goldviz; print({run}.position.values.tolist())"
    first = _python(checkout, "-c", call)
    assert first.count(",") == 9
    assert first == _python(checkout, "-c", call)


@pytest.mark.slow
def test_the_shell_runs_it(checkout: Path) -> None:
    shell = "import sys; from goldviz.cli import main; sys.exit(main(sys.argv[1:]))"
    _python(
        checkout, "-c", shell, "run", "random-walk", "--drift", "0.5", "--steps", "4", "--quiet", "--output", "walk.csv"
    )
    assert "position" in (checkout / "walk.csv").read_text(encoding="utf-8")


@pytest.mark.slow
def test_its_script_repeats_it(checkout: Path) -> None:
    make = "import goldviz; from goldviz.labs.random_walk import LAB; print(LAB.script(LAB.declared(steps=3)))"
    (checkout / "alone.py").write_text(_python(checkout, "-c", make), encoding="utf-8")
    subprocess.run([sys.executable, "-I", "alone.py"], cwd=checkout, check=True, timeout=120)


@pytest.mark.slow
def test_its_page_is_there(checkout: Path) -> None:
    assert "page is there" in _python(checkout, "-c", LOOK_AT_THE_PAGE)


@pytest.mark.slow
def test_the_tests_of_all_laboratories_hold_it(checkout: Path) -> None:
    _python(checkout, "-m", "tests.labs.laboratories_table")
    for kept in (
        "labs.offered",
        "labs.small_numbers",
        "pages.outlines",
    ):
        _python(checkout, "-m", f"tests.{kept}", "random-walk")
    named = ["every_laboratory", "pages", "random_walk", "recorded_cards", "sentences_on_cards", "what_figures_show"]
    files = [f"tests/truth/test_{name}.py" for name in named]
    files += ["tests/labs", "tests/pages/test_outlines.py", "tests/test_house.py", "tests/test_size.py"]
    # What a killed process leaves behind depends on how busy the machine is, and on no laboratory.
    of_it = "(random-walk or random_walk or every_laboratory or documentation) and not killed"
    _python(checkout, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, "-k", of_it)
