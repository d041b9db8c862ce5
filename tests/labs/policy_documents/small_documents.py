"""A small model with random weights, and documents by hand, for tests of the encoding of documents."""

from datetime import date, timedelta
from pathlib import Path

from goldviz.data.texts.dated_texts import DatedText, DatedTexts, order_of_release
from goldviz.models.text.loading import load_text_model
from goldviz.models.text.model import TextModel
from tests.random_bert import write_random_bert

FIRST = date(2023, 1, 4)
LABELS = {0: "negative", 1: "neutral", 2: "positive"}


def small_model(folder: Path, *, classifier: bool = True) -> TextModel:
    """Three layers, 48 wide, 512 positions; its tones mean nothing."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    write_random_bert(folder)
    if classifier:
        config = BertConfig.from_pretrained(folder, id2label=LABELS, label2id={name: n for n, name in LABELS.items()})
        with torch.random.fork_rng():
            torch.manual_seed(1)
            BertForSequenceClassification(config).save_pretrained(folder)
    return load_text_model(folder)


def some_documents(count: int = 8, days: int = 14) -> DatedTexts:
    """Statements of which each differs from the one before in a few words, and a note among them."""
    texts = []
    for number in range(count):
        day = FIRST + timedelta(days=days * number)
        kind = "Note" if number == 3 else "Statement"
        verb, rate = "raise" if number % 2 else "lower", number % 3 + 1
        words = f"the committee decided to {verb} rates to {rate} percent. inflation remains elevated."
        texts.append(DatedText(day, day, kind, words))
    return DatedTexts(tuple(sorted(texts, key=order_of_release)), "by hand")
