"""Parts of networks without memory."""
