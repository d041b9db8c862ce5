"""Every name of Streamlit's and Plotly's that nobody promises is there in the installed version, or the test says who
leans on it."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
import streamlit

from goldviz.figures.plotly_script import PLOTLY_SCRIPT
from tests.foreign_names import IN_SOURCE, INDEX, PLOTLY, STREAMLIT

ROOT = Path(__file__).parents[2] / "goldviz"
SERVED = Path(streamlit.__file__).parent / "static"
OF_PAGES = (".js", ".css", ".html")
TEST_ID = re.compile(r"\bst[A-Z][A-Za-z]+\b")
FIELD = re.compile(r"(?<=\.)_[a-z]\w+")


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """Our scripts, style sheets and Python, without comments."""
    files = [
        one
        for one in ROOT.rglob("*")
        if one.suffix in (".js", ".css", ".html", ".py") and one != Path(str(PLOTLY_SCRIPT))
    ]
    comments = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
    return {
        str(one.relative_to(ROOT)): text if one.suffix == ".py" else comments.sub("", text)
        for one in files
        for text in [one.read_text(encoding="utf-8")]
    }


@pytest.fixture(scope="module")
def plotly() -> str:
    return PLOTLY_SCRIPT.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def streamlit_page() -> str:
    """All that Streamlit's own page is made of."""
    return "\n".join(
        one.read_text(encoding="utf-8") for one in SERVED.rglob("*") if one.suffix in (".js", ".css", ".html")
    )


def leaning(sources: dict[str, str], name: str) -> list[str]:
    whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])" if re.match(r"\w", name) else re.escape(name))
    return [file for file, text in sources.items() if whole.search(text)]


def gone(sources: dict[str, str], names: Iterable[str], there: str) -> dict[str, list[str]]:
    """Of these names those that the other's text lacks, with our files that lean on them."""
    lacks = [one for one in names if not re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", there)]
    return {one: leaning(sources, one) for one in lacks}


def found(sources: dict[str, str], pattern: re.Pattern[str], *, among: str = "") -> set[str]:
    scripts = [text for file, text in sources.items() if not file.endswith(".py") and among in file]
    return {name for text in scripts for name in pattern.findall(text)}


def test_what_scripts_and_style_sheets_lean_on_is_in_streamlit_s_page(
    sources: dict[str, str], streamlit_page: str
) -> None:
    ids = found(sources, TEST_ID)
    assert len(ids) > 20
    # A kind of button is told behind its test id, which stands nowhere alone.
    parts = {"stBaseButton"} & ids
    assert all(f"{one}-" in streamlit_page for one in parts)
    assert gone(sources, {*ids, *STREAMLIT} - parts, streamlit_page) == {}


def test_where_something_is_put_into_streamlit_s_page_is_there() -> None:
    index = (SERVED / "index.html").read_text(encoding="utf-8")
    assert [place for place in INDEX if place not in index] == []


def test_what_scripts_and_style_sheets_lean_on_is_in_plotly_s_script(sources: dict[str, str], plotly: str) -> None:
    fields = found(sources, FIELD, among="ui/assets")
    assert "_fullLayout" in fields
    assert gone(sources, {*fields, *PLOTLY}, plotly) == {}


def test_what_python_leans_on_is_in_streamlit_s_source() -> None:
    folder = SERVED.parent
    texts = {file: (folder / file).read_text(encoding="utf-8") for file in IN_SOURCE}
    assert {file: lacking for file, names in IN_SOURCE.items() if (lacking := gone({}, names, texts[file]))} == {}


def test_the_table_has_nothing_that_nobody_leans_on(sources: dict[str, str]) -> None:
    names = (*PLOTLY, *STREAMLIT, *INDEX, *(one for names in IN_SOURCE.values() for one in names))
    assert [one for one in names if not leaning(sources, one)] == []


def test_a_name_that_went_is_told_with_the_file_that_leans_on_it(sources: dict[str, str], plotly: str) -> None:
    without = plotly.replace("_fullLayout", "_wholeLayout")
    assert "ui/assets/figure_panels.js" in gone(sources, ["_fullLayout"], without)["_fullLayout"]
