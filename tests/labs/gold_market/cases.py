"""What the contract of all laboratories needs to know of *Gold market*."""

DOCUMENTED_IN = "docs/guide.md"
