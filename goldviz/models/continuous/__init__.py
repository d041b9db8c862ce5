"""Vector fields, solvers, and networks whose state flows between observations."""
