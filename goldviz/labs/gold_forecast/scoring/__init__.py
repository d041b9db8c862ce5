"""How forecasts are scored, tested and put into tables."""
