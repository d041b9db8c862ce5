"""The pages that are not one laboratory's own."""
