"""What routes answer with: a status, bytes and what they are; a fault is a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from goldviz.runs.jobs.jobs import JobFailedError, TooManyJobsError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

Made = TypeVar("Made")

BINARY = "application/octet-stream"
JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
NOT_STORED = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""Headers of an answer that holds for one moment."""


class Answer(NamedTuple):
    """What an HTTP request gets."""

    status: int
    content: bytes
    media_type: str

    @classmethod
    def refused(cls, status: int, sentence: str) -> Answer:
        """A sentence about why there is no other answer."""
        return cls(status, sentence.encode(), TEXT)

    def response(self, headers: dict[str, str] = NOT_STORED) -> Response:
        """The answer as the server sends it."""
        from starlette.responses import Response

        return Response(self.content, self.status, headers, self.media_type)


def answered(make: Callable[[], Made], as_answer: Callable[[Made], Answer]) -> Answer:
    """What ``make`` gives, as ``as_answer``; a sentence where it raises ``ValueError``, or no worker did its part."""
    try:
        result = make()
    except ValueError as error:
        return Answer.refused(getattr(error, "status", 400), str(error))
    except (JobFailedError, TooManyJobsError) as error:
        return Answer.refused(503, str(error))
    return as_answer(result)


def as_json(reply: object) -> Answer:
    """Plain values as JSON."""
    return Answer(200, json.dumps(reply, separators=(",", ":"), allow_nan=False).encode(), JSON)


async def body_of(request: Request, most: int) -> bytes:
    """What a request brings; of what is longer than ``most`` bytes no more than tells that it is."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            break
    return body
