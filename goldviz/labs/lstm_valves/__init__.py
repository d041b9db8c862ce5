"""The gates of an LSTM as valves in the gradient's flow (document 001, eq. 10-20)."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "lstm-valves", settings="LSTMValves")
