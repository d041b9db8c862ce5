"""*Attention against recurrence*: what its examples recorded, computed once more with PyTorch's own layers."""

import numpy as np
import pytest
import torch
from torch import nn

from goldviz.api import dataset_of
from goldviz.labs.attention_against_recurrence.marked_symbols import groups, unseen_sequences
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence
from goldviz.labs.attention_against_recurrence.train import reader
from goldviz.runs.examples import example
from goldviz.training.seeds import TEST_DATA, stream

SLUGS = [preset.slug for preset in AttentionAgainstRecurrence.presets]


def values(run, name):
    return run[name].isel(seed=0).values.astype(np.float64)


@pytest.mark.parametrize("slug", SLUGS)
def test_all_answers_are_the_mean_over_distances_and_the_nearest_gradient_is_the_unit(slug):
    run, settings = example(AttentionAgainstRecurrence, slug), AttentionAgainstRecurrence.preset(slug)
    assert run["distance"].values.tolist() == groups(settings.distance)
    np.testing.assert_allclose(values(run, "accuracy_by_distance").mean(-1), values(run, "accuracy"), rtol=1e-5)
    np.testing.assert_allclose(values(run, "input_gradient")[..., 0], 1)


def test_the_first_look_at_the_rnn_is_that_of_pytorch_s():
    run, settings = example(AttentionAgainstRecurrence, SLUGS[0]), AttentionAgainstRecurrence()
    made = reader(settings, "rnn", 0).double()
    theirs = nn.RNN(10, settings.width).double()
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(made.body.W_x)
        theirs.weight_hh_l0.copy_(made.body.W_h)
        theirs.bias_ih_l0.copy_(made.body.b)
        theirs.bias_hh_l0.zero_()
    unseen = unseen_sequences(settings.distance, stream(0, TEST_DATA))
    inputs = unseen.inputs.double().requires_grad_()
    scores = made.read_out(theirs(inputs)[0][-1])
    right = (scores.argmax(1) == unseen.targets).double().reshape(len(run["distance"]), -1).mean(1)
    np.testing.assert_allclose(right, values(run, "accuracy_by_distance")[0, 0], atol=1e-6)
    nn.functional.cross_entropy(scores, unseen.targets, reduction="sum").backward()
    lengths = inputs.grad.norm(dim=2).mean(1).flip(0)[1:]
    np.testing.assert_allclose(lengths / lengths[0], values(run, "input_gradient")[0, 0], rtol=1e-4)


@pytest.mark.parametrize("slug", SLUGS[1:2])
def test_a_recorded_run_begins_as_it_did(slug):
    run = example(AttentionAgainstRecurrence, slug)
    again = dataset_of(AttentionAgainstRecurrence.preset(slug).changed(steps=3), progress=False)
    np.testing.assert_allclose(again["loss"].values, run["loss"].values[:3], rtol=1e-4)
    np.testing.assert_allclose(again["accuracy"].values[0], run["accuracy"].values[0], rtol=1e-3)
