"""What attention costs: full, LogSparse and ProbSparse, what they save and what they give up."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "attention-cost", settings="AttentionCost")
