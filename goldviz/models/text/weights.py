"""How checkpoints of BERT, RoBERTa and DistilBERT name their tensors, and an encoder and its heads filled from them.

The three are one architecture (document 001, section 4.2.1). RoBERTa (Liu et al. 2019) begins its positions after the
padding piece and has its own heads; DistilBERT (Sanh et al. 2019) has no segments and relu in its classifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from goldviz.models.text.encoder import EncoderShape, TransformerEncoder
from goldviz.models.text.heads import MaskedWordHead, TextClassifier
from goldviz.models.text.model import TextModelError


@dataclass(frozen=True)
class StoredTensor:
    """A tensor in a file: its shape is known at once, its numbers come with ``read``."""

    shape: tuple[int, ...]
    read: Callable[[], Tensor]


@dataclass(frozen=True)
class CheckpointFamily:
    """The names that one family gives its modules; keys are the modules here, with {layer} for a layer's number.

    ``sizes`` are the keys of config.json by the fields of :class:`EncoderShape`. ``prefix`` stands before the
    encoder's names wherever a head was saved with it.
    """

    prefix: str
    encoder: Mapping[str, str]
    masked_words: Mapping[str, str]
    decoder: str
    classifier: Mapping[str, str]
    classifier_activation: str
    sizes: Mapping[str, str]
    activation: str
    masked_word_activation: str
    next_sentence: Mapping[str, str] = field(default_factory=dict)


BERT_MODULES = {
    "embeddings.token": "embeddings.word_embeddings",
    "embeddings.position": "embeddings.position_embeddings",
    "embeddings.segment": "embeddings.token_type_embeddings",
    "embeddings.norm": "embeddings.LayerNorm",
    "blocks.{layer}.attention.query": "encoder.layer.{layer}.attention.self.query",
    "blocks.{layer}.attention.key": "encoder.layer.{layer}.attention.self.key",
    "blocks.{layer}.attention.value": "encoder.layer.{layer}.attention.self.value",
    "blocks.{layer}.attention.output": "encoder.layer.{layer}.attention.output.dense",
    "blocks.{layer}.attention_norm": "encoder.layer.{layer}.attention.output.LayerNorm",
    "blocks.{layer}.expand": "encoder.layer.{layer}.intermediate.dense",
    "blocks.{layer}.contract": "encoder.layer.{layer}.output.dense",
    "blocks.{layer}.output_norm": "encoder.layer.{layer}.output.LayerNorm",
}
DISTILBERT_MODULES = {
    "embeddings.token": "embeddings.word_embeddings",
    "embeddings.position": "embeddings.position_embeddings",
    "embeddings.norm": "embeddings.LayerNorm",
    "blocks.{layer}.attention.query": "transformer.layer.{layer}.attention.q_lin",
    "blocks.{layer}.attention.key": "transformer.layer.{layer}.attention.k_lin",
    "blocks.{layer}.attention.value": "transformer.layer.{layer}.attention.v_lin",
    "blocks.{layer}.attention.output": "transformer.layer.{layer}.attention.out_lin",
    "blocks.{layer}.attention_norm": "transformer.layer.{layer}.sa_layer_norm",
    "blocks.{layer}.expand": "transformer.layer.{layer}.ffn.lin1",
    "blocks.{layer}.contract": "transformer.layer.{layer}.ffn.lin2",
    "blocks.{layer}.output_norm": "transformer.layer.{layer}.output_layer_norm",
}
BERT_SIZES = {
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "width": "hidden_size",
    "inner": "intermediate_size",
    "vocabulary": "vocab_size",
    "positions": "max_position_embeddings",
    "segments": "type_vocab_size",
}
DISTILBERT_SIZES = {
    "layers": "n_layers",
    "heads": "n_heads",
    "width": "dim",
    "inner": "hidden_dim",
    "vocabulary": "vocab_size",
    "positions": "max_position_embeddings",
}

BERT = CheckpointFamily(
    prefix="bert.",
    encoder=BERT_MODULES,
    masked_words={
        "dense": "cls.predictions.transform.dense",
        "norm": "cls.predictions.transform.LayerNorm",
        "": "cls.predictions",
    },
    decoder="cls.predictions.decoder",
    classifier={"dense": "bert.pooler.dense", "read_out": "classifier"},
    classifier_activation="tanh",
    sizes=BERT_SIZES,
    activation="hidden_act",
    masked_word_activation="hidden_act",
    next_sentence={"dense": "bert.pooler.dense", "read_out": "cls.seq_relationship"},
)
ROBERTA = replace(
    BERT,
    prefix="roberta.",
    masked_words={"dense": "lm_head.dense", "norm": "lm_head.layer_norm", "": "lm_head"},
    decoder="lm_head.decoder",
    classifier={"dense": "classifier.dense", "read_out": "classifier.out_proj"},
    masked_word_activation="",
    next_sentence={},
)
DISTILBERT = CheckpointFamily(
    prefix="distilbert.",
    encoder=DISTILBERT_MODULES,
    masked_words={"dense": "vocab_transform", "norm": "vocab_layer_norm", "": "vocab_projector"},
    decoder="vocab_projector",
    classifier={"dense": "pre_classifier", "read_out": "classifier"},
    classifier_activation="relu",
    sizes=DISTILBERT_SIZES,
    activation="activation",
    masked_word_activation="activation",
)

CHECKPOINT_FAMILIES: dict[str, CheckpointFamily] = {
    "bert": BERT,
    "camembert": ROBERTA,
    "distilbert": DISTILBERT,
    "roberta": ROBERTA,
    "xlm-roberta": ROBERTA,
}
"""The family of each ``model_type`` that is read."""


class UninitialisedWeights(TorchFunctionMode):
    """Modules made inside leave their weights as they are: drawing them costs seconds, even without memory."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        options = kwargs or {}
        if getattr(func, "__module__", "") == "torch.nn.init":
            return options["tensor"] if "tensor" in options else args[0]
        return func(*args, **options)


def stored_name(modules: Mapping[str, str], weight: str) -> str:
    """The family's name for a weight here, without its prefix.

    >>> stored_name(BERT_MODULES, "blocks.3.attention_norm.bias")
    'encoder.layer.3.attention.output.LayerNorm.bias'
    >>> stored_name(ROBERTA.masked_words, "bias")
    'lm_head.bias'
    """
    module, _, kind = weight.rpartition(".")
    number = re.search(r"\d+", module)
    pattern = re.sub(r"\d+", "{layer}", module)
    return f"{modules[pattern].format(layer=number.group() if number else '')}.{kind}"


def read_encoder(
    name: str, shape: EncoderShape, family: CheckpointFamily, tensors: Mapping[str, StoredTensor]
) -> TransformerEncoder:
    """The encoder of a checkpoint, in float32.

    Raises :class:`goldviz.models.text.model.TextModelError` naming the first tensor that is missing or of another
    shape than ``shape`` asks for; nothing has been read by then.
    """
    with torch.device("meta"), UninitialisedWeights():
        encoder = TransformerEncoder(shape)
    table = stored_name(family.encoder, "embeddings.token.weight")
    prefix = family.prefix if f"{family.prefix}{table}" in tensors else ""
    modules = {ours: f"{prefix}{theirs}" for ours, theirs in family.encoder.items()}
    _fill_module(name, encoder, modules, tensors)
    return encoder


def read_masked_word_head(
    name: str, encoder: TransformerEncoder, family: CheckpointFamily, tensors: Mapping[str, StoredTensor]
) -> MaskedWordHead | None:
    """The masked-word head, or None where the checkpoint has none, or one whose table is not the encoder's own."""
    if not _holds(family.masked_words, ("dense.weight", "norm.weight", "bias"), tensors):
        return None
    decoder = tensors.get(f"{family.decoder}.weight")
    table = encoder.embeddings.token.weight
    if decoder is not None and (decoder.shape != table.shape or not torch.equal(_float_numbers(name, decoder), table)):
        return None
    with torch.device("meta"), UninitialisedWeights():
        head = MaskedWordHead(encoder.shape)
    _fill_module(name, head, family.masked_words, tensors)
    return head


def read_classifier(
    name: str, width: int, family: CheckpointFamily, tensors: Mapping[str, StoredTensor], most_classes: int
) -> TextClassifier | None:
    """The classifier, or None where the checkpoint has none with 2 to ``most_classes`` classes.

    Whether it is one of whole texts is config.json's to say: see
    :func:`goldviz.models.text.config.classifier_refusal`.
    """
    classes = classes_of(family, tensors)
    if not 2 <= classes <= most_classes:
        return None
    with torch.device("meta"), UninitialisedWeights():
        head = TextClassifier(width, classes, family.classifier_activation)
    _fill_module(name, head, family.classifier, tensors)
    return head


def classes_of(family: CheckpointFamily, tensors: Mapping[str, StoredTensor]) -> int:
    """How many classes a checkpoint's classifier tells apart; 0 where it has none."""
    if not _holds(family.classifier, ("dense.weight", "read_out.weight"), tensors):
        return 0
    read_out = tensors[stored_name(family.classifier, "read_out.weight")].shape
    return read_out[0] if len(read_out) == 2 else 0


def read_next_sentence_head(
    name: str, width: int, family: CheckpointFamily, tensors: Mapping[str, StoredTensor]
) -> TextClassifier | None:
    """The head that tells whether B follows A, or None where the checkpoint has none."""
    if not family.next_sentence or not _holds(family.next_sentence, ("dense.weight", "read_out.weight"), tensors):
        return None
    with torch.device("meta"), UninitialisedWeights():
        head = TextClassifier(width, 2)
    _fill_module(name, head, family.next_sentence, tensors)
    return head


def _holds(modules: Mapping[str, str], weights: tuple[str, ...], tensors: Mapping[str, StoredTensor]) -> bool:
    return all(any(name in tensors for name in _spellings(stored_name(modules, weight))) for weight in weights)


def _spellings(name: str) -> Iterator[str]:
    """A tensor's name today, and those that older files have for it."""
    yield name
    module, _, kind = name.rpartition(".")
    # Files that were converted from TensorFlow keep its names for the scale and the shift of a LayerNorm.
    yield f"{module}.{'gamma' if kind == 'weight' else 'beta'}"
    if kind == "bias":
        yield f"{module}.decoder.bias"


def _fill_module(name: str, module: nn.Module, modules: Mapping[str, str], state: Mapping[str, StoredTensor]) -> None:
    """Give a module on the meta device the numbers of a file, after all of their shapes have been checked."""
    matches = {}
    for weight, empty in module.state_dict().items():
        key = stored_name(modules, weight)
        spelling = next((spelling for spelling in _spellings(key) if spelling in state), None)
        if spelling is None:
            raise TextModelError(
                f"{name} lacks the tensor {key}, so its weights are not those of its config.json.", "wrong_tensor"
            )
        if state[spelling].shape != tuple(empty.shape):
            raise TextModelError(
                f"{name} has a tensor {spelling} of {_size_words(state[spelling].shape)} numbers, but its config.json "
                f"asks for {_size_words(tuple(empty.shape))}.",
                "wrong_tensor",
            )
        matches[weight] = state[spelling]
    module.load_state_dict({weight: _float_numbers(name, tensor) for weight, tensor in matches.items()}, assign=True)


def _float_numbers(name: str, source: StoredTensor) -> Tensor:
    tensor = source.read()
    if not tensor.is_floating_point():
        raise TextModelError(
            f"{name} has weights of the type {tensor.dtype}; allowed are floating-point numbers.", "wrong_tensor"
        )
    numbers = tensor.to(torch.float32).contiguous()
    # A finite sum has finite terms, and asking it first needs no second table.
    if not torch.isfinite(numbers.sum()) and not torch.isfinite(numbers).all():
        raise TextModelError(f"{name} has weights that are not finite, so it would compute nothing.", "not_finite")
    return numbers


def _size_words(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "no"
