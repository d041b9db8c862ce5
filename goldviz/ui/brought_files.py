"""Files that a visitor chose, let go of by the server's memory as soon as they are kept under their keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from goldviz.coded_errors import CodedError
from goldviz.data.tables.brought_files import Told, keep_brought
from goldviz.runs.execution.memory_watch import give_back_memory
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.panels import background

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

READ_SECONDS, MOST_READ_SECONDS = 2.0, 300.0
"""About how long a worker looks into a file, and how long it may."""
BROUGHT = "brought-files"
Value = TypeVar("Value")


@dataclass(frozen=True)
class BroughtFile:
    """A file under its key: what the visitor calls it, and its bytes."""

    key: str
    name: str
    size: int


def brought(files: Sequence[UploadedFile], fault: type[CodedError]) -> list[BroughtFile]:
    """The files that an uploader holds, each kept once; raises ``fault`` where the disk refuses.

    Of a file that is kept the uploader goes on with its name alone.
    """
    own_files: dict[str, BroughtFile] = st.session_state.setdefault(BROUGHT, {})
    new = [file for file in files if file.file_id not in own_files]
    for file in new:
        own_files[file.file_id] = BroughtFile(keep_brought(file.getvalue(), fault), file.name, file.size)
        _let_go(file)
    if new:
        # The C library would keep what large files took for the next ones, in each of the threads that read them.
        give_back_memory()
    return [own_files[file.file_id] for file in files]


def answer_about(
    task: Task[Told[Value]], fault: type[CodedError], holds: Callable[[Value], bool] = lambda value: True
) -> Value | None:
    """What a worker says of files that were brought, asked once while it ``holds``; None while it is not there, as the
    page then says. Raises ``fault`` as the files are refused."""
    answer = background.finished(
        replace(task, most_seconds=MOST_READ_SECONDS), lambda reply: reply.value is None or holds(reply.value)
    )
    if answer is not None and answer.refused:
        raise fault(answer.refused.sentence, answer.refused.code)
    return None if answer is None else answer.value


def let_go(file: UploadedFile) -> None:
    """Have the server's memory hold no byte of a file that is kept nowhere or refused."""
    _let_go(file)
    give_back_memory()


def _let_go(file: UploadedFile) -> None:
    file.seek(0)
    file.truncate(0)
    context = get_script_run_ctx(suppress_warning=True)
    add = getattr(context.uploaded_file_mgr, "add_file", None) if context is not None else None
    if context is None or add is None:
        return
    # One that went meanwhile does not come back: there may be no room for it.
    if context.uploaded_file_mgr.get_files(context.session_id, [file.file_id]):
        add(context.session_id, UploadedFileRec(file.file_id, file.name, file.type, b""))
