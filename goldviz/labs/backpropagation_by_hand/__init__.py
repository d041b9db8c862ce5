"""The unrolled network: document 003's recursion on a text, one step at a time."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "backpropagation-by-hand", settings="BackpropagationByHand")
