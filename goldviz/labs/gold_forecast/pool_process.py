"""The program of a process that does a share of a pool's work (:mod:`goldviz.labs.gold_forecast.process_pool`).

Its input brings first how to build which members, then one message after another with what to call on them; its output
takes an answer to each call. It ends when its input does, in the middle of a call too.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import Any, BinaryIO

from goldviz.data.tables.private_files import keep_others_out
from goldviz.labs.gold_forecast.process_pool import called, received_message, send_message


def main() -> None:
    """Build the members, then answer calls until the input ends."""
    keep_others_out()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What the work prints would be read as an answer.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    messages: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(os.fdopen(0, "rb"), messages), daemon=True).start()
    members, failure = _built(messages.get())
    while True:
        answer = _answer(members, messages.get()) if failure is None else ([], failure)
        try:
            send_message(answers, answer)
        except BrokenPipeError:
            os._exit(0)


def _built(message: bytes) -> tuple[list[Any], Exception | None]:
    """The members, or why there are none: then that is the answer to every call."""
    try:
        build, tasks = pickle.loads(message)  # noqa: S301 - from the process that started this one
        return [build(task) for task in tasks], None
    except Exception as error:  # noqa: BLE001 - it is raised where the pool is
        return [], _portable(error)


def _answer(members: list[Any], message: bytes) -> tuple[list[Any], Exception | None]:
    try:
        results, error = called(members, *pickle.loads(message))  # noqa: S301 - from the process that started this one
    except Exception as unreadable:  # noqa: BLE001 - it is raised where the pool is
        results, error = [], unreadable
    return results, None if error is None else _portable(error)


def _listen(stream: BinaryIO, messages: SimpleQueue[bytes]) -> None:
    while (data := received_message(stream)) is not None:
        messages.put(data)
    # Whoever wanted the answer is gone, so there is nothing to finish or to clean up.
    os._exit(0)


def _portable(error: Exception) -> Exception:
    """The error itself, with its traceback in words, or one of the same sentence where it cannot travel."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    except Exception:  # noqa: BLE001 - whatever keeps it from travelling
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    main()
