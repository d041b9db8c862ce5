"""What the contract of all laboratories needs to know of *Jacobian lens*."""

DOCUMENTED_IN = "docs/guide.md"
