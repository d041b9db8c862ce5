"""The gradient's way back through time: Jacobian products by lag, dL/dh_t at every step, contributions by lag."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.findings import percent
from goldviz.figures.draft import Figure
from goldviz.figures.elements import number_ticks, power_axis, unseen, whole
from goldviz.figures.frames import Words, line
from goldviz.figures.plot import Plot, unless_zero
from goldviz.figures.reading import finite, positive
from goldviz.labs.recurrent_gradients.figures.quantities import FADED, contribution_share, fading_lag, figure
from goldviz.labs.recurrent_gradients.settings import FOLLOWED

_HOVER = "10<sup>%{y:.2f}</sup>"


@figure(
    "Does the signal survive the way back through time?",
    title="Does the signal survive?",
    needs=("log_jacobian_norm",),
    shows="How much of a change of the state can arrive after so many steps.",
    cannot_show="Which direction the task needs.",
)
def jacobian_by_lag(plot: Plot) -> Figure:
    """log10 of the spectral norm of dh_T/dh_(T-lag) at one look (document 001, eq. 6-9), one curve for each network,
    mean of the logarithms over unseen sequences.

    A curve that stays near 1 keeps a signal over all those steps; one that falls below 1/100 has lost it, however
    healthy the parameters' gradients look. Dotted: the bound (gamma ||W_hh||)^lag of the plain RNN. Thin and dashed:
    the LSTM's cell path alone, the product of its forget gates (eq. 18).
    """
    now, ends = plot.now["log_jacobian_norm"], plot.limit("log_jacobian_norm")
    plot.curves(finite(now), hover=_HOVER)
    beside = [
        _add_beside(plot, "log_cell_path", "lstm", "cell path alone", "dash"),
        _add_beside(plot, "log_bound", "rnn", "bound", "dot"),
    ]
    plot.number_axis("lag", "Lag (steps back from the end)", "lag %{x}")
    power_axis(plot.figure, "y", "Norm of dh(T)/dh(T−lag)", *ends)
    plot.reference(0, "1: nothing lost")
    plot.reference(FADED, "1/100")
    return plot.finish(_fading(plot, now), line(*beside, _of_sequences(plot)), plot.drawn(plot.step_in_words("look")))


def _of_sequences(plot: Plot) -> str:
    """Whose norm it is; runs kept from before the mean was taken say in the variable's words that it is of one."""
    of_one = "one sequence" in plot.ds["log_jacobian_norm"].attrs.get("long_name", "")
    return "Of one sequence alone." if of_one else f"Geometric mean of {FOLLOWED} sequences."


def _add_beside(plot: Plot, name: str, network: str, words: str, dash: str) -> Words:
    """A thin line of theory beside a network's curve, and the sentence that explains it; empty if there is none."""
    if network not in plot.networks or plot.lacks(name):
        return ""
    values = finite(plot.now[name].sel(network=network)).median("seed")
    plot.line(values, network, words, hover=_HOVER, dash=dash)
    key = f"{'Dotted' if dash == 'dot' else 'Thin dashed'}: {plot.look_of(network).label}, {words}."
    return plot.at_step(values.notnull().any("lag"), lambda visible: key if visible else "")


def _fading(plot: Plot, now: Array) -> Words:
    """The answer: the lag at which each network's signal falls below a hundredth."""
    never, lags = -1.0, fading_lag(now)
    never_fades, there = lags.notnull().mean("seed") > 0.5, now.notnull().any(["lag", "seed"])
    usual = lags.median("seed").where(never_fades, never).where(there)
    return plot.each(usual, lambda lag: "never" if lag == never else f"lag {lag:.0f}", within="Below 1/100 from: {}.")


of_states = partial(
    figure,
    needs=("state_gradient_norm",),
    instead=unless_zero("state_gradient_norm", "Every norm of dL/dh recorded so far is exactly 0."),
)


@of_states(
    "When in training does the past get heard?",
    title="When does the past get heard?",
    shows="The length of dL/dh over time and training.",
)
def state_gradient_map(plot: Plot) -> Figure:
    """Norm of dL/dh_t over time and training, as log10 colour, one panel for each network, the same colours for all.

    A dark bottom is a past that the error does not reach; a bottom that brightens is a network that learns to keep
    its signal. Grey: exactly zero, or not a finite number.
    """
    ticks = number_ticks(*whole(plot.limit("time")), {1: "1"}, most=4)
    hover, height = "step %{x}, time %{y}<br>norm 10<sup>%{z:.2f}</sup>", 240 + 150 * len(plot.networks)
    return plot.log_map("state_gradient_norm", "time", hover, "Norm of dL/dh(t)", height=height, title="Time", **ticks)


@figure(
    "Which lags teach the recurrent weights?",
    title="Which lags teach the weights?",
    needs=("lag_contribution",),
    instead=unless_zero("lag_contribution", "Every norm of the contributions recorded so far is exactly 0."),
    shows="What each lag contributes to dL/dW (document 001, eq. 6).",
)
def lag_contribution(plot: Plot) -> Figure:
    """Norm of what each lag t - k contributes to dL/dW_hh at one look (document 001, eq. 6), on a log axis.

    Where the curve falls steeply, the sum is made of the last few steps: the parameters' gradient is healthy, and
    says nothing about the far past.
    """
    now = plot.now["lag_contribution"].astype(np.float64)
    plot.curves(positive(now), hover="%{y:.3e}")
    plot.number_axis("lag", "Lag t − k", "lag %{x}")
    plot.log_axis("lag_contribution", "Norm of its part of dL/dW")
    # The largest lag multiplies by the initial state, which is zero: its place is empty for every network.
    gaps = unseen(now.isel(lag=slice(0, -1)), "lag", "lag")
    return plot.finish(_nearest(plot), plot.drawn(plot.step_in_words("look")), gaps)


def _nearest(plot: Plot) -> Words:
    """The answer: what share of the summed norms the nearer half of the lags makes up."""
    share = contribution_share(plot.now)
    half = (share.sizes["lag"] + 1) // 2
    near = share.isel(lag=slice(0, half)).sum("lag", min_count=1).median("seed")
    return plot.each(near, percent, within=f"Share of lags below {half}: {{}}.") if share.sizes["lag"] > 1 else ""
