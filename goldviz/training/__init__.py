"""What all training shares: seeds, devices, optimisers, the state of a run."""
