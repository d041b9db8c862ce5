"""Backpropagation, step by step."""

from goldviz.labs.backpropagation_steps.page import PAGE

PAGE.show()
