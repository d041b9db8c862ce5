"""Value-weighted attention: how long the vectors are that attention really adds (Kobayashi et al. 2020, section 3).

A layer's attention output is a sum over heads h and tokens j of a_h,ij f_h(x_j) and the output's bias, with
f_h(x) = (x W_V,h + b_V,h) W_O,h. A large weight on a token whose f_h(x_j) is short adds little: this is what happens at
[CLS], [SEP] and full stops.
"""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.inside_bert.attention.words import group_by_word
from goldviz.labs.inside_bert.reading import TextReading

KEYS_AT_ONCE = 64
"""Keys whose products over pairs of heads are held together: 12 heads at 512 queries then take 3 MB each."""


@torch.no_grad()
def transformed_values(reading: TextReading, layer: int, head: int) -> Float[Tensor, "key width"]:
    """f_h(x_j) of every token: its value in one head, carried through that head's part of W_O.

    The head's weights times these, added up over the heads, and the bias of W_O make the layer's attention output.
    Raises IndexError for a layer or head that the model does not have.
    """
    steps = reading.head(layer, head)
    output = reading.block(layer).attention.output.weight
    width = steps.value.shape[1]
    return torch.from_numpy(steps.value).to(output.device) @ output[:, head * width : (head + 1) * width].t()


@torch.no_grad()
def head_norms(reading: TextReading, layer: int, head: int) -> Float[np.ndarray, "query key"]:
    """|| a_ij f_h(x_j) || of one head. Raises IndexError for a layer or head that the model does not have."""
    lengths = torch.linalg.vector_norm(transformed_values(reading, layer, head), dim=1, dtype=torch.float64)
    norms: np.ndarray = reading.head(layer, head).weights * lengths.cpu().numpy()
    return norms


@torch.no_grad()
def head_word_norms(reading: TextReading, layer: int, head: int) -> Float[np.ndarray, "word_query word_key"]:
    """|| sum_j a_ij f_h(x_j) || of one head over the pieces j of a word, the mean over the pieces i of the asking word.

    The vectors of a word's pieces are added, as the layer adds them, and then measured: lengths do not add up. What
    different queries get is never added, so their lengths are averaged. Words and special pieces in the text's order,
    as :func:`word_maps` has them. Raises IndexError for a layer or head that the
    model does not have.
    """
    values = transformed_values(reading, layer, head)
    weights = torch.from_numpy(reading.head(layer, head).weights).to(values.device)
    groups = group_by_word(reading.pieces.words)
    ends = np.append(np.flatnonzero(np.diff(groups)) + 1, len(groups))
    # Word after word: one array of query x word x width would take 800 MB for 512 words of BERT-base.
    lengths = [
        torch.linalg.vector_norm(weights[:, first:stop] @ values[first:stop], dim=1, dtype=torch.float64)
        for first, stop in zip([0, *ends[:-1]], ends, strict=True)
    ]
    by_piece = torch.stack(lengths, dim=1).cpu().numpy()
    norms: np.ndarray = np.add.reduceat(by_piece, [0, *ends[:-1]], axis=0) / np.bincount(groups)[:, None]
    return norms


@torch.no_grad()
def attention_norms(reading: TextReading, layer: int) -> Float[np.ndarray, "query key"]:
    """|| sum_h a_h,ij f_h(x_j) || of a whole layer, in float64: the heads' vectors are added before they are measured.

    The square is a_ij^T G_j a_ij with the heads' products G_j[h, g] = f_h(x_j) . f_g(x_j), which spares an array of
    query x key x width. Raises IndexError for a layer that the model does not have.
    """
    attention = reading.attention(layer)
    products = _head_products(attention.value[0], reading.block(layer).attention.output.weight)
    squares = attention.weights.new_empty(attention.weights.shape[2:], dtype=torch.float64)
    for first in range(0, len(products), KEYS_AT_ONCE):
        keys = slice(first, first + KEYS_AT_ONCE)
        weights = attention.weights[0, :, :, keys].permute(2, 0, 1).double()
        squares[:, keys] = ((products[keys] @ weights) * weights).sum(1).t()
    norms: np.ndarray = squares.clamp_(min=0).sqrt_().cpu().numpy()
    return norms


def _head_products(
    value: Float[Tensor, "head key head_width"], output: Float[Tensor, "width head_x_head_width"]
) -> Float[Tensor, "key head head"]:
    """G_j[h, g] = v_h,j W_h W_g^T v_g,j for every token j, where W_h is the part of W_O that reads head h."""
    heads, pieces, width = value.shape
    products = value.new_empty(pieces, heads, heads, dtype=torch.float64)
    parts = output.double().view(-1, heads, width).transpose(0, 1)
    value_parts = torch.einsum("hjd,hwd->hjw", value.double(), parts)
    for head in range(heads):
        products[:, head] = torch.einsum("jw,gjw->jg", value_parts[head], value_parts)
    return products
