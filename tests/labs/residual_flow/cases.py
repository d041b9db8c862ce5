"""What the contract of all laboratories needs to know of *Residual steps to flow*."""

DRAWN_OF = ("as-in-the-document", "rings-a-flow-cannot-part")
"""Presets that have all its figures together, and are quick."""
