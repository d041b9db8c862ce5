"""What a worker does with a text that a visitor brings: keep it, cut to what a laboratory can learn from."""

from __future__ import annotations

from dataclasses import replace

from goldviz.data.tables.brought_files import Told, brought_content, told
from goldviz.data.texts.kept_texts import KeptText, keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.registry import laboratories
from goldviz.runs.jobs.jobs import Report


def keep(report: Report, key: str, name: str, laboratory: str) -> Told[KeptText]:
    """Keep the text in the file of this key; where a ``laboratory`` is named, as that one can learn from it.

    Raises :class:`TextError` where the server has let go of the file.
    """
    report(0, 1)
    content = brought_content(key, name, TextError)

    def keep_it() -> KeptText:
        if not laboratory:
            return keep_text(content, name)
        part, notes = laboratories()[laboratory].part("corpora").of_a_file(content, name)
        text = keep_text(part, name)
        return replace(text, notes=(*notes, *text.notes))

    return told(keep_it, TextError)
