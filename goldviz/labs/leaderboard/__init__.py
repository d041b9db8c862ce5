"""How a leaderboard fools: forecasters of a series in one table, and what makes a table's numbers worth less."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "leaderboard", settings="Leaderboard", extra="markets")
