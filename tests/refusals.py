"""What tests expect of an error: its kind, its code and the facts that its sentence names, not the words around."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from goldviz.coded_errors import Code, CodedError


@contextmanager
def refused(kind: type[CodedError], code: Code, *facts: object) -> Iterator[pytest.ExceptionInfo[CodedError]]:
    """Expect an error of this ``kind`` and ``code`` whose sentence names each fact: a name, a row, a value, a bound.

    What a person reads stands on one line.
    """
    with pytest.raises(kind) as caught:
        yield caught
    assert caught.value.code == code, caught.value
    assert "\n" not in str(caught.value), caught.value
    unsaid = [fact for fact in map(str, facts) if fact not in str(caught.value)]
    assert not unsaid, caught.value
