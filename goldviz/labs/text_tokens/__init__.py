"""Text into tokens: byte pairs learned from a text one merge at a time, and what two ways to cut a text make of it."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "text-tokens", settings="TextTokens", extra="texts")
