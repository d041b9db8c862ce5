"""Character language models: from counting pairs to a hierarchy that reads eight characters."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "char-language-model", settings="CharLanguageModel", extra="texts")
