"""Neural Turing machine."""

from goldviz.labs.neural_turing_machine.page import PAGE

PAGE.show()
