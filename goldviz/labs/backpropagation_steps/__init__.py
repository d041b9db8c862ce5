"""Backpropagation, step by step: the four equations on a small network whose every number is in sight."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "backpropagation-steps", settings="BackpropagationSteps")
