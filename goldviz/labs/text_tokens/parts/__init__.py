"""Parts of the page *Tokens*."""
