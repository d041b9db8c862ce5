"""RNN, LSTM and GRU over sequences of equal steps."""
