"""What forecasts: the network, and the baselines that it is measured against."""
