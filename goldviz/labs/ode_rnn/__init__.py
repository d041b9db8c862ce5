"""ODE-RNN: a hidden state that flows between observations and jumps at them, on irregular times."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "ode-rnn", settings="ODERNNLaboratory")
