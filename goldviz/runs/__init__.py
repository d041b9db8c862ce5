"""Runs: recording them, keeping them, carrying them out."""
