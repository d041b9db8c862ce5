"""Glossary: what the documents' terms mean."""

from goldviz.ui.pages.glossary import show

ICON = ":material/dictionary:"
RANK = 50

show()
