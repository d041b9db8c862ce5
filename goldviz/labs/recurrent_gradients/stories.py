"""Two stories: which cells remember fifty steps, and gates as valves."""

from __future__ import annotations

from functools import partial

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Curve, Found, Guess, Step, Story, Task, first_over_last
from goldviz.diagnostics.findings import networks
from goldviz.labs.recurrent_gradients.measures import Reading


def _who_adds(run: Run) -> tuple[int, str]:
    """Which networks end below half of the error of the best answer without memory."""
    memoryless = Reading.memoryless["rnn"].first(run)
    losses = {network: Reading.test[network].first(run) for network in networks(run)}
    learners = {network for network, loss in losses.items() if loss < memoryless / 2}
    place = 0 if not learners else 1 if learners == {"lstm", "gru"} else 2
    return place, (
        f"Without memory the error is {memoryless:.3f}. RNN {losses['rnn']:.3f}, LSTM {losses['lstm']:.3f}, "
        f"GRU {losses['gru']:.4f}."
    )


def _share(share: float) -> int:
    return 0 if share > 0.1 else 1 if share > 1e-6 else 2


REACHES = Found(
    ("rnn.gradient_reach", "lstm.gradient_reach"),
    lambda rnn, lstm: _share(rnn),
    "After training {:.0e} of it in the RNN, {:.0%} in the LSTM.",
)
ORTHOGONAL = Found(
    ("right_in_the_end 2", "right_in_the_end"),
    (0.9,),
    "Right answers: {1:.0%} with the small matrix, {0:.0%} with the orthogonal one, which learns on six seeds of ten.",
    over_seeds=True,
)
CLIPPED = Found("clipped_share", (0.1, 0.6), "{:.0%} of the steps were cut.")
OF_THE_CELL = Found(
    "lstm.cell_path_left", (0.01, 1e-9), "Along the cell, {:.0e} of the gradient is left at the far end."
)
BIAS = Found("right_in_the_end 2", (0.9,), "{:.0%} of its last guesses were right.", over_seeds=True)


def _right_over(settings: Settings, run: Run, task: str, network: str) -> bool:
    """Whether this network ends with nine of ten right over 40 steps or more."""
    values = settings.model_dump()
    if values["task"] != task or values["length"] < 40 or network not in networks(run):
        return False
    return bool(Reading.right_of_10[network].over_seeds(run) > 0.9)


STORIES = (
    Story(
        "memory",
        "Who remembers fifty steps?",
        "say why a plain RNN forgets, and train one that remembers forty steps.",
        (
            Step(
                "Two of fifty numbers are marked; the answer is their sum. Whoever forgets the first one can "
                "only say 1.",
                ("adding-50-steps",),
                figure="loss",
                guess=Guess("Who learns to add?", ("Nobody", "LSTM and GRU, not the RNN", "All three"), _who_adds),
            ),
            Step(
                "Learning needs a gradient at the step where the number stood. It travels back through every "
                "step in between.",
                ("adding-50-steps",),
                figure="state_gradient",
                guess=Guess(
                    "How much of the last step's gradient reaches the RNN's first?",
                    ("More than a tenth", "A thousandth or so", "Less than a millionth"),
                    REACHES,
                    Curve("state_gradient", "RNN", lambda guess: _share(first_over_last(guess))),
                ),
            ),
            Step(
                "A smaller recurrent matrix forgets faster: fifty steps back less than a trillionth of the "
                "gradient is left. An orthogonal one keeps lengths.",
                ("break-it-small-gain", "fix-it-orthogonal"),
                figure="accuracy",
                guess=Guess("Does the plain RNN recall with it?", ("No", "Yes"), ORTHOGONAL),
            ),
            Step(
                "The other way: the product of fifty steps can grow. Without clipping, this gradient becomes about "
                "ten times as long with each step, until the loss is infinite.",
                ("break-it-exploding",),
                figure="clipping",
            ),
            Step(
                "Holding the gradient's length at 1 tames it. It says nothing about where to go, only how far.",
                ("fix-it-clip-at-1",),
                figure="clipping",
                guess=Guess("How many steps are cut?", ("Few", "About half", "Most"), CLIPPED),
            ),
            Step(
                "Your turn: find a plain RNN that remembers.",
                ("break-it-small-gain",),
                task=Task(
                    "Train a plain RNN that recalls over 40 steps or more, nine of ten right.",
                    partial(_right_over, task="recall", network="rnn"),
                ),
            ),
        ),
    ),
    Story(
        "valves",
        "Gates as valves",
        "open and shut an LSTM's forget gate by its bias, and say how far a gradient gets.",
        (
            Step(
                "An LSTM's cell is a pipe. The forget gate is its valve: 1 lets all through, 0 empties it. At "
                "each step back, the gradient is multiplied by it.",
                ("as-in-the-document",),
                lab="lstm-valves",
            ),
            Step(
                "Shut the valve with a bias of -2 and an eighth passes each step. The far end hears nothing.",
                ("break-it-forget-gate-shut",),
                lab="lstm-valves",
            ),
            Step(
                "Open it with a bias of 4: 98 % pass each step, and the first step is heard.",
                ("fix-it-forget-gate-open",),
                lab="lstm-valves",
            ),
            Step(
                "Does it matter for learning? Here the opening of a review, forty words back, decides. The "
                "forget gates start at 0.12.",
                ("break-it-forget-bias-2",),
                figure="gates",
                guess=Guess(
                    "How much gradient is left along the cell?",
                    ("More than a hundredth", "About a millionth", "Less than a billionth"),
                    OF_THE_CELL,
                ),
            ),
            Step(
                "The same network, the same data; only the bias starts at 1, so the gates start at 0.73.",
                ("break-it-forget-bias-2", "fix-it-forget-bias-1"),
                figure="accuracy",
                guess=Guess("Does it read the opening now?", ("No", "Yes"), BIAS),
            ),
            Step(
                "Your turn: start with the shut valve, and find what opens it.",
                ("break-it-forget-bias-2",),
                task=Task(
                    "Train an LSTM that reads reviews over 40 words or more, nine of ten right.",
                    partial(_right_over, task="reviews", network="lstm"),
                ),
            ),
        ),
        picture="lstm-valves",
    ),
)
