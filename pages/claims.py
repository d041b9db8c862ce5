"""Claims: what the documents claim, with what came of it."""

from goldviz.ui.pages.claims import show

show()
