"""Attention between two networks: one reads a sequence, the other writes its answer and looks back at what it read."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "attention-interface", settings="AttentionInterface")
