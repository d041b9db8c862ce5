"""Claims: what the documents claim, with what came of it."""

from goldviz.ui.pages.claims import show

ICON = ":material/fact_check:"
RANK = 30

show()
