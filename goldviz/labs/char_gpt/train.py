"""What a run of *Character GPT* does: document 002, section 3.

Lanes of one seed share first weights, where shapes agree, and the order of stretches. Every look is of the network as
its step finds it: the first one is of the start.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.diagnostics.layers import LayerStep, distributions, watching, with_means_over_seeds
from goldviz.labs.char_gpt.instruments import (
    LONGEST,
    SAMPLES,
    Asked,
    Measured,
    look_closely,
    of_first_seed,
    starts,
)
from goldviz.labs.char_gpt.network import Writer, layers_of, writer
from goldviz.labs.char_gpt.simple_guesses import gzip_bits, in_bytes, simple_losses, tokens_per_byte
from goldviz.labs.char_gpt.texts import TokenText, fits, token_text
from goldviz.models.text.encoder import EncoderDropout
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import DeviceError, device_name, training_on
from goldviz.training.grid import Grid, close_steps, hand_over, parameter_count, steps_from_state, table
from goldviz.training.optimisers import set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.schedules import warm_up_share

if TYPE_CHECKING:
    from goldviz.labs.char_gpt.settings import CharGpt
    from goldviz.runs.recorder import Recorder

    Record = Recorder[CharGpt]

GPT = "gpt"


def train(settings: CharGpt, record: Record) -> None:
    """Train every seed's network, and record every variable that the experiment declares."""
    text = token_text(settings.corpus, settings.tokens, settings.vocabulary)
    fits(text, settings.block)
    with training_on(settings.device) as device:
        require_precision(settings.precision, device)
        grid = Grid.made([GPT], settings.seeds, lambda _, seed: writer(settings, text.size, seed, device))
        [writers] = grid.learners
        scored_text = Asked.of(text, settings.block, device)
        announce(settings, record, text, writers[0], scored_text, device)
        close, tokens = frozenset(close_steps(settings.steps, settings.close_looks)), text.train.to(device)
        for step in steps_from_state(record, settings.steps, grid.parts()):
            now, closely = record.settings, step in close
            rate = now.learning_rate * warm_up_share(step, settings.steps, settings.warm_up)
            record("learning_rate", rate)
            rows: list[Measured] = [{} for _ in writers]
            if closely:
                with record.instrument():
                    hand_over(of_first_seed(writers[0].network, scored_text, settings.seeds[0]), record)
                    rows = [look_closely(one.network, scored_text) for one in writers]
            looks = settings.look_every > 0 and (step == 1 or step % settings.look_every == 0)
            steps = [learn(one, now, tokens, rate, record, looks=looks, closely=closely) for one in writers]
            together = [look | more for look, more in zip(rows, steps, strict=True)]
            hand_over(with_means_over_seeds(table([together])), record)


def announce(
    settings: CharGpt, record: Record, text: TokenText, first: Writer, scored_text: Asked, device: torch.device
) -> None:
    """Label the dimensions, name text and device, and record what does not change: sizes and simple guesses."""
    places = list(range(1, settings.block + 1))
    blocks = list(range(1, settings.layers + 1))
    probe = [f"{place} {text.signs[token]}" for place, token in enumerate(scored_text.probe.tolist(), start=1)]
    record.coordinates(
        network=[GPT],
        seed=list(settings.seeds),
        layer=[layer.name for layer in layers_of(first.network)],
        position=places,
        other_position=places,
        depth=[0, *blocks],
        block_number=blocks,
        head=list(range(1, settings.heads + 1)),
        query=probe,
        key=probe,
        sample=list(range(1, SAMPLES + 1)),
        place=list(range(1, LONGEST + 1)),
        token=list(text.signs),
        value_bin=VALUE_BINS.centres,
        magnitude_bin=MAGNITUDE_BINS.centres,
    )
    train_bytes, dev_bytes = text.in_bytes(text.train), text.in_bytes(text.dev)
    record.attribute(
        device=device_name(device),
        text_notes=" ".join(text.notes),
        train_tokens=len(text.train),
        dev_tokens=len(text.dev),
        dev_bytes=len(dev_bytes),
    )
    for name, loss in simple_losses(text, scored_text.dev).items():
        record.once(name, loss)
    spans = in_bytes(text, starts(len(text.dev), settings.block), settings.block)
    record.once("gzip_dev_bits", gzip_bits(train_bytes, dev_bytes, spans))
    record.once("tokens_per_byte", tokens_per_byte(spans, settings.block))
    record.once("token_count", torch.bincount(text.train, minlength=text.size).numpy())
    record.once("parameter_count", [parameter_count(first.network)])


def learn(
    one: Writer, now: CharGpt, tokens: Tensor, rate: float, record: Record, *, looks: bool, closely: bool
) -> Measured:
    """One step; ``looks`` and ``closely`` add what it shows of the layers."""
    starts = torch.randint(len(tokens) - now.block, (now.batch, 1), generator=one.order)
    stretch = tokens[starts.to(tokens.device) + torch.arange(now.block + 1, device=tokens.device)]
    dropout = EncoderDropout(now.dropout, one.dropout)
    with watching(layers_of(one.network)) if closely else nullcontext(_weights(one) if looks else None) as layers:
        with products_in(now.precision, tokens.device):
            logits = one.network(stretch[:, :-1], dropout)
        loss = cross_entropy(logits.float().flatten(0, 1), stretch[:, 1:].flatten())
    clear_gradients(one.optimiser)
    (loss if one.scale is None else one.scale(loss)).backward()
    finite = one.scale is None or one.scale.undo(one.network.parameters())
    measurements: Measured = {"loss": loss.detach()}
    if layers is not None:
        with record.instrument():
            layers.after_backward()
            if closely:
                measurements |= layers.distributions()
                measurements["activation_histogram"] = distributions(VALUE_BINS, layers.outputs)
    norm, _ = clip_gradients(one.network.parameters(), now.clip or math.inf)
    measurements |= {"norm_before_clip": norm.float(), "norm_after_clip": norm.clamp(max=now.clip or math.inf).float()}
    set_learning_rate(one.optimiser, rate)
    one.optimiser.param_groups[0]["weight_decay"] = now.weight_decay
    if finite:
        take_step(one.optimiser)
    if layers is not None and looks:
        with record.instrument():
            measurements |= layers.after_step()
    return measurements


def _weights(one: Writer) -> LayerStep:
    return LayerStep([layer.weights for layer in layers_of(one.network)])


def require_precision(precision: str, device: torch.device) -> None:
    """Raises :class:`DeviceError` where the device lacks the precision that is asked for."""
    if precision == "bfloat16" and device.type == "cuda" and not torch.cuda.is_bf16_supported():
        choices = "float32, float16"
        raise DeviceError(f"Precision is 'bfloat16', but this machine's GPU has no bfloat16; allowed here: {choices}.")
    if precision == "float16" and device.type == "mps":
        raise DeviceError(
            "Precision is 'float16', which was never tried on an Apple GPU; allowed here: float32, bfloat16."
        )


@contextmanager
def products_in(precision: str, device: torch.device) -> Iterator[None]:
    """Matrix products in half precision, if asked for; softmax and layer norms in float32 (document 002, 3.7)."""
    if precision == "float32":
        yield
        return
    with torch.autocast(device.type, dtype=getattr(torch, precision)):
        yield
