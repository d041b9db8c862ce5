"""Gradient flow in depth."""

from goldviz.labs.depth_gradients.page import PAGE

PAGE.show()
