"""Price tokens."""

from goldviz.labs.price_tokens.page import PAGE

PAGE.show()
