"""What the laboratories of texts share above their models: which model a name means."""
