"""Labelled arrays in, Plotly figures out."""
