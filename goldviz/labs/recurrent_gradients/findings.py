"""What a run of the recurrent laboratory says about its networks, in order and without contradiction.

A network that diverged gets no other verdict: the cause comes first. An exploding gradient is not also called
vanishing or kept, and one whose steps are too large is not told to train for longer.
"""

from __future__ import annotations

import math

from goldviz.diagnostics.findings import Case, Conclusions, DividedBy, LoweredTo, Rule, Times, training
from goldviz.diagnostics.findings.advice import CLIPPED, FASTER, SLOWER, SLOWER_AND_CLIPPED, Candidate, Check
from goldviz.diagnostics.findings.finding import Severity, majority
from goldviz.diagnostics.findings.line import above, at_least, at_most, below, where
from goldviz.diagnostics.findings.measures import median
from goldviz.diagnostics.findings.rule import name_of
from goldviz.diagnostics.findings.words import part, percent, power, times
from goldviz.labs.recurrent_gradients.measures import FADED, KEPT_WITHIN, Reading
from goldviz.labs.recurrent_gradients.settings import lanes
from goldviz.models.recurrent.cells import CELLS

PEAK = 2.0
LONGEST_NORM = 1000.0
WORSE = 1.05
"""Times the memoryless loss, from which on a network is not said to score as well as an answer without memory."""
SOLVED = training.learned_below("the best loss without memory")
ORTHOGONAL = ("Start from an orthogonal matrix that keeps lengths.", {"initialisation": "orthogonal", "gain": 1.0})
SUITED_TO_RELU = (
    "Start from an orthogonal matrix with the gain that suits ReLU.",
    {"initialisation": "orthogonal", "gain": 1.41},
)
"""ReLU lets half of the squares through, so an orthogonal matrix of gain 1 still halves them at every step: with it the
loss of recall over 50 steps stayed that without memory on five seeds of five, with this it ended at 0 to 0.61 of it."""
OPEN = (
    "Raise the LSTM's forget bias to {forget_bias:g}: its gate then starts more open.",
    {"forget_bias": lambda settings: 1.0 if settings.forget_bias < 1 else settings.forget_bias + 2},
)
COMPARE = Check("Compare all three: gates open a path that W does not shrink.", {"networks": "all"})
SHORTER = ("Take a sequence half as long.", {"length": DividedBy(2)})
USUAL_MATRICES = ("Draw the usual recurrent matrices.", {"gain": LoweredTo(1.0)})


def _explosion(n: Reading) -> str:
    peak, longest = median(n.peak), median(n.largest_norm)
    words = [f"a signal {power(peak)} times larger on its way"] if peak > PEAK else []
    words += [f"a step along a gradient of norm {times(longest)}"] if longest > LONGEST_NORM else []
    return ", ".join(words) or "a signal or a norm over the line"


def _why_it_is_memory(case: Case) -> str:
    if case.settings.task == "sine":
        return "The slow sine asks for the last value but one, so this is a memory of one step."
    return "No answer without memory gets near this loss."


def _solved(n: Reading) -> str:
    worth = median(n.worth)
    share = percent(worth) if worth >= 0.01 else "less than 1 %"
    return f"loss {times(median(n.loss))}, {share} of the memoryless one"


def _how_bad(case: Case) -> Severity:
    """Bad of the RNN, and where no network keeps its signal that has not learned its task without."""
    left = {name_of(n) for n in case.considered}.difference(case.crossed["task_solved"])
    return "bad" if case.names <= {"RNN"} or left <= case.names else "warning"


def _cures(case: Case) -> list[Candidate]:
    """What may let a signal through that vanishes; a matrix only where a network has one."""
    if not any(CELLS[network].reads_state for network in lanes(case.settings.networks)):
        return [SHORTER]
    relu = case.settings.activation == "relu" and case.settings.networks == "rnn"
    remedy: Candidate = SUITED_TO_RELU if relu else ORTHOGONAL
    stretches = case.settings.initialisation == "orthogonal" and case.settings.gain > remedy[1]["gain"]
    # An orthogonal matrix that stretches is not helped by one that does not.
    orthogonal = [] if stretches else [remedy]
    if case.names & {"LSTM", "GRU"} == {"LSTM"}:
        return [OPEN, *orthogonal, SHORTER]
    return [*orthogonal, SHORTER]


def _beside_no_memory(case: Case) -> str:
    beside = "as well" if all(median(n.worth) < WORSE for n in case.readings) else "better"
    return f"An answer that never looks back would score {beside}."


def _to_learn(case: Case) -> list[Candidate]:
    longer = ("Train five times as long.", {"steps": Times(5)})
    if case.also("vanishing"):
        return [*_cures(case), longer, COMPARE]
    return [longer, ("Let Adam take steps of 0.003.", {"optimiser": "adam", "learning_rate": 3e-3}), SHORTER]


def _beside_the_kept(case: Case) -> str:
    """What was measured of a network that does not keep its signal, or of gates that open a path past W; else what the
    line does not say."""
    others = [n for n in case.others("diverged") if majority(n.faded)]
    beside = [f"In the {n.name} the signal is below {power(FADED)} from lag {median(n.faded_at):.0f}." for n in others]
    words = [*beside, *filter(None, map(_what_gates_do, case.readings))]
    return words[0] if words else "A kept norm does not prove that the gradient points the right way."


def _why_clips_count(case: Case) -> str:
    if case.settings.optimiser == "sgd":
        return "All gradients then have one length, and the clip value works as your learning rate."
    return "All gradients then have one length, which Adam divides by anyway."


def _what_gates_do(n: Reading) -> str:
    """What the run measured of the path that gates open past W (eq. 18, 24); nothing where there is none."""
    if math.isfinite(median(n.cell_path)):
        left = times(median(n.cell_path_left))
        return f"The {n.name}'s cell path alone, its forget gates multiplied, leaves {left} (document 001, eq. 18)."
    share = median(n.state_kept)
    return f"The {n.name} keeps {share:.2f} of its state a step (document 001, eq. 24)." if math.isfinite(share) else ""


RULES = (
    training.training_diverged(
        where_it_did="in {subject}",
        advice=[
            SLOWER_AND_CLIPPED,
            ("Start from an orthogonal matrix.", {"initialisation": "orthogonal", "gain": 1.0}),
        ],
    ),
    Rule(
        "exploding",
        "bad",
        "The gradient explodes in {subject}",
        line=above("peak", PEAK, "a Jacobian product above {at:power} at any lag")
        | above("largest_norm", LONGEST_NORM, "a gradient's norm above {at} after clipping"),
        of_training=True,
        number=_explosion,
        explanation="Clipping (document 003) caps the update, not the cause.",
        advice=[
            CLIPPED,
            ORTHOGONAL,
            ("Let tanh hold the states.", {"activation": "tanh"}),
            ("Draw smaller recurrent matrices.", {"gain": DividedBy(2)}),
        ],
    ),
    Rule(
        "task_solved",
        "good",
        "{Subject} learned to remember",
        line=SOLVED,
        number=_solved,
        explanation=_why_it_is_memory,
    ),
    training.steps_too_long(
        title="The learning rate is too large for {subject}",
        advice=[SLOWER, CLIPPED],
    ),
    Rule(
        "vanishing",
        _how_bad,
        lambda case: f"The gradient vanishes by lag {case.largest('faded_at'):.0f} in {{subject}}",
        line=where("faded", "a Jacobian product below {at:power} within the sequence, at the last look", at=FADED),
        of_training=True,
        number=lambda n: f"below {power(FADED)} from lag {median(n.faded_at):.0f} of {n.longest_lag}",
        explanation="A cue farther back than that lag is hardly heard (document 001, eq. 6-9).",
        advice=lambda case: [*_cures(case), COMPARE],
        silenced_by=("exploding",),
    ),
    Rule(
        "learned_nothing",
        "bad",
        "{Subject} remember{s|} nothing of use",
        line=at_least("worth", training.USELESS, "{at:percent} of the best loss without memory"),
        number="{worth:percent} of the memoryless loss",
        explanation=_beside_no_memory,
        advice=_to_learn,
        only=lambda n, settings: n.tested,
        silenced_by=("exploding", "learning_rate_too_large"),
    ),
    Rule(
        "forget_bias_too_small",
        "warning",
        "The LSTM's cell forgets long before the longest lag",
        line=below("memory", 0.1, "a half-life of {at:part} of the {longest_lag} steps back, at the last look"),
        of_training=True,
        number="opening {forget:.2f}: memory halves in {memory_half_life:.1f} steps",
        explanation="The forget gate multiplies the gradient at every step (document 001, eq. 18).",
        advice=[OPEN],
        only=lambda n, settings: n.name == "LSTM",
        silenced_by=("exploding",),
    ),
    Rule(
        "saturated_gates",
        "warning",
        "{stuck:Quantity} gates are stuck at an end in {subject}",
        line=above("stuck", 0.6, "{at:percent} below 0.05 or above 0.95, forget gates not counted"),
        of_training=True,
        number="{stuck:percent} of the gate values",
        explanation="Near 0 and 1 a gate's slope s(1 − s) lets almost nothing back (document 001, eq. 19-20).",
        advice=[USUAL_MATRICES, SLOWER],
        silenced_by=("exploding",),
    ),
    training.saturated(
        "saturated_states",
        measure="flat",
        title="{flat:Quantity} states are saturated in {subject}",
        of=" with |h| above 0.97, at the last look",
        of_what="the hidden values",
        explanation="Near |h| = 1 the factor 1 − h² lets almost nothing back (document 001, eq. 8).",
        advice=[USUAL_MATRICES, SLOWER],
        only=lambda n, settings: n.name == "RNN" and settings.activation == "tanh",
        silenced_by=("exploding",),
    ),
    training.clipped_at_every_step(
        title="{clipped:Every} step of {subject} is clipped",
        explanation=_why_clips_count,
        advice=[("Clip at {clip:g} instead.", {"clip": lambda settings: settings.clip * 10 or 1.0}), ORTHOGONAL],
    ),
    training.steps_too_short(
        title="The learning rate is too small for {subject}",
        advice=[FASTER, ("Let Adam set the size of each step.", {"optimiser": "adam"})],
        silenced_by=("exploding",),
    ),
    Rule(
        "gradient_kept",
        "good",
        lambda case: f"{{Subject}} keep{{s|}} the signal over {case.considered[0].longest_lag} steps",
        line=at_most(
            "drift",
            math.log10(KEPT_WITHIN),
            f"between {part(1 / KEPT_WITHIN)} and {part(KEPT_WITHIN)} its size at the largest lag",
        ),
        number=lambda n: f"a factor of {times(median(n.farthest_factor))} over {n.longest_lag} steps",
        explanation=_beside_the_kept,
        only=lambda n, settings: n.longest_lag > 0 and not majority(n.faded | (n.peak > PEAK)),
        silenced_by=("exploding", "vanishing"),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, Reading.of_all, learned=SOLVED)
