"""What a watched run says of its rate: its cards and its gauge never contradict each other, whatever the rate did."""

import math

import numpy as np
import pytest
import torch
import xarray as xr
from torch.nn import functional

from goldviz.watching.findings import TOO_LARGE, TOO_SMALL, findings_of, gauge
from tests.watching.loops import mlp, task, watching

RIGHT, STEPS = 0.1, 210
"""A sound rate of gradient descent here, and steps with three probes."""


def rates(kind: str, seed: int) -> np.ndarray:
    """The rate of each step."""
    steps, draws = np.arange(STEPS), np.random.default_rng(seed)
    return {
        "right": np.full(STEPS, RIGHT),
        "too large": np.full(STEPS, 20 * RIGHT),
        "too small": np.full(STEPS, 1e-4 * RIGHT),
        "thrown about": RIGHT * 10 ** draws.uniform(-3, 2, STEPS),
        "lowered late": np.where(steps < 150, 20 * RIGHT, 1e-2 * RIGHT),
        "raised late": np.where(steps < 150, 1e-4 * RIGHT, 20 * RIGHT),
    }[kind]


def told(kind: str, seed: int) -> tuple[set[str], str]:
    """The kinds of the cards, and what the gauge says."""
    torch.manual_seed(seed)
    model = mlp()
    chosen = torch.optim.SGD(model.parameters(), RIGHT)

    def loss_of(step: int) -> torch.Tensor:
        x, y = task(seed=1000 * seed + step)
        return functional.cross_entropy(model(x), y)

    with watching(model, every=2) as record:
        for step, rate in enumerate(rates(kind, seed).tolist(), start=1):
            chosen.param_groups[0]["lr"] = rate
            loss = loss_of(step)
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss, again=lambda step=step: loss_of(step))
    run = record.dataset()
    findings = findings_of(run)
    return {finding.kind for finding in findings}, gauge(run, findings)


def contradict(kinds: set[str], words: str) -> bool:
    larger, smaller = "times larger" in words, "edge" in words or "too large" in words or "No part" in words
    return (TOO_LARGE in kinds and larger) or (TOO_SMALL in kinds and smaller)


EXPECTED = {"right": (set(), True), "too large": ({TOO_LARGE}, False), "too small": ({TOO_SMALL}, True)}
"""Of a rate that stays: the cards about it, and whether the gauge may say that it could be larger."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [*EXPECTED, "thrown about", "lowered late", "raised late"])
def test_card_and_gauge_agree(kind: str, seed: int) -> None:
    kinds, words = told(kind, seed)
    assert not contradict(kinds, words)
    about = kinds & {TOO_LARGE, TOO_SMALL}
    if kind in EXPECTED:
        cards, larger = EXPECTED[kind]
        assert (about, "times larger" in words) == (cards, larger)
    elif kind != "thrown about":
        # Most steps had another rate, of which nothing is said any more.
        assert about <= ({TOO_SMALL} if kind == "lowered late" else {TOO_LARGE})


def recorded(rates: list[float], ratio: float, headroom: float, probed: int) -> xr.Dataset:
    """A run of so many steps with one layer, whose update to data goes with the rate."""
    steps = np.arange(1, len(rates) + 1)
    return xr.Dataset(
        {
            "learning_rate": ("step", rates),
            "update_to_data": (("step", "layer"), (ratio * np.array(rates))[:, None]),
            "headroom": ("probe", [headroom]),
        },
        coords={"step": steps, "layer": ["a"], "probe": [probed]},
        attrs={"layers": '[["a", "Linear", 10]]'},
    )


LONG, SHORT, USUAL = 0.1, 1e-5, 1e-3
CASES = {
    "long steps, whose own batch bears more": ([1.0] * 200, LONG, 6.8, 200, {TOO_LARGE}, ""),
    "long steps at the edge": ([1.0] * 200, LONG, 1.1, 200, {TOO_LARGE}, "Your rate is at the edge."),
    "short steps": ([1.0] * 200, SHORT, 16.0, 200, {TOO_SMALL}, "Your rate could be more than 16 times larger"),
    "short steps, and a probe that they are long": ([1.0] * 200, SHORT, 0.5, 200, set(), "Your rate is 2 times too"),
    "steps too short for the loss to tell": ([1.0] * 200, SHORT, math.nan, 200, {TOO_SMALL}, ""),
    "lowered after long steps": ([1.0] * 150 + [0.01] * 50, LONG, 5.0, 200, set(), "Your rate could be 5 times larger"),
    "lowered after the probe": ([1.0] * 150 + [0.01] * 50, LONG, 0.9, 100, set(), ""),
    "raised after short steps": ([1.0] * 150 + [100.0] * 50, SHORT, 1.0, 200, set(), "Your rate is at the edge."),
    "a rate that decays to nothing": (
        [*(0.5 + 0.5 * np.cos(np.pi * np.arange(200) / 200))],
        USUAL,
        2.0,
        200,
        set(),
        "Your rate could be 2",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_said_holds_for_the_present_rate(case: str) -> None:
    rates, ratio, headroom, probed, cards, words = CASES[case]
    run = recorded(rates, ratio, headroom, probed)
    findings = findings_of(run)
    assert {finding.kind for finding in findings} == cards
    said = gauge(run, findings)
    assert said.startswith(words)
    assert bool(said) == bool(words)
