"""What a person calls data that settings name by a key, 16 digits of a SHA-256: mostly the name of a file.

Keys open data and say nothing; labels say which data they are and open nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from goldviz.data.markets.kept_markets import kept_market
from goldviz.data.markets.text_channels import WITH_TEXTS
from goldviz.data.tables.file_table import plain_words
from goldviz.data.tables.kept_labels import LONGEST_LABEL, kept_label
from goldviz.data.tables.sealed_names import KEY, SEALED, shown_name
from goldviz.data.texts.kept_models import about_model
from goldviz.data.texts.kept_texts import load_text
from goldviz.data.texts.pieces import TextError

GONE = "data that are gone"
"""The label of what this machine does not hold."""


def label_of(control: str, key: str) -> str:
    """What the data of this key are called, for a setting with this ``control``; :data:`GONE` where they are not here.

    Anything that is not a key, such as ``simulated``, is its own label.
    """
    if SEALED.fullmatch(key):
        return shown_name(key)
    if control not in NAMED_BY_KEYS or not KEY.fullmatch(key):
        return key
    return NAMED_BY_KEYS[control](key) or GONE


def particulars(control: str, key: str) -> str:
    """What tells the data of this key apart from others of the same name; empty where it is not known here."""
    if not KEY.fullmatch(key):
        return ""
    if control == "market":
        data = kept_market(key)
        return "" if data is None else f"{data.first:%Y-%m-%d} to {data.last:%Y-%m-%d}, {data.observations:,} values"
    with suppress(TextError):
        return f"{len(load_text(key).split()):,} words"
    return ""


def market_label(source: str, origin: str, target: str) -> str:
    """A market in a few words: its file, or where it is from and what is forecast; then whose documents are in it.

    >>> market_label("file", "gold_gsr.csv, with channels out of documents: fomc.csv", "Close")
    'gold_gsr.csv + fomc.csv'
    >>> market_label("yahoo", "Yahoo Finance", "Gold, COMEX front future")
    'Yahoo Finance: Gold, COMEX front future'
    """
    base, _, documents = origin.partition(WITH_TEXTS)
    words = {"simulated": "Simulated market", "yahoo": f"{base}: {target}"}.get(source, base)
    return plain_words(f"{words} + {documents}" if documents else words, LONGEST_LABEL)


def _of_market(key: str) -> str:
    market = kept_market(key)
    return "" if market is None else market_label(market.source, market.origin, market.target_words)


def _of_model(key: str) -> str:
    about = about_model(key)
    return "" if about is None else about.title


NAMED_BY_KEYS: Mapping[str, Callable[[str], str]] = {
    "market": _of_market,
    "text": kept_label,
    "corpus": kept_label,
    "labelled texts": kept_label,
    "documents": kept_label,
    "series": kept_label,
    "start model": _of_model,
}
"""How data are looked up, by the ``control`` of the setting that names them."""
