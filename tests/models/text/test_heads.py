import pytest
import torch
from torch.testing import assert_close
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    RobertaConfig,
    RobertaForSequenceClassification,
)
from transformers.modeling_outputs import BaseModelOutput

from goldviz.models.text.encoder import EncoderShape
from goldviz.models.text.heads import MaskedWordHead, TextClassifier

SIZES = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 24}
SHAPE = EncoderShape(1, 2, 16, 24, 40, 12)


def hidden(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def randomised(module):
    """All weights drawn, biases and norms too."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weights in module.parameters():
            weights.normal_(0, 0.5, generator=generator)
    return module.eval()


def test_masked_words_are_those_of_transformers():
    theirs = randomised(BertForMaskedLM(BertConfig(**SIZES)))
    ours = MaskedWordHead(SHAPE)
    stored = theirs.cls.predictions.state_dict()
    ours.load_state_dict(
        {
            "dense.weight": stored["transform.dense.weight"],
            "dense.bias": stored["transform.dense.bias"],
            "norm.weight": stored["transform.LayerNorm.weight"],
            "norm.bias": stored["transform.LayerNorm.bias"],
            "bias": stored["bias"],
        }
    )
    x = hidden(2, 5, 16)
    table = theirs.bert.embeddings.word_embeddings.weight
    assert_close(ours(x, table), theirs.cls(x), rtol=0, atol=1e-5)
    assert_close(ours(x[0, 3], table), theirs.cls(x)[0, 3], rtol=0, atol=1e-5)


def test_the_masked_word_head_teaches_the_token_table():
    ours, table = MaskedWordHead(SHAPE), hidden(40, 16).requires_grad_()
    ours(hidden(3, 16), table).logsumexp(-1).sum().backward()
    assert table.grad.abs().sum() > 0
    assert sum(weights.numel() for weights in ours.parameters()) == 16 * 16 + 16 + 2 * 16 + 40


def bert(dense, read_out):
    theirs = randomised(BertForSequenceClassification(BertConfig(**SIZES, num_labels=3)))
    theirs.bert.pooler.dense, theirs.classifier = dense, read_out
    return lambda x: theirs.classifier(theirs.bert.pooler(x))


def roberta(dense, read_out):
    head = randomised(RobertaForSequenceClassification(RobertaConfig(**SIZES, num_labels=3))).classifier
    head.dense, head.out_proj = dense, read_out
    return head


class PassedOn(torch.nn.Module):
    """An encoder that gives back what it is given."""

    def forward(self, inputs_embeds, **_):
        return BaseModelOutput(inputs_embeds)


def distilbert(dense, read_out):
    config = DistilBertConfig(vocab_size=40, dim=16, n_layers=1, n_heads=2, hidden_dim=24, num_labels=3)
    theirs = randomised(DistilBertForSequenceClassification(config))
    theirs.pre_classifier, theirs.classifier = dense, read_out
    theirs.distilbert = PassedOn()
    return lambda x: theirs(inputs_embeds=x).logits


@pytest.mark.parametrize(("family", "activation"), [(bert, "tanh"), (roberta, "tanh"), (distilbert, "relu")])
def test_classes_are_those_of_transformers(family, activation):
    ours = randomised(TextClassifier(16, 3, activation))
    x = hidden(4, 5, 16)
    assert_close(ours(x), family(ours.dense, ours.read_out)(x), rtol=0, atol=1e-5)


def test_only_the_first_token_is_read():
    ours, x = TextClassifier(16, 3), hidden(2, 5, 16)
    other = x.clone()
    other[:, 1:] += 1
    assert torch.equal(ours(other), ours(x))
    other[:, 0] += 1
    assert not torch.allclose(ours(other), ours(x))


def test_the_number_of_parameters():
    assert sum(weights.numel() for weights in TextClassifier(16, 3).parameters()) == 16 * 16 + 16 + 16 * 3 + 3
