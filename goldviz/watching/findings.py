"""What a watched run's numbers mean, as cards: the number, the line, and a cure in code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import by_kind, training
from goldviz.diagnostics.findings.by_kind import FADED, AnyRun
from goldviz.diagnostics.findings.conclude import Conclusions
from goldviz.diagnostics.findings.finding import Finding, Severity
from goldviz.diagnostics.findings.line import above, at_least, below, where
from goldviz.diagnostics.findings.measures import median
from goldviz.diagnostics.findings.rule import Case, Rule
from goldviz.diagnostics.findings.words import times
from goldviz.diagnostics.headroom import EDGE, of_headroom
from goldviz.watching.declared import STEP
from goldviz.watching.elsewhere import helped_elsewhere
from goldviz.watching.measures import (
    LONG,
    WatchedReading,
    cause_of,
    facts_of,
    headroom_of,
    is_recurrent,
    listed,
    rate_factor,
    rows_of,
    tried_of,
    values,
    where_it_was,
    with_kinds,
)

MOST = 8
"""Cards at most."""
ONE_RUN = "one run"
CLIP_LEFT = 0.01
SPIKE = 1000.0
EXPLODED = 100.0
"""Of the gradient's norm over that of the weights."""
WORST_SHARE = 0.5
HALF = 0.5
DROPS_MOST = 0.9
OTHER_SCALE, EVALUATED_ELSEWHERE = 50.0, 10.0
MOST_BATCHES, MOST_TARGETS = 0.9, 0.95
FAR_BEHIND = 1.5
STUCK = 0.1
LEARNED_NOTHING = 0.9
FADED_IN_TIME = 1e4
"""Times smaller at the first time step: a sound LSTM at its start halves its gradient at each of ten steps."""
SHRUNK = 0.3
GROWS = 2.0
GUESS_BEGINS, GUESS_ENDS = 2.0, 0.97
LONG_ENOUGH = 1e-2
"""Of a step over the weights, for a loss that rises to be its doing."""
WARM_UP_UPDATE, WARM_UP_RISE = LONG, 1.5
FEW_LONG_STEPS = 0.1

TOO_LARGE, TOO_SMALL = "learning_rate_too_large", "learning_rate_too_small"

IN_TIME = "gradient_vanishes_in_time"
FADES = ("vanishing", IN_TIME)

ORTHOGONAL = (
    "for gate in cell.weight_hh_l0.data.split(cell.hidden_size):   # its powers neither grow nor shrink\n"
    "    nn.init.orthogonal_(gate)"
)

REDRAWN = (
    "for module in model.modules():\n    if hasattr(module, 'reset_parameters'):\n        module.reset_parameters()"
)

CURES: Mapping[str, str] = {
    TOO_LARGE: "for group in optimizer.param_groups:\n    group['lr'] *= 0.1",
    TOO_SMALL: "for group in optimizer.param_groups:\n    group['lr'] *= 10",
    "no_warm_up": "warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, total_iters=100)\n"
    "warm_up.step()   # after each optimizer.step()",
    "batch_of_one": "loader = DataLoader(data, batch_size=32, shuffle=True)   # or nn.GroupNorm",
    "trained_in_evaluation_mode": "model.train()   # after each evaluation",
    "softmax_over_one": "loss = F.binary_cross_entropy_with_logits(logits, target)   # one output: no softmax",
    "broadcast_loss": "loss = F.mse_loss(model(x).squeeze(1), y)\nassert prediction.shape == target.shape",
    "below_what_is_possible": "loss = F.cross_entropy(logits, target)   # or F.nll_loss(logits.log_softmax(1), target)",
    "overfits": "if evaluation_loss < lowest:   # keep the best weights and end there; more rows help, too\n"
    "    lowest, best = evaluation_loss, copy.deepcopy(model.state_dict())",
    "loss_not_connected": "loss = loss_of(model(x), y)   # itself: no torch.tensor(loss.item())\nloss.backward()",
    "optimizer_holds_none": "optimizer.param_groups.clear()\n"
    "optimizer.add_param_group({'params': [*model.parameters()]})",
    "step_without_gradient": "loss = loss_of(model(x))   # without .detach() between model and loss",
    "cleared_before_step": "optimizer.zero_grad()   # before loss.backward(), not after it\n"
    "loss.backward()\noptimizer.step()",
    "rate_went_to_zero": "for group in optimizer.param_groups:\n    group['lr'] = group['initial_lr']\n"
    "# and scheduler.step() once an epoch, or with a total that counts batches",
    "update_lost_in_dtype": "model.float()   # and torch.autocast("
    "device, dtype=torch.bfloat16) around the forward pass",
    "stale_gradient": "optimizer.zero_grad()   # before loss.backward()",
    "clip_leaves_nothing": "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
    "clipped_before_unscaling": "scaler.unscale_(optimizer)\n"
    "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\nscaler.step(optimizer)",
    "softmax_twice": "loss = F.cross_entropy(logits, target)   # logits, without softmax",
    "no_gradient": "# look for .detach(), .item(), torch.no_grad() or argmax on the way to the loss",
    "unused": "x = self.layer(x)   # in forward; or delete it",
    "frozen": "for parameter in module.parameters():\n    parameter.requires_grad_(True)",
    "not_optimised": "optimizer.add_param_group({'params': module.parameters()})",
    "training_mode": "model.eval()\nwith torch.no_grad():\n    ...\nmodel.train()",
    "vanishing": "nn.init.kaiming_normal_(layer.weight)   # with nn.ReLU, a norm, or x + layer(x)",
    IN_TIME: ORTHOGONAL + "\ncell.bias_ih_l0.data[n : 2 * n] = 3   # n units of an LSTM: the gate that keeps, open",
    "dead_units": "nn.init.zeros_(layer.bias)   # and a smaller rate, or nn.LeakyReLU()",
    "saturated": "nn.init.kaiming_normal_(layer.weight, nonlinearity='tanh')   # and inputs scaled to spread 1",
    "constant_input": "assert (batch != batch[:1]).any()   # look at what the loader gives",
    "inputs_drift": "x = x / 255   # not x /= 255 or x.div_(255), which write into the data",
    "evaluation_inputs_differ": "x = prepared(x)   # one function for training and evaluation",
    "inputs_of_other_scale": "x = torch.where(x.abs() < 100, x, 0)   # and each column over its own spread",
    "identical_batches": "torch.manual_seed(0)   # once, before the loop",
    "classes_in_order": "loader = DataLoader(data, batch_size=32, shuffle=True)",
    "one_target_dominates": "loss = F.cross_entropy(logits, y, weight=1 / torch.bincount(y_all).float())",
    "too_good": "x = x[:, columns_known_beforehand]",
    "dropout_too_large": "for module in model.modules():\n    if isinstance(module, nn.Dropout):\n"
    "        module.p = 0.1",
    "dropout_on_output": "nn.Sequential(..., nn.Dropout(0.1), nn.Linear(n, classes))   # before the last layer",
    "unregistered_parameters": "self.layers = nn.ModuleList(layers)   # before the optimiser is made",
    "units_alike": REDRAWN,
    "rows_mix": "nn.LSTM(inputs, width, batch_first=True)   # and nn.MultiheadAttention, nn.TransformerEncoderLayer",
    "mask_hides_nothing": "mask = nn.Transformer.generate_square_subsequent_mask(length)   # True or -inf above",
    "cut_in_time": "state = cell(x[:, t], state)   # without .detach() inside a sequence",
    "running_statistics_behind": "for module in model.modules():\n    if hasattr(module, 'momentum'):\n"
    "        module.momentum = 0.1",
    "logits_reshaped": "loss = F.cross_entropy(logits.transpose(1, 2), y)   # or logits.flatten(0, 1), y.flatten()",
    "output_cannot_reach": "nn.Sequential(..., nn.Linear(n, 1))   # nothing behind the last layer",
    "climbs": "for group in optimizer.param_groups:\n    group['maximize'] = False   # or loss = -loss",
    "weights_written_outside": "model.apply(draw)   # once, before the loop",
    "penalty_outweighs": "loss = of_rows + 1e-4 * penalty   # and a smaller weight_decay",
    "outputs_alike": "# look at this layer: a norm over one value, weights of 0, or a loss that outweighs the rows",
    "activations_grow": REDRAWN,
    "exploding": "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)   # before optimizer.step()",
    "first_loss": "nn.init.normal_(output.weight, std=0.01)   # the embedding's, where they share it",
    "no_better_than_guessing": "# train on 10 rows first: a sound model learns them by heart",
}
"""A cure in code by the kind of a finding."""


OF_OPERATIONS: Mapping[str, str] = {
    "log": "torch.log(p.clamp_min(1e-12))   # or a loss that takes logits",
    "div": "a / (b + 1e-8)   # no division by zero",
    "sqrt": "torch.sqrt(x + 1e-12)   # at 0 its slope is infinite",
    "softmax": "mask[:, 0] = False   # let every row see something",
    "exp": "torch.exp(x.clamp_max(50))",
}
"""A cure of a first cause, by the beginning of the operation's name."""
OF_PASSES: Mapping[str, str] = {
    "batch": "whole = torch.isfinite(x).flatten(1).all(1)\nx, y = x[whole], y[whole]   # and look at the others",
    "weights": "for group in optimizer.param_groups:\n    group['lr'] *= 0.1",
    "late": "goldviz.watch(model, every=1, budget=None)   # looks at each step",
}
HALF_PRECISION = "torch.autocast('cuda', dtype=torch.bfloat16)   # the range of single precision"
ANY_CAUSE = "torch.autograd.set_detect_anomaly(True)   # for one run: names the line"


def cure_of(finding: Finding, run: Run) -> str:
    """Code that may mend it; nothing where none is known."""
    if finding.kind == TOO_SMALL:
        return CURES[finding.kind].replace("10", f"{rate_factor(run):.0f}")
    if finding.kind == "exploding" and is_recurrent(run):
        return ORTHOGONAL
    if finding.kind != "first_cause":
        return CURES.get(finding.kind, "")
    cause = cause_of(run)
    if cause.get("dtype") == "float16":
        return HALF_PRECISION
    by_operation = (cure for name, cure in OF_OPERATIONS.items() if cause.get("operation", "").startswith(name))
    return OF_PASSES.get(cause.get("passing", "")) or next(by_operation, ANY_CAUSE)


def _still_too_large(n: WatchedReading, _settings: Any) -> bool:
    """Whether steps are too long at the present rate, too, where it is another than most steps had.

    A loss that rises under short steps is no matter of the rate: something else moves it. One that is none of the
    network's own answers, such as a generator's or a policy's, is no measure of progress.
    """
    if n.update < (training.LARGEST_UPDATE if n.no_measure else LONG_ENOUGH):
        return False
    return not n.rate_changed or n.update_now > training.LARGEST_UPDATE


def _still_too_small(n: WatchedReading, _settings: Any) -> bool:
    """Whether steps are too short at the present rate, too, and a probe along one of them does not say otherwise."""
    headroom = headroom_of(n.dataset)
    probed = headroom is None or not headroom < EDGE
    return probed and (not n.rate_changed or n.update_now < training.SMALLEST_UPDATE)


def gauge(dataset: Run, findings: Sequence[Finding]) -> str:
    """How much larger the rate could be, in words; nothing where that is not known.

    Only the batch that a step was made for is asked, so it bears more than others do: where a card says that the rate
    is too large, that holds. A step too short for its loss to tell says nothing either.
    """
    headroom, kinds = headroom_of(dataset), {finding.kind for finding in findings}
    if headroom is None or (TOO_LARGE in kinds and headroom >= EDGE) or (TOO_SMALL in kinds and math.isnan(headroom)):
        return ""
    return of_headroom(headroom)


VANISHING = next(rule for rule in by_kind.RULES if rule.kind == "vanishing")
UNMOVED = (
    "loss_not_connected", "optimizer_holds_none", "step_without_gradient", "cleared_before_step",
    "rate_went_to_zero", "update_lost_in_dtype",
)  # fmt: skip
"""What nothing can be learned under: no card beside one of these guesses why nothing is."""


def _cause(case: Case) -> str:
    cause = cause_of(case.dataset)
    return where_it_was(cause) if cause else ""


def _cause_number(n: WatchedReading) -> str:
    cause = cause_of(n.dataset)
    rows = rows_of(cause)
    return f"{cause['value']} at step {cause['step']}" + (f", in {rows}" if rows else "")


def _explosion(n: WatchedReading) -> str:
    norms = values(n.dataset, "gradient_norm")
    finite = norms[np.isfinite(norms)]
    most = f", {times(n.spike)} times that at most" if math.isfinite(n.spike) else ""
    if n.grown_on_its_way > FADED:
        most += f", {times(n.grown_on_its_way)} times larger at the first layer than at the last"
    never = (
        f", no finite number in {norms.size - finite.size} of {len(norms)} looks" if finite.size < norms.size else ""
    )
    return f"{times(median(finite))} typically{most}{never}"


def share(measure: str, at: float, of: str, said: str = "") -> dict[str, Any]:
    """A rule's line and number: more than a share ``of`` something, of which more may be ``said`` behind the number."""
    number = f"{{{measure}:percent}} {of} {said}".rstrip()
    return {"line": above(measure, at, f"{{at:percent}} {of}"), "number": number}


def layers(fact: str, allowed: str) -> dict[str, Any]:
    """The same where layers are named by a fact, of the same name as the measure that counts them."""
    return {"line": above(fact, 0, allowed), "number": lambda n: listed(with_kinds(n.dataset, n.names(fact)))}


def read_off(kind: str, title: str, severity: Severity = "bad", **own: Any) -> Rule:
    """A rule of what the loop itself says."""
    return Rule(kind, severity, title, confidence="read off the loop itself", **own)


worth_a_look = partial(read_off, severity="warning")
of_one_run = partial(Rule, confidence=ONE_RUN, of_training=True)

FACTS = (
    read_off(
        "first_cause",
        "A value was no finite number",
        line=where("broken", "a loss or gradient that is NaN or infinite"),
        number=_cause_number,
        explanation=_cause,
        must_tell=True,
    ),
    read_off(
        "inputs_drift",
        "The inputs are not what they were",
        line=above("drifted", OTHER_SCALE, "a scale {at:times} that of the first batch"),
        number="{drifted:times} another scale than at the start",
        explanation="Something writes into the data, such as `x /= 255` on a view of it.",
    ),
    read_off(
        "evaluation_inputs_differ",
        "You evaluate on inputs of another scale",
        line=above("evaluated_elsewhere", EVALUATED_ELSEWHERE, "{at:times} that of the training inputs"),
        number="{evaluated_elsewhere:times} another scale than in training",
        explanation="What prepares the training rows must prepare these, too.",
    ),
    worth_a_look(
        "inputs_of_other_scale",
        "Some inputs are far outside all others",
        line=above("far", HALF, "{at:percent} of the batches"),
        number="{farthest:times} the size of nine in ten of the others",
        explanation="A column of another unit, or a number that stands for a missing one.",
    ),
    worth_a_look(
        "identical_batches",
        "Every batch holds the same rows",
        **share("repeated", MOST_BATCHES, "of the batches made anew"),
        explanation="A seed that is set in the loop draws them again; if they are all there is, nothing is wrong.",
    ),
    read_off(
        "classes_in_order",
        "Each batch holds a single class",
        **share("pure_batches", MOST_BATCHES, "of the batches"),
        explanation="Each step then unlearns the last: the rows want shuffling.",
    ),
    worth_a_look(
        "one_target_dominates",
        "Nearly all targets are one class",
        **share("of_one_target", MOST_TARGETS, "of the targets"),
        explanation="Always answering it is nearly right, and most of the gradient says so.",
    ),
    worth_a_look(
        "too_good",
        "One input tells the target by itself",
        line=above("telling", 0, "no input that is the target in other words"),
        number=lambda n: f"entry {n.facts['telling_input'][0]} of a row",
        explanation="If it is not known where the network will be used, the loss is too good to be true.",
    ),
    read_off(
        "dropout_too_large",
        "A dropout drops nearly everything",
        line=at_least("largest_dropout", DROPS_MOST, "{at:percent}"),
        number="{largest_dropout:percent} of what it is given",
        explanation="PyTorch's p is the share that is dropped, not the one that is kept.",
    ),
    read_off(
        "dropout_on_output",
        "A dropout stands behind the last layer",
        **share("dropped", HALF, "of the passes"),
        explanation="It makes answers themselves 0, and the others larger.",
    ),
    read_off(
        "unregistered_parameters",
        "Layers stand in a list that no module knows",
        line=above("unregistered", 0, "every layer in `nn.ModuleList`, or an attribute of its own"),
        number=lambda n: listed(n.names("unregistered")),
        explanation="They get gradients, and no optimiser holds them.",
    ),
    read_off(
        "units_alike",
        "All units of a layer have the same weights",
        **layers("units_alike", "units that begin differently"),
        explanation="They get the same gradient, and stay one unit for ever.",
    ),
    read_off(
        "rows_mix",
        "Rows of a batch change each other's answers",
        line=above("rows_mix", 0, "an answer that depends on its own row alone"),
        number="the first rows' answers move when the others are exchanged",
        explanation="A layer reads rows as time: `batch_first=True`, or a dimension that was mistaken.",
    ),
    read_off(
        "mask_hides_nothing",
        "The network sees what it is to foretell",
        line=above("sees_ahead", 0, "answers that what comes later cannot move"),
        number="answers move when later words are exchanged",
        explanation="A causal mask is missing, or stands the wrong way round.",
    ),
    read_off(
        "cut_in_time",
        "The gradient stops at the last time step",
        **layers("cut_in_time", "a gradient for each call of a layer in one pass"),
        explanation="A state is detached between the calls: what came earlier cannot be learned.",
    ),
    read_off(
        "running_statistics_behind",
        "Batch norm's averages do not follow the data",
        line=above("behind", FAR_BEHIND, "{at:g} deviations from a batch's own mean"),
        number="{behind:.2g} deviations from the batch's own mean",
        explanation="PyTorch's momentum is the new batch's share, others' the old average's.",
    ),
    read_off(
        "logits_reshaped",
        "A reshape stands where axes were to be exchanged",
        line=where("reshaped", "`transpose` or `permute`, which keep a number with its row"),
        number="{reshaped}",
        explanation="`view` and `reshape` keep the order in memory, so numbers go to other rows.",
    ),
    read_off(
        "output_cannot_reach",
        "Answers cannot reach their targets",
        line=above("stuck", STUCK, "{at:percent} of the answers"),
        number="{stuck:percent} stand at the end of their range and should go beyond",
        explanation="An activation behind the last layer holds them, such as a ReLU.",
    ),
    read_off(
        "climbs",
        "Steps go up the loss",
        line=where("climbs", "a loss of this sign for an optimiser that minimises"),
        number="each target becomes less likely",
        explanation="`maximize=True`, or a minus sign that is there or missing.",
    ),
    read_off(
        "weights_written_outside",
        "Something writes other weights between the steps",
        line=above("written", 1, "once"),
        number="{written:g} times, more than half of their size",
        explanation="Drawing or loading them anew forgets what was learned.",
    ),
    read_off(
        "softmax_twice",
        "The loss takes a softmax of probabilities",
        line=where("softmax_twice", "logits, which no softmax has seen"),
        number="softmax, then cross-entropy",
        explanation="Cross-entropy takes its own softmax; twice, the gradient fades.",
    ),
    read_off(
        "batch_of_one",
        "Batch norm sees one row at a time",
        **share("of_one_row", HALF, "of the batches", "have one row"),
        explanation="A row's own mean is taken away, and with it what told it from others.",
    ),
    worth_a_look(
        "trained_in_evaluation_mode",
        "You train in evaluation mode",
        **share("trained_in_evaluation_mode", HALF, "of the passes", "with gradient"),
        explanation="Batch norm then keeps old statistics, and dropout drops nothing.",
    ),
    read_off(
        "softmax_over_one",
        "A softmax goes over a single value",
        line=where("softmax_over_one", "two values at least"),
        number="1 value, so that it always gives 1",
    ),
    read_off(
        "broadcast_loss",
        "Each prediction is compared with every target",
        line=where("shapes", "predictions and targets of one shape"),
        number="{shapes}",
        explanation="A column minus a row is a table, whose best answer is the targets' mean.",
    ),
    read_off(
        "below_what_is_possible",
        "The loss is below what is possible",
        line=where("impossible", "a negative log likelihood of a class above 0"),
        number="a likelihood above 1",
        explanation="The loss takes log probabilities, and may be given raw logits.",
    ),
    read_off(
        "loss_not_connected",
        "The loss is not connected to any parameter",
        line=where("loss_not_connected", "a loss that operations on parameters made"),
        number="a tensor made anew",
        explanation="`torch.tensor`, `.item()` or `.data` on its way cuts it off.",
    ),
    read_off(
        "optimizer_holds_none",
        "The optimiser holds none of the network's parameters",
        line=where("holds_none", "the watched network's own parameters"),
        number="0 of its parameters",
        explanation="It was made for a copy, or before the layers were.",
    ),
    read_off(
        "step_without_gradient",
        "The optimiser steps though no gradient has arrived",
        **share("without_gradient", HALF, "of the steps", "had none since the last"),
        explanation="`.detach()`, `no_grad` or another network's loss keeps it away.",
        silenced_by=("loss_not_connected",),
    ),
    read_off(
        "cleared_before_step",
        "Gradients are cleared before the optimiser uses them",
        **share("cleared", HALF, "of the steps", "found none that had arrived"),
    ),
    read_off(
        "rate_went_to_zero",
        "The rate went to 0",
        line=above("without_rate", HALF, "{at:percent} of the steps below a ten thousandth of the highest rate"),
        number="{without_rate:percent} of the steps",
        explanation="A schedule that is meant for epochs may be stepped at every batch.",
    ),
    read_off(
        "update_lost_in_dtype",
        "Steps are lost in rounding",
        line=above("lost", HALF, "{at:percent} of the steps leave most weights as they were"),
        number="{lost:percent} of the steps leave most weights exactly as they were",
        explanation="The weights' own precision is coarser than a step at this rate.",
    ),
    read_off(
        "stale_gradient",
        "Old gradients are never cleared",
        **share("stale", HALF, "of the steps", "began with an old gradient"),
        explanation="Each step then adds up all gradients so far.",
    ),
    read_off(
        "clipped_before_unscaling",
        "The gradient is clipped before it is unscaled",
        line=above("shrunk", 1 / CLIP_LEFT, "{at:times} times smaller by clipping"),
        number="{shrunk:times} times smaller",
        explanation="The scaled gradient is cut to the limit, and unscaling then leaves almost nothing.",
        only=lambda n, settings: n.scaled,
    ),
    worth_a_look(
        "clip_leaves_nothing",
        "Clipping leaves almost nothing of the gradient",
        line=above("shrunk", 1 / CLIP_LEFT, "{at:times} times smaller by clipping"),
        number="{shrunk:times} times smaller",
        silenced_by=("clipped_before_unscaling",),
    ),
    read_off(
        "no_gradient",
        "No gradient reaches some layers",
        **layers("no_gradient", "no layer without gradient"),
        explanation="They want to learn, an optimiser holds them, and nothing tells them how.",
        silenced_by=UNMOVED,
    ),
    worth_a_look(
        "unused",
        "Layers are never used",
        **layers("unused", "no layer in an optimiser that is not called"),
        explanation="Nothing passes through them, so nothing tells them how to learn.",
    ),
    worth_a_look(
        "frozen",
        "Layers are frozen that the optimiser holds",
        **layers("frozen", "no frozen layer in an optimiser"),
        explanation="If that is meant, leave them out of the optimiser.",
    ),
    worth_a_look(
        "not_optimised",
        "Layers get a gradient that no optimiser uses",
        **layers("not_optimised", "every layer with a gradient in an optimiser"),
    ),
    read_off(
        "constant_input",
        "Every row of the batch is the same",
        **share("constant", HALF, "of the batches"),
        explanation="The network cannot tell its samples apart.",
    ),
    worth_a_look(
        "training_mode",
        "You evaluate in training mode",
        **share("in_training_mode", HALF, "of the passes without gradient"),
        explanation="Dropout and batch norm then act as if it learned.",
    ),
)
"""What is read off the loop, in the order in which a step computes."""

GUESSES = (
    of_one_run(
        "penalty_outweighs",
        "bad",
        "The weights are shrunk to nothing",
        line=below("weights_left", SHRUNK, "{at:percent} of their first norm")
        & above("own_over_guess", LEARNED_NOTHING, "answers no better than a constant"),
        number="{weights_left:percent} of their first norm is left",
        explanation="A penalty or a weight decay outweighs what the rows say.",
    ),
    of_one_run(
        "no_warm_up",
        "warning",
        "The first steps are too long",
        line=above("first_updates", WARM_UP_UPDATE, "a ratio above {at}")
        & above("first_rise", WARM_UP_RISE, "a loss {at} times its start")
        & below("update", training.LARGEST_UPDATE, "later steps below {at:.1g}")
        # Where steps stay that long, it is not the first ones that are too long.
        & below("long_steps", FEW_LONG_STEPS, "fewer than {at:percent} of all so long"),
        number="update-to-data ratio {first_updates:times}, loss {first_rise:times} times its start",
        explanation="Large first steps throw the weights about before the optimiser knows their scale.",
    ),
    replace(
        VANISHING,
        title="The gradient vanishes on its way to the first layers",
        explanation="The first layers are told next to nothing.",
        confidence=ONE_RUN,
        only=lambda n, settings: n.learns_nothing,
    ),
    replace(
        VANISHING,
        kind=IN_TIME,
        title="The gradient vanishes on its way back through time",
        line=below(
            "first_step_over_last", 1 / FADED_IN_TIME, "10,000 times smaller at the first time step than the last"
        ),
        number=lambda n: f"{times(1 / n.first_step_over_last)} times smaller at the first time step",
        explanation="What came early is told next to nothing.",
        confidence=ONE_RUN,
        only=lambda n, settings: n.learns_nothing,
    ),
    training.steps_too_long(
        title="The learning rate is too large",
        silenced_by=("no_warm_up", "penalty_outweighs", *FADES),
        confidence=ONE_RUN,
        only=_still_too_large,
    ),
    of_one_run(
        "exploding",
        "bad",
        "The gradient explodes",
        line=above("spike", SPIKE, "a norm {at:times} times its median")
        | above("per_root", EXPLODED, "{at:times} times the norm of the weights")
        | above("grown_on_its_way", FADED, "{at} times larger at the first layer than at the last"),
        number=_explosion,
        silenced_by=FADES,
    ),
    training.units_dead(
        WORST_SHARE,
        title="Many units before {dead_layer} are dead",
        of=", in eight looks",
        number="{dead:percent} of its incoming units were 0 for every row",
        explanation="What is 0 for every row gets no gradient.",
        confidence=ONE_RUN,
    ),
    training.saturated(
        title="{saturated_layer} is saturated",
        of=", in the worst layer",
        of_what="its outputs or gates",
        explanation="On the flat ends the slope is almost 0.",
        confidence=ONE_RUN,
    ),
    of_one_run(
        "outputs_alike",
        "bad",
        "A layer gives the same for every row",
        **layers("outputs_alike", "outputs that differ from row to row"),
        explanation="What lies behind it cannot tell the rows apart.",
        silenced_by=("penalty_outweighs", "dead_units", "saturated", *FADES),
    ),
    of_one_run(
        "overfits",
        "warning",
        "It learns its rows by heart",
        line=above("evaluated_over_trained", 2.0, "an evaluation loss {at} times the training loss, and rising"),
        number="{evaluated_over_trained:times} times the training loss",
        explanation="The evaluation loss goes up while the training loss goes down.",
        of_training=False,
    ),
    of_one_run(
        "activations_grow",
        "warning",
        "Outputs grow from layer to layer",
        line=above("gain", GROWS, "{at:g} times a layer at the start"),
        number="{gain:.2g} times at every layer",
        explanation="The weights begin too large, so that answers begin far outside.",
    ),
    of_one_run(
        "first_loss",
        "warning",
        "The first loss is far above a guess",
        line=above("began_over_guess", GUESS_BEGINS, "{at} times an even guess"),
        number="{began_over_guess:times} times an even guess",
        explanation="The output layer begins too large, as one does that shares the embedding's weights.",
        silenced_by=("activations_grow",),
    ),
    of_one_run(
        "no_better_than_guessing",
        "warning",
        "It does no better than guessing",
        line=above("ended_over_guess", GUESS_ENDS, "{at:percent} of a constant answer's error, after 100 steps"),
        number="{ended_over_guess:percent} of a constant answer's error",
        explanation="The targets may not belong to their rows, or nothing of them is in the inputs.",
        silenced_by=(TOO_LARGE, "first_loss", *FADES),
    ),
    training.steps_too_short(
        title="The learning rate is too small",
        silenced_by=("clip_leaves_nothing", "dead_units", *FADES),
        confidence=ONE_RUN,
        only=_still_too_small,
    ),
)
"""What the course of training suggests."""

CAUSES = tuple(rule.kind for rule in FACTS if rule.severity == "bad")
RULES = (*FACTS, *(replace(rule, silenced_by=(*rule.silenced_by, *CAUSES)) for rule in GUESSES))
"""In the order in which they are judged. Where a cause is read, nothing is guessed of what may be its symptoms."""


def findings_of(dataset: Run) -> list[Finding]:
    """What a watched run says, most serious first, with cures; ``effect`` says how often one helped, if known."""
    steps = int(dataset[STEP].max()) if dataset.sizes.get(STEP) else 0
    learned = training.learned_below("the first loss")
    conclusions = Conclusions(RULES, lambda _, run: [WatchedReading(run, facts_of(run))], most=MOST, learned=learned)
    recurrent = is_recurrent(dataset)
    return [
        replace(one, effect=helped_elsewhere(one.kind, recurrent), cure=cure_of(one, dataset))
        for one in conclusions(AnyRun(STEP, steps), dataset)  # type: ignore[arg-type]
    ]


def as_json(finding: Finding, run: Run) -> dict[str, Any]:
    """A finding for a program: number, line and cure; ``tried`` says what the cure did on this run, null if nobody
    tried it, and ``effect`` how often it helped elsewhere, empty if that is not known."""
    names = ("kind", "severity", "title", "number", "threshold", "confidence", "explanation", "effect")
    told = {name: getattr(finding, name) for name in names}
    return {**told, "cure": finding.cure or None, "tried": tried_of(run).get(finding.kind)}
