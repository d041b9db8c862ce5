"""How a leaderboard fools."""

from goldviz.labs.leaderboard.page import PAGE

PAGE.show()
