"""ODE-RNN."""

from goldviz.labs.ode_rnn.page import PAGE

PAGE.show()
