"""What trained networks make of a review, word by word: state, gates, verdict so far, and the verdict's gradient."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import xarray as xr
from torch import Tensor
from torch.nn import functional

from goldviz.arrays.labelled import Run
from goldviz.labs.recurrent_gradients.reader import SequenceReader, at_start, take_over
from goldviz.labs.recurrent_gradients.reviews import VOCABULARY
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients, lanes
from goldviz.models.recurrent.cells import GATES
from goldviz.models.recurrent.weights import RecurrentTrace

if TYPE_CHECKING:
    from goldviz.runs.jobs.jobs import Report


class ReviewError(ValueError):
    """A review that cannot be read; the message is a sentence for a person."""

    for_a_person = True


WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
MOST_WORDS = 200
READ_SECONDS = 0.2
"""About what reading a review takes."""


@dataclass(frozen=True)
class Words:
    """A review as the networks read it: a word that they never saw is a step at which nothing comes in."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Words:
        """The words of a text, in small letters; :class:`ReviewError` for none, or more than :data:`MOST_WORDS`.

        >>> Words.of("What a wonderful day!").words
        ('what', 'a', 'wonderful', 'day')
        """
        words = tuple(WORD.findall(text.lower()))
        if not 1 <= len(words) <= MOST_WORDS:
            raise ReviewError(f"The review has {len(words)} words; allowed are 1 to {MOST_WORDS}.")
        return cls(words)

    @property
    def known(self) -> tuple[bool, ...]:
        """Which of them the networks were trained on."""
        return tuple(word in VOCABULARY for word in self.words)

    @property
    def inputs(self) -> Tensor:
        """The words, one-hot, in float64 (words, 1, vocabulary); zero where a word is unknown."""
        numbers = [
            VOCABULARY.index(word) if is_known else 0 for word, is_known in zip(self.words, self.known, strict=True)
        ]
        rows = functional.one_hot(torch.tensor(numbers), len(VOCABULARY)).double()
        return (rows * torch.tensor(self.known)[:, None])[:, None]


def weights_of(run: Run) -> np.ndarray:
    """The last weights of the networks of a run."""
    return np.asarray(run["weights"].values)


def word_by_word(report: Report, settings: str, weights: np.ndarray, text: str) -> xr.Dataset:
    """See :func:`read_words`; ``settings`` in JSON."""
    return read_words(RecurrentGradients.checked_json(settings), weights, text)


def read_words(settings: RecurrentGradients, weights: np.ndarray, text: str) -> xr.Dataset:
    """Read a review with a run's recorded ``weights`` (networks, weights), every number in float64.

    ``praise`` is the probability of praise were the review to end at the word, ``state`` h_t, ``state_gradient`` the
    norm of d m/dh_t and ``word_gradient`` d m/dx_t at the word's own input, which is what m would lose without the
    word if it were linear in it; m, the margin, is praise's number less blame's after the last word. Gates are means
    over units, NaN where a network lacks them. Raises :class:`ReviewError` for a text and ``ValueError`` for weights
    that do not fit.
    """
    words = Words.of(text)
    read = [
        _of_network(settings, lane, row, words) for lane, row in zip(lanes(settings.networks), weights, strict=True)
    ]
    dims = {
        "praise": ("time",),
        "state": ("time", "unit"),
        "state_gradient": ("time",),
        "word_gradient": ("time",),
        "gate_opening": ("gate", "time"),
    }
    return xr.Dataset(
        {name: (("network", *own), torch.stack([one[name] for one in read]).numpy()) for name, own in dims.items()},
        coords={
            "network": list(lanes(settings.networks)),
            "time": range(1, len(words.words) + 1),
            "gate": list(GATES),
            "unit": range(1, settings.hidden + 1),
        },
        attrs={"words": words.words, "known": words.known},
    )


def _of_network(settings: RecurrentGradients, lane: str, weights: np.ndarray, words: Words) -> dict[str, Tensor]:
    network = at_start(settings, lane, settings.seeds[0], len(VOCABULARY), 2)
    take_over(network, torch.as_tensor(weights, dtype=torch.get_default_dtype()))
    network.double()
    inputs = words.inputs.requires_grad_()
    trace = network(inputs)
    answers = network.read(trace.hidden)[:, 0]
    margin = answers[-1, 1] - answers[-1, 0]
    of_inputs, *of_states = torch.autograd.grad(margin, [inputs, *trace.states[1:]])
    return {
        "praise": answers.detach().softmax(1)[:, 1],
        "state": trace.hidden[:, 0].detach(),
        "state_gradient": torch.linalg.vector_norm(torch.cat(of_states), dim=1),
        "word_gradient": (of_inputs * inputs).detach().sum((1, 2)),
        "gate_opening": _openings(network, trace, len(words.words)),
    }


def _openings(network: SequenceReader, trace: RecurrentTrace, steps: int) -> Tensor:
    absent = torch.full((steps,), torch.nan, dtype=torch.float64)
    gates = [getattr(trace, f"{name}_gates", None) for name in GATES]
    return torch.stack([absent if gate is None else torch.stack(gate).detach().mean((1, 2)) for gate in gates])
