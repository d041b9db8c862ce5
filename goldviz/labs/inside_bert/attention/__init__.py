"""What attention does, layer by layer."""
