"""Neural Turing machine: a network that reads and writes a memory by attention, beside an LSTM and a GRU."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "neural-turing-machine", settings="NeuralTuringMachine")
