"""What the contract of all laboratories needs to know of *Text into tokens*."""

QUICK = {"corpus": "own"}
