"""How runs are carried out: worker processes, their limits, and what watches them."""
