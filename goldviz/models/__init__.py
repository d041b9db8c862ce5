"""The networks, one family a file, with the equations of the documents."""
