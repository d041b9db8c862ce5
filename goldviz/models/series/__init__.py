"""Attention along a series: who sees whom, at what cost, and how a row says where it stands; and forecasters."""
