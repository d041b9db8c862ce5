"""Neural programmer: a controller that chooses operations and columns, and learns it from answers alone."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "neural-programmer", settings="NeuralProgrammer")
