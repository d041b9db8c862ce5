"""Documents in files on this machine, kept: for notebooks and shells, where nobody is asked in between."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from goldviz.data.markets.market import MarketError
from goldviz.data.markets.release_words import written_release
from goldviz.data.texts.dated_files import TEXT_ENDINGS, is_one_table, texts_from_files
from goldviz.data.texts.dated_tables import TextColumns, look_into_texts, texts_from_table
from goldviz.data.texts.dated_texts import MINUTES_WAIT, NEW_YORK_AFTERNOON, DatedTextError, DatedTexts, ReleaseRule
from goldviz.data.texts.kept_documents import keep_documents
from goldviz.data.texts.uploaded_text import LARGEST_UPLOAD
from goldviz.plain_files import content_of, named

LONGEST_WAIT = 120
"""Days."""


def keep_files(
    files: str | Path | Sequence[str | Path],
    *,
    date: str = "",
    text: str = "",
    release: str | None = None,
    kind: str | None = None,
    day_first: bool | None = None,
    out: str = "",
    minutes_after: int = MINUTES_WAIT,
) -> tuple[str, tuple[str, ...]]:
    """Keep the documents in a table, in text files or in a folder of them; return their name and what was noticed.

    The arguments are those of :func:`goldviz.documents`. The same files with the same answers have the same name as in
    the page.

    Raises :class:`DatedTextError` for files that cannot be read, as :func:`look_into_texts` and
    :func:`texts_from_files` do, and for what the page would ask and no argument says.
    """
    rule = _rule(out, minutes_after)
    paths = _paths(files)
    if is_one_table([path.name for path in paths]):
        columns, notes = _columns(paths[0], TextColumns(date, text, day_first=day_first), release, kind)
        documents = texts_from_table(_content(paths[0]), paths[0].name, columns, rule)
    elif date or text or release:
        raise DatedTextError(
            "The arguments date, text and release name columns of a table; text files have none.", "not_allowed"
        )
    else:
        documents, notes = _from_texts(paths, rule, day_first, kind or ""), ()
    return keep_documents(documents), (*notes, *documents.notes)


def _paths(files: str | Path | Sequence[str | Path]) -> list[Path]:
    """The files; of a folder its text files by name."""
    try:
        paths = [named(file) for file in ([files] if isinstance(files, str | Path) else files)]
        if len(paths) == 1 and paths[0].is_dir():
            folder = paths[0]
            paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in TEXT_ENDINGS)
            if not paths:
                raise DatedTextError(f"The folder {folder} has no text files; their names end in .txt or .md.", "empty")
        size = sum(path.stat().st_size for path in paths)
    except OSError as error:
        raise DatedTextError(f"The file {error.filename} cannot be read: {error.strerror}.", "disk") from None
    if size > LARGEST_UPLOAD:
        raise DatedTextError(
            f"The files have {size / 1e6:,.1f} MB; allowed are at most {LARGEST_UPLOAD / 1e6:.0f} MB together.",
            "too_large",
        )
    return paths


def _content(path: Path) -> bytes:
    try:
        return content_of(path, LARGEST_UPLOAD)
    except OSError as error:
        raise DatedTextError(f"The file {path} cannot be read: {error.strerror}.", "disk") from None


def _from_texts(paths: Sequence[Path], rule: ReleaseRule, day_first: bool | None, kind: str) -> DatedTexts:
    return texts_from_files([(path.name, _content(path)) for path in paths], rule, day_first, kind)


def _columns(
    path: Path, said: TextColumns, release: str | None, kind: str | None
) -> tuple[TextColumns, tuple[str, ...]]:
    """The columns that are said, else those that are found, and a note on each that could be another one."""
    found = look_into_texts(_content(path), path.name)
    columns = TextColumns(
        said.date or found.date,
        said.text or found.text,
        found.release if release is None else release,
        found.kind if kind is None else kind,
        said.day_first,
    )
    if found.date_order == "either" and said.day_first is None:
        as_day, as_month = (found.readings[order][0] for order in ("day", "month"))
        raise DatedTextError(
            f"The dates of {found.name} can be read in two ways, the first as {as_day} or as {as_month}. Say "
            "day_first=True or day_first=False; in a shell, --documents-dates day-first or month-first.",
            "two_readings",
        )
    notes = []
    if "text" in found.unclear and not said.text:
        notes.append(f"More than one column holds long texts; {found.text} was taken. Another is said by text=.")
    if "date" in found.unclear and not said.date:
        notes.append(f"More than one column holds dates; {found.date} was taken. Another is said by date=.")
    return columns, tuple(notes)


def _rule(out: str, minutes_after: int) -> ReleaseRule:
    if not (isinstance(minutes_after, int) and 0 <= minutes_after <= LONGEST_WAIT):
        raise DatedTextError(
            f"minutes_after is {minutes_after!r}; allowed are 0 to {LONGEST_WAIT} days, as a whole number.",
            "not_allowed",
        )
    clock, zone = NEW_YORK_AFTERNOON
    if out:
        try:
            told = written_release(out)
        except MarketError:
            told = None
        if told is None or told.days or told.business_days is not None or told.period:
            raise DatedTextError(
                f"out is {out[:60]!r}; allowed is a time and a city, such as '14:15 Prague'.", "not_allowed"
            )
        clock, zone = told.clock, told.zone
    return ReleaseRule(clock, zone, minutes_after)
