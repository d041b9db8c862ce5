import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import goldviz
from goldviz.declare.settings import description, schemas
from goldviz.training.clipping import clip_gradients
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate

REFERENCES = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01, foreach=False, fused=False),
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=0.01, foreach=False, fused=False),
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9, foreach=False, fused=False),
}


def parameters_with(gradient):
    parameters = [nn.Parameter(torch.zeros(3, dtype=torch.float64)), nn.Parameter(torch.zeros(2, dtype=torch.float64))]
    for parameter, part in zip(parameters, gradient.split([3, 2]), strict=True):
        parameter.grad = part.clone()
    return parameters


@pytest.mark.parametrize("name", OPTIMISERS)
def test_fused_steps_equal_the_plain_ones(name):
    assert OPTIMISERS.keys() == REFERENCES.keys()
    start = torch.randn(6, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    ours, theirs = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    steppers = [(ours, OPTIMISERS[name]([ours], 0.01)), (theirs, REFERENCES[name]([theirs]))]
    for _ in range(30):
        for parameter, optimiser in steppers:
            optimiser.zero_grad()
            (parameter.sin() + parameter**4).sum().backward()
            optimiser.step()
    torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-13)


def test_a_new_learning_rate_scales_the_next_step():
    weight = nn.Parameter(torch.zeros(1))
    optimiser = OPTIMISERS["sgd"]([weight], 0.5)
    set_learning_rate(optimiser, 0.125)
    weight.grad = torch.ones(1)
    optimiser.step()
    assert weight.item() == -0.125


@given(st.lists(st.floats(-1e30, 1e30), min_size=5, max_size=5), st.floats(1e-6, 1e6))
def test_clipping_caps_the_norm_and_keeps_the_direction(values, largest):
    gradient = torch.tensor(values, dtype=torch.float64)
    length = torch.linalg.vector_norm(gradient)
    parameters = parameters_with(gradient)
    norm, clipped = clip_gradients(parameters, largest)
    after = torch.cat([parameter.grad for parameter in parameters])
    assert norm.item() == pytest.approx(length.item())
    assert clipped.item() == (norm.item() > largest)
    torch.testing.assert_close(after, gradient * min(1.0, largest / max(norm.item(), 1e-300)), rtol=1e-12, atol=0)
    assert torch.linalg.vector_norm(after).item() <= largest * (1 + 1e-12)


def test_a_gradient_whose_squares_overflow_float32_is_clipped_too():
    weight = nn.Parameter(torch.zeros(2))
    weight.grad = torch.tensor([3e25, 4e25])
    norm, clipped = clip_gradients([weight], 1.0)
    assert norm.item() == pytest.approx(5e25)
    assert clipped.item()
    torch.testing.assert_close(weight.grad, torch.tensor([0.6, 0.8]))


OFFERING = [experiment for experiment in goldviz.experiments().values() if "optimiser" in experiment.model_fields]
"""Laboratories where an optimiser is chosen."""


def test_every_laboratory_but_one_offers_the_whole_table_in_its_words():
    words = {name: rule.words for name, rule in OPTIMISERS.items()}
    # Networks of published tables were trained by Adam, and stand beside each other as they did there.
    assert {*goldviz.experiments().values()} - {*OFFERING} == {goldviz.experiments()["leaderboard"]}
    for experiment in OFFERING:
        schema = schemas(experiment)["optimiser"]
        assert schema["enum"] == list(words)
        assert schema["labels"] == words


def test_the_page_says_which_weight_decay_adamw_has_where_no_setting_does():
    """So does PyTorch; a laboratory's recorded runs were trained with it."""
    [group] = OPTIMISERS["adamw"]([nn.Parameter(torch.zeros(1))], 0.1).param_groups
    assert group["weight_decay"] == torch.optim.AdamW([nn.Parameter(torch.zeros(1))]).param_groups[0]["weight_decay"]
    words = f"AdamW has weight decay {group['weight_decay']:g} where no setting says how much."
    for experiment in OFFERING:
        assert words in description(experiment, "optimiser")


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_weight_decay_that_is_told_is_the_optimiser_s_own(name):
    for told in (0.0, 0.25):
        [group] = OPTIMISERS[name]([nn.Parameter(torch.zeros(1))], 0.1, weight_decay=told).param_groups
        assert group["weight_decay"] == told
