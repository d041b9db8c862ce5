"""The folder in which a person, or a server's owner, lays models for the laboratory."""

from __future__ import annotations

import os
import re
from pathlib import Path

import platformdirs

from goldviz.models.text.model import TextModelError

MODEL_FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,79}")


def model_folder() -> Path:
    """``GOLDVIZ_MODELS``, or a folder in the user's data folder. It need not exist."""
    folder = os.environ.get("GOLDVIZ_MODELS", "").strip()
    if folder:
        return Path(folder).expanduser().absolute()
    return Path(platformdirs.user_data_dir("goldviz", appauthor=False)) / "models"


def kept_folders() -> list[str]:
    """The names of the models in the model folder, in alphabetical order; none where it cannot be read."""
    try:
        entries = sorted(entry.name for entry in model_folder().iterdir() if (entry / "config.json").is_file())
    except OSError:
        return []
    return [name for name in entries if MODEL_FOLDER_NAME.fullmatch(name)]


def kept_folder(name: str) -> Path:
    """The folder of this name in the model folder.

    Raises :class:`goldviz.models.text.model.TextModelError` for a name that could lead elsewhere, or leads nowhere.
    """
    if not MODEL_FOLDER_NAME.fullmatch(name):
        short = name if len(name) <= 40 else f"{name[:39]}…"
        raise TextModelError(
            f"The model folder is {short!r}; allowed are up to 80 letters, digits, blanks and . _ -, "
            "a letter or digit first."
        )
    folder = model_folder() / name
    if not folder.is_dir():
        raise TextModelError(f"This machine has no model folder {name!r}; its folders lie in {model_folder()}.")
    return folder
