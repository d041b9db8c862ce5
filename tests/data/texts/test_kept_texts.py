"""Texts that were brought come back as they were or not at all; what is no text is refused in a sentence."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.tables.kept_files import KeptFiles
from goldviz.data.texts import kept_texts
from goldviz.data.texts.kept_texts import LARGEST_TEXT, keep_text, load_text
from goldviz.data.texts.pieces import TextError
from tests.refusals import refused

TEXT = "Rates rose – sharply.\nGold did not."


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "markets"))
    return tmp_path / "markets" / "texts"


def test_a_kept_text_is_loaded_by_its_name(folder):
    kept = keep_text(TEXT.encode(), "notes.txt")
    assert [path.name for path in folder.iterdir()] == [f"{kept.name}.txt"]
    assert load_text(kept.name) == TEXT
    assert (kept.words, kept.notes) == (7, ())


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r\n").encode(),
    ],
    ids=["utf-8", "utf-8 with a mark", "utf-16 little", "utf-16 big", "windows line ends"],
)
def test_the_same_text_has_the_same_name_in_every_encoding(content):
    kept = keep_text(content, "notes.txt")
    assert kept == keep_text(TEXT.encode(), "another.txt")
    assert load_text(kept.name) == TEXT


def test_latin_1_is_read_and_said():
    kept = keep_text("Der Goldpreis fiel über Nacht.".encode("latin-1"), "notizen.txt")
    assert load_text(kept.name) == "Der Goldpreis fiel über Nacht."
    assert kept.notes == ("The text is not UTF-8 and was read as Latin-1.",)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Co", "Cn"]), min_size=1).filter(str.strip))
def test_plain_ascii_and_other_scripts_come_back(text):
    plain = "plain words " + text.encode("ascii", "ignore").decode()
    assert load_text(keep_text(plain.encode(), "a.txt").name) == plain
    assert load_text(keep_text(("γη אב 中 " + plain).encode(), "a.txt").name) == "γη אב 中 " + plain


@pytest.mark.parametrize(
    ("content", "code", "facts"),
    [
        (b"", "empty", ()),
        (b" \n\t ", "empty", ()),
        (codecs.BOM_UTF8 + b"\n", "empty", ()),
        (bytes(range(256)) * 9, "other_kind", ("binary",)),
        ("gold".encode("utf-16-le"), "other_kind", ("binary",)),
        (b"%PDF-1.7 words", "other_kind", ("PDF",)),
        (b"PK\x03\x04 words", "other_kind", ("zip",)),
        (b"a" * (LARGEST_TEXT + 10**5), "too_large", ("20.1 MB", "20 MB")),
    ],
    ids=["nothing", "blanks", "a mark", "all bytes", "no mark", "PDF", "zip", "too large"],
)
def test_what_is_no_text_is_refused(folder, content, code, facts):
    with refused(TextError, code, "notes.txt", *facts):
        keep_text(content, "notes.txt")
    assert not folder.exists()


@pytest.mark.parametrize("name", ["", "generated", "../../etc/passwd", "0123456789ABCDEF", "0123456789abcdef\n"])
def test_a_name_that_is_none_is_refused(name):
    with refused(TextError, "not_allowed", "16"):
        load_text(name)


def test_a_text_of_another_machine_is_missed():
    with refused(TextError, "gone", "0123456789abcdef"):
        load_text("0123456789abcdef")


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:-1], lambda content: b"\xff\xfe"])
def test_a_damaged_file_is_refused_and_mended_by_keeping_again(folder, damage):
    name = keep_text(TEXT.encode(), "notes.txt").name
    path = folder / f"{name}.txt"
    path.write_bytes(damage(path.read_bytes()))
    with refused(TextError, "damaged", name):
        load_text(name)
    keep_text(TEXT.encode(), "notes.txt")
    assert load_text(name) == TEXT


def test_the_least_recently_used_texts_go(monkeypatch):
    monkeypatch.setattr(kept_texts, "KEPT_TEXTS", KeptFiles("texts", ".txt", 100))
    first = keep_text(b"a" * 60, "a.txt").name
    second = keep_text(b"b" * 60, "b.txt").name
    with refused(TextError, "gone", first):
        load_text(first)
    assert load_text(second) == "b" * 60


def test_a_folder_that_cannot_be_is_named(monkeypatch, tmp_path):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "a file"))
    with refused(TextError, "disk", "written"):
        keep_text(TEXT.encode(), "notes.txt")
    with refused(TextError, "disk", "read"):
        load_text("0123456789abcdef")
