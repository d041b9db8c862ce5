"""One encoder layer, piece by piece, against transformers' own BERT with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertModel

from goldviz.labs.inside_bert.compute import chunks_of
from goldviz.labs.inside_bert.head import STAGES, encoder_layer
from goldviz.labs.inside_bert.reading import TextReading, read_text
from goldviz.models.text.loading import load_text_model
from tests.random_bert import write_random_bert

TEXT = "The committee decided to lower rates, and gold rose by 3 percent."
DTYPES = {torch.float32: 1e-5, torch.float64: 1e-10}
LAYER, TOKEN = 2, 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_bert(tmp_path_factory.mktemp("model") / "bert", seed=5)


def reading_of(folder: Path, dtype: torch.dtype, text: str = TEXT) -> TextReading:
    model = load_text_model(folder)
    model.encoder.to(dtype)
    [pieces] = chunks_of(model, text)
    return read_text(model, pieces)


def theirs(folder: Path, dtype: torch.dtype, ids: np.ndarray, layer: int) -> dict[str, torch.Tensor]:
    """What the parts of one of transformers' layers give, by the names of our stages."""
    model = BertModel.from_pretrained(folder).to(dtype).eval()
    chosen, seen = model.encoder.layer[layer - 1], {}
    hooked = {
        "attention": chosen.attention.output.dense,
        "attended": chosen.attention,
        "before": chosen.intermediate.dense,
        "after": chosen.intermediate,
        "feed_forward": chosen.output.dense,
        "output": chosen,
    }
    for name, part in hooked.items():
        part.register_forward_hook(
            lambda _, given, out, name=name: seen.update({name: out[0] if isinstance(out, tuple) else out})
        )
    with torch.no_grad():
        found = model(torch.as_tensor(ids)[None], output_hidden_states=True)
    seen = {name: value.reshape(-1, value.shape[-1]) for name, value in seen.items()}
    seen["input"] = found.hidden_states[layer - 1][0]
    seen["attention_sum"] = seen["input"] + seen["attention"]
    seen["feed_forward_sum"] = seen["attended"] + seen["feed_forward"]
    seen["columns"] = chosen.output.dense.weight.detach().norm(dim=0)
    return seen


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_stage_is_transformers_own(folder: Path, dtype: torch.dtype) -> None:
    reading = reading_of(folder, dtype)
    ds = encoder_layer(reading, LAYER, TOKEN)
    known = theirs(folder, dtype, reading.pieces.ids, LAYER)
    close = {"rtol": 0, "atol": DTYPES[dtype]}
    for stage in STAGES:
        np.testing.assert_allclose(ds["stage_norm"].sel(stage=stage), known[stage].norm(dim=1), **close)
    np.testing.assert_allclose(ds["neuron_input"], known["before"][TOKEN - 1], **close)
    np.testing.assert_allclose(ds["neuron_output"], known["after"][TOKEN - 1], **close)
    np.testing.assert_allclose(ds["firing"], (known["before"] > 0).double().mean(1), **close)
    np.testing.assert_allclose(ds["neuron_length"], known["after"][TOKEN - 1].abs() * known["columns"], **close)


def test_a_layer_norm_divides_by_the_spread_of_what_it_is_given(folder: Path) -> None:
    reading = reading_of(folder, torch.float64)
    ds, known = encoder_layer(reading, LAYER, TOKEN), theirs(folder, torch.float64, reading.pieces.ids, LAYER)
    for norm, given in (("attention_norm", "attention_sum"), ("output_norm", "feed_forward_sum")):
        spread = (known[given].var(1, correction=0) + 1e-12).sqrt()
        np.testing.assert_allclose(ds["divisor"].sel(norm=norm), spread, rtol=0, atol=1e-12)


def test_cosines_say_along_or_across_what_was_there(folder: Path) -> None:
    reading = reading_of(folder, torch.float64)
    ds, known = encoder_layer(reading, LAYER, TOKEN), theirs(folder, torch.float64, reading.pieces.ids, LAYER)
    for added, onto in (("attention", "input"), ("feed_forward", "attended")):
        total = known[added].norm(dim=1) ** 2 + known[onto].norm(dim=1) ** 2
        inner = ((known[added] + known[onto]).norm(dim=1) ** 2 - total) / 2
        cosines = inner / (known[added].norm(dim=1) * known[onto].norm(dim=1))
        np.testing.assert_allclose(ds["added_cosine"].sel(added=added), cosines, atol=1e-10)
    turned = torch.cosine_similarity(known["output"], known["input"], dim=1)
    np.testing.assert_allclose(ds["turned"], turned, atol=1e-10)


def test_a_layer_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(IndexError, match="The layer is number 3"):
        encoder_layer(reading_of(folder, torch.float32), 4, 1)
