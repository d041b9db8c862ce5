"""What the networks translate: pairs of sequences of which it is known which word stands for which."""
