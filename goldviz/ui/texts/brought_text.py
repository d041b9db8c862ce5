"""A text file that a visitor chose, kept by a worker."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from goldviz.data.texts.kept_texts import KEPT_TEXTS, KeptText
from goldviz.data.texts.pieces import TextError
from goldviz.runs.jobs.brought_texts import keep
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.brought_files import READ_SECONDS, answer_about, brought

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


def kept_text(upload: UploadedFile, reader: str = "") -> KeptText | None:
    """The text in a file, as :func:`goldviz.runs.jobs.brought_texts.keep` keeps it for a ``reader``; None while there
    is none, as the page then says.

    Raises :class:`TextError` for a file that cannot be used.
    """
    [file] = brought([upload], TextError)
    key = hashlib.sha256(repr((file, reader)).encode()).hexdigest()
    task = Task(f"keep-text-{key}", keep, (file.key, file.name, reader), f"Reading {file.name}", READ_SECONDS)
    return answer_about(task, TextError, lambda text: KEPT_TEXTS.path(text.name).is_file())
