"""Memory through time: a plain RNN, an LSTM and a GRU on tasks that need a long memory."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "recurrent-gradients", settings="RecurrentGradients")
