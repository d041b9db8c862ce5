"""What a screen reader says of a page's controls: their names, letter by letter."""

import re

from streamlit.testing.v1 import AppTest

KINDS = (
    "radio",
    "selectbox",
    "multiselect",
    "slider",
    "select_slider",
    "number_input",
    "text_input",
    "text_area",
    "checkbox",
    "toggle",
    "button_group",
    "file_uploader",
)
MARKDOWN = re.compile(r"\\|\*\*|(?<!\w)[*_]\w|`|:material/|\]\(|\$")


def names_with_markdown(at: AppTest) -> list[str]:
    """The names of controls that hold an escape or a mark of Markdown, which would be read out."""
    names = [str(getattr(one, "label", "")) for kind in KINDS for one in at.get(kind)]
    return [name for name in names if MARKDOWN.search(name)]
