"""The laboratories, one folder each. None imports another; what two share lies in a shared room."""
