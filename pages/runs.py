"""Runs: list, filter, open, compare, rename, delete."""

from goldviz.ui.runs.page import show

show()
