"""Parts of the page: a sentence of one's own, written word by word."""
