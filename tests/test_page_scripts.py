"""The page's scripts in Node.js."""

import re

from goldviz.ui.serving.page_modules import PACKAGE, modules
from tests.javascript import FOLDER, node

TOGETHER = 6
FILES = sorted(path.name for path in FOLDER.glob("*.test.mjs"))


def test_the_scripts() -> None:
    """All in one call, several at a time: most of them wait for what comes a while later. Node names what fails, also
    where a failing test leaves something behind that would go on for good.
    """
    said = node("--test", "--test-force-exit", "--test-reporter=tap", f"--test-concurrency={TOGETHER}", *FILES)
    assert "# fail 0" in said
    for name in FILES:
        titles = re.findall(r'^test\("([^"]+)"', (FOLDER / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert titles
        assert [title for title in titles if f"# Subtest: {title}\n" not in said] == []


def test_every_module_has_a_test_that_imports_it() -> None:
    tests = "".join((FOLDER / name).read_text(encoding="utf-8") for name in FILES)
    imported = {(FOLDER / path).resolve() for path in re.findall(r'(?:from|^import) "([^"]+)";', tests, re.MULTILINE)}
    assert [module for module in modules() if PACKAGE / module not in imported] == []


def test_parts_of_a_page_share_no_state_by_the_window() -> None:
    assert [module for module, text in modules().items() if re.search(r"(?:window|globalThis)\.goldviz", text)] == []


def test_what_one_laboratory_alone_draws_with_stands_in_its_folder() -> None:
    rooms: dict[str, set[str]] = {}
    for module, text in modules().items():
        for path in re.findall(r'(?:from|^import) "(\.[^"]+)";', text, re.MULTILINE):
            imported = (PACKAGE / module).parent.joinpath(path).resolve().relative_to(PACKAGE).as_posix()
            rooms.setdefault(imported, set()).add(_room(module))
    strangers = {module: users for module, users in rooms.items() if len(users) == 1 and users != {_room(module)}}
    lent = {module: users for module, users in rooms.items() if _room(module) != "ui" and users != {_room(module)}}
    assert (strangers, lent) == ({}, {})


def _room(module: str) -> str:
    return module.rpartition("/assets/")[0]
