"""The same experiments from a shell: ``goldviz list``, ``run``, ``serve`` and ``export``."""

from goldviz.cli.command import main

__all__ = ["main"]
