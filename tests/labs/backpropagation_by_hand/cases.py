"""What the contract of all laboratories needs to know of *The unrolled network*."""

DOCUMENTED_IN = "docs/guide.md"
