"""What the contract of all laboratories needs to know of *Residual steps to flow*."""

DOCUMENTED_IN = "docs/continuous-time.md"
DRAWN_OF = ("as-in-the-document", "rings-a-flow-cannot-part")
"""Presets that have all its figures together, and are quick."""
