"""Inside BERT: a text, and everything that an encoder does with it (document 001, section 4)."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "inside-bert", settings="InsideBert", extra="texts")
