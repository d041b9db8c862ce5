"""Forecasters of a multivariate series: all of a window's horizon at once, from all of its look-back."""
