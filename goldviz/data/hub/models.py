"""Models of the Hugging Face hub: what this machine holds, what one would take, and its download.

Nothing is asked of the hub but by :func:`look_up` and :func:`download`, and they ask for no more than one model's
description and its files. The files lie where the hub's own tools keep them, so those find them too.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from huggingface_hub import constants

from goldviz.data.hub.faults import (
    LOG_IN,
    HubError,
    fault_of_the_disk,
    no_address,
    no_room,
    offline,
    printable,
    switched_off,
    unreadable,
)
from goldviz.plain_files import content_of

HUB_PATIENCE = 10.0
"""Seconds that the hub has for each part of an answer."""

MOST_BYTES = 2_200_000_000
"""The most that a download may take: what the laboratory can read at all."""

FREE_BYTES = 2_000_000_000
"""What a download leaves free on the disk: on a server, anybody who visits can begin one."""

READABLE_KINDS = ("bert", "camembert", "distilbert", "roberta", "xlm-roberta")

SUGGESTED: tuple[tuple[str, str], ...] = (
    (
        "yiyanghkust/finbert-pretrain",
        "FinBERT by Yang, Uy and Huang (2020), pre-trained on 4.9 billion tokens of company reports, earnings calls "
        "and analysts' reports. It guesses masked words and has no tone. Its own vocabulary has 30,873 pieces; the "
        "documents give 30,522, which is BERT's.",
    ),
    (
        "yiyanghkust/finbert-tone",
        "The same FinBERT, fine-tuned by its authors on 10,000 sentences of analysts' reports. It gives a tone: "
        "neutral, positive or negative.",
    ),
    (
        "ProsusAI/finbert",
        "FinBERT by Araci (2019), which shares the name alone with that of Yang, Uy and Huang. It is BERT with its "
        "30,522 pieces, trained further on financial news and fine-tuned on the Financial PhraseBank. It gives a "
        "tone: positive, negative or neutral.",
    ),
    (
        "google-bert/bert-base-uncased",
        "BERT by Devlin et al. (2019), trained on books and Wikipedia, with 30,522 pieces. It guesses masked words and "
        "has no tone: the measure of what a financial model adds.",
    ),
)
"""Models that fit the documents, each under its own name, and what it is."""

REPO_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST_REPO = 96
LONGEST_REVISION = 100
COMMIT = re.compile("[0-9a-f]{40}")
CONTENT_NAME = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
SETTINGS_FILES = ("config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
PIECES_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model")
WEIGHT_FORMS = ("safetensors", "bin")
WHOLE_WEIGHTS = {"safetensors": "model.safetensors", "bin": "pytorch_model.bin"}
WEIGHT_PART = re.compile(r"(?:model|pytorch_model)-\d{5}-of-(\d{5})\.(?:safetensors|bin)")

DownloadReport = Callable[[int, int], None]
"""Told how many bytes are there and how many there will be; what it raises ends the download, and what came stays."""


@dataclass(frozen=True)
class HubFile:
    """A file of a model, its bytes, and the name of its content: SHA-256, or git's SHA-1 for small files."""

    name: str
    size: int
    content: str


@dataclass(frozen=True)
class HubListing:
    """What a model would take, as of its commit ``revision``; ``downloaded`` says that all of it is here already."""

    repo: str
    revision: str
    files: tuple[HubFile, ...]
    total_bytes: int
    downloaded: bool
    notes: tuple[str, ...] = ()


def valid_repo(text: str) -> str:
    """The model's name that was typed in, owner/name; raises :class:`HubError` for what cannot be one.

    >>> valid_repo(" ProsusAI/finbert ")
    'ProsusAI/finbert'
    """
    repo = text.strip()
    if (
        len(repo) > LONGEST_REPO
        or not REPO_NAME.fullmatch(repo)
        or "--" in repo
        or ".." in repo
        or any(part.endswith((".", "-", ".git")) for part in repo.split("/"))
    ):
        excerpt = printable(repo, 40) or "''"
        raise HubError(
            excerpt,
            "this cannot be the name of a model on the hub",
            "enter its owner, a slash and its name, for example ProsusAI/finbert",
            "not_allowed",
        )
    return repo


def held(repo: str) -> Path | None:
    """The folder in which this machine holds a model of the hub, or None; the network is never touched.

    What the hub's own tools downloaded counts, if it has all that is needed. Raises :class:`HubError` for a name that
    cannot be one.
    """
    storage = _storage(valid_repo(repo))
    try:
        revision = content_of(storage / "refs" / constants.DEFAULT_REVISION, LONGEST_REVISION).decode().strip()
        folder = storage / "snapshots" / revision
        names = {path.name for path in folder.iterdir() if path.is_file()}
    except (OSError, ValueError):
        return None
    return folder if COMMIT.fullmatch(revision) and needed_files(names) else None


def needed_files(names: Iterable[str]) -> tuple[str, ...]:
    """Of a repository's files, those that the laboratory reads: settings, vocabulary, and weights in one form.

    Safetensors come before PyTorch's own format. Empty where something that cannot be done without is missing.

    >>> needed_files(["README.md", "config.json", "tf_model.h5", "vocab.txt", "pytorch_model.bin"])
    ('config.json', 'vocab.txt', 'pytorch_model.bin')
    """
    there = set(names)
    pieces = [name for name in PIECES_FILES if name in there]
    weights = next(filter(None, (_weights(there, form) for form in WEIGHT_FORMS)), [])
    if "config.json" not in there or not pieces or not weights:
        return ()
    return (*(name for name in SETTINGS_FILES if name in there), *pieces, *weights)


def look_up(
    repo: str, endpoint: str | None = None, *, revision: str | None = None, seconds: float = HUB_PATIENCE
) -> HubListing:
    """Ask the hub what a model consists of; nothing of it is downloaded.

    ``endpoint`` is the hub's address, by default ``HF_ENDPOINT`` or huggingface.co; ``revision`` a commit, by default
    the latest. Raises :class:`HubError` where the hub has no such model, or none that the laboratory can read, or
    does not answer within ``seconds``; or where ``GOLDVIZ_HUB`` is off or ``HF_HUB_OFFLINE`` is set.
    """
    repo = valid_repo(repo)
    _check_allowed(repo)
    from goldviz.data.hub.wire import ask_about

    answer = ask_about(repo, _endpoint(repo, endpoint), revision, seconds)
    return _listing(repo, answer)


def download(
    repo: str,
    report: DownloadReport,
    endpoint: str | None = None,
    *,
    revision: str | None = None,
    seconds: float = HUB_PATIENCE,
) -> Path:
    """Download what a model needs, and return its folder; what arrived before a cut or a stop is not asked for again.

    ``report(done, total)`` counts bytes, with those that were here before. Give the ``revision`` of a
    :class:`HubListing` to get exactly what it lists. Every file is checked against the hash that the hub announced.
    Raises what ``report`` raises, and :class:`HubError` as :func:`look_up` does, and as soon as less than
    ``FREE_BYTES`` would be left on the disk.
    """
    listing = look_up(repo, endpoint, revision=revision, seconds=seconds)
    from goldviz.data.hub.wire import bytes_there, fetch_blob, link_file

    storage = _storage(listing.repo)
    folder = storage / "snapshots" / listing.revision
    bytes_here = {file.name: file.size if (folder / file.name).is_file() else 0 for file in listing.files}
    missing = [file for file in listing.files if not bytes_here[file.name]]
    for file in missing:
        bytes_here[file.name] = min(bytes_there(storage / "blobs" / file.content), file.size)
    report(sum(bytes_here.values()), listing.total_bytes)
    _check_room(listing, listing.total_bytes - sum(bytes_here.values()))
    for file in missing:

        def arrived(count: int, name: str = file.name) -> None:
            bytes_here[name] = count
            # Others may be downloading too.
            _check_room(listing, listing.total_bytes - sum(bytes_here.values()))
            report(sum(bytes_here.values()), listing.total_bytes)

        blob = storage / "blobs" / file.content
        lock = Path(constants.HF_HUB_CACHE) / ".locks" / storage.name / f"{file.content}.lock"
        address = f"{_endpoint(repo, endpoint)}/{listing.repo}/resolve/{listing.revision}/{file.name}"
        fetch_blob(listing.repo, address, blob, file.size, seconds, arrived, lock)
        link_file(blob, folder / file.name, listing.repo)
    _name_latest(storage, listing)
    return folder


def _storage(repo: str) -> Path:
    """The folder of a model in the hub's cache: its blobs by content, and snapshots of its commits by file name."""
    return Path(constants.HF_HUB_CACHE) / constants.REPO_ID_SEPARATOR.join(["models", *repo.split("/")])


def _endpoint(repo: str, text: str | None) -> str:
    # The hub's own constant is from when it was imported.
    address = (text or os.environ.get("HF_ENDPOINT", "").strip() or constants.ENDPOINT).rstrip("/")
    try:
        parts = urlsplit(address)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid:
        raise no_address(repo, address)
    return address


def _check_allowed(repo: str) -> None:
    if os.environ.get("GOLDVIZ_HUB", "").strip().lower() in {"off", "0", "no", "false"}:
        raise switched_off(repo)
    asked_for = os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in constants.ENV_VARS_TRUE_VALUES
    if asked_for or constants.is_offline_mode():
        raise offline(repo)


def _listing(repo: str, answer: Mapping[str, Any]) -> HubListing:
    try:
        revision, siblings = answer["sha"], answer["siblings"]
        there = {sibling["rfilename"]: sibling for sibling in siblings}
        if not COMMIT.fullmatch(revision):
            raise ValueError(revision)
        names = needed_files(there)
        files = tuple(_hub_file(name, there[name]) for name in names)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise unreadable(repo) from None
    _check_kind(repo, answer)
    if not files:
        raise HubError(repo, _what_is_missing(set(there)), "choose another model", "no_model")
    total = sum(file.size for file in files)
    if total > MOST_BYTES:
        reason = f"it takes {total / 1e9:,.1f} GB, and up to {MOST_BYTES / 1e9:.1f} GB can be read here"
        raise HubError(repo, reason, "choose a smaller model", "too_large")
    folder = _storage(repo) / "snapshots" / revision
    complete = all((folder / file.name).is_file() for file in files)
    return HubListing(repo, revision, files, total, complete, _notes(answer, names))


def _hub_file(name: str, sibling: Mapping[str, Any]) -> HubFile:
    large = sibling.get("lfs")
    size = large["size"] if large else sibling["size"]
    content = large["sha256"] if large else sibling["blobId"]
    if isinstance(size, bool) or not isinstance(size, int) or size < 0 or not CONTENT_NAME.fullmatch(content):
        raise ValueError(name)
    return HubFile(name, size, content)


def _weights(there: set[str], form: str) -> list[str]:
    whole = WHOLE_WEIGHTS[form]
    if whole in there:
        return [whole]
    parts = sorted(name for name in there if WEIGHT_PART.fullmatch(name) and name.endswith(f".{form}"))
    counts = {int(match[1]) for name in parts if (match := WEIGHT_PART.fullmatch(name))}
    complete = counts == {len(parts)} and f"{whole}.index.json" in there
    return [f"{whole}.index.json", *parts] if complete else []


def _check_kind(repo: str, answer: Mapping[str, Any]) -> None:
    config = answer.get("config")
    kind = config.get("model_type") if isinstance(config, dict) else None
    if isinstance(kind, str) and kind not in READABLE_KINDS:
        reason = f"it is a model of the kind {printable(kind, 30)}, and those read here are {', '.join(READABLE_KINDS)}"
        raise HubError(repo, reason, "choose another model", "other_kind")


def _what_is_missing(there: set[str]) -> str:
    if "config.json" not in there:
        return "it has no config.json, so it is no model for transformers"
    if not any(_weights(there, form) for form in WEIGHT_FORMS):
        return "it has no weights in model.safetensors or pytorch_model.bin"
    return "it has no vocabulary"


def _notes(answer: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    notes = []
    if answer.get("gated"):
        notes.append(f"Its owner asks for consent: accept the terms on its page, and {LOG_IN}.")
    if any(name.endswith(".bin") for name in names):
        notes.append("Its weights come in PyTorch's own format; nothing but numbers is read from it.")
    return tuple(notes)


def _check_room(listing: HubListing, size: int) -> None:
    cache = Path(constants.HF_HUB_CACHE)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(cache).free
    except OSError as error:
        raise fault_of_the_disk(listing.repo, error) from error
    if size and size + FREE_BYTES > free:
        raise no_room(listing.repo, size, free, FREE_BYTES)


def _name_latest(storage: Path, listing: HubListing) -> None:
    """Only now, when all files are there, does the model count as held."""
    place = storage / "refs" / constants.DEFAULT_REVISION
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_name(f"{place.name}.{os.getpid()}-{threading.get_ident()}.part")
        part.write_text(listing.revision)
        part.replace(place)
    except OSError as error:
        raise fault_of_the_disk(listing.repo, error) from error
