"""A model of texts as one file, from which pre-training goes on: encoder, masked-word head, tokeniser.

The file is in the safetensors format, with one entry of metadata, so that the same model gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import Tensor, nn

from goldviz.models.text.encoder import EncoderShape
from goldviz.models.text.model import TextModel, TextModelError

ENCODER, HEAD = "encoder.", "masked_words."
MOST_WEIGHTS = 70_000_000
"""A state of a run with such a model and its optimiser's two moments has 840 MB; a database holds no more than 1 GB."""


@dataclass(frozen=True)
class StartModel:
    """What pre-training goes on from: sizes, tokeniser, and the weights of encoder and masked-word head."""

    title: str
    shape: EncoderShape
    tokeniser: Any
    weights: Mapping[str, Tensor]

    def fill(self, encoder: nn.Module, head: nn.Module) -> None:
        """Give an encoder and a masked-word head of these sizes the weights."""
        for start, module in ((ENCODER, encoder), (HEAD, head)):
            module.load_state_dict(
                {key.removeprefix(start): part for key, part in self.weights.items() if key.startswith(start)}
            )


def text_model_bytes(model: TextModel) -> bytes:
    """The file of a model; its classifier is left out, for pre-training has a new one.

    Raises :class:`goldviz.models.text.model.TextModelError` for a model that cannot guess hidden words, and for one of
    more than ``MOST_WEIGHTS`` weights.
    """
    from safetensors.torch import save

    if model.masked_words is None:
        raise TextModelError(
            f"{model.name} has no masked-word head that can be read, so it cannot go on guessing.", "no_head"
        )
    parts = {ENCODER: model.encoder, HEAD: model.masked_words}
    tensors = {
        f"{start}{name}": weights.contiguous()
        for start, module in parts.items()
        for name, weights in module.state_dict().items()
    }
    count = sum(weights.numel() for weights in tensors.values())
    if count > MOST_WEIGHTS:
        raise TextModelError(
            f"{model.name} has {count / 1e6:.0f} million weights; pre-training can go on from up to "
            f"{MOST_WEIGHTS / 1e6:.0f} million.",
            "too_large",
        )
    about = {
        "title": model.name,
        "weights": count,
        "shape": asdict(model.encoder.shape),
        "tokeniser": {**json.loads(model.tokeniser.backend_tokenizer.to_str()), "truncation": None, "padding": None},
        "special": model.tokeniser.special_tokens_map,
    }
    return save(tensors, metadata={"model": json.dumps(about, sort_keys=True)})


def start_model(content: bytes) -> StartModel:
    """The model in a file that :func:`text_model_bytes` wrote."""
    from safetensors.torch import load
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast  # It takes as long to import as torch.

    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    about = json.loads(header["__metadata__"]["model"])
    tokeniser = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(about["tokeniser"])), **about["special"]
    )
    return StartModel(about["title"], EncoderShape(**about["shape"]), tokeniser, load(content))
