"""The documents that this machine holds, named by their content, so that a link shows the same ones again.

A file is JSON under gzip, whose own checksum and the name, 16 digits of a SHA-256, tell damage.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from dataclasses import asdict
from datetime import date
from functools import lru_cache
from typing import Any

from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.kept_labels import keep_label
from goldviz.data.tables.sealed_names import KEY, check_open
from goldviz.data.tables.whole_files import reason_of
from goldviz.data.texts.dated_texts import DatedText, DatedTextError, DatedTexts
from goldviz.data.texts.policy.generated_documents import generated_documents

GENERATED = "generated"
KEPT_DOCUMENTS = PLACES["documents"]
LARGEST_UNPACKED = 250 * 10**6
"""Bytes of the JSON of all documents together; a file that unpacks to more is not read further."""


def keep_documents(documents: DatedTexts) -> str:
    """Keep documents and return their name; the same ones kept again have the same.

    Raises :class:`DatedTextError` where they are larger than :data:`LARGEST_UNPACKED`, or the
    folder cannot be written.
    """
    content = _document_bytes(documents)
    if len(content) > LARGEST_UNPACKED:
        raise DatedTextError(
            f"The documents of {documents.origin} take {len(content) / 1e6:.1f} MB in all; allowed are at most "
            f"{LARGEST_UNPACKED / 1e6:.0f} MB. Choose fewer or shorter ones.",
            "too_large",
        )
    name = hashlib.sha256(content).hexdigest()[:16]
    try:
        KEPT_DOCUMENTS.write(name, gzip.compress(content, mtime=0))
        KEPT_DOCUMENTS.make_room(survivor=name)
    except OSError as error:
        raise DatedTextError(f"The documents cannot be kept on this server: {reason_of(error)}.", "disk") from None
    keep_label(name, documents.origin)
    return name


@lru_cache(maxsize=4)
def documents_at_hand(name: str) -> DatedTexts:
    """The documents of this name, kept in memory: ``generated``, or what :func:`keep_documents` called them.

    Raises :class:`DatedTextError` where this machine does not hold them, or holds a file that
    is damaged.
    """
    if name == GENERATED:
        return generated_documents()
    check_open(name, DatedTextError)
    if not KEY.fullmatch(name):
        raise DatedTextError(
            f"The documents are {name!r}; allowed is '{GENERATED}' or the 16 characters that name kept ones.",
            "not_allowed",
        )
    try:
        archive = KEPT_DOCUMENTS.read(name)
    except OSError as error:
        raise DatedTextError(f"The documents {name} cannot be read: {reason_of(error)}.", "disk") from None
    if archive is None:
        raise DatedTextError(
            f"This machine does not hold the documents {name}: load them here again, or choose the generated ones.",
            "gone",
        )
    try:
        content = _unpacked(archive)
        if hashlib.sha256(content).hexdigest()[:16] != name:
            raise ValueError("The content is not the one after which the file is named.")
        return _from_facts(json.loads(content.decode("utf-8", "surrogatepass")))
    except (ValueError, KeyError, TypeError, EOFError, OSError, zlib.error):
        raise DatedTextError(f"The documents {name} are damaged and not used; load them again.", "damaged") from None


def _document_bytes(documents: DatedTexts) -> bytes:
    """JSON in UTF-8, where a letter beyond ASCII takes two to four bytes and not six, as its escape would."""
    facts = json.dumps(_plain_facts(documents), sort_keys=True, ensure_ascii=False)
    # Half a surrogate pair is no UTF-8; a text may hold one all the same, and keeps it.
    return facts.encode("utf-8", "surrogatepass")


def _unpacked(archive: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    content = unpacker.decompress(archive, LARGEST_UNPACKED)
    if not unpacker.eof:
        raise ValueError("The file does not end where it should.")
    return content


def _plain_facts(documents: DatedTexts) -> dict[str, object]:
    # Documents that were kept before days without a text were noted have no such fact, and keep their name.
    days = {"unwritten": [day.isoformat() for day in documents.unwritten]} if documents.unwritten else {}
    return {
        **days,
        "origin": documents.origin,
        "clock": documents.clock,
        "zone": documents.zone,
        "generated": documents.generated,
        "notes": documents.notes,
        "texts": [
            {**asdict(text), "about": text.about.isoformat(), "released": text.released.isoformat()}
            for text in documents.texts
        ],
    }


def _from_facts(facts: dict[str, Any]) -> DatedTexts:
    texts = tuple(
        DatedText(date.fromisoformat(text["about"]), date.fromisoformat(text["released"]), text["kind"], text["text"])
        for text in facts["texts"]
    )
    return DatedTexts(
        texts,
        facts["origin"],
        facts["clock"],
        facts["zone"],
        facts["generated"],
        tuple(facts["notes"]),
        tuple(map(date.fromisoformat, facts.get("unwritten", ()))),
    )
