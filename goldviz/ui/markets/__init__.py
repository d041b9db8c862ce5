"""Parts of pages that show and change the visitor's market."""
