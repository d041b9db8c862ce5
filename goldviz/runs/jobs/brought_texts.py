"""What a worker does with a text that a visitor brings: keep it, cut to what a laboratory can learn from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from goldviz.data.tables.brought_files import brought_content
from goldviz.data.texts.kept_texts import KeptText, keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.registry import laboratories
from goldviz.runs.jobs.jobs import Report


@dataclass(frozen=True)
class Kept:
    """A text that was kept, or the sentence for which it is ``refused``."""

    text: KeptText | None = None
    refused: str = ""


def keep(report: Report, key: str, name: str, laboratory: str) -> Kept:
    """Keep the text in the file of this key; where a ``laboratory`` is named, as that one can learn from it.

    Raises :class:`TextError` where the server has let go of the file.
    """
    report(0, 1)
    content = brought_content(key, name, TextError)
    notes: tuple[str, ...] = ()
    try:
        if laboratory:
            content, notes = laboratories()[laboratory].part("corpora").of_a_file(content, name)
        text = keep_text(content, name)
    except TextError as error:
        return Kept(refused=str(error))
    return Kept(replace(text, notes=(*notes, *text.notes)))
