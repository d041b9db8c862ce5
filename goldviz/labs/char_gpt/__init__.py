"""Character GPT: a causal Transformer that learns to write, and what each of its parts is for."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "char-gpt", settings="CharGpt", extra="texts")
