"""Parts of the page: one row of attention by hand, and a sentence of one's own."""
