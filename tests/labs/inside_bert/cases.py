"""What the contract of all laboratories needs to know of *Inside BERT*."""

QUICK = {"steps": 4}
"""The path of integrated gradients is what takes long."""
DOCUMENTED_IN = "docs/attention.md"
TOO_LONG_FOR_A_LINK = {"break-it-too-long": {"text"}}
