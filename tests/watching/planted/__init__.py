"""Forty faults in scripts of somebody's, each on two architectures with a sound twin."""

from tests.watching.planted import data, layers, losses, optimisers, sequences
from tests.watching.planted.fault import PLANTED, Planted

__all__ = ["PLANTED", "Planted", "data", "layers", "losses", "optimisers", "sequences"]
