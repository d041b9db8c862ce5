"""What worker processes do for the text box: write on from a prompt with a run's weights, and say why a token.

Every task is told of a run by plain words and gives plain numbers and texts: to know what a token stands for takes the
whole corpus in tokens, so the page is told. A process keeps the networks that it has loaded.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float, Int

from goldviz.data.texts.pieces import TextError
from goldviz.labs.char_gpt.network import shape_of
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_gpt.texts import TokenText, token_text
from goldviz.labs.char_gpt.train import GPT
from goldviz.models.text.causal import CausalTransformer
from goldviz.models.text.completion import Choice, last_place, written_on
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.training.state import network_at_rest
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.runs.jobs.jobs import Report

CANDIDATES = 8
"""So many of the likeliest tokens are shown at each place."""
LONGEST_PROMPT = 2000
"""Characters. Of a longer prompt, as of one longer than the block, the end is read."""


@dataclass(frozen=True)
class Completion:
    """The prompt's tokens and those that followed, each with its probability and the likeliest candidates.

    ``before`` and ``after`` are the texts of both; ``signs`` are the new tokens as they are shown. ``seconds`` is what
    drawing took. Candidates are (new, candidate), the likeliest first; of probability 0 are those that the choice left
    out.
    """

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    before: str
    after: str
    signs: tuple[str, ...]
    probabilities: Float[np.ndarray, " new"]
    candidates: Int[np.ndarray, "new candidate"]
    candidate_signs: tuple[tuple[str, ...], ...]
    candidate_probabilities: Float[np.ndarray, "new candidate"]
    seconds: float


@dataclass(frozen=True)
class Reason:
    """Why a token: the likeliest tokens by what each depth would have said, and where the last place looked.

    ``own`` is the probability of the chosen token by depth; ``weights`` are (block, head, place) over ``places``.
    ``candidate_signs`` (depth, candidate) and ``place_signs`` (place) are tokens as they are shown.
    """

    candidates: Int[np.ndarray, "depth candidate"]
    candidate_signs: tuple[tuple[str, ...], ...]
    probabilities: Float[np.ndarray, "depth candidate"]
    own: Float[np.ndarray, " depth"]
    weights: Float[np.ndarray, "block head place"]
    places: tuple[int, ...]
    place_signs: tuple[str, ...]


def complete(
    report: Report,
    checkpoint: KeptWeights,
    prompt: str,
    count: int,
    choice: tuple[float, int, float],
    seed: int,
    with_cache: bool,
) -> Completion:
    """Write ``count`` tokens on, drawn as a :class:`Choice` of these numbers says.

    Raises :class:`TextError` for an empty prompt or characters that were never read.
    """
    network, text = loaded(checkpoint)
    prompt_ids = prompt_tokens(text, prompt)
    chances = torch.rand(count, 1, generator=torch.Generator().manual_seed(seed))
    next_tokens = []
    with one_thread():
        start = time.perf_counter()
        for one in written_on(network, torch.tensor([prompt_ids]), chances, Choice(*choice), with_cache=with_cache):
            next_tokens.append(one)
            report(len(next_tokens), count)
        seconds = time.perf_counter() - start
    shares = torch.cat([one.shares for one in next_tokens])
    tokens = torch.cat([one.token for one in next_tokens])
    best = shares.topk(min(CANDIDATES, shares.shape[1]))
    continuation, candidates = tuple(tokens.tolist()), best.indices.tolist()
    return Completion(
        tuple(prompt_ids),
        continuation,
        text.tokens.decode(prompt_ids),
        text.tokens.decode(continuation),
        _shown(text, continuation),
        shares.gather(1, tokens[:, None])[:, 0].numpy(),
        best.indices.numpy(),
        tuple(_shown(text, row) for row in candidates),
        best.values.numpy(),
        seconds,
    )


def explain(report: Report, checkpoint: KeptWeights, tokens: tuple[int, ...], token: int) -> Reason:
    """Why ``token`` came after these tokens."""
    network, text = loaded(checkpoint)
    with one_thread():
        lens = last_place(network, torch.tensor(tokens))
    report(1, 1)
    best = lens.guesses.topk(min(5, lens.guesses.shape[1]))
    places = tokens[-network.shape.positions :]
    return Reason(
        best.indices.numpy(),
        tuple(_shown(text, row) for row in best.indices.tolist()),
        best.values.numpy(),
        lens.guesses[:, token].numpy(),
        lens.weights.numpy(),
        places,
        _shown(text, places),
    )


def _shown(text: TokenText, tokens: Iterable[int]) -> tuple[str, ...]:
    return tuple(text.signs[token] for token in tokens)


def prompt_tokens(text: TokenText, prompt: str) -> list[int]:
    """The end of the prompt in tokens; raises :class:`TextError` where there is none, or unknown characters."""
    tokens = text.tokens.encode(prompt[-LONGEST_PROMPT:])
    if not tokens:
        raise TextError("The prompt is empty; allowed is a text to go on from, such as one letter.", "empty")
    return tokens


@lru_cache(maxsize=4)
def loaded(checkpoint: KeptWeights) -> tuple[CausalTransformer, TokenText]:
    """The first seed's network with its text.

    Raises :class:`goldviz.runs.store.schema.StoreError` where the run or its state is gone, and
    :class:`goldviz.training.state.StateError` where the state holds no such network.
    """
    settings = CharGpt.checked_json(checkpoint.settings)
    text = token_text(settings.corpus, settings.tokens, settings.vocabulary)
    return network_of_state(settings, text.size, checkpoint.state(CharGpt)), text


def network_of_state(settings: CharGpt, vocabulary: int, state: bytes) -> CausalTransformer:
    """The first seed's network as it stood in a packed state; raises :class:`StateError` where it holds none."""
    network = CausalTransformer(shape_of(settings, vocabulary))
    return network_at_rest(network, f"{GPT}/{settings.seeds[0]}/network", state)
