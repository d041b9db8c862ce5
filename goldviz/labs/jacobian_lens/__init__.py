"""The Jacobian lens: how a change of the hidden state travels through an untrained recurrent network."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "jacobian-lens", settings="JacobianLens")
