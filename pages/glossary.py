"""Glossary: what the documents' terms mean."""

from goldviz.ui.pages.glossary import show

show()
