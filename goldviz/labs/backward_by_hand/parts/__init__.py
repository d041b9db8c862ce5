"""Parts of the page of *Backward by hand*."""
