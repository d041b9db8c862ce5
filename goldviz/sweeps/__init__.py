"""Sweeps: many runs of one experiment over a grid of settings and seeds, as one labelled dataset."""
