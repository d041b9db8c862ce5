"""A grammar of policy statements, from which texts are generated."""
