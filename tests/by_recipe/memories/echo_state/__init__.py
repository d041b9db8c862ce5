"""Echo-state network: what a reservoir remembers by its spectral radius."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "echo-state", settings="EchoState")
