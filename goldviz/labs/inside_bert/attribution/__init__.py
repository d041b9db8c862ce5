"""What a text's pieces contribute to what the model says."""
