"""Runs: list, filter, open, compare, rename, delete."""

from goldviz.ui.runs_page import show

show()
