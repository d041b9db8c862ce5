"""The models of *Inside BERT* in the web process: read there where that is soon done, else by a worker process.

Reading BERT-base takes half a second of a processor: every number is copied, looked at and counted into the
fingerprint. The worker that has done so packs the model into a file; the web process maps the file into its memory,
which takes milliseconds, and only the weights that a click asks for are ever read from it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from tempfile import NamedTemporaryFile
from typing import NamedTuple, cast

import torch

from goldviz.data.hub.models import SUGGESTED, held
from goldviz.declare.text_models import FOLDER_PREFIX, RUN_PREFIX
from goldviz.labs.inside_bert.reading import ReportSteps
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.models.text.places import kept_folders
from goldviz.text_models import folder_of_model, loaded_models, text_model

SECONDS_TO_BEGIN = 0.012
SECONDS_A_BYTE = 1.4e-9
SECONDS_OF_A_RUN = 0.3
"""Its state is read from the store, whose size is not known before."""


class Named(NamedTuple):
    """A model's name and its files as they are now, by name, size and time; of a run there are none."""

    name: str
    files: tuple[tuple[str, int, int], ...]

    @property
    def total_bytes(self) -> int:
        """What its files take."""
        return sum(size for _, size, _ in self.files)

    @property
    def seconds(self) -> float:
        """About how long reading it takes."""
        if self.name.startswith(RUN_PREFIX):
            return SECONDS_OF_A_RUN
        return SECONDS_TO_BEGIN + SECONDS_A_BYTE * self.total_bytes


def models_at_hand() -> list[str]:
    """The names of this machine's models besides the shipped one: folders, packages', and those of the hub."""
    folders = [f"{FOLDER_PREFIX}{name}" for name in kept_folders()]
    return [*folders, *(repo for repo, _ in SUGGESTED if held(repo) is not None)]


def named(name: str) -> Named:
    """The model of this name, as :func:`goldviz.text_models.text_model` knows it.

    Raises :class:`goldviz.models.text.model.TextModelError` where this machine does not hold it.
    """
    if name.startswith(RUN_PREFIX):
        return Named(name, ())
    models = []
    # What cannot be listed cannot be read either, and the reader has a sentence for that.
    with suppress(OSError):
        models = [(file.name, file.stat()) for file in folder_of_model(name).iterdir() if file.is_file()]
    return Named(name, tuple(sorted((file, stat.st_size, stat.st_mtime_ns) for file, stat in models)))


def model_at_hand(name: str) -> TextModel:
    """The model of this name: the one that was handed over, else read in this process.

    Raises :class:`goldviz.models.text.model.TextModelError` where it cannot be had.
    """
    return loaded_models.held(named(name)) or text_model(name)


def hand_over(report: ReportSteps, name: str, folder: str) -> str:
    """Read a model and pack it into a new file of the folder; returns the file.

    Raises :class:`goldviz.models.text.model.TextModelError` where it cannot be read, or the folder has no room for it.
    """
    model = text_model(name)
    file = NamedTemporaryFile(dir=folder, suffix=".pt", delete=False)  # noqa: SIM115 - outlives this function
    try:
        with file:
            torch.save(model, file)
    except (OSError, RuntimeError) as error:
        os.unlink(file.name)
        raise TextModelError(
            f"{model.name} cannot be handed to the page: there is no room in {folder}.", "no_space"
        ) from error
    return file.name


def take_over(model: Named, file: str) -> TextModel:
    """The model that was packed into a file, which is removed; the same object for everybody while there is room.

    Raises :class:`goldviz.models.text.model.TextModelError` where the file is gone.
    """

    def mapped() -> TextModel:
        try:
            # Packed by this machine's own worker, in a folder that nobody else may write to.
            return cast("TextModel", torch.load(file, map_location="cpu", mmap=True, weights_only=False))
        except OSError as lost:
            words = f"{model.name} was let go before the page took it; load the page again."
            raise TextModelError(words, "gone") from lost
        finally:
            # It stays mapped without a name. Nobody can write over it then, which would end the whole process.
            with suppress(OSError):
                os.unlink(file)

    return loaded_models.get(model, mapped)
