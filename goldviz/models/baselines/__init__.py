"""Simple forecasts that a network has to beat before anything is said of its skill."""
