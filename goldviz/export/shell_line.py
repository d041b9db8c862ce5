"""The line of the shell that repeats what is in view."""

from __future__ import annotations

import shlex

from goldviz.declare.settings import Settings


def shell_line(verb: str, settings: Settings, output: str) -> str:
    """What to type for the same settings: ``verb`` is "run" or "compute"."""
    options = [
        part
        for name, value in settings.differences().items()
        for part in (f"--{name.replace('_', '-')}", shlex.quote(_argument(value)))
    ]
    return " ".join(["goldviz", verb, settings.name, *options, "--output", output])


def _argument(value: object) -> str:
    return ",".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
