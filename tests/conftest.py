"""What all tests share."""

import os

from hypothesis import settings

# A deadline would be an assertion about time; in CI the same examples are tried at every run.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
