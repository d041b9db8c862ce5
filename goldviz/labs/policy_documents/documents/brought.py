"""What a worker does with documents that a visitor brings: look into their table, and keep them.

What files are refused for is an answer like any other, so that they are read once and not whenever the page is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldviz.data.tables.brought_files import brought_content
from goldviz.data.texts.dated_texts import DatedTextError, ReleaseRule
from goldviz.labs.policy_documents.documents.files import texts_from_files
from goldviz.labs.policy_documents.documents.kept import keep_documents
from goldviz.labs.policy_documents.documents.tables import (
    TextColumns,
    TextTablePreview,
    look_into_texts,
    texts_from_table,
)
from goldviz.runs.jobs.jobs import Report


@dataclass(frozen=True)
class Looked:
    """What was seen in a table of documents, or the sentence for which it is ``refused``."""

    preview: TextTablePreview | None = None
    refused: str = ""


@dataclass(frozen=True)
class Kept:
    """The name of documents that were kept, or the sentence for which they are ``refused``."""

    name: str = ""
    refused: str = ""


def look(report: Report, key: str, name: str) -> Looked:
    """What the table in the file of this key holds. Raises DatedTextError where the server has let go of the file."""
    report(0, 1)
    content = brought_content(key, name, DatedTextError)
    try:
        return Looked(look_into_texts(content, name))
    except DatedTextError as error:
        return Looked(refused=str(error))


def keep_table(report: Report, key: str, name: str, columns: TextColumns, rule: ReleaseRule) -> Kept:
    """Keep the documents in a table. Raises DatedTextError where the server has let go of the file."""
    report(0, 1)
    content = brought_content(key, name, DatedTextError)
    try:
        return Kept(keep_documents(texts_from_table(content, name, columns, rule)))
    except DatedTextError as error:
        return Kept(refused=str(error))


def keep_files(report: Report, files: Sequence[tuple[str, str]], rule: ReleaseRule) -> Kept:
    """Keep documents of one file each, given by keys and names. Raises DatedTextError as the others do."""
    report(0, 1)
    contents = [(name, brought_content(key, name, DatedTextError)) for key, name in files]
    try:
        return Kept(keep_documents(texts_from_files(contents, rule)))
    except DatedTextError as error:
        return Kept(refused=str(error))
