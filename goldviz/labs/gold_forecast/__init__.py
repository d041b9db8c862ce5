"""Forecast lab: the next log return of gold, and its variance, from partial observations."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "gold-forecast", settings="GoldForecast", extra="markets")
