"""What is read off a network, and what it says about it."""
