"""A run's numbers as figures, findings and stories read them: arrays with named dimensions."""
