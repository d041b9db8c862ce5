"""Gradient flow in depth: a plain deep network against its residual twin."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "depth-gradients", settings="DepthGradients")
