"""The Jacobian lens."""

from goldviz.labs.jacobian_lens.page import PAGE

PAGE.show()
