"""What a file of the visitor's may be, and what of it is read: its lines."""

from goldviz.data.texts.corpora import WHAT_A_FILE_IS, of_a_file

__all__ = ["WHAT_A_FILE_IS", "of_a_file"]
