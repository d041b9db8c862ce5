"""The tokeniser in a model's folder, held to the model: transformers gives a wrong one without a word.

Where a vocabulary is missing, ``BertTokenizer`` makes do with five pieces of its own, and every word becomes [UNK].
"""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from goldviz.models.text.model import TextModelError
from goldviz.plain_files import content_of

WORD_PIECE_FILES = (("tokenizer.json",), ("vocab.txt",))
VOCABULARY_FILES = (*WORD_PIECE_FILES, ("vocab.json", "merges.txt"), ("sentencepiece.bpe.model",))
"""What a vocabulary may consist of; each of the groups is enough. BERT and DistilBERT have the first two alone."""

WORD_PIECE_KINDS = frozenset({"bert", "distilbert"})

RUST_GAVE_UP = "PanicException"
"""What the tokenisers' Rust raises where it fails; no Exception, and no module has it."""

FILLED_UP_TO = (8, 16, 32, 64, 128)
VOCABULARY_ENDINGS = (".json", ".txt", ".model", ".jinja")
LARGEST_VOCABULARY_FILE = 64_000_000
MOST_VALUES = {".json": (b"[{,:", 4_000_000), ".txt": (b"\n", 1_000_000)}
"""By which bytes the values of such a file are counted, and how many may be; those of 600,000 pieces are fewer.

Each takes a hundred bytes of memory or more, however few it takes in the file."""
ONE_TOKENISER = threading.Lock()


def read_tokeniser(folder: Path, kind: str, vocabulary: int, name: str) -> Any:
    """A fast tokeniser of transformers, read from this folder alone; nothing is downloaded and no foreign code runs.

    ``kind`` is the model's ``model_type`` and ``vocabulary`` the number of its pieces. A vocabulary that comes as
    nothing but a list with capital letters is read as it is written, others in lower case, as BERT's are.

    Raises :class:`goldviz.models.text.model.TextModelError` where there is no vocabulary, or another model's.
    """
    _check_files(folder, WORD_PIECE_FILES if kind in WORD_PIECE_KINDS else VOCABULARY_FILES, name)
    with _quiet():
        from transformers import AutoConfig, AutoTokenizer

        try:
            # The configuration is given, because AutoTokenizer fails on those of old that lack a model_type.
            tokeniser = AutoTokenizer.from_pretrained(
                str(folder),
                config=AutoConfig.for_model(kind),
                local_files_only=True,
                trust_remote_code=False,
                # Which pieces a text has must not hang on settings that the fingerprint does not see.
                truncation_side="right",
                split_special_tokens=False,
                **_case(folder, kind),
            )
        except BaseException as error:
            if not (isinstance(error, Exception) or type(error).__name__ == RUST_GAVE_UP):
                raise
            raise TextModelError(
                f"{name} has a vocabulary that cannot be read ({_first_line(error)}); get its files again.",
                "bad_vocabulary",
            ) from error
    if len(tokeniser) != vocabulary and not is_filled_up(len(tokeniser), vocabulary):
        raise TextModelError(
            f"{name} knows {vocabulary:,} pieces and its vocabulary has {len(tokeniser):,}; both must be the same, "
            "so these are files of different models.",
            "other_vocabulary",
        )
    if not getattr(tokeniser, "is_fast", False):
        raise TextModelError(
            f"{name} has a tokeniser that does not say where in the text its pieces stand.", "bad_vocabulary"
        )
    if tokeniser.cls_token_id is None or tokeniser.sep_token_id is None:
        raise TextModelError(f"{name} has a vocabulary without the pieces that begin and end a text.", "bad_vocabulary")
    if max(tokeniser.get_vocab().values(), default=0) >= vocabulary:
        raise TextModelError(
            f"{name} has a vocabulary whose numbers go beyond the model's {vocabulary:,} pieces.", "other_vocabulary"
        )
    return tokeniser


def is_filled_up(pieces: int, rows: int) -> bool:
    """Whether a table has as many rows as fill one of so many pieces up to the next multiple of 8, 16, ... or 128.

    Tables are made so because graphics cards multiply such sizes faster.

    >>> is_filled_up(62, 64), is_filled_up(30522, 30528), is_filled_up(50257, 50304), is_filled_up(5, 104)
    (True, True, True, False)
    """
    return any(-(-pieces // multiple) * multiple == rows for multiple in FILLED_UP_TO)


def lowers_capitals(tokeniser: Any) -> bool:
    """Whether texts are read in small letters although the vocabulary has pieces with capitals."""
    normalizer = tokeniser.backend_tokenizer.normalizer
    if normalizer is None or normalizer.normalize_str("G") != "g":
        return False
    special = set(tokeniser.all_special_tokens)
    return any(piece != piece.lower() for piece in tokeniser.get_vocab() if piece not in special and piece[0] != "[")


def _check_files(folder: Path, groups: tuple[tuple[str, ...], ...], name: str) -> None:
    if not any(all((folder / file).is_file() for file in group) for group in groups):
        vocabularies = ", ".join(" with ".join(group) for group in groups)
        raise TextModelError(f"{name} has no vocabulary; allowed are {vocabularies}.", "no_vocabulary")
    # The library opens further files by their names, such as special_tokens_map.json.
    for path in folder.iterdir():
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise TextModelError(
                f"{name}: {path.name} is no regular file; allowed are files and folders.", "other_kind"
            )
        if path.is_file() and path.suffix in VOCABULARY_ENDINGS and path.stat().st_size > LARGEST_VOCABULARY_FILE:
            raise TextModelError(
                f"{name}: {path.name} has {path.stat().st_size / 1e6:,.0f} MB; allowed are up to "
                f"{LARGEST_VOCABULARY_FILE / 1e6:,.0f} MB.",
                "too_large",
            )
        if path.is_file() and path.suffix in MOST_VALUES:
            _check_values(path, *MOST_VALUES[path.suffix], name)


def _check_values(path: Path, signs: bytes, most: int, name: str) -> None:
    try:
        content = content_of(path, LARGEST_VOCABULARY_FILE)
    except OSError as error:
        raise TextModelError(f"{name}: {path.name} cannot be read ({error.strerror or error}).", "disk") from None
    count = sum(map(content.count, signs))
    if count > most:
        raise TextModelError(f"{name}: {path.name} has {count:,} values; allowed are up to {most:,}.", "too_large")


def _case(folder: Path, kind: str) -> dict[str, bool]:
    """Whether to lower the letters, where nothing but the list of pieces can tell."""
    has_settings = any((folder / file).is_file() for file in ("tokenizer.json", "tokenizer_config.json"))
    if has_settings or kind not in WORD_PIECE_KINDS:
        return {}
    words = (folder / "vocab.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    return {"do_lower_case": not any(word != word.lower() for word in words if not word.startswith("["))}


def _first_line(error: BaseException) -> str:
    line = " ".join(str(error).split()) or type(error).__name__
    return line if len(line) <= 120 else f"{line[:119]}…"


@contextmanager
def _quiet() -> Iterator[None]:
    """transformers' log lines and warnings kept from the console; what is wrong comes out as an error."""
    logger = logging.getLogger("transformers")
    with ONE_TOKENISER, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        level = logger.level
        logger.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            logger.setLevel(level)
