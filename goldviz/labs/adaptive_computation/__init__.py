"""Adaptive computation time: a network that decides how long to think."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "adaptive-computation", settings="AdaptiveComputation")
