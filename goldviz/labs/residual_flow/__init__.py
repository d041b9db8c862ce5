"""What a residual network becomes when it gets deeper and its steps smaller (document 001, section 3)."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "residual-flow", settings="ResidualFlow")
