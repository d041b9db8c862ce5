"""Advice: what each remedy did when it was tried."""

from goldviz.ui.pages.advice import show

ICON = ":material/medication:"
RANK = 40

show()
