"""A text file that a visitor chose, kept by a worker."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from goldviz.data.texts.kept_texts import KEPT_TEXTS, KeptText
from goldviz.data.texts.pieces import TextError
from goldviz.runs.jobs.brought_texts import keep
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.brought_files import MOST_READ_SECONDS, READ_SECONDS, brought
from goldviz.ui.panels import background

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


def kept_text(upload: UploadedFile, laboratory: str = "") -> KeptText | None:
    """The text in a file, as the ``laboratory`` of this name can learn from it; None where there is none, as it says.

    Raises :class:`TextError` for a file that cannot be used.
    """
    [file] = brought([upload], TextError)
    key = hashlib.sha256(repr((file, laboratory)).encode()).hexdigest()
    result = background.finished(
        Task(
            f"keep-text-{key}",
            keep,
            (file.key, file.name, laboratory),
            f"Reading {file.name}",
            READ_SECONDS,
            most_seconds=MOST_READ_SECONDS,
        ),
        lambda one: one.text is None or KEPT_TEXTS.path(one.text.name).is_file(),
    )
    if result is not None and result.refused:
        raise TextError(result.refused)
    return None if result is None else result.text
