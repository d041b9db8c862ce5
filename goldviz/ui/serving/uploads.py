"""What visitors upload, held by the server until a page has read it: a sum for each visitor, and one for all.

Streamlit holds every upload until its visitor's session ends, whether a page still shows it or not.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from goldviz.runs.execution.memory_watch import give_back_memory

if TYPE_CHECKING:
    from streamlit.runtime.session_manager import SessionInfo
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec

MOST_OF_A_VISITOR = 160 * 10**6
"""Bytes: three files of the largest size, which one page may join."""
MOST_OF_ALL = 600 * 10**6
RECORD = 1000
"""About what is kept of an upload beside its bytes and its words, in bytes: one of no bytes is no less of a record."""
NO_ROOM = 507
"""The status that the page puts into words (``connection.js``)."""
PATIENCE_SECONDS = 300.0
"""An uploader tells the page of several files once the last of them has come."""


class BoundedUploads(MemoryUploadedFileManager):
    """Uploads up to both sums; what is beyond is refused with a status of its own."""

    def __init__(self, upload_endpoint: str) -> None:
        super().__init__(upload_endpoint)
        self.begin()

    def begin(self) -> None:
        """Count what comes from now on."""
        self._came: dict[tuple[str, str], float] = {}
        self._sums: dict[str, int] = {}
        self._sum_of_all = 0
        self._weighing = threading.Lock()

    def add_file(self, session_id: str, file: UploadedFileRec) -> None:
        """Hold a file; raises starlette's ``HTTPException`` with :data:`NO_ROOM` beyond the sums."""
        from starlette.exceptions import HTTPException

        with self._weighing:
            more = _weight(file) - self._weight_of(session_id, file.file_id)
            own = self._sums.get(session_id, 0) + more
            fits = more <= 0 or (own <= MOST_OF_A_VISITOR and self._sum_of_all + more <= MOST_OF_ALL)
            if fits:
                self._sums[session_id] = own
                self._sum_of_all += more
                self._came[session_id, file.file_id] = time.monotonic()
                super().add_file(session_id, file)
        if not fits:
            # Memory that is let go of stays with the C library otherwise.
            del file
            give_back_memory()
            raise HTTPException(NO_ROOM, "The server holds as many bytes of uploads as it may.")

    def remove_file(self, session_id: str, file_id: str) -> None:
        """Let go of a file."""
        with self._weighing:
            if less := self._weight_of(session_id, file_id):
                self._sums[session_id] -= less
                self._sum_of_all -= less
                super().remove_file(session_id, file_id)

    def remove_session_files(self, session_id: str) -> None:
        """Let go of all that a visitor brought."""
        with self._weighing:
            self._sum_of_all -= self._sums.pop(session_id, 0)
            super().remove_session_files(session_id)

    def _weight_of(self, session_id: str, file_id: str) -> int:
        return sum(map(_weight, self.get_files(session_id, [file_id])))

    def free_unseen(self, sessions: list[SessionInfo]) -> None:
        """Let go of what no uploader of its visitor's page holds any more, or never held."""
        seen = {(one.session.id, file_id) for one in sessions for file_id in _in_uploaders(one)}
        held = [(session_id, file_id) for session_id, files in [*self.file_storage.items()] for file_id in [*files]]
        self._came = {key: self._came[key] for key in held if key in self._came}
        long_ago = time.monotonic() - PATIENCE_SECONDS
        unseen = [key for key in held if key not in seen and self._came.get(key, 0.0) < long_ago]
        for session_id, file_id in unseen:
            self.remove_file(session_id, file_id)
        if unseen:
            give_back_memory()


def _weight(file: UploadedFileRec) -> int:
    """About what an upload takes in memory."""
    return RECORD + sum(map(sys.getsizeof, file))


def _in_uploaders(one: SessionInfo) -> Iterator[str]:
    """The files that the uploaders on a visitor's page hold, as the browser told with its last question."""
    for widget in one.session._client_state.widget_states.widgets:
        for file in widget.file_uploader_state_value.uploaded_file_info:
            yield file.file_id


def bounded() -> BoundedUploads | None:
    """Have the server's own holder of uploads keep to the sums; None without a server.

    The routes hold the object itself, so its class is exchanged, before the first visitor comes.
    """
    from streamlit import runtime

    held = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    if not isinstance(held, MemoryUploadedFileManager):
        return None
    held.__class__ = BoundedUploads
    assert isinstance(held, BoundedUploads)
    held.begin()
    return held


def sessions() -> list[SessionInfo]:
    """All visitors, those whose connection is gone for a moment included."""
    from streamlit import runtime

    return runtime.get_instance()._session_mgr.list_sessions()
