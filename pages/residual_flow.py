"""Residual steps to flow."""

from goldviz.labs.residual_flow.page import PAGE

PAGE.show()
