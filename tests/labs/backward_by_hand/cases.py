"""What the contract of all laboratories needs to know of *Backward by hand*."""

DOCUMENTED_IN = "docs/backward-by-hand.md"
