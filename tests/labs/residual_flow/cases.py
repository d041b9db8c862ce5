"""What the contract of all laboratories needs to know of *Residual steps to flow*."""

DOCUMENTED_IN = "docs/continuous-time.md"
