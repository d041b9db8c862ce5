"""What a run of *Price tokens* comes to: one sentence with its numbers, and a table of all models."""

from __future__ import annotations

from math import isfinite

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import percent
from goldviz.diagnostics.forecasts.moves import still_in_words
from goldviz.diagnostics.forecasts.result import Result, judged
from goldviz.diagnostics.forecasts.words import (
    DIVERGED,
    NO_FORECAST_YET,
    forecasts_counted,
    p_in_table,
    p_value,
    signed,
)
from goldviz.labs.price_tokens.densities import BASELINES
from goldviz.labs.price_tokens.measures import NETWORK, Reading
from goldviz.labs.price_tokens.settings import PriceTokens

UNFINISHED = ("queued", "running", "paused")
WORDS = (
    "The next move's size can be forecast",
    "Worse than token frequency",
    "No detectable skill over token frequency",
)
SIGN = 0.005
"""Nats a day that the sign may give: regimes that move the mean return give 0.001 to 0.002, and no leak so little."""
SWITCHED = 0.1
"""Share of days whose name a new fit may change for nothing but the name."""
UNUSED = 0.3
"""Perplexity of the tokens' use, as a share of how many there are, below which most are idle."""
NETWORKS = {"bigram": "counted pairs", "mlp": "MLP", "gpt": "GPT"}


def verdict(ds: Run, settings: PriceTokens) -> str:
    """The sentence that stands first. What makes a score worthless is said before the score."""
    if str(ds.attrs.get("status", "")) == "diverged":
        return DIVERGED
    n = Reading(ds)
    if not isfinite(n.own.value):
        goes_on = str(ds.attrs.get("status", "running")) in UNFINISHED
        return NO_FORECAST_YET if goes_on else "There is no forecast."
    score = f"{gain_in_words(n.own)}, {of_market(n)}"
    if n.foresees:
        gain = f"{signed(n.own.value, 3)} nats a day"
        return f"Tokens know the future: {percent(n.changed)} change when only later days do. So {gain} mean nothing."
    if n.switched > SWITCHED:
        return (
            f"Names switch between fits: {percent(n.same_label)} of the past days keep theirs, and "
            f"{percent(n.same_meaning)} could. So the past was written in another language: {score}."
        )
    if n.used < UNUSED:
        return f"Most days share one token ({in_use(n)}), so there is little to forecast: {score}."
    if not n.own.sure:
        return f"So far: {score}; the interval comes when the run ends."
    if settings.shuffle_days:
        return _of_shuffled(n, score)
    if n.sign.low > SIGN:
        by_sign = f"{signed(n.sign.value, 3)} nats a day by it alone"
        return (
            f"Too good: the sign of the next move seems known ({by_sign}). Look for a leak before you believe {score}."
        )
    beside = f"; GARCH reaches {signed(n.garch.value, 3)}" if isfinite(n.garch.value) else ""
    words = WORDS if n.knows_size else ("Better than token frequency", *WORDS[1:])
    return f"{judged(n.own, words, score)}{beside}."


def standing_still(ds: Run) -> str:
    """What is to be known of the scores where the price does not move for many days on end; empty where it does."""
    so = "Whatever narrows on such days gains nats by them, so gains say little of the others."
    return still_in_words(str(ds.attrs.get("target_words", "")), Reading(ds).moves, so)


def _of_shuffled(n: Reading, score: str) -> str:
    if n.own.better:
        return f"The days are in random order, yet {score}: such skill can only come from a mistake."
    return f"The days are in random order, and no skill is left, as it must be: {score}."


def gain_in_words(result: Result) -> str:
    """A gain with its interval, and its test where that disagrees.

    >>> gain_in_words(Result(0.034, 0.009, 0.063, 1e-9))
    '+0.034 nats a day [+0.009, +0.063]'
    >>> gain_in_words(Result(-0.002, -0.004, -0.00008, 0.06))
    '−0.002 nats a day [−0.0040, −0.0001], Diebold-Mariano p = 0.06'
    """
    # An end beside zero gets the digits that show on which side it is.
    digits = next((d for d in (3, 4, 5) if all(round(end, d) for end in (result.low, result.high) if end)), 6)
    ends = f" [{signed(result.low, digits)}, {signed(result.high, digits)}]" if result.sure else ""
    test = f", Diebold-Mariano {p_value(result.p)}" if result.disputed else ""
    return f"{signed(result.value, 3)} nats a day{ends}{test}"


def in_use(n: Reading) -> str:
    """How many tokens are in use, in words."""
    return f"perplexity {n.perplexity:.1f} of {n.dataset.sizes['token_name']}"


def of_market(n: Reading) -> str:
    """How many forecasts, and of which kind of market."""
    return forecasts_counted(n.forecasts, simulated=n.simulated)


def model_name(model: str, network: str) -> str:
    """A model as a person reads it.

    >>> model_name("network", "gpt"), model_name("ar1", "gpt")
    ('GPT', 'AR(1)')
    """
    if model == NETWORK:
        return NETWORKS.get(network, "network")
    return BASELINES[model].words if model in BASELINES else model


def score_rows(ds: Run, network: str) -> list[dict[str, str]]:
    """The network and every baseline, one row for each; empty until the run has ended."""
    n, rows = Reading(ds), []
    for model in (model for model in n.models if model != network):
        whole, size, sign = (n.result(model, part) for part in ("gain", "size_gain", "sign_gain"))
        reference = model == "frequency"
        rows.append(
            {
                "Model": model_name(model, network),
                "Nats a day": signed(n.result(model, "nats").value, 3),
                "Gain": "0" if reference else signed(whole.value, 3),
                "95 % interval": "–" if reference else f"{signed(whole.low, 3)} to {signed(whole.high, 3)}",
                "of the size": "–" if reference else signed(size.value, 3),
                "of the sign": "–" if reference else signed(sign.value, 4),
                "DM p": p_in_table(whole.p),
            }
        )
    return rows
