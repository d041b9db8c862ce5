"""Sessions of visitors who have gone: kept for a while in case they come back, then shut down at once.

Streamlit drops them instead, and what they hold, three descriptors and all uploads, goes when a collection happens to
find them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamlit.runtime.memory_session_storage import MemorySessionStorage

if TYPE_CHECKING:
    from streamlit.runtime.session_manager import SessionInfo


MOST_WAITING = 128


class ClosingStorage(MemorySessionStorage):
    """Sessions without a connection, so many and so long at most; one that has to go is shut down."""

    def __init__(self, maxsize: int, ttl_seconds: int) -> None:
        super().__init__(maxsize, ttl_seconds)
        self._waiting: dict[str, SessionInfo] = {}

    def save(self, session_info: SessionInfo) -> None:
        """Keep a session whose visitor has gone."""
        super().save(session_info)
        self._waiting[session_info.session.id] = session_info
        self.close_gone()

    def delete(self, session_id: str) -> None:
        """Hand a session back to its visitor, or to whoever shuts it down."""
        self._waiting.pop(session_id, None)
        super().delete(session_id)

    def close_gone(self) -> None:
        """Shut down those whose time is over or whose place another one took. For the event loop's thread."""
        here = {info.session.id for info in self.list()}
        for session_id in [one for one in self._waiting if one not in here]:
            self._waiting.pop(session_id).session.shutdown()


def closing() -> ClosingStorage:
    """Put such a storage in the place of the server's own, which is empty as the server starts."""
    from streamlit import get_option, runtime

    storage = ClosingStorage(MOST_WAITING, get_option("server.disconnectedSessionTTL"))
    if runtime.exists():
        # No setting names another storage.
        runtime.get_instance()._session_mgr._session_storage = storage  # type: ignore[attr-defined]
    return storage
