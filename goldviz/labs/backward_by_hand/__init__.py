"""Backward by hand: every gradient from the loss of a small language model back to its embedding, written out."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "backward-by-hand", settings="BackwardByHand")
