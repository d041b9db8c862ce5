"""Character GPT."""

from goldviz.labs.char_gpt.page import PAGE

PAGE.show()
