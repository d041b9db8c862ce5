"""Runs: list, filter, open, compare, rename, delete."""

from goldviz.ui.runs.page import show

ICON = ":material/list:"
RANK = 20

show()
