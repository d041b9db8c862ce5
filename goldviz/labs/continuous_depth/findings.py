"""What a continuous-depth run says about its networks, in order and without contradiction.

Document 001, eq. 26-30; Chen et al. 2018; Dupont, Doucet and Teh 2019.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.diagnostics.findings import (
    SATURATED,
    Finding,
    Verdict,
    agreement,
    majority,
    median,
    number,
    percent,
    remedy,
)
from goldviz.labs.continuous_depth.readings import ALL_RIGHT, SMALL_ERROR, DepthReading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.continuous_depth.settings import ContinuousDepth

MOST = 5
GROWN = 2.5
"""Times more evaluations than at the start, from which a flow is said to grow stiff."""
WRONG_GRADIENT = 0.01
ADAPTIVE = ("dopri5", "bosh3")
STEPS_BOUND, BLOCKS_BOUND = 256, 128
ORDER_LINE = 0.2
"""A mean square error above this says that x -> -x was not reached; 1/3 is the best that keeps the order."""


def findings_of(settings: ContinuousDepth, dataset: xr.Dataset) -> list[Finding]:
    """Findings of a continuous-depth run, most serious first, at most five.

    A network that diverged gets no other verdict. One that has learned its task is not told that its field is stiff or
    saturated; one that cannot learn it for a reason of topology is not told to train for longer.
    """
    if "network" not in dataset.coords:
        return []
    networks = [DepthReading.of(dataset, str(name)) for name in dataset["network"].values]
    status = str(dataset.attrs.get("status", ""))
    ended = status in ("diverged", "failed")
    lost = ended and not any(n.diverged.any() for n in networks)
    sound = [] if lost else [n for n in networks if not n.diverged.any()]
    unlearned = [n for n in sound if not majority(n.learned)]
    blocked = topology(settings, unlearned)
    found = [
        diverged_run(settings, networks, str(dataset.attrs.get("message", "")) if ended else ""),
        blocked,
        solver_s_map(settings, sound),
        wrong_adjoint(settings, sound),
        growing_stiff(settings, unlearned),
        saturated_field(settings, unlearned),
        not_learned(settings, [n for n in unlearned if blocked is None or n.name != "ode"]),
        learned(settings, sound),
        residual_is_flow(settings, sound),
    ]
    order = {"bad": 0, "warning": 1, "good": 2}
    kept = sorted((finding for finding in found if finding is not None), key=lambda finding: order[finding.severity])
    return [_dated(finding, settings, dataset) for finding in kept[:MOST]]


def diverged_run(settings: ContinuousDepth, networks: Sequence[DepthReading], message: str) -> Finding | None:
    """The loss is no number any more, or the run ended because a solver gave up."""
    verdicts = [Verdict(n.label, "a loss that is no finite number", n.diverged) for n in networks if n.diverged.any()]
    if not verdicts and not message:
        return None
    return Finding(
        kind="diverged",
        title="Training came to an end that is no number" if verdicts else "Training could not go on",
        severity="bad",
        number=number(verdicts) if verdicts else message,
        threshold="any loss that is NaN or infinite, or a solver that cannot reach depth 1",
        confidence=agreement(verdicts) if verdicts else "the run stopped for it",
        explanation="The same field acts at every depth (document 001, eq. 29). Once a step makes it too steep, states "
        "run away, or an adaptive solver needs smaller and smaller steps.",
        **remedy(
            settings,
            (
                "Take a tenth of the learning rate, and cap the gradient's norm.",
                {"learning_rate": max(1e-6, settings.learning_rate / 10), "clip": settings.clip or 1.0},
            ),
        ),
    )


def topology(settings: ContinuousDepth, networks: Sequence[DepthReading]) -> Finding | None:
    """A flow in too few dimensions was asked for what no flow there can do: rings to be parted, an order to be turned.

    Solutions of an ODE never meet (Dupont, Doucet and Teh 2019, proposition 2): what is enclosed stays enclosed.
    """
    flows = [n for n in networks if n.name == "ode"]
    if settings.augmented or settings.task not in ("rings", "flip") or not flows:
        return None
    [flow] = flows
    rings = settings.task == "rings"
    over = flow.accuracy < ALL_RIGHT if rings else flow.loss > ORDER_LINE
    if not majority(over):
        return None
    verdict = Verdict(
        flow.label,
        _score(flow),
        over,
    )
    return Finding(
        kind="nested_classes" if rings else "order_kept",
        title="A flow in the plane cannot part these rings" if rings else "A flow on a line cannot turn the order",
        severity="bad",
        number=verdict.number,
        threshold="99.5 % of the unseen points, mean of the last looks"
        if rings
        else "0.2; the best that keeps the order is 1/3",
        confidence=agreement([verdict]),
        explanation="Two paths of a flow never meet, so the inner ring stays inside the outer one (document 001, eq. "
        "29). The field can only stretch a narrow neck through it; what lies in the neck stays wrong, and moves about."
        if rings
        else "Two paths of a flow never meet, so what starts above stays above (document 001, eq. 29): x cannot become "
        "-x. Saying 0 for all is the best that is left.",
        **remedy(settings, ("Add one dimension of zeros: there is a way round.", {"augmented": 1})),
    )


def solver_s_map(settings: ContinuousDepth, networks: Sequence[DepthReading]) -> Finding | None:
    """Following the field exactly changes the loss: what was learned are the solver's steps."""
    verdicts = [
        Verdict(n.label, f"loss {_loss(median(n.loss))}, refined {_loss(median(n.refined))}", n.inconsistent)
        for n in networks
        if majority(n.inconsistent)
    ]
    if not verdicts:
        return None
    names = [n.name for n in networks if majority(n.inconsistent)]
    more_blocks = ("Take four times as many blocks.", {"blocks": min(BLOCKS_BOUND, settings.blocks * 4)})
    finer: tuple[str, Mapping[str, Any]]
    if settings.method in ADAPTIVE:
        finer = ("Ask for a hundredth of the tolerance.", {"tolerance": max(1e-8, settings.tolerance / 100)})
    else:
        many = min(STEPS_BOUND, max(8, settings.solver_steps * 4))
        finer = (f"Take {many} steps of RK4.", {"method": "rk4", "solver_steps": many})
    return Finding(
        kind="solver_s_map",
        title=f"The {' and the '.join(verdict.network for verdict in verdicts)} learned steps, not a flow",
        severity="bad" if "ode" in names else "warning",
        number=number(verdicts),
        threshold="a change of 10 % where the same field is followed exactly",
        confidence=agreement(verdicts),
        explanation="With few steps the solver's map is not the flow of its field (document 001, eq. 28-30), and "
        "training fits the map. Such steps can do what no flow can, such as cross; another solver gives other answers.",
        **remedy(settings, *((finer, more_blocks) if "ode" in names else (more_blocks,))),
    )


def wrong_adjoint(settings: ContinuousDepth, networks: Sequence[DepthReading]) -> Finding | None:
    """The adjoint that trained the flow differs from the gradient through the solver by more than one per cent."""
    if settings.gradient != "adjoint":
        return None
    verdicts = [
        Verdict(n.label, f"{100 * median(n.gradient_difference):.2g} %", n.gradient_difference > WRONG_GRADIENT)
        for n in networks
        if majority(n.gradient_difference > WRONG_GRADIENT)
    ]
    if not verdicts:
        return None
    tighter = ("Ask for a tenth of the tolerance.", {"tolerance": max(1e-8, settings.tolerance / 10)})
    more = ("Take four times as many steps.", {"solver_steps": min(STEPS_BOUND, settings.solver_steps * 4)})
    return Finding(
        kind="adjoint_too_loose",
        title="The adjoint's gradient is not that of the loss",
        severity="warning",
        number=number(verdicts),
        threshold="1 % from the gradient through the solver, over the last quarter of the looks",
        confidence=agreement(verdicts),
        explanation="The adjoint solves its own equation backwards and meets its own errors; it is as exact as its "
        "solver (Chen et al. 2018). With large steps the loss that is shown and the gradient that is followed differ.",
        **remedy(
            settings,
            tighter if settings.method in ADAPTIVE else more,
            ("Go back through the solver's own steps.", {"gradient": "solver"}),
        ),
    )


def growing_stiff(settings: ContinuousDepth, networks: Sequence[DepthReading]) -> Finding | None:
    """An adaptive solver asks for the field many times more often than at the start, and the task is not learned."""
    verdicts = [
        Verdict(n.label, f"{n_first:.0f} → {n_last:.0f} evaluations a step", n.growth > GROWN)
        for n in networks
        if settings.method in ADAPTIVE and majority(n.growth > GROWN)
        for n_first, n_last in [(median(n.paid_first), median(n.paid_last))]
    ]
    if not verdicts:
        return None
    return Finding(
        kind="growing_stiff",
        title="The solver has to work ever harder",
        severity="warning",
        number=number(verdicts),
        threshold="two and a half times the evaluations of the first steps",
        confidence=agreement(verdicts),
        explanation="A field that bends points sharply needs small steps. Often it bends because the flow has no "
        "better way: more dimensions make it simpler, and smaller steps of training keep it calmer.",
        **remedy(
            settings,
            ("Add one dimension of zeros.", {"augmented": settings.augmented or 1}),
            ("Take a third of the learning rate.", {"learning_rate": max(1e-6, settings.learning_rate / 3)}),
        ),
    )


def saturated_field(settings: ContinuousDepth, networks: Sequence[DepthReading]) -> Finding | None:
    """Many tanh units of a field that has not learned its task stand on a flat part."""
    verdicts = [
        Verdict(n.label, f"{percent(median(n.saturation))} of the values", n.saturation > SATURATED)
        for n in networks
        if majority(n.saturation > SATURATED)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="saturated_field",
        title="The field's units are saturated",
        severity="warning",
        number=number(verdicts),
        threshold=f"{percent(SATURATED)} with |tanh| above 0.97, along the paths at the last look",
        confidence=agreement(verdicts),
        explanation="Where tanh is flat almost no gradient comes back, so the field can hardly change there.",
        **remedy(
            settings,
            ("Take a third of the learning rate.", {"learning_rate": max(1e-6, settings.learning_rate / 3)}),
        ),
    )


def not_learned(settings: ContinuousDepth, networks: Sequence[DepthReading]) -> Finding | None:
    """Many unseen points are still wrong, and no theorem says that they have to be."""
    verdicts = [Verdict(n.label, _score(n), ~n.learned) for n in networks if np.isfinite(n.loss).any()]
    if not verdicts:
        return None
    return Finding(
        kind="not_learned",
        title=f"The {' and the '.join(verdict.network for verdict in verdicts)} could still learn more",
        severity="warning",
        number=number(verdicts),
        threshold=_line(settings),
        confidence=agreement(verdicts),
        explanation="Nothing forbids a better answer here; it takes more steps, or a field that can bend more.",
        **remedy(
            settings,
            ("Train three times as long.", {"steps": min(10_000, settings.steps * 3)}),
            ("Take a field twice as wide.", {"width": min(128, settings.width * 2)}),
        ),
    )


def learned(settings: ContinuousDepth, networks: Sequence[DepthReading]) -> Finding | None:
    """Nearly all unseen points are right."""
    verdicts = [Verdict(n.label, _score(n), n.learned) for n in networks if majority(n.learned)]
    if not verdicts:
        return None
    return Finding(
        kind="learned",
        title=f"The {' and the '.join(verdict.network for verdict in verdicts)} learned the task",
        severity="good",
        number=number(verdicts),
        threshold=_line(settings),
        confidence=agreement(verdicts),
        explanation="These are points that were not trained on. Whether a flow learned it or a few steps did, the loss "
        "of the refined field says.",
    )


def residual_is_flow(settings: ContinuousDepth, networks: Sequence[DepthReading]) -> Finding | None:
    """The residual network's loss stays where its blocks become infinitely many."""
    verdicts = [
        Verdict(n.label, f"loss {_loss(median(n.loss))}, as a flow {_loss(median(n.refined))}", ~n.inconsistent)
        for n in networks
        if n.name == "residual" and np.isfinite(n.refined).all() and majority(~n.inconsistent) and majority(n.learned)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="residual_is_flow",
        title="The residual network stands for a flow",
        severity="good",
        number=number(verdicts),
        threshold="a change of less than 10 %, or both below 0.02",
        confidence=agreement(verdicts),
        explanation=f"Its {settings.blocks} blocks are Euler steps along one field (document 001, eq. 28-29), small "
        "enough that infinitely many would answer the same. Single points may still end somewhat elsewhere.",
    )


def _score(n: DepthReading) -> str:
    share = median(n.accuracy)
    return f"{100 * share:.1f} % right" if np.isfinite(share) else f"an error of {_loss(median(n.loss))}"


def _line(settings: ContinuousDepth) -> str:
    if settings.task == "flip":
        return f"a mean square error of {SMALL_ERROR:g}"
    return f"{100 * ALL_RIGHT:.1f} % of the unseen points on the right side, mean of the last looks"


def _loss(value: float) -> str:
    return f"{value:.2g}"


def _dated(finding: Finding, settings: ContinuousDepth, ds: xr.Dataset) -> Finding:
    """The finding with how far the run was, where that is not its end."""
    step = int(ds["step"].max()) if ds.sizes.get("step") else 0
    if step >= settings.steps:
        return finding
    return replace(finding, confidence=f"{finding.confidence}; so far, at step {step} of {settings.steps}")
