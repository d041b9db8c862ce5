"""What the contract of all laboratories needs to know of *Text into tokens*."""

DOCUMENTED_IN = "docs/tokens.md"
QUICK = {"corpus": "own"}
