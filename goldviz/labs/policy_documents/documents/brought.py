"""What a worker does with documents that a visitor brings: look into their table, and keep them under a name."""

from __future__ import annotations

from collections.abc import Sequence

from goldviz.data.tables.brought_files import Told, brought_content, told
from goldviz.data.texts.dated_files import texts_from_files
from goldviz.data.texts.dated_tables import (
    TextColumns,
    TextTablePreview,
    look_into_texts,
    texts_from_table,
)
from goldviz.data.texts.dated_texts import DatedTextError, ReleaseRule
from goldviz.data.texts.kept_documents import keep_documents
from goldviz.runs.jobs.jobs import Report


def look(report: Report, key: str, name: str) -> Told[TextTablePreview]:
    """What the table in the file of this key holds. Raises DatedTextError where the server has let go of the file."""
    report(0, 1)
    content = brought_content(key, name, DatedTextError)
    return told(lambda: look_into_texts(content, name), DatedTextError)


def keep_table(report: Report, key: str, name: str, columns: TextColumns, rule: ReleaseRule) -> Told[str]:
    """Keep the documents in a table. Raises DatedTextError where the server has let go of the file."""
    report(0, 1)
    content = brought_content(key, name, DatedTextError)
    return told(lambda: keep_documents(texts_from_table(content, name, columns, rule)), DatedTextError)


def keep_files(report: Report, files: Sequence[tuple[str, str]], rule: ReleaseRule, kind: str) -> Told[str]:
    """Keep documents of one file each, given by keys and names. Raises DatedTextError as the others do."""
    report(0, 1)
    contents = [(name, brought_content(key, name, DatedTextError)) for key, name in files]
    return told(lambda: keep_documents(texts_from_files(contents, rule, kind=kind)), DatedTextError)
