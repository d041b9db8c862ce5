"""Attention between networks."""

from goldviz.labs.attention_interface.page import PAGE

PAGE.show()
