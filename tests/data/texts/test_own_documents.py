"""Documents of one's own from a notebook and a shell: read as the page reads them, asked by naming the argument."""

from __future__ import annotations

from pathlib import Path

import pytest

import goldviz
from goldviz.cli.errors import CommandError
from goldviz.cli.running import compute, with_files
from goldviz.coded_errors import Code
from goldviz.data.texts.dated_files import texts_from_files
from goldviz.data.texts.dated_tables import TextColumns, look_into_texts, texts_from_table
from goldviz.data.texts.dated_texts import DatedTextError, ReleaseRule
from goldviz.data.texts.kept_documents import documents_at_hand, keep_documents
from goldviz.declare.registry import instant
from tests.places import REAL_DATA
from tests.refusals import refused

ROWS = b"Date,Text,Type\n18/12/2024,Rates rose.,Statement\n19/12/2024,Rates fell.,Statement\n"
EITHER = ROWS.replace(b"18/12", b"01/02").replace(b"19/12", b"03/04")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "statements.csv"
    path.write_bytes(ROWS)
    return path


def shell(path: object, **options: object) -> str:
    """The name that ``goldviz compute policy-documents --documents PATH`` sets."""
    said = {f"documents_{option}": value for option, value in options.items()}
    return str(with_files(instant("policy-documents"), {"documents": str(path), **said})["documents"])


def test_page_notebook_and_shell_keep_the_same_documents(file: Path) -> None:
    of_the_page = keep_documents(texts_from_table(ROWS, file.name, TextColumns("Date", "Text", kind="Type")))
    assert goldviz.documents(file, progress=False) == shell(file) == of_the_page
    assert [text.about.day for text in documents_at_hand(of_the_page).texts] == [18, 19]


def test_a_folder_and_its_files_are_the_same_documents(tmp_path: Path) -> None:
    folder = tmp_path / "of days"
    folder.mkdir()
    (folder / "ignored.pdf").write_bytes(b"%PDF")
    contents = [(f"2016{month:02d}16.txt", f"Rates stay. Risk {month}.".encode()) for month in (1, 2)]
    for name, content in contents:
        (folder / name).write_bytes(content)
    rule = ReleaseRule("14:15", "Europe/Prague", 8)
    of_the_page = keep_documents(texts_from_files(contents, rule, kind="Minutes"))
    said = {"kind": "Minutes", "out": "14:15 Prague", "minutes_after": 8}
    assert goldviz.documents(folder, **said, progress=False) == of_the_page
    assert goldviz.documents([folder / name for name, _ in contents], **said, progress=False) == of_the_page
    assert shell(folder, **said) == of_the_page
    assert (documents_at_hand(of_the_page).clock, documents_at_hand(of_the_page).texts[0].released.day) == ("14:15", 24)


def test_dates_of_two_readings_are_asked_by_the_argument(file: Path) -> None:
    file.write_bytes(EITHER)
    with refused(DatedTextError, "two_readings", "2024-02-01 or as 2024-01-02", "day_first=", "--documents-dates"):
        goldviz.documents(file)
    with pytest.raises(CommandError, match="2024-02-01 or as 2024-01-02"):
        shell(file)
    name = goldviz.documents(file, day_first=False, progress=False)
    assert name == shell(file, dates="month-first")
    assert documents_at_hand(name).texts[0].about.isoformat() == "2024-01-02"


def test_days_of_release_of_two_readings_are_asked_too(file: Path) -> None:
    file.write_bytes(b"Date,Released,Text\n2024-01-02,02/03/2024,Rates rose.\n2024-01-03,,Rates fell.\n")
    preview = look_into_texts(file.read_bytes(), file.name)
    assert (preview.release, preview.date_order, preview.readings["month"]) == ("Released", "either", ("2024-02-03",))
    with refused(DatedTextError, "two_readings", "2024-03-02 or as 2024-02-03", "day_first="):
        goldviz.documents(file)
    name = goldviz.documents(file, day_first=False, progress=False)
    assert max(text.released for text in documents_at_hand(name).texts).isoformat() == "2024-02-03"


def test_a_column_that_may_be_another_is_said_and_can_be_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(b"Date,Text,Summary\n2024-12-18,Rates rose much.,Rates rose more.\n")
    taken = goldviz.documents(file)
    assert "More than one column holds long texts; Text was taken. Another is said by text=." in capsys.readouterr().err
    other = goldviz.documents(file, text="Summary")
    assert "More than one" not in capsys.readouterr().err
    assert [documents_at_hand(name).texts[0].text for name in (taken, other)] == [
        "Rates rose much.",
        "Rates rose more.",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "told", "allowed"),
    [
        ({"text": "Words"}, "not_offered", "'Words'", "Date, Text, Type"),
        ({"out": "tea time"}, "not_allowed", "out is 'tea time'", "'14:15 Prague'"),
        ({"out": "14:15 Prague, next day"}, "not_allowed", "out is '14:15 Prague, next day'", "'14:15 Prague'"),
        ({"minutes_after": 500}, "not_allowed", "minutes_after is 500", "0 to 120 days"),
    ],
)
def test_what_is_not_allowed_is_told_with_its_argument(
    file: Path, arguments: dict[str, object], code: Code, told: str, allowed: str
) -> None:
    with refused(DatedTextError, code, told, allowed):
        goldviz.documents(file, **arguments)
    with pytest.raises(CommandError, match=told):
        shell(file, **arguments)


def test_files_that_are_no_documents_are_refused(file: Path, tmp_path: Path) -> None:
    for path, reason in (("~nobody-here/x.csv", "there is no such account"), ("a\0b", "no path"), ("x" * 999, "File ")):
        with refused(DatedTextError, "disk", reason):
            goldviz.documents(path)
        assert shell(path) == path, "it may be no path at all"
    with refused(DatedTextError, "disk", "nowhere.csv", "No such file"):
        goldviz.documents(tmp_path / "nowhere.csv")
    with refused(DatedTextError, "table_and_texts"):
        goldviz.documents([file, file])
    with refused(DatedTextError, "empty", tmp_path, ".txt or .md"):
        goldviz.documents(tmp_path)
    text = tmp_path / "2016-01-16.txt"
    text.write_bytes(b"Rates stay.")
    with refused(DatedTextError, "not_allowed", "date, text and release"):
        goldviz.documents(text, text="Text")


def test_options_without_a_file_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match=r"--documents-text says how the file or folder of --documents is read"):
        compute("policy-documents", ["--documents-text", "Text"])
    with pytest.raises(SystemExit):
        compute("policy-documents", ["--help"])
    assert "--documents-minutes-after DAYS" in capsys.readouterr().out


CASES = {
    "s40_minutes_to_come.csv": "1 document is dated in the future, the last on",
    "s41_one_text_eight_days.csv": "All 8 documents have the same words, so there is nothing to compare.",
    "s42_too_many_and_a_typo.csv": r"2,300 documents; allowed are at most 2,000.*row 62",
    "s43_files_named_by_day": "The day of release of 6 documents is assumed",
}


@pytest.mark.parametrize("name", CASES)
def test_each_small_file_of_texts_is_told_alike_in_notebook_and_shell(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = REAL_DATA / "cases" / name
    if not path.exists():
        pytest.skip(f"needs the small file {name} beside the project")
    if name.startswith("s42"):
        with refused(DatedTextError, "too_large", "2,300", "2,000", "row 62"):
            goldviz.documents(path)
        with pytest.raises(CommandError, match=CASES[name]):
            shell(path)
        return
    kept = goldviz.documents(path)
    assert CASES[name] in capsys.readouterr().err
    assert shell(path) == kept
    assert CASES[name] in capsys.readouterr().err
