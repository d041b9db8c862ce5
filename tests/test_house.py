"""What the house promises to those who change it: where things are, and what may know of what."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import grimp
import pytest

from goldviz.declare.claims import claims
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import experiments, laboratories
from goldviz.declare.stories import stories
from goldviz.ui.chrome import pages_of_no_laboratory
from tests.labs.laboratories_table import chapter_page

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "goldviz"
LABS = PACKAGE / "labs"
PAGES_OF_THEIR_OWN = {
    *(f"goldviz.ui.pages.{page}" for page in ("home", "all_laboratories", "claims", "advice", "glossary")),
    "goldviz.ui.pages.your_network",
    "goldviz.ui.navigation",
    "goldviz.ui.runs.page",
    "goldviz.ui.panels.stories",
}
"""What stands around all pages, and what those show that are no laboratories."""

each_document = pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))],
    ids=lambda page: page.name,
)
each_laboratory = pytest.mark.parametrize("lab", laboratories().values(), ids=lambda lab: lab.name)


def names_of(lab: Laboratory) -> re.Pattern[str]:
    """How code could name a laboratory: its slug as a whole text, its package or folder in a path, its class."""
    folder = re.escape(lab.folder)
    return re.compile(rf"{lab.name}|.*\blabs[./]{folder}\b.*|.*\bpages[./]{folder}\b.*|{lab.settings}", re.DOTALL)


def said_in(source: str) -> set[str]:
    """All identifiers, imports and texts of a module, without those texts that only document it."""
    tree = ast.parse(source)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    said: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in documentation:
                said.add(text)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                said.add(name)
            case ast.ImportFrom(module=str(module)):
                said.add(module)
                said.update(f"{module}.{alias.name}" for alias in node.names)
            case _:
                pass
    return said


@each_laboratory
def test_nothing_outside_its_folder_names_a_laboratory(lab: Laboratory) -> None:
    named = names_of(lab)
    assert not {(file, said) for file, said in said_outside() if named.fullmatch(said)}


@cache
def said_outside() -> frozenset[tuple[str, str]]:
    """What every file outside the laboratories says, by its name."""
    files = [*(file for file in PACKAGE.rglob("*.py") if LABS not in file.parents), ROOT / "app.py"]
    return frozenset(
        (str(file.relative_to(ROOT)), said) for file in files for said in said_in(file.read_text(encoding="utf-8"))
    )


@pytest.mark.parametrize(
    "source",
    [
        'LIGHT = {"ode-rnn"}',
        "from goldviz.labs.ode_rnn import LAB",
        "from goldviz.labs import ode_rnn",
        'TEXT = "goldviz/labs/ode_rnn/recorded"',
        'import_module("goldviz.labs.ode_rnn")',
        "isinstance(settings, ODERNNLaboratory)",
        "module.ODERNNLaboratory()",
        'st.switch_page("pages/ode_rnn.py")',
    ],
)
def test_every_way_of_naming_a_laboratory_is_seen(source: str) -> None:
    named = names_of(laboratories()["ode-rnn"])
    assert any(named.fullmatch(said) for said in said_in(source))


@pytest.mark.parametrize("source", ['STYLES = {"ode_rnn": 1}', "from goldviz.models.continuous.ode_rnn import ODERNN"])
def test_a_network_may_be_called_as_a_laboratory_is(source: str) -> None:
    assert not any(names_of(laboratories()["ode-rnn"]).fullmatch(said) for said in said_in(source))


def test_no_folder_holds_more_than_forty_files() -> None:
    counts = {str(folder.relative_to(ROOT)): len(list(folder.glob("*.py"))) for folder in [PACKAGE, *_folders()]}
    assert {folder: count for folder, count in counts.items() if count > 40} == {}


def _folders() -> list[Path]:
    return [folder for folder in PACKAGE.rglob("*") if folder.is_dir()]


def test_what_one_laboratory_alone_needs_stands_in_its_folder() -> None:
    graph = grimp.build_graph("goldviz", exclude_type_checking_imports=True)
    reached = defaultdict(set)
    for page in {*(lab.package for lab in laboratories().values()), *PAGES_OF_THEIR_OWN}:
        for module in graph.find_upstream_modules(page, as_package=page not in PAGES_OF_THEIR_OWN):
            # Those of a laboratory, and of watching, whose page is *Your network*, stand in their own folder.
            if not module.startswith(("goldviz.labs.", "goldviz.watching.")):
                reached[module].add(page)
    alone = sorted(f"{module}: only {pages.pop()}" for module, pages in reached.items() if len(pages) == 1)
    assert len(alone) <= 9, "\n".join(alone)


@each_laboratory
def test_a_page_of_a_laboratory_only_shows_it(lab: Laboratory) -> None:
    text = (ROOT / "pages" / f"{lab.folder}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 8
    assert f"from {lab.package}.page import PAGE" in text
    assert text.endswith("\nPAGE.show()\n")


def test_every_other_page_has_a_title_and_only_shows_itself() -> None:
    others = [ROOT / page.file for page in pages_of_no_laboratory()]
    assert {file.stem for file in others} >= {"runs", "claims", "advice", "stories", "glossary"}
    for file in [ROOT / "pages" / "home.py", *others]:
        text = file.read_text(encoding="utf-8")
        assert re.match(r'"""[A-Z][a-z ]+: ', text), file
        assert "\nshow()\n" in text, file


@each_laboratory
def test_a_laboratory_has_the_files_of_the_recipe(lab: Laboratory) -> None:
    work = "train" if lab.name in experiments() else "compute"
    assert [part for part in ("settings", work, "figures", "page") if not lab.has(part)] == []
    assert (lab.recorded / "picture.svg").is_file()


def test_every_folder_of_laboratories_is_one() -> None:
    folders = {folder.name for folder in LABS.iterdir() if (folder / "__init__.py").is_file()}
    assert folders == {lab.folder for lab in laboratories().values()}
    assert all(lab.name == lab.folder.replace("_", "-") for lab in laboratories().values())


@each_laboratory
def test_the_documentation_of_a_chapter_has_a_row_for_each_of_its_laboratories(lab: Laboratory) -> None:
    page = chapter_page(lab).read_text(encoding="utf-8")
    assert f"\n| **{lab.declared.title}** | " in page


def test_the_documentation_is_short_and_led_to_by_a_readme_of_a_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 120
    assert [page.name for page in (ROOT / "docs").glob("*.md") if f"(docs/{page.name}" not in readme] == []


def test_the_documentation_counts_stories_and_names_what_lacks_claims() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    numbers = ("Eight", "Nine", "Ten", "Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen")
    assert f"{numbers[len(stories()) - 8]} questions in" in guide
    claimed = {one.lab for one in claims().values()}
    without = [f"*{lab.declared.title}*" for lab in laboratories().values() if lab not in claimed]
    assert f"Each laboratory but {' and '.join(without)} lists what the documents claim" in guide


@each_document
def test_links_of_the_documentation_lead_somewhere(page: Path) -> None:
    code = r"```.*?```|`[^`]*`|^ {4}[^\n]*"
    said = re.sub(code, "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", said) if "://" not in link]
    assert [link for link in links if not leads_somewhere(page, link)] == []


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether a link's file is there, and has the heading that its anchor names."""
    name, _, anchor = link.partition("#")
    file = page.parent / name if name else page
    return file.is_file() and (not anchor or anchor in anchors_of(file.read_text(encoding="utf-8")))


def anchors_of(text: str) -> set[str]:
    """The anchors that GitHub makes of a page's headings; those that come again have numbers.

    >>> sorted(anchors_of("# Time (eq. 5-9)\\n## What, when?\\n## What, when?"))
    ['time-eq-5-9', 'what-when', 'what-when-1']
    """
    found: list[str] = []
    for heading in re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.M):
        found.append(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-"))
    return {anchor + (f"-{n}" if (n := found[:place].count(anchor)) else "") for place, anchor in enumerate(found)}


@each_document
def test_files_that_a_page_names_are_there(page: Path) -> None:
    recipe = page.read_text(encoding="utf-8").partition("## Add a laboratory")[0]
    named = re.findall(r"`((?:goldviz|pages|tests|docs|benchmarks)/[\w./-]+)`", recipe)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_what_is_drawn_alone_can_have_the_whole_page_drawn() -> None:
    asking = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "fragment"
    }
    assert asking == {"ui/whole_page.py"}


def test_the_address_is_read_and_written_in_one_place() -> None:
    """Who read it by other ways would read an old one: a link within a page tells the server a new one alone."""
    files = [
        path for path in PACKAGE.rglob("*.py") if re.search(r"\bst\.query_params", path.read_text(encoding="utf-8"))
    ]
    assert [path.relative_to(PACKAGE).as_posix() for path in files] == ["ui/address.py"]
