"""Gold market."""

from goldviz.labs.gold_market.page import PAGE

PAGE.show()
