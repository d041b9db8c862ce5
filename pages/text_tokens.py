"""Text into tokens."""

from goldviz.labs.text_tokens.page import PAGE

PAGE.show()
