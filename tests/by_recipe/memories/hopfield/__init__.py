"""Hopfield network: how many patterns fit into its weights."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "hopfield", settings="Hopfield")
