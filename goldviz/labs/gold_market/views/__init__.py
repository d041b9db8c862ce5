"""The numbers behind the page: observations, returns, and a join that looks ahead."""
