"""What presets' words say that their first figure has to show, held to what it draws."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.labs.figure_words import strings, words

Promise = Callable[[Any], bool]


def curve(figure: Any, name: str, at: int = 0) -> np.ndarray:
    """The heights of the traces of this name, of those that have one the first."""
    return np.asarray([trace.y for trace in figure.data if trace.name == name][at], float)


def ends(figure: Any, name: str) -> float:
    """Where a curve ends, at its last finite height."""
    heights = curve(figure, name)
    return float(heights[np.isfinite(heights)][-1])


def maps(figure: Any) -> list[np.ndarray]:
    return [np.nan_to_num(np.asarray(trace.z, float)) for trace in figure.data if trace.type == "heatmap"]


def apart(heights: np.ndarray) -> float:
    """How many times as large the larger of a curve's ends is, its very first place left out."""
    one, other = heights[1], heights[-1]
    return float(max(one / other, other / one))


def mean_so_far(figure: Any, name: str) -> np.ndarray:
    return np.asarray(next(t.y for t in figure.data if str(t.name).startswith(f"{name}, mean of")), float)


def line_at(figure: Any, label: str) -> float:
    """The height of the line that has this label: ``pairs: 2.543``."""
    return float(next(m[1] for one in figure.layout.annotations if (m := re.match(f"{label}: (.*)", str(one["text"])))))


def grows_going_back(figure: Any) -> bool:
    """Whether each layer's cloud lies at larger values than that of the layer above."""
    centres = [shares @ np.arange(shares.shape[1]) / shares.sum(1) for shares in maps(figure)]
    return all((np.diff(rows) < 0).all() for rows in centres)


def says(*parts: str) -> Promise:
    return lambda figure: all(part in words(figure) for part in parts)


def shares_said(figure: Any, pattern: str) -> list[int]:
    """The per cents that its words name so."""
    return [int(share) for share in re.findall(pattern, words(figure))]


def beside_axes(*names: str) -> Promise:
    """Whether each of these words stands at an axis."""
    return lambda figure: set(names) <= {part for text in strings(figure.to_plotly_json()) for part in text.split()}


def one_cell(figure: Any) -> float:
    """The largest weight of each read address, in the mean over the steps."""
    return float(maps(figure)[1].max(axis=0).mean())


def steps_bought(figure: Any) -> list[float]:
    """The mean number of steps at the end, by price from nothing to the dearest."""
    return [float(trace.x[0]) for trace in figure.data if len(trace.x) == 1]


def beats(name: str, by: float) -> Promise:
    return lambda f: ends(f, name) < line_at(f, "pairs") - by


FROM_EVERYWHERE = 0.95

OF_THE_LOSS = {"char-language-model"}
"""Laboratories whose presets say what becomes of the loss, which stands beside the first figure."""

PROMISES: dict[str, dict[str, Promise]] = {
    "depth-gradients": {
        "as-in-the-document": lambda f: (
            curve(f, "plain")[1] < 1e-3 * curve(f, "plain").max() and apart(curve(f, "residual")) < 10
        ),
        "break-it-sigmoid": lambda f: curve(f, "plain")[1] < 1e-15,
        "break-it-exploding": grows_going_back,
        "break-it-learning-rate-30": lambda f: np.nanmax(curve(f, "plain")) > 100 and ends(f, "residual") < 0.2,
        "break-it-zero-weights": says("exactly 0"),
        "32-layers-the-residual-network-learns": lambda f: (
            ends(f, "plain") > 2.3 * curve(f, "plain")[:-1].min()
            and ends(f, "residual") < 1.4 * curve(f, "residual")[:-1].min()
        ),
        "at-the-edge-of-stability": lambda f: (
            curve(f, "plain")[0] >= 4 and np.nanmedian(curve(f, "plain")[len(curve(f, "plain")) // 2 :]) < 2
        ),
        "fix-it-orthogonal": lambda f: apart(mean_so_far(f, "plain")) < 3,
        "fix-it-normalise": lambda f: apart(mean_so_far(f, "plain")) < 4 / 3,
        "fix-it-clip": says("clipped at 1"),
    },
    "recurrent-gradients": {
        "adding-50-steps": lambda f: ends(f, "RNN") < -10 and min(ends(f, "LSTM"), ends(f, "GRU")) > -2,
        "reviews-cue-40-words-back": lambda f: ends(f, "LSTM") > -2 > ends(f, "GRU"),
        "break-it-small-gain": lambda f: ends(f, "RNN") < -12,
        "fix-it-orthogonal": lambda f: abs(ends(f, "RNN")) < 2,
        "break-it-exploding": lambda f: (
            np.nanmax(curve(f, "RNN")) > 1e19 > 1e17 * curve(f, "RNN")[0] and says("not clipped")(f)
        ),
        "fix-it-clip-at-1": lambda f: np.nanmax(curve(f, "RNN, after")) < 1.001 and says("clipped at 1")(f),
        "break-it-forget-bias-2": lambda f: ends(f, "LSTM, cell path alone") < -30,
        "fix-it-forget-bias-1": lambda f: ends(f, "LSTM") > -2,
        "fix-it-identity": lambda f: ends(f, "RNN") > -2,
    },
    "neural-turing-machine": {
        "copy": lambda f: one_cell(f) > 0.8,
        "break-it-no-shift": lambda f: one_cell(f) < 0.8,
        "break-it-random-memory": lambda f: curve(f, "NTM")[0] > 0.9 and ends(f, "NTM") < 0.1,
    },
    "adaptive-computation": {
        "the-price-of-time": lambda f: steps_bought(f) == sorted(steps_bought(f), reverse=True),
        "break-it-thinking-is-dear": lambda f: set(f.data[0].x) == {1},
    },
    "attention-against-recurrence": {
        "forty-steps-back": lambda f: curve(f, "Transformer").min() >= FROM_EVERYWHERE > curve(f, "RNN").max(),
        "eight-steps-back": lambda f: min(curve(f, "LSTM").min(), curve(f, "GRU").min()) >= FROM_EVERYWHERE,
        "break-it-a-hundred-steps-back": lambda f: (
            curve(f, "Transformer").min() >= FROM_EVERYWHERE > 0.5 > curve(f, "GRU").max()
        ),
        "no-order-at-all": lambda f: curve(f, "Transformer").min() >= FROM_EVERYWHERE,
    },
    "continuous-depth": {
        "adjoint": lambda f: ends(f, "neural ODE") < 0.01,
        "fix-it-one-more-dimension": says("neural ODE 100 %"),
        "break-it-one-big-step": lambda f: ends(f, "neural ODE, exact flow") > 2 * ends(f, "neural ODE"),
        "fix-it-small-steps": lambda f: abs(ends(f, "neural ODE, exact flow") / ends(f, "neural ODE") - 1) < 0.05,
    },
    "ode-rnn": {
        "break-it-one-step-a-gap": lambda f: 1.8 < curve(f, "ODE-RNN", 1)[-1] < 5,
        "fix-it-capped-steps": lambda f: abs(curve(f, "ODE-RNN", 1)[-1] - 1) < 0.01,
        "break-it-euler": lambda f: 4 < curve(f, "ODE-RNN", 1)[-1] < 9,
    },
    "char-language-model": {
        "as-in-the-document": beats("MLP", 0.14),
        "break-it-first-loss-25": lambda f: curve(f, "MLP")[0] > 20 and ends(f, "MLP") > line_at(f, "pairs") - 0.01,
        "fix-it-small-logits": lambda f: abs(curve(f, "MLP")[0] - 3.3) < 0.2,
        "fix-it-tanh-that-moves": lambda f: curve(f, "MLP")[0] < 0.08,
        "fix-it-batch-norm": lambda f: curve(f, "MLP")[0] < 0.04,
        "pairs-as-a-network": lambda f: abs(ends(f, "neural bigram") - line_at(f, "pairs")) < 0.01,
        "break-it-twenty-layers-gain-1": lambda f: 0.14 < ends(f, "expected at the start") < 0.19,
        "break-it-the-wrong-axis": says("Running means by layer: 4"),
        "hierarchy": beats("hierarchy", 0.18),
        "break-it-few-names": lambda f: 1.1 < ends(f, "MLP") - ends(f, "MLP, learned") < 1.3,
    },
    "char-gpt": {
        "pieces-of-bytes": lambda f: 2.6 < ends(f, "GPT") < 2.9,
    },
    "attention-interface": {
        "european-economic-area": beside_axes("european", "economic", "area", "European", "Economic", "Area"),
        "break-it-no-attention": lambda f: (
            curve(f, "GRU without attention")[0] > 0.5 > ends(f, "GRU without attention")
        ),
    },
    "translation-transformer": {
        "european-economic-area": beside_axes("european", "economic", "area"),
        "sorting-without-positions": lambda f: ends(f, "Layer norm") > 0.8,
        "break-it-turning-round-without-positions": lambda f: ends(f, "Layer norm") < 0.1,
    },
    "series-attention": {
        "logsparse": says("All heard after"),
    },
    "bert-pretraining": {
        "with-next-sentence-head": lambda f: 0.62 < np.nanmax(curve(f, "unseen")) < 0.67,
    },
    "leaderboard": {
        "informer-beside-a-linear-map": says("repeat is ahead"),
        "break-it-last-batch-dropped": says("DLinear"),
        "break-it-one-row-reads-more": says("least squares is ahead"),
        "break-it-a-third-digit": says("Not to be told from"),
        "fix-it-seeds-and-intervals": says("Not to be told from"),
        "break-it-a-step-late": says("repeating 0.99"),
    },
    "price-tokens": {
        "break-it-codes-that-collapse": says("1.1 of 16 tokens"),
        "regimes": says("Agreement with planted regimes"),
        "look-ahead-fitted-on-all-data": says("Later days change"),
        "look-ahead-quantiles-of-the-future": says("Later days change"),
        "break-it-switching-labels": lambda f: (
            max(shares_said(f, r"names (\d+) %")) < 50 and min(shares_said(f, r"(\d+) % with names matched")) > 85
        ),
        "fix-it-matched-labels": lambda f: min(shares_said(f, r"names (\d+) %")) > 85,
    },
}
"""By laboratory and preset; what is asked in a preset's words, or takes several runs to see, is not here."""
