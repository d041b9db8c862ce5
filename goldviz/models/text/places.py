"""The folder in which a person, or a server's owner, lays models for the laboratory."""

from __future__ import annotations

import os
import re
from pathlib import Path

import platformdirs

from goldviz.models.text.model import TextModelError
from goldviz.models.text.packaged import packaged_folders

MODEL_FOLDER_NAME = re.compile(r"[^\W_][\w. \u0300-\u036f-]{0,79}")
"""Letters of any alphabet; some systems write an accent as a sign of its own."""
OLDER_LAYOUT = "0_Transformer"
"""The folder in which older models of sentences keep the encoder."""


def model_folder() -> Path:
    """``GOLDVIZ_MODELS``, or a folder in the user's data folder. It need not exist."""
    folder = os.environ.get("GOLDVIZ_MODELS", "").strip()
    if folder:
        return Path(folder).expanduser().absolute()
    return Path(platformdirs.user_data_dir("goldviz", appauthor=False)) / "models"


def kept_folders() -> list[str]:
    """The names of the models in the model folder and, after them, of those that installed packages carry."""
    own = _own_folders()
    return [*own, *(name for name in packaged_folders() if name not in own)]


def _own_folders() -> list[str]:
    """The names of the models in the model folder, in alphabetical order; none where it cannot be read."""
    try:
        entries = sorted(
            entry.name for entry in model_folder().iterdir() if (encoder_folder(entry) / "config.json").is_file()
        )
    except OSError:
        return []
    return [name for name in entries if MODEL_FOLDER_NAME.fullmatch(name)]


def encoder_folder(folder: Path) -> Path:
    """Where a model's encoder lies: its folder, or the one within that older models of sentences have."""
    older = folder / OLDER_LAYOUT
    return older if not (folder / "config.json").is_file() and (older / "config.json").is_file() else folder


def kept_folder(name: str) -> Path:
    """The folder of this name in the model folder, or its encoder's; else that of the package of this name.

    Raises :class:`goldviz.models.text.model.TextModelError` for a name that could lead elsewhere, or leads nowhere.
    """
    if not MODEL_FOLDER_NAME.fullmatch(name):
        short = name if len(name) <= 40 else f"{name[:39]}…"
        raise TextModelError(
            f"The model folder is {short!r}; allowed are up to 80 letters, digits, blanks and . _ -, "
            "a letter or digit first.",
            "not_allowed",
        )
    folder = model_folder() / name
    if not folder.is_dir() and name in packaged_folders():
        return packaged_folders()[name]
    if not folder.is_dir():
        raise TextModelError(f"This machine has no model folder {name!r}; its folders lie in {model_folder()}.", "gone")
    return encoder_folder(folder)
