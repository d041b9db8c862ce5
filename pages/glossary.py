"""Glossary: what the documents' terms mean."""

from goldviz.ui.glossary import show

show()
