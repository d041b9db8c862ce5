"""Character language models."""

from goldviz.labs.char_language_model.page import PAGE

PAGE.show()
