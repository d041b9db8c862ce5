"""The page of all runs, their table, and the head of one."""
