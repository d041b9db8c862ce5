"""Watching a network that goldviz did not make, in a script of somebody's own."""
