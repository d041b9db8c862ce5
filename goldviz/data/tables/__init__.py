"""Tables as people bring them: delimited text and Parquet, printed dates and numbers."""
