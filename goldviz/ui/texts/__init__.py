"""Parts of pages that bring texts and models of texts."""
