"""What the contract of all laboratories needs to know of *Backpropagation, step by step*."""
