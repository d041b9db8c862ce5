"""Markets of channels: where they come from, when values were known, how they are kept."""
