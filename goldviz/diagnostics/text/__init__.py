"""How a model reads a text."""
