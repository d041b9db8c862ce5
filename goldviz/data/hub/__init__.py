"""Models of the Hugging Face hub, fetched on request."""
