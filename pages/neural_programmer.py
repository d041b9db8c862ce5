"""Neural programmer."""

from goldviz.labs.neural_programmer.page import PAGE

PAGE.show()
