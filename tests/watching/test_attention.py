"""What is told of attention heads is what PyTorch's own weights say, and a page's line finds it."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertForSequenceClassification

from goldviz.watching.attention import of_heads
from goldviz.watching.figures import layer_map
from tests.watching.loops import watching


@pytest.mark.parametrize("masks", ["none", "causal", "float", "padding", "by head", "time first"])
def test_entropy_is_that_of_the_weights_that_pytorch_returns(masks: str) -> None:
    torch.manual_seed(0)
    module = nn.MultiheadAttention(8, 2, batch_first=masks != "time first").double()
    x = torch.randn(3, 5, 8, dtype=torch.float64)
    given = x.transpose(0, 1) if masks == "time first" else x
    padding = torch.zeros(3, 5, dtype=torch.bool)
    padding[1, 3:] = True
    causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
    named = {
        "causal": {"attn_mask": causal},
        "float": {"attn_mask": torch.randn(5, 5, dtype=torch.float64)},
        "padding": {"key_padding_mask": padding},
        "by head": {"attn_mask": causal.expand(6, 5, 5)},
    }.get(masks, {})
    _, weights = module(given, given, given, average_attn_weights=False, **named)
    bits = -(weights * weights.clamp_min(1e-300).log2()).sum(-1).mean((0, 2))
    told = of_heads(module, (given, given, given), named, None)
    torch.testing.assert_close(told[0].double(), bits, rtol=1e-5, atol=1e-6)


def test_the_largest_logit_is_known_where_queries_and_keys_are_the_input() -> None:
    module = nn.MultiheadAttention(4, 2, batch_first=True)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
        module.in_proj_bias.zero_()
    x = torch.tensor([[[3.0, 0, 0, 1], [0, 2, 0, 5]]])
    # Two heads of two units: the longest of their parts, squared, over the root of 2.
    assert of_heads(module, (x, x, x), {}, None)[1].tolist() == pytest.approx([9 / math.sqrt(2), 25 / math.sqrt(2)])


class Sorted(nn.Module):
    """An encoder of one layer, as PyTorch has it."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.body, self.head = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False), nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).mean(1))


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_a_transformer_s_heads_are_told_where_it_returns_its_weights(attention: str) -> None:
    torch.manual_seed(0)
    sizes = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    model = BertForSequenceClassification(
        BertConfig(**sizes, intermediate_size=16, max_position_embeddings=8, attn_implementation=attention)
    )
    rate = torch.optim.SGD(model.parameters(), 0.1)
    with watching(model) as record:
        loss = model(torch.randint(20, (4, 6)), labels=torch.randint(2, (4,))).loss
        loss.backward()
        rate.step()
        record.step(loss=loss)
    told = record.dataset()["attention_entropy"].isel(look=0)
    measured = told.values[~np.isnan(told.values)]
    assert len(measured) == (4 if attention == "eager" else 0)
    # At the start it looks nearly evenly at six pieces.
    assert (measured > 0.9 * math.log2(6)).all()


def test_a_map_has_a_row_for_each_head() -> None:
    torch.manual_seed(0)
    model = Sorted()
    rate = torch.optim.SGD(model.parameters(), 0.1)
    with watching(model) as record:
        for _ in range(2):
            loss = model(torch.randn(4, 5, 8)).square().mean()
            loss.backward()
            rate.step()
            record.step(loss=loss)
    told = record.dataset()
    assert np.isfinite(told["largest_logit"].sel(layer="body.layers.0.self_attn").values).all()
    figure = layer_map("largest_logit", "*.self_attn").draw(told).to_dict()
    assert figure["layout"]["yaxis"]["ticktext"] == ["body.layers.0.self_attn · 1", "body.layers.0.self_attn · 2"]
