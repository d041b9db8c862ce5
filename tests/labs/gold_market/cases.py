"""What the contract of all laboratories needs to know of *Gold market*."""
