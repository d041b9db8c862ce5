"""How a number becomes a token: bins, clusters, regimes of a Markov chain and learned codes."""
