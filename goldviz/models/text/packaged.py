"""Models of texts that installed packages carry, found by the packages' own lists of files; nothing of them is run.

A package counts where one of its folders has config.json of a kind that goldviz reads, a vocabulary, and weights as
safetensors. Weights in PyTorch's own format are left alone: that format can carry code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path

from goldviz.models.text.config import LONGEST_CONFIG, checkpoint_kind, read_json_object
from goldviz.models.text.model import TextModelError

WEIGHTS = "model.safetensors"
VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json")
OWN_PACKAGE = "goldviz"
"""The model that comes with goldviz has a name of its own."""


@cache
def packaged_folders() -> Mapping[str, Path]:
    """The folder of each package's model by the package's name, looked for once in a process."""
    folders: dict[str, Path] = {}
    for package in distributions():
        folder = next(_folders(package), None)
        if folder is not None and package.metadata["Name"] != OWN_PACKAGE:
            folders.setdefault(package.metadata["Name"], folder)
    return dict(sorted(folders.items()))


def _folders(package: Distribution) -> Iterator[Path]:
    # A list of files is read as it is: parsing those of all packages would take a second.
    for line in (package.read_text("RECORD") or "").splitlines():
        file = line.split(",")[0]
        if file.endswith(f"/{WEIGHTS}"):
            folder = Path(str(package.locate_file(file))).parent
            if _readable(folder):
                yield folder


def _readable(folder: Path) -> bool:
    if not (folder / WEIGHTS).is_file() or not any((folder / name).is_file() for name in VOCABULARIES):
        return False
    try:
        checkpoint_kind(read_json_object(folder / "config.json", folder.name, LONGEST_CONFIG), folder.name)
    except TextModelError:
        return False
    return True
