"""Gold and its covariates as they are observed: calendars, gaps, release times, and what they say of returns."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "gold-market", settings="GoldMarket")
