"""What pre-training starts from: random weights, or a model kept on this server, which is then pre-trained further."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from goldviz.data.texts.kept_models import SHIPPED_MODEL, keep_model, load_model
from goldviz.data.texts.pieces import TextError
from goldviz.labs.bert_pretraining.settings import IN_PAIRS
from goldviz.models.text.model import TextModelError
from goldviz.models.text.one_file import MOST_WEIGHTS, StartModel, start_model, text_model_bytes

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

RANDOM = "random"


def start_of(settings: BertPretraining) -> StartModel | None:
    """The model that the settings start from; None for random weights.

    Raises :class:`goldviz.data.texts.pieces.TextError` where this machine does not hold it, and
    :class:`goldviz.models.text.model.TextModelError` where it is too large for so many seeds.
    """
    if settings.start == RANDOM:
        return None
    start = start_model(_content(settings.start))
    if settings.objective in IN_PAIRS and start.shape.segments < 2:
        raise TextModelError(
            f"Objective is '{settings.objective}', and {start.title} has no segment embedding for sentence B; allowed "
            "is a model with two, or another objective.",
            "other_kind",
        )
    count = sum(weights.numel() for weights in start.weights.values())
    if count * len(settings.seeds) > MOST_WEIGHTS:
        raise TextModelError(
            f"{start.title} has {count / 1e6:.0f} million weights for each of {len(settings.seeds)} seeds; allowed are "
            f"up to {MOST_WEIGHTS / 1e6:.0f} million in all.",
            "too_large",
        )
    return start


def _content(name: str) -> bytes:
    try:
        return load_model(name)
    except TextError:
        if name != SHIPPED_MODEL:
            raise
    # By its name alone, because an exported script has no package in which the model lies: it reads the kept file.
    content = text_model_bytes(import_module("goldviz.models.text.loading").shipped_text_model())
    keep_model(content)
    return content
