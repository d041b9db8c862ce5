"""What a worker does with a text that a visitor brings: keep it, cut to what a laboratory can learn from."""

from __future__ import annotations

from dataclasses import replace

from goldviz.data.tables.brought_files import Told, brought_content, told
from goldviz.data.texts import labelled_files
from goldviz.data.texts.kept_texts import KeptText, keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.registry import laboratories
from goldviz.runs.jobs.jobs import Report

LABELLED = "labelled texts"


def keep(report: Report, key: str, name: str, reader: str) -> Told[KeptText]:
    """Keep the text in the file of this key, as the ``reader`` takes it: the laboratory of that name, or
    :data:`LABELLED`; whole where there is none.

    Raises :class:`TextError` where the server has let go of the file.
    """
    report(0, 1)
    content = brought_content(key, name, TextError)

    def keep_it() -> KeptText:
        if not reader:
            return keep_text(content, name)
        takes = labelled_files if reader == LABELLED else laboratories()[reader].part("corpora")
        part, notes = takes.of_a_file(content, name)
        text = keep_text(part, name)
        return replace(text, notes=(*notes, *text.notes))

    return told(keep_it, TextError)
