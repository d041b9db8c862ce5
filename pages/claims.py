"""Claims: what the documents claim, with what came of it."""

from goldviz.ui.claims_page import show

show()
