"""Jacobians and gradients through time."""
