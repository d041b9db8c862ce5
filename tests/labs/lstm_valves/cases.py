"""What the contract of all laboratories needs to know of *LSTM valves*."""

DOCUMENTED_IN = "docs/guide.md"
