"""Tests of the runs room, and a laboratory whose experiments have the procedure in their own class."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "toy", settings="Toy")
