"""LSTM valves."""

from goldviz.labs.lstm_valves.page import PAGE

PAGE.show()
