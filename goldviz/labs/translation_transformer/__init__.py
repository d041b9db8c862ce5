"""A Transformer that reads a sequence with its encoder and writes the answer with its decoder."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "translation-transformer", settings="TranslationTransformer")
