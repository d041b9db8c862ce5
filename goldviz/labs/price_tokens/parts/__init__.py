"""Parts of the page *Price tokens* that a person works with."""
