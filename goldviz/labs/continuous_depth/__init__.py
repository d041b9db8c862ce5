"""Continuous depth: a neural ODE and the residual network that it is the limit of, trained side by side."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "continuous-depth", settings="ContinuousDepth")
