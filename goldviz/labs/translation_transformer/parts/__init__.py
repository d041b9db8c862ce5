"""Parts of the page: a sentence written word by word, and attention beside that of recurrent networks."""
