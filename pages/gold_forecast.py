"""Forecast lab."""

from goldviz.labs.gold_forecast.page import PAGE

PAGE.show()
