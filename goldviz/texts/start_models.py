"""A model of texts by its name, kept under its content, so that pre-training can go on from it."""

from __future__ import annotations


def text_model(name: str) -> str:
    """Keep a model of texts for pre-training to go on from, and return the name of its content.

    ``run("bert-pretraining", start=text_model("shipped"))`` starts from it. ``name`` is 'shipped', a hub's 'owner/name'
    that was downloaded on the page *Inside BERT*, 'folder:' and the name of a folder in ``GOLDVIZ_MODELS``, or 'run:'
    and the id of a kept run that trained one.

    Raises :class:`goldviz.models.text.model.TextModelError`, in one sentence, for a model that this machine does not
    hold or cannot read, that has no masked-word head, or that is too large; and
    :class:`goldviz.data.texts.pieces.TextError` where it cannot be kept.
    """
    # Imported here, because torch takes a second, and most who import goldviz name no model.
    from goldviz.data.texts.kept_models import keep_model
    from goldviz.models.text.one_file import text_model_bytes
    from goldviz.texts.named_models import resolve_text_model

    return keep_model(text_model_bytes(resolve_text_model(str(name))))
