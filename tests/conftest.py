"""What all tests share."""

import os
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

MAIN = sys.modules["__main__"]

# A deadline would be an assertion about time; in CI the same examples are tried at every run.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(autouse=True, scope="session")
def _data_folder() -> Iterator[None]:
    """What tests keep, such as vectors of texts, does not go where a person's own data are."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOLDVIZ_DATA", folder)
        yield


@pytest.fixture(autouse=True)
def _main_module() -> Iterator[None]:
    """Streamlit's test harness leaves its script as ``__main__``, which processes started later would import."""
    sys.modules["__main__"] = MAIN
    yield
    sys.modules["__main__"] = MAIN
