"""Laboratories written by the recipe of docs/architecture.md, and by nothing else."""
