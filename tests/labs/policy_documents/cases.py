"""What the contract of all laboratories needs to know of *Policy documents*."""

DOCUMENTED_IN = "docs/attention.md"
