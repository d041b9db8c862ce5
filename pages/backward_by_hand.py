"""Backward by hand."""

from goldviz.labs.backward_by_hand.page import PAGE

PAGE.show()
