"""The model of a kept run of *Pre-training and fine-tuning*, for whatever reads text models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.labs.bert_pretraining.network import BertNetwork, bert_encoder_shape
from goldviz.labs.bert_pretraining.start import start_of
from goldviz.labs.bert_pretraining.texts import pretraining_texts, tones_of
from goldviz.models.text.loading import text_model_fingerprint
from goldviz.models.text.model import Note, TextModel
from goldviz.training.state import StateError

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

NO_TONE_YET = Note("no_tone_yet", "It has not been trained on tones yet, so its tone means nothing.")
NO_MASKS = Note(
    "no_masked_words", "It learned to guess in a drawn order and never met [MASK], so it guesses no hidden word here."
)
NO_PRETRAINING = Note(
    "no_pretraining", "It was never trained on masked words, so what it says at a mask means nothing."
)


def trained_text_model(settings: BertPretraining, state: bytes, seed: int, name: str = "Own model") -> TextModel:
    """One seed's model as it stood in ``state``, which :func:`goldviz.training.state.pack` wrote in a run.

    The vocabulary is that of the model that the run started from, or learned again from the settings' texts, which
    takes a second or more. Raises
    :class:`goldviz.training.state.StateError` where the state holds no network of this seed and shape, and what
    :func:`goldviz.labs.bert_pretraining.texts.pretraining_texts` and
    :func:`goldviz.labs.bert_pretraining.start.start_of` raise where the text or the model is gone.
    """
    # Imported here, as in goldviz.training.state, because an exported script runs without safetensors.
    from safetensors.torch import load

    start = start_of(settings)
    tokeniser = pretraining_texts(settings).tokeniser if start is None else start.tokeniser
    shape = bert_encoder_shape(settings, len(tokeniser), start)
    tones = tuple(tones_of(settings))
    network = BertNetwork(shape, settings.objective, len(tones))
    tensors = load(state)
    own = f"{seed}/network/"
    try:
        network.load_state_dict({key.removeprefix(own): part for key, part in tensors.items() if key.startswith(own)})
    except RuntimeError as error:
        raise StateError(f"The kept state holds no network of seed {seed} and these settings.") from error
    network.eval().requires_grad_(False)
    words = None if network.query_stream is not None else network.masked_words
    parts = (network.encoder, words, network.classifier, *([network.next_sentence] if network.next_sentence else []))
    has_tone = any(key.startswith(f"{seed}/fine_tuning/") for key in tensors)
    read = start is not None or settings.pretraining_steps
    conditions = ((not read, NO_PRETRAINING), (words is None, NO_MASKS), (not has_tone, NO_TONE_YET))
    notes = tuple(note for holds, note in conditions if holds)
    fingerprint = text_model_fingerprint(shape, tokeniser, parts, tones, name)
    return TextModel(
        name, network.encoder, tokeniser, words, network.classifier, tones, fingerprint, notes, network.next_sentence
    )
