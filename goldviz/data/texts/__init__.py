"""Texts, dated and undated, and the pieces that a model reads."""
