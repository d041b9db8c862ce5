"""Parts of the page *Text into tokens*."""
