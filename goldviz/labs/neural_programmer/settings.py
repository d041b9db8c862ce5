"""What can be set of *Neural programmer*, and what is recorded of it.

Document 004, section 3.4, after Neelakantan et al. 2016. The programs of single questions are of the first seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers as of_layers
from goldviz.declare import standard
from goldviz.declare.memory_of_training import UNLEARNED, bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting
from goldviz.declare.standard import EVERY_STEP, LOOK

PROGRAM = ("look", "question", "iteration")
THREE = {"columns": 3, "steps": 800}
"""Of the presets and the claims on three columns."""


class NeuralProgrammer(Experiment):
    """Train a controller to write programs of operations and columns, told the answers alone."""

    about = About(
        "neural-programmer",
        "Neural programmer",
        icon=":material/terminal:",
        section="Machines",
        rank=32,
        sought="program induction table question answering operations",
        question="Can a network find the right program when it is told the answers alone?",
    )
    smaller: ClassVar[tuple[str, ...]] = ("batch", "hidden", "rows", "iterations", "steps")

    columns: int = setting(1, ge=1, le=5, group="Tables", essential=True, unit="columns")
    """Columns of a table."""
    rows: int = setting(8, ge=1, le=20, group="Tables", essential=True, unit="rows")
    """Rows of a table."""
    conditions: int = setting(1, ge=1, le=2, group="Tables", essential=True, unit="conditions")
    """Conditions of a question, at most. Two are joined by *and*."""

    iterations: int = setting(2, ge=2, le=6, group="Network", essential=True, unit="steps")
    """Steps of a program. Two conditions take 4."""
    hidden: int = setting(48, ge=4, le=256, group="Network", unit="units")
    """Units of the controller's state."""

    noise: float = setting(0.0, ge=0, le=100, group="Training", essential=True)
    """Gradient noise: variance η / (1 + step)^0.55 on each entry, after clipping. 0: none."""
    optimiser: str = standard.optimiser("adam")
    learning_rate: float = standard.learning_rate(5e-3)
    """Peak of the learning rate."""
    warm_up: float = setting(0.05, ge=0, le=0.9, group="Training")
    """Share of the steps in which the learning rate rises; then it falls to a hundredth of its peak."""
    clip: float = standard.clip(1.0)
    steps: int = standard.steps(350)
    batch: int = standard.batch(64, "questions")
    look_every: int = setting(30, ge=1, le=1000, group="Instruments", unit="steps")
    """Programs are recorded, and unseen questions answered, every so many steps."""

    @model_validator(mode="after")
    def _program_is_long_enough(self) -> Self:
        if self.conditions == 2 and self.iterations < 4:
            raise ValueError(f"Iterations are {self.iterations}; with two conditions allowed are 4 to 6")
        return self

    variables: ClassVar[Mapping[str, Variable]] = {
        "learning_rate": Variable(("step",), "Learning rate of the step", kind="learning_rate"),
        "loss": Variable(
            EVERY_STEP, "Loss of the answers to the step's questions", must_stay_finite=True, kind="training_loss"
        ),
        **standard.gradient_norms(),
        **of_layers.gradient_norm((*LOOK, "layer"), "matrices and tables"),
        **of_layers.update_to_data((*LOOK, "layer")),
        **of_layers.gradient_to_data((*LOOK, "layer")),
        "test_loss": Variable(LOOK, "Loss of the answers to unseen questions", kind="evaluation_loss", label="unseen"),
        "right": Variable(LOOK, "Share of unseen questions that the hardened program answers rightly", kind="accuracy"),
        "as_asked": Variable(
            LOOK, "Share of unseen questions whose program is the question's own, step by step", format=".1%"
        ),
        "lucky": Variable(
            LOOK, "Share of unseen questions that are right on their table, and wrong on another", format=".1%"
        ),
        "gap": Variable(
            LOOK,
            "Distance of the soft answer from the hardened program's, mean over unseen questions",
            label="Soft and hard answer apart",
            format=".3f",
            scale="zero",
        ),
        "right_by_sort": Variable(
            (*LOOK, "sort"),
            "Share of right answers of the hardened program, of questions of a sort",
            label="Right answers",
            format=".0%",
            scale="share",
        ),
        "operation_weight": Variable((*PROGRAM, "operation"), "Weight of an operation at a step, first seed"),
        "column_weight": Variable((*PROGRAM, "column"), "Weight of a column at a step, first seed"),
        "selection": Variable(
            ("look", "question", "stage", "row"), "How much a row is selected before the first step and after each"
        ),
        "soft_answer": Variable(
            ("look", "question"), "Answer by the weights: the number, or the sum of what it prints"
        ),
        "hard_answer": Variable(("look", "question"), "Answer of the hardened program: the same"),
        "right_answer": Variable(("question",), "Right answer: the same", once=True),
        "question_right": Variable(("look", "question"), "Whether the hardened program answers rightly (1)"),
        "cell": Variable(("row", "column"), "The table of the questions that are followed", once=True),
        "parameter_count": Variable(("network",), "Number of parameters", kind="parameter_count"),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "iteration": Coordinate("Step of the program", "step %{x}"),
        "stage": Coordinate("Rows selected"),
        "sort": Coordinate("Sort of question", "%{x}"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Controller: h_t = GRU([o_(t-1), c_(t-1)], h_(t-1)); o_t and c_t are softmax of linear maps of [z, h_t], z the "
        "question (Neelakantan et al. 2016, 2.2).",
        "Rows: s_t = (o_keep + o_sum + o_count + o_print) s_(t-1) + sum_j c_j (o_greater g_j + o_lesser l_j) + o_and "
        "min(s_(t-1), s_(t-2)) (2.3; there other operations clear the rows).",
        "Answer: o_sum sum_ij s_i c_j x_ij + o_count sum_i s_i, and cells o_print s_i c_j, of the last step (2.3).",
        "Loss: Huber's of the number, cross-entropy of the cells (2.4); the program is never told.",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("One column", "Seven operations, two steps. The right one gets all the weight, told answers alone."),
        Preset(
            "Break it: three columns",
            "Each step has to choose a column, too. Some pairs of columns are never told apart.",
            THREE,
        ),
        Preset(
            "Gradient noise",
            "Three columns again, with noise on every gradient, as its authors advise.",
            {**THREE, "noise": 1e-4},
        ),
        Preset(
            "Break it: two conditions",
            "Four steps, and an *and* between two selections. Is it ever found?",
            {"conditions": 2, "iterations": 4, "steps": 600},
        ),
        Preset(
            "Break it: a table of one row",
            "With a single row many wrong programs give right answers.",
            {"rows": 1},
            figure="right",
        ),
    )

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: every step's selections and answers of a batch, or of a look."""
        inner = self.iterations * (self.rows * (8 * self.columns + 6) + 14 * self.hidden + 60)
        weights = self.hidden * (5 * self.hidden + 16 * (2 + 2 * self.conditions) + 60)
        return bytes_of_training(weights, len(self.seeds), max(self.batch, UNLEARNED * 1280) * inner)
