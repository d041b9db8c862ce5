"""An encoder that reads, a decoder that writes, and attention between them, or none, as settings describe them.

Document 004, section 3.2; Bahdanau et al. 2015. The encoder's states are h_j. The decoder's state s_i grows out of
s_(i-1), the word written last, and the context c_i = sum_j alpha_ij h_j with alpha_i = softmax(e_i). Words are scored
by a linear map of [s_i, c_i]. Without attention there is no c_i: the decoder has what its first state holds.

The scores e_i are those of a module with ``keys(encoded)``, what it makes of the source once, and ``forward(state,
keys)``, one step's, (batch, source place). The state is the decoder's before the step, as Bahdanau et al. (2015) have
it; Luong et al. (2015) take the one after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from goldviz.data.pairs.pairs import PairTask
from goldviz.data.pairs.table import task_of
from goldviz.models.recurrent.fused import FusedRecurrence
from goldviz.training.seeds import WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.attention_interface.settings import AttentionInterface

Scores = Float[Tensor, "batch place"]
States = Float[Tensor, "batch width"]
Encoded = Float[Tensor, "batch place width"]


class AdditiveScore(nn.Module):
    """e_ij = v^T tanh(W s_(i-1) + U h_j) (Bahdanau et al. 2015, appendix A.1.2)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=False)
        self.total = nn.Linear(width, 1, bias=False)

    def keys(self, source_states: Encoded) -> Encoded:
        """U h_j of every source word."""
        keys: Tensor = self.key(source_states)
        return keys

    def forward(self, state: States, keys: Encoded) -> Scores:
        """The scores of one step."""
        scores: Tensor = self.total(torch.tanh(keys + self.query(state)[:, None]))
        return scores[..., 0]


class DotScore(nn.Module):
    """e_ij = s_(i-1) . h_j (Luong et al. 2015, eq. 8, dot)."""

    def __init__(self, _width: int) -> None:
        super().__init__()

    def keys(self, source_states: Encoded) -> Encoded:
        """The encoder's states as they are."""
        return source_states

    def forward(self, state: States, keys: Encoded) -> Scores:
        """The scores of one step."""
        return (keys @ state[..., None])[..., 0]


class GeneralScore(nn.Module):
    """e_ij = s_(i-1)^T W h_j (Luong et al. 2015, eq. 8, general)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, width, bias=False)

    def keys(self, source_states: Encoded) -> Encoded:
        """W h_j of every source word."""
        keys: Tensor = self.key(source_states)
        return keys

    def forward(self, state: States, keys: Encoded) -> Scores:
        """The scores of one step."""
        return (keys @ state[..., None])[..., 0]


SCORE_MODULES: dict[str, type[AdditiveScore | DotScore | GeneralScore]] = {
    "additive": AdditiveScore,
    "dot": DotScore,
    "general": GeneralScore,
}


EMBEDDED = 32
"""Numbers that stand for a word."""


class Source(NamedTuple):
    """What the encoder made of sequences: its states, what attention makes of them, and the decoder's first state."""

    encoded: Float[Tensor, "batch source_place width"]
    keys: Float[Tensor, "batch source_place width"]
    state: Float[Tensor, "batch width"]

    def chosen(self, rows: Int[Tensor, " chosen"]) -> Source:
        """The same of some sequences, each as often as it is named."""
        return Source(self.encoded[rows], self.keys[rows], self.state[rows])


class DecoderStep(NamedTuple):
    """One step of the decoder: logits of the next word, its state, and attention's scores and weights, if any."""

    logits: Float[Tensor, "batch word"]
    state: Float[Tensor, "batch width"]
    scores: Float[Tensor, "batch source_place"] | None
    weights: Float[Tensor, "batch source_place"] | None


class Translator(nn.Module):
    """Reads words and writes words.

    The word numbered ``boundary`` stands before the first word that is written and after the last. ``score`` names
    how attention scores, see :data:`~goldviz.labs.attention_interface.networks.SCORE_MODULES`; empty for no attention.
    """

    def __init__(self, source_words: int, target_words: int, width: int, score: str, *, both_ways: bool) -> None:
        super().__init__()
        self.width, self.both_ways, self.boundary = width, both_ways, target_words
        self.source_table = nn.Embedding(source_words, EMBEDDED)
        self.target_table = nn.Embedding(target_words + 1, EMBEDDED)
        self.encoder = FusedRecurrence("gru", EMBEDDED, width // (2 if both_ways else 1), both_ways=both_ways)
        self.first_state = nn.Linear(width, width)
        self.score: AdditiveScore | DotScore | GeneralScore | None = SCORE_MODULES[score](width) if score else None
        context = width if score else 0
        self.cell = nn.GRUCell(EMBEDDED + context, width)
        self.read_out = nn.Linear(width + context, target_words + 1)

    def read(self, source: Int[Tensor, "batch source_place"]) -> Source:
        """What the encoder makes of sequences of one length."""
        words = self.source_table(source.T)
        states, last = self.encoder.read(words)
        source_states = states.transpose(0, 1)
        keys = source_states if self.score is None else self.score.keys(source_states)
        first = torch.tanh(self.first_state(last.transpose(0, 1).flatten(1)))
        return Source(source_states, keys, first)

    def _step(
        self, words: Float[Tensor, "batch embedded"], state: Tensor, source: Source
    ) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
        """What is read out, the new state, scores and weights."""
        if self.score is None:
            state = self.cell(words, state)
            return state, state, None, None
        scores = self.score(state, source.keys)
        weights = scores.softmax(-1)
        context = (weights[:, None] @ source.encoded)[:, 0]
        state = self.cell(torch.cat([words, context], -1), state)
        return torch.cat([state, context], -1), state, scores, weights

    def step(self, word: Int[Tensor, " batch"], state: Float[Tensor, "batch width"], source: Source) -> DecoderStep:
        """One word on: ``word`` was written last."""
        features, state, scores, weights = self._step(self.target_table(word), state, source)
        return DecoderStep(self.read_out(features), state, scores, weights)

    def forward(
        self, source: Int[Tensor, "batch source_place"], target: Int[Tensor, "batch target_place"]
    ) -> Float[Tensor, "batch step word"]:
        """Logits of every word of the answer and of its end, each told the right words before it (teacher forcing)."""
        read = self.read(source)
        words, state, features = self.target_table(self.told(target)), read.state, []
        for place in range(words.shape[1]):
            feature, state, _, _ = self._step(words[:, place], state, read)
            features.append(feature)
        logits: Tensor = self.read_out(torch.stack(features, 1))
        return logits

    def told(self, target: Int[Tensor, "batch target_place"]) -> Int[Tensor, "batch step"]:
        """The words that stand before each that is written, the boundary first."""
        return torch.cat([target.new_full((len(target), 1), self.boundary), target], 1)

    def wanted(self, target: Int[Tensor, "batch target_place"]) -> Int[Tensor, "batch step"]:
        """The words to be written, the boundary last."""
        return torch.cat([target, target.new_full((len(target), 1), self.boundary)], 1)


LAYERS = {
    "words read": ("source_table",),
    "reader": ("encoder", "first_state"),
    "attention": ("score",),
    "words written": ("target_table",),
    "writer": ("cell",),
    "read-out": ("read_out",),
}
"""What the plots of layers tell apart, and the parts of a network that each is made of."""
PARTS = tuple(part for parts in LAYERS.values() for part in parts)


def task_in(settings: AttentionInterface) -> PairTask:
    """The task that is learned."""
    return task_of(settings.task, settings.symbols, settings.shortest, settings.longest)


def translator(settings: AttentionInterface, network: str, seed: int) -> Translator:
    """A network at its start; both of a seed begin with the same weights where shapes agree."""
    task = task_in(settings)
    model = Translator(
        len(task.source_words),
        len(task.target_words),
        settings.width,
        settings.score if network == "attention" else "",
        both_ways=settings.both_ways,
    )
    initialise(model, lambda index: stream(seed, WEIGHTS + index))
    return model


def initialise(network: Translator, generator: Callable[[int], Generator]) -> None:
    """Tables from a standard normal, all else evenly within 1 / sqrt(inputs), as PyTorch begins; a stream a part."""
    for index, name in enumerate(PARTS):
        part = getattr(network, name)
        for weight in part.parameters() if part is not None else ():
            if name.endswith("table"):
                nn.init.normal_(weight, generator=generator(index))
            else:
                bound = (weight.shape[-1] if weight.ndim > 1 else network.width) ** -0.5
                nn.init.uniform_(weight, -bound, bound, generator=generator(index))


def weights_of(network: Translator) -> dict[str, list[nn.Parameter]]:
    """The matrices and tables of each layer; one without any is left out."""
    parts = {layer: [getattr(network, name) for name in names] for layer, names in LAYERS.items()}
    weights = {
        layer: [weight for part in own if part is not None for weight in part.parameters() if weight.ndim > 1]
        for layer, own in parts.items()
    }
    return {layer: own for layer, own in weights.items() if own}
