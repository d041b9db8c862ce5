"""The store of runs: a database, its tables, and what keeps and reads them."""
