"""What a file of the visitor's may be, and what of it is read: its text as it runs."""

from goldviz.data.texts.dated_texts import DatedTextError
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.uploaded_text import decoded_text
from goldviz.labs.char_gpt.texts import MOST_CHARACTERS, checked_text

WHAT_A_FILE_IS = (
    f"A plain text file (.txt), at most 20 MB. It is read as it runs, line ends and all; of a longer one the first "
    f"{MOST_CHARACTERS:,} characters."
)


def of_a_file(content: bytes, file: str) -> tuple[bytes, tuple[str, ...]]:
    """What is kept of a visitor's file, and notes on it.

    Raises:
        TextError: the file is empty, binary, or too short to learn from.
    """
    try:
        text, notes = decoded_text(content, file)
    except DatedTextError as error:
        raise TextError(str(error), error.code) from None
    beginning, more = checked_text(text)
    return beginning.encode(), (*notes, *more)
