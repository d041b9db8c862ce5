"""What the contract of all laboratories needs to know of *Backpropagation through time by hand*."""

DOCUMENTED_IN = "docs/guide.md"
