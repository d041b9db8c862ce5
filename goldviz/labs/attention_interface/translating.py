"""What worker processes do for a sentence of one's own: read it with a run's weights, and write the answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from goldviz.data.pairs.pairs import PairTask
from goldviz.labs.attention_interface.networks import Translator, task_in, translator
from goldviz.labs.attention_interface.settings import AttentionInterface, trained_networks
from goldviz.models.text.decoding import Answer, greedy_and_beam
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.training.state import network_at_rest
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.runs.jobs.jobs import Report


@dataclass(frozen=True)
class Translation:
    """A sentence, and of each network, by name, the greedy answer and those of the beam, the likeliest first."""

    source: tuple[str, ...]
    greedy: dict[str, Answer]
    beam: dict[str, tuple[Answer, ...]]


def translate(report: Report, checkpoint: KeptWeights, sentence: str, width: int) -> Translation:
    """Translate a sentence with every network of the run's first seed.

    Raises :class:`goldviz.data.pairs.pairs.SentenceError` for a sentence that the task does not
    understand, :class:`goldviz.runs.store.schema.StoreError` where the run or its state is gone, and
    :class:`goldviz.training.state.StateError` where the state holds no such network.
    """
    networks, task = loaded(checkpoint)
    numbers = task.understood(sentence)
    greedy, beam = {}, {}
    with one_thread():
        for place, (name, network) in enumerate(networks.items(), start=1):
            first, likeliest = greedy_and_beam(network, numbers, width)
            greedy[name] = first.in_words(task.target_words)
            beam[name] = tuple(one.in_words(task.target_words) for one in likeliest)
            report(place, len(networks))
    return Translation(tuple(task.source_words[number] for number in numbers), greedy, beam)


@lru_cache(maxsize=4)
def loaded(checkpoint: KeptWeights) -> tuple[dict[str, Translator], PairTask]:
    """The first seed's networks with their task; raises as :func:`translate` does."""
    settings = AttentionInterface.checked_json(checkpoint.settings)
    state, seed = checkpoint.state(AttentionInterface), settings.seeds[0]
    networks = {
        name: network_at_rest(translator(settings, name, seed), f"{name}/{seed}/network", state)
        for name in trained_networks(settings.networks)
    }
    return networks, task_in(settings)
