"""What the stories of depth say with the numbers of recorded runs."""

import torch

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.depth_gradients.stories import STORIES
from goldviz.runs.examples import example


def test_a_sigmoid_s_slope_is_a_quarter_at_most_and_not_what_its_layer_hands_back() -> None:
    """A layer of weight 8 hands back two of each part of the error: a quarter is the slope alone."""
    error = torch.autograd.functional.jacobian(lambda h: torch.sigmoid(8 * h), torch.zeros(3))
    assert torch.allclose(error, 2 * torch.eye(3))
    [step] = [step for story in STORIES for step in story.steps if "break-it-sigmoid" in step.presets and step.guess]
    runs = [example(DepthGradients, preset) for preset in step.presets]
    place, words = step.guess.found(*runs)
    assert step.guess.choices[place] == "Less than a ten-billionth"
    assert words.endswith("each sigmoid's slope is a quarter at most.")
