"""The figures of the laboratory *Gradient flow through time*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.recurrent_gradients.settings.RecurrentGradients` declares it. The argument
``epoch`` is the scrubber's step; what is measured at looks is shown as of the last look before it. A run that has just
begun, or lacks a variable, gets a figure that says so.
"""

from __future__ import annotations

from goldviz.figures.limits import Limits
from goldviz.figures.spec import FigureSpec
from goldviz.figures.thumbnail import jacobian_by_lag_svg as picture
from goldviz.labs.recurrent_gradients.figures.by_lag import by_lag
from goldviz.labs.recurrent_gradients.figures.gates import gates, recurrent_matrix, saturation
from goldviz.labs.recurrent_gradients.figures.quantities import shared_limits
from goldviz.labs.recurrent_gradients.figures.time import (
    jacobian_by_lag,
    lag_contribution,
    state_gradient,
    state_gradient_map,
)
from goldviz.labs.recurrent_gradients.figures.training import accuracy, clipping, loss, update_to_data

__all__ = [
    "FIGURES",
    "Limits",
    "accuracy",
    "by_lag",
    "clipping",
    "gates",
    "jacobian_by_lag",
    "lag_contribution",
    "loss",
    "picture",
    "recurrent_matrix",
    "saturation",
    "shared_limits",
    "state_gradient",
    "state_gradient_map",
    "update_to_data",
]

FIGURES: dict[str, FigureSpec] = {
    "jacobian_by_lag": FigureSpec(
        jacobian_by_lag,
        "Does the signal survive the way back through time?",
        "How much of a change of the state can arrive after so many steps, with the plain RNN's bound and the "
        "LSTM's cell path alone.",
        "The norm is that of one sequence's best-kept direction: the task may need another one.",
    ),
    "loss": FigureSpec(
        loss,
        "Do the networks learn to remember?",
        "The training loss over the steps, beside the best that an answer without memory can do.",
        "Equal settings are not a fair contest: each network may want a learning rate of its own.",
    ),
    "state_gradient": FigureSpec(
        state_gradient,
        "How far back does the error signal reach?",
        "How long dL/dh is at each time step, as the error travels from the end to the beginning.",
        "A long gradient early in time can still point the wrong way, or come from a loss term close by.",
    ),
    "state_gradient_map": FigureSpec(
        state_gradient_map,
        "When in training does the past get heard?",
        "The norm of dL/dh over time and training, in the same colours for all networks.",
        "Colours tell orders of magnitude apart; and a solved task has a small gradient at every time step.",
    ),
    "lag_contribution": FigureSpec(
        lag_contribution,
        "Which lags teach the recurrent weights?",
        "What each lag contributes to dL/dW (document 001, eq. 6).",
        "Norms add up, contributions may cancel: the sum of these norms is not the norm of the gradient.",
    ),
    "gates": FigureSpec(
        gates,
        "What do the gates let through?",
        "How far each gate is open on average, at every time step.",
        "A mean hides its units: half of them open and half shut looks like all of them half open.",
    ),
    "by_lag": FigureSpec(
        by_lag,
        "From what distance does each network forget the cue?",
        "Loss and accuracy on fresh sequences, by how far back the cue lies.",
        "It says where a network fails, not why: a gradient that arrives may still not have been followed.",
    ),
    "recurrent_matrix": FigureSpec(
        recurrent_matrix,
        "What does the recurrent matrix do to a signal in the long run?",
        "The spectral radius and the spectral norm of W over training, with the line at 1.",
        "The slopes of tanh and the gates are left out: the whole Jacobian can shrink a signal that W would keep.",
    ),
    "saturation": FigureSpec(
        saturation,
        "How much is stuck at an end?",
        "The share of gates that are almost shut or open, and of hidden values on a flat part of tanh.",
        "Stuck is not always bad: a forget gate that stays open is what carries a memory.",
    ),
    "clipping": FigureSpec(
        clipping,
        "Does clipping step in?",
        "The norm of the whole gradient before and after clipping, and how many steps were clipped.",
        "With Adam, a gradient that is always clipped changes little: it divides by the gradient's usual size.",
    ),
    "update_to_data": FigureSpec(
        update_to_data,
        "Are the steps the right size?",
        "How large the steps are beside the recurrent weights that they change.",
        "The line at 10⁻³ is a rule of thumb: a good ratio does not prove that the steps go the right way.",
    ),
    "accuracy": FigureSpec(
        accuracy,
        "How often is the answer right?",
        "The share of right answers on each step's new sequences.",
        "A few easy sequences can lift the share: look at the distance of the cue as well.",
    ),
}
