"""Continuous depth."""

from goldviz.labs.continuous_depth.page import PAGE

PAGE.show()
