"""Adaptive computation time."""

from goldviz.labs.adaptive_computation.page import PAGE

PAGE.show()
