"""What runs do: data, networks, training and diagnostics put together."""
