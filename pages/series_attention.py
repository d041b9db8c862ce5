"""Transformer for series."""

from goldviz.labs.series_attention.page import PAGE

PAGE.show()
