"""The unrolled network."""

from goldviz.labs.backpropagation_by_hand.page import PAGE

PAGE.show()
