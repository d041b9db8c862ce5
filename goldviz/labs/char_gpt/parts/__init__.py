"""Parts of the page of *Character GPT*."""
