"""Transformer for series: attention over the rows of a series, beside forecasts that need none."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "series-attention", settings="SeriesAttention")
