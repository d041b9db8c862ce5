"""How long it takes to encode 100 statements with the model that comes with the package, and to compare two.

Run by hand, on one core: OMP_NUM_THREADS=1 python benchmarks/policy_documents.py [file.csv]

The statements are those of a CSV file with the columns Date, Type and Text, each repeated with its date in front until
there are 100, or else generated ones made as long as the Federal Reserve's (450 words). The goal is 20 s.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path

from goldviz.data.texts.dated_tables import TextColumns, look_into_texts, texts_from_table
from goldviz.data.texts.dated_texts import DatedText
from goldviz.data.texts.kept_documents import keep_documents
from goldviz.data.texts.policy.generated_documents import generated_documents
from goldviz.labs.policy_documents.documents.difference import text_difference
from goldviz.labs.policy_documents.documents.vectors import encode
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.models.text.loading import shipped_text_model

STATEMENTS = 100
WORDS = 450


def statements(given: list[str]) -> list[DatedText]:
    if given:
        content = Path(given[0]).read_bytes()
        found = look_into_texts(content, given[0])
        columns = TextColumns(found.date, found.text, found.release, found.kind)
        known = [text for text in texts_from_table(content, given[0], columns).texts if text.kind == "Statement"]
    else:
        words = " ".join(text.text for text in generated_documents().texts).split()
        parts = [" ".join(words[start : start + WORDS]) for start in range(0, len(words) - WORDS, WORDS // 2)]
        known = [replace(generated_documents().texts[0], text=part) for part in parts]
    return [
        replace(text, text=f"Number {number}. {text.text}", released=text.released + timedelta(days=number))
        for number, text in enumerate(islice(cycle(known), STATEMENTS))
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GOLDVIZ_DATA"] = folder
        model = shipped_text_model()
        texts = statements(sys.argv[1:])
        words = sum(len(text.text.split()) for text in texts)
        start = time.perf_counter()
        found = encode(model, texts)
        took = time.perf_counter() - start
        pieces = sum(one.pieces for one in found)
        print(f"{len(texts)} statements, {words:,} words, {pieces:,} pieces: {took:.1f} s to encode and keep")
        start = time.perf_counter()
        encode(model, texts)
        print(f"the same again, read from the disk: {1000 * (time.perf_counter() - start):.0f} ms")
        start = time.perf_counter()
        text_difference(texts[0].text, texts[1].text)
        print(f"difference of two statements: {1000 * (time.perf_counter() - start):.1f} ms")
        settings = PolicyDocuments()
        settings.compute()
        start = time.perf_counter()
        settings.compute()
        print(
            f"the page's numbers for {len(settings.texts().texts)} encoded documents: "
            f"{1000 * (time.perf_counter() - start):.0f} ms"
        )
        start = time.perf_counter()
        keep_documents(settings.texts())
        print(f"keep them: {1000 * (time.perf_counter() - start):.0f} ms")


if __name__ == "__main__":
    main()
