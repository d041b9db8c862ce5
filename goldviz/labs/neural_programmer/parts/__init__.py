"""Parts of the page: single questions, their programs as text, and a question of one's own."""
