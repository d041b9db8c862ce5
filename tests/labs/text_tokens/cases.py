"""What the contract of all laboratories needs to know of *Tokens*."""

DOCUMENTED_IN = "docs/tokens.md"
QUICK = {"corpus": "own"}
