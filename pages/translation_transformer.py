"""Translation with a Transformer."""

from goldviz.labs.translation_transformer.page import PAGE

PAGE.show()
