"""The gradient of Bengio's MLP by hand, for networks so small that autograd's record of the way costs most of a step.

Document 002, 1.4: the loss gives (P - Y)/n to the logits, a product x W gives x^T d to its weights and d W^T to what
it read, tanh passes d (1 - h²), and each row of the table collects what its places got.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import embedding, log_softmax

from goldviz.labs.char_language_model.networks import HiddenLayer, LayeredModel

aten = torch.ops.aten
MEAN, NONE_IGNORED = 1, -100
"""How PyTorch's kernels are told to average over the batch, and to count every target."""


@torch.no_grad()
def loss_with_gradients(
    network: LayeredModel, contexts: Int[Tensor, "batch place"], targets: Int[Tensor, " batch"]
) -> Float[Tensor, ""]:
    """The mean loss of a plain network; every parameter's ``grad`` is then what ``backward()`` would leave.

    It calls the kernels that autograd calls, in the same order, so that not one bit differs.
    """
    read = [embedding(contexts, network.table).flatten(1)]
    for layer in network.each:
        read.append(torch.addmm(layer.bias, read[-1], layer.weight).tanh_())
    loss, d_logits = _loss_and_slope(network.answer(read[-1]), targets)
    network.read_out.grad = read[-1].t().mm(d_logits)
    network.read_out_bias.grad = d_logits.sum(0)
    d_read = _through_layers(network.each, read, d_logits.mm(network.read_out.t()))
    network.table.grad = aten.embedding_dense_backward(
        d_read.view(*contexts.shape, -1), contexts, len(network.table), -1, False
    )
    return loss


def _loss_and_slope(
    logits: Float[Tensor, "batch symbol"], targets: Int[Tensor, " batch"]
) -> tuple[Float[Tensor, ""], Float[Tensor, "batch symbol"]]:
    """-mean log P of the targets, and its derivative (P - Y)/n by the logits (1.4.4)."""
    log_p = log_softmax(logits, 1)
    loss, weight = aten.nll_loss_forward(log_p, targets, None, MEAN, NONE_IGNORED)
    d_log_p = aten.nll_loss_backward(loss.new_ones(()), log_p, targets, None, MEAN, NONE_IGNORED, weight)
    return loss, aten._log_softmax_backward_data(d_log_p, log_p, 1, log_p.dtype)


def _through_layers(
    layers: Sequence[HiddenLayer], read: Sequence[Tensor], d: Float[Tensor, "batch unit"]
) -> Float[Tensor, "batch read"]:
    """From the derivative by the last layer's output to that by what the first one read."""
    for layer, x, h in zip(reversed(layers), reversed(read[:-1]), reversed(read), strict=False):
        d = aten.tanh_backward(d, h)
        layer.weight.grad = x.t().mm(d)
        layer.bias.grad = d.sum(0)
        d = d.mm(layer.weight.t())
    return d
