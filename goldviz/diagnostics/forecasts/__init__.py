"""How forecasts are judged: scores, their intervals, tests of a difference, and how a verdict is said."""
