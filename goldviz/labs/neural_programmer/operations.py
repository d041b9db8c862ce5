"""What a program is made of: the names of operations, and which of them read a column."""

from __future__ import annotations

OPERATIONS = ("keep", "greater", "lesser", "and", "sum", "count", "print")
"""In the order in which the controller weighs them."""
KEEP, GREATER, LESSER, AND, SUM, COUNT, PRINT = range(len(OPERATIONS))
READ_A_COLUMN = (GREATER, LESSER, SUM, PRINT)
CHANGE_ROWS = (GREATER, LESSER, AND)
COLUMNS = "abcde"
"""Names of columns, of which a table has the first."""


def in_words(operation: int, column: int) -> str:
    """A step of a program: the operation, and the column where it reads one.

    >>> in_words(GREATER, 1), in_words(COUNT, 1)
    ('greater b', 'count')
    """
    name = OPERATIONS[operation]
    return f"{name} {COLUMNS[column]}" if operation in READ_A_COLUMN else name
