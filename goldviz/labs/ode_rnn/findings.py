"""What a run of the ODE-RNN laboratory says about its networks, in order and without contradiction.

A network that diverged gets no other verdict, and one whose state explodes none on its forecasts: the cause comes
first. A network that learned nothing is not told about gaps or bands as well; one whose solver is too coarse is
neither called stiff, which is the same cause, nor praised; one that learned its task is not told that fixed steps may
become too long for it. Finer steps are advised only where they are not known to change nothing, and nobody is said to
have learned an ODE whose forecasts do not move with time. Verdicts on what training came to wait for its end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from goldviz.diagnostics.findings import (
    Case,
    Conclusions,
    Line,
    Rule,
    majority,
    median,
    percent,
    remedies,
    times,
)
from goldviz.diagnostics.findings.advice import A_THIRD, SLOWER_AND_CLIPPED, DividedBy, IfZero, LoweredTo, Times
from goldviz.diagnostics.findings.line import above, at_least, below, where
from goldviz.diagnostics.findings.training import USELESS, saturated, training_diverged
from goldviz.diagnostics.findings.words import fine_percent
from goldviz.diagnostics.forecasts.columns_ahead import COLUMN_AHEAD
from goldviz.labs.ode_rnn.choices import method_of
from goldviz.labs.ode_rnn.measures import DEAF, NO_BETTER, REFINED, Reading
from goldviz.models.continuous.methods import METHODS

if TYPE_CHECKING:
    from goldviz.diagnostics.findings.advice import Candidate, Suited
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

BAD_REFINED = 1.5
OF_USE = 0.5
"""Times the error of predicting zero, below which a field is praised for how it is followed."""
BEGUN = 0.95
"""Times the error of predicting zero: above it three times the steps lowered the error by less than a twentieth."""
STIFFER = 2.0
"""Times its early value."""

LONGER: Candidate = ("Train three times as long.", {"steps": Times(3)})
THIRD_AND_CLIPPED: Candidate = (
    "Take a third of the learning rate, and cap the gradient's norm.",
    {"learning_rate": DividedBy(3), "clip": IfZero(1.0)},
)
MORE_UNITS: Candidate = ("Give the field more units.", {"width": Times(2)})
NO_USE = ("no_skill", "learned_nothing")
NO_USE_OR_COARSE = (*NO_USE, "solver_too_coarse")
FLOWS = {"ODE-RNN", "Neural CDE"}
"""Networks with a field."""
OF_ZERO = "of the error of predicting zero"
OF_PREDICTING_ZERO = f"{{at:percent}} {OF_ZERO}"


def _longest_step(settings: ODERNNLaboratory) -> float:
    return min(settings.step_cap, 2 * settings.longest_gap)


def _finer(settings: ODERNNLaboratory) -> Candidate:
    """Follow the field more exactly, by the solver in use."""
    method = method_of(settings.solver)
    if method.adaptive:
        return f"Ask {method.words} for a hundredth of the error.", {"tolerance": DividedBy(100)}
    if method.tableau.order < METHODS["rk4"].tableau.order:
        return "Let RK4 take steps of at most 0.1.", {"solver": "rk4", "step_cap": LoweredTo(0.1)}
    return "Cap the steps at {step_cap:.3g}.", {"step_cap": lambda settings: min(_longest_step(settings) / 4, 0.1)}


def _of_flow(n: Reading, settings: ODERNNLaboratory) -> bool:
    return n.name == "ODE-RNN"


def _knows_time(n: Reading) -> bool:
    return n.name != "GRU"


def _finer_if_it_matters(case: Case) -> list[Candidate | Suited]:
    """Finer steps, unless the run has measured that they change nothing."""
    return [_finer for n in case.readings if _of_flow(n, case.settings) and not majority(n.on_solution)]


def _how_coarse(case: Case) -> Any:
    ratios = [median(n.refined_ratio) for n in case.readings]
    return "bad" if any(ratio > BAD_REFINED or ratio < 1 / BAD_REFINED for ratio in ratios) else "warning"


def _change(n: Reading) -> str:
    share = median(n.refined_change)
    return f"the error changes by {'less than 0.1 %' if share < 1e-3 else fine_percent(share)}"


def _refined(n: Reading) -> str:
    """Seeds that differ in opposite ways have a middle ratio near 1, which would say the contrary."""
    ratio = median(n.refined_ratio)
    if 1 / REFINED <= ratio <= REFINED:
        return _change(n)
    return f"the refined error is {times(ratio)} times the error"


def _unstable(settings: ODERNNLaboratory) -> Line:
    """A fixed step that has become too long for a field that has grown."""
    stable, longest = round(method_of(settings.solver).tableau.stability_limit, 1), _longest_step(settings)
    stiffer = above("stiffening", STIFFER, "doubled since a third of the run (the early one)")
    return stiffer & Line(lambda n: n.stiffness > stable / longest, f"above {stable:g} / longest step")


def _little_use_of_gaps(n: Reading) -> str:
    words = [f"shuffled gaps change {percent(median(n.gap_sensitivity))} of its spread"] if majority(n.deaf) else []
    words += [f"{percent(median(n.beside_plain))} of the plain GRU's error"] if majority(n.no_better) else []
    return ", ".join(words) or "over the line"


def _against_deafness(case: Case) -> list[Candidate | Suited]:
    longer = [LONGER] if all(median(n.worth) < BEGUN for n in case.readings) else []
    return [*longer, MORE_UNITS] if case.names & FLOWS else [*longer]


def _against_being_lost(case: Case) -> list[Candidate | Suited]:
    if case.names & FLOWS:
        return [*_finer_if_it_matters(case), LONGER]
    return [("Train the ODE-RNN beside it.", {"networks": "all"})]


NO_SKILL = Rule(
    "no_skill",
    "warning",
    "{Subject} do{es|} hardly better than predicting zero",
    line=at_least("worth", 0.9, f"{OF_PREDICTING_ZERO}, in range"),
    number=f"{{worth:percent}} {OF_ZERO}",
    explanation="The score is over all channels, not of any one.",
    only=lambda n, settings: settings.task == "market",
    at_end=True,
)
"""A few per cent below predicting zero, over all channels of a short sample, are no skill in returns yet."""


def _bands(width: str, line: Line, meaning: str, **own: Any) -> Rule:
    return Rule(
        f"bands_too_{width}",
        "warning",
        f"The bands of {{subject}} are too {width}",
        line=line,
        number="{coverage:percent} inside",
        explanation=meaning,
        advice=[("Train twice as long.", {"steps": Times(2)}), A_THIRD],
        silenced_by=NO_USE,
        at_end=True,
        **own,
    )


def _stiff(number: str, **own: Any) -> Rule:
    title = "The field grew stiff in training"
    return Rule("stiff_field", "warning", title, number=number, of_training=True, **own)


def _learned(measure: str, rival: str, line: Line, **own: Any) -> Rule:
    """Learned is an error below a tenth of the rival's: the GRU without times, or predicting zero where it is not."""

    def number(n: Reading) -> str:
        share = median(getattr(n, measure))
        return f"error {times(median(n.error))}, {percent(share) if share >= 0.01 else 'less than 1 %'} of {rival}"

    return Rule(
        "learned",
        "good",
        "{Subject} learned how things go on between observations",
        line=line,
        number=number,
        silenced_by=(*NO_USE_OR_COARSE, COLUMN_AHEAD.kind),
        **own,
    )


BESIDE_PLAIN = below("beside_plain", 0.1, "{at:part} of the plain GRU's error") & below(
    "worth", 0.9, OF_PREDICTING_ZERO
)
BESIDE_ZERO = below("worth", 0.1, f"{{at:part}} {OF_ZERO}")

RULES = (
    training_diverged(
        where_it_did="in {subject}",
        advice=lambda case: [SLOWER_AND_CLIPPED, *_finer_if_it_matters(case)],
    ),
    Rule(
        "state_exploding",
        "bad",
        "The state explodes in {subject}",
        line=above("state_size", 30, "{at}, where a cell's own values stay within 1"),
        of_training=True,
        number="a hidden value of {state_size:times}",
        explanation="Nothing bounds dh/dt = f(h) (document 001, eq. 31).",
        advice=lambda case: [THIRD_AND_CLIPPED, *_finer_if_it_matters(case)],
        alone=True,
    ),
    COLUMN_AHEAD,
    Rule(
        "solver_too_coarse",
        _how_coarse,
        "The solver is too coarse: its steps are part of what was learned",
        line=where("off_solution", "{at:percent} more or less with steps four times as fine", at=REFINED - 1),
        number=_refined,
        explanation="Other steps give other answers, so the weights fit these steps alone (document 001, eq. 31-32).",
        advice=[_finer],
    ),
    NO_SKILL,
    replace(
        NO_SKILL,
        kind="learned_nothing",
        severity="bad",
        title="{Subject} do{es|} no better than predicting zero",
        line=at_least("worth", USELESS, f"{OF_PREDICTING_ZERO}, in range"),
        advice=[LONGER, ("Let Adam take steps of 0.01.", {"optimiser": "adam", "learning_rate": 1e-2})],
        only=lambda n, settings: settings.task != "market",
    ),
    _learned(
        "beside_plain",
        "the plain GRU's",
        BESIDE_PLAIN,
        only=lambda n, settings: _knows_time(n) and n.plain_error is not None,
    ),
    _learned(
        "worth",
        "predicting zero's",
        BESIDE_ZERO,
        only=lambda n, settings: _knows_time(n) and n.plain_error is None,
    ),
    Rule(
        "ignoring_gaps",
        "warning",
        "{Subject} make{s|} little of the gaps",
        line=where("deaf", "{at:percent} of the forecast's spread when gaps are shuffled", at=DEAF)
        | where("no_better", "{at:percent} of the error of a GRU without times", at=NO_BETTER),
        number=_little_use_of_gaps,
        advice=_against_deafness,
        only=lambda n, settings: _knows_time(n),
        silenced_by=(*NO_USE_OR_COARSE, "learned"),
        at_end=True,
    ),
    _stiff(
        "evaluations grew {growth:times} times",
        line=above("growth", STIFFER, "evaluations more than doubled, last tenth of the steps against the first"),
        advice=[A_THIRD],
        only=lambda n, settings: method_of(settings.solver).adaptive,
        silenced_by=("solver_too_coarse",),
    ),
    _stiff(
        "norm of df/dh {stiffness:times}, {stiffening:times} times its early one",
        explanation=lambda case: (
            "So far your steps are short enough for the gaps of training."
            if all(majority(n.on_solution) for n in case.readings)
            else ""
        ),
        line=_unstable,
        advice=lambda case: [*_finer_if_it_matters(case), A_THIRD],
        only=lambda n, settings: not method_of(settings.solver).adaptive,
        silenced_by=("solver_too_coarse",),
    ),
    Rule(
        "extrapolation_poor",
        "warning",
        "Worse than predicting zero after longer gaps than in training: {subject}",
        line=above(
            "long_gap_worth",
            1.05,
            "{at:percent} of the error of predicting zero, after gaps over {settings.longest_gap:g}",
        ),
        number="{long_gap_worth:share_of} the error of predicting zero",
        advice=_against_being_lost,
        silenced_by=NO_USE_OR_COARSE,
        at_end=True,
    ),
    _bands(
        "narrow",
        below("coverage", 0.8, "{at:percent} of the values inside the 90 % band"),
        "These forecasts are surer than they may be.",
    ),
    _bands(
        "wide",
        above("coverage", 0.97, "{at:percent} of the values inside the 90 % band"),
        "These forecasts are better than they say.",
        unless=("bands_too_narrow",),
    ),
    saturated(
        "field_saturated",
        title="The field is saturated",
        of=" above 0.97 in size, at the last look",
        of_what="the field's hidden values",
        explanation="Hardly any gradient passes a flat tanh (document 001, eq. 31).",
        advice=[A_THIRD, MORE_UNITS],
    ),
    Rule(
        "under_trained",
        "warning",
        "{Subject} w{as|ere} still learning at the end",
        line=above("gained", 0.2, "{at:part} of the error, in the last quarter of the run"),
        number="{gained:percent} less error in the last quarter",
        advice=[LONGER],
        only=lambda n, settings: n.name in FLOWS and bool(remedies(settings, LONGER)),
        silenced_by=(*NO_USE_OR_COARSE, "learned"),
        at_end=True,
    ),
    Rule(
        "holds_in_long_gaps",
        "good",
        "{Subject} hold{s|} through gaps that training never had",
        line=below("long_gap_worth", 0.5, "{at:part} the error of predicting zero, up to twice the longest gap"),
        number=f"{{long_gap_worth:percent}} {OF_ZERO}",
        only=lambda n, settings: n.name in FLOWS,
        silenced_by=(*NO_USE_OR_COARSE, "ignoring_gaps", COLUMN_AHEAD.kind),
    ),
    Rule(
        "solver_consistent",
        "good",
        "{Subject} follow{s|} a field, not its solver's steps",
        line=where("on_solution", "{at:percent} with steps four times as fine", at=REFINED - 1)
        & at_least("gap_sensitivity", DEAF, "{at:percent} of the forecast's spread when gaps are shuffled")
        & below("worth", OF_USE, f"{{at:part}} {OF_ZERO}"),
        number=_change,
        explanation="Finer steps give the same answer (document 001, eq. 31-32).",
        silenced_by=(*NO_USE, "ignoring_gaps"),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(
    RULES,
    Reading.of_all,
    learned=BESIDE_PLAIN | BESIDE_ZERO,
)
