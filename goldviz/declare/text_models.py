"""The setting that names a model of texts; :mod:`goldviz.text_models` says which model a name means."""

from __future__ import annotations

from typing import Any

from goldviz.declare.settings import setting

SHIPPED = "shipped"
FOLDER_PREFIX, RUN_PREFIX = "folder:", "run:"
CONTROL = "text model"
NAMES = (
    f"{SHIPPED!r}, a hub's 'owner/name', {FOLDER_PREFIX!r} and the name of a folder of GOLDVIZ_MODELS, or "
    f"{RUN_PREFIX!r} and the id of a run that trained one"
)
PATTERN = r"shipped|folder:[^/\\]{1,120}|run:[0-9a-f]{12}|[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?"


def text_model_setting(description: str, *, group: str = "Model", optional: bool = False) -> Any:
    """The setting of a model of texts; ``optional`` allows none, and then none is its default."""
    default, values, mark = ("", f"{NAMES}; or nothing", "?") if optional else (SHIPPED, NAMES, "")
    return setting(
        default, description=description, group=group, control=CONTROL, allowed=values, pattern=f"^({PATTERN}){mark}$"
    )


def text_model_in_words(name: str) -> str:
    """A model's name as people read it; who knows the title of a run's model has better words.

    >>> [text_model_in_words(name) for name in ("shipped", "folder:bank", "run:0123456789ab", "ProsusAI/finbert", "")]
    ['the model that comes with goldviz', 'folder bank', 'a run kept here', 'ProsusAI/finbert', 'none']
    """
    if name == SHIPPED:
        return "the model that comes with goldviz"
    if name.startswith(RUN_PREFIX):
        return "a run kept here"
    return name.replace(FOLDER_PREFIX, "folder ", 1) or "none"
