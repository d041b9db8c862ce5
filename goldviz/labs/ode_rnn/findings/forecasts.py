"""Rules on what an ODE-RNN run's networks forecast: gaps, long gaps, bands, what was learned.

Each gives at most one finding, which names the networks that it holds for (document 001, eq. 31-33).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import (
    USELESS,
    Finding,
    Verdict,
    agreement,
    majority,
    median,
    number,
    percent,
    remedy,
    sentence_subject,
    subject,
    times,
)
from goldviz.labs.ode_rnn.findings.solver import finer
from goldviz.labs.ode_rnn.readings import Reading, share

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

LEARNED = 0.1
"""An error below this share of the plain GRU's, or of predicting zero's where there is no GRU, counts as learned."""

DEAF = 0.05
"""Change of the forecast when gaps are shuffled, over its spread, below which gaps count as ignored."""

USELESS_ON_RETURNS = 0.9
"""A few per cent below predicting zero, over all channels of a short sample, are no skill in returns yet."""

NO_BETTER = 0.9
NARROW, WIDE = 0.8, 0.97
STILL_GAINING = 0.2
HOLDS = 0.5
"""Share of predicting zero's error after long gaps below which a network counts as holding."""


def training_diverged(settings: ODERNNLaboratory, networks: Sequence[Reading], status: str) -> Finding | None:
    """The loss of a network, or the run's status, says that training ended in no number."""
    verdicts = [Verdict(n.name, "a loss that is no finite number", n.diverged) for n in networks if n.diverged.any()]
    if not verdicts and status != "diverged":
        return None
    slower = {"learning_rate": max(1e-6, settings.learning_rate / 10), "clip": settings.clip or 1.0}
    return Finding(
        kind="diverged",
        title=f"Training diverged in {subject(verdicts)}" if verdicts else "Training diverged",
        severity="bad",
        number=number(verdicts) if verdicts else "a recorded value that is no finite number",
        threshold="any loss that is NaN or infinite",
        confidence=agreement(verdicts) if verdicts else "the run stopped for it",
        explanation="A field that is too steep for its steps is multiplied at each of them (document 001, eq. 32), and "
        "one long gap is enough for a state, and then a gradient, that is no number.",
        **remedy(
            settings,
            ("Take a tenth of the learning rate, and cap the gradient's norm.", slower),
            finer(settings),
        ),
    )


def useless_verdicts(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> list[Verdict]:
    """Networks that do no better than predicting zero, in range; of market returns, hardly better."""
    line = _useless_from(settings)
    return [
        Verdict(n.name, f"{percent(median(n.worth))} of the error of predicting zero", n.worth >= line)
        for n in networks
        if majority(n.worth >= line)
    ]


def _useless_from(settings: ODERNNLaboratory) -> float:
    return USELESS_ON_RETURNS if settings.task == "market" else USELESS


def learned_nothing(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> Finding | None:
    """A network does no better than predicting zero: no skill in returns, or hardly trained elsewhere."""
    verdicts = useless_verdicts(settings, networks)
    if not verdicts:
        return None
    market = settings.task == "market"
    why = (
        "Daily returns hardly depend on the ones before them, so zero is a forecast that is hard to beat: the market's "
        "nature, not a defect of the network. The error is over all channels, so it says nothing of any one of them."
        if market
        else "The signal goes on in a way that the observations tell, and nothing of it has been learned yet."
    )
    verb = "does" if len(verdicts) == 1 else "do"
    longer = ("Train three times as long.", {"steps": min(20_000, settings.steps * 3)})
    usual = ("Let Adam take steps of 0.01.", {"optimiser": "adam", "learning_rate": 1e-2})
    return Finding(
        kind="no_skill" if market else "learned_nothing",
        title=f"{sentence_subject(verdicts)} {verb} {'hardly' if market else 'no'} better than predicting zero",
        severity="warning" if market else "bad",
        number=number(verdicts),
        threshold=f"{percent(_useless_from(settings))} of the error of predicting zero, in range",
        confidence=agreement(verdicts),
        explanation=why,
        **({} if market else remedy(settings, longer, usual)),
    )


def ignoring_gaps(settings: ODERNNLaboratory, networks: Sequence[Reading], plain: Reading | None) -> Finding | None:
    """Shuffled gaps hardly change a forecast that is told them, or the ODE-RNN is no better than the plain GRU."""
    verdicts = []
    for n in networks:
        deaf = n.gap_sensitivity < DEAF
        beside = share(n.error, plain.error) if plain is not None and n.name == "ODE-RNN" else n.error * np.nan
        over = deaf | (beside > NO_BETTER)
        if majority(over):
            words = (
                [f"shuffled gaps change {percent(median(n.gap_sensitivity))} of its spread"] if majority(deaf) else []
            )
            words += [f"{percent(median(beside))} of the plain GRU's error"] if majority(beside > NO_BETTER) else []
            verdicts.append(Verdict(n.name, ", ".join(words) or "over the line", over))
    if not verdicts:
        return None
    return Finding(
        kind="ignoring_gaps",
        title=f"{sentence_subject(verdicts)} make{'s' if len(verdicts) == 1 else ''} little of the gaps",
        severity="warning",
        number=number(verdicts),
        threshold="5 % of the forecast's spread when gaps are shuffled, or 90 % of the error of a GRU without times",
        confidence=agreement(verdicts),
        explanation="Between observations the state is to move with time (document 001, eq. 31-32). Yours stands "
        "almost still, or moves without use: the jumps (eq. 33) do the work, as in a GRU that knows nothing of time.",
        **remedy(
            settings,
            ("Train three times as long.", {"steps": min(20_000, settings.steps * 3)}),
            ("Give the field more units.", {"width": min(128, 2 * settings.width)}),
        ),
    )


def poor_extrapolation(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> Finding | None:
    """After gaps that training never had, a network does worse than predicting zero."""
    verdicts = [
        Verdict(n.name, f"{times(median(n.long_gap_worth))} times the error of predicting zero", n.long_gap_worth > 1)
        for n in networks
        if majority(n.long_gap_worth > 1)
    ]
    if not verdicts:
        return None
    own = any(verdict.network == "ODE-RNN" for verdict in verdicts)
    advice = (
        remedy(settings, finer(settings), ("Train three times as long.", {"steps": min(20_000, settings.steps * 3)}))
        if own
        else remedy(settings, ("Train the ODE-RNN beside it.", {"networks": "all"}))
    )
    why = (
        "A flow goes on past the longest gap of training (document 001, eq. 31), but nothing there has corrected it: a "
        "small error in its speed grows with time."
        if own
        else "What these networks do with a gap they learned from gaps of training; a longer one is an input that they "
        "never saw. The ODE-RNN's field needs no gap as an input (document 001, eq. 31)."
    )
    return Finding(
        kind="extrapolation_poor",
        title=f"Worse than predicting zero after longer gaps than in training: {subject(verdicts)}",
        severity="warning",
        number=number(verdicts),
        threshold=f"the error of predicting zero, after gaps over {settings.longest_gap:g}",
        confidence=agreement(verdicts),
        explanation=why,
        **advice,
    )


def dishonest_bands(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> Finding | None:
    """The 90 % bands hold far fewer, or nearly all, of the values."""
    narrow, wide = (
        [Verdict(n.name, f"{percent(median(n.coverage))} inside", verdict(n)) for n in networks if majority(verdict(n))]
        for verdict in (_too_narrow, _too_wide)
    )
    verdicts = narrow or wide
    if not verdicts:
        return None
    longer = {"steps": min(20_000, settings.steps * 2)}
    calmer = {"learning_rate": max(1e-6, settings.learning_rate / 3)}
    return Finding(
        kind="bands_too_narrow" if narrow else "bands_too_wide",
        title=f"The bands of {subject(verdicts)} are too {'narrow' if narrow else 'wide'}",
        severity="warning",
        number=number(verdicts),
        threshold="80 % of the values inside the 90 % band" if narrow else "97 % of the values inside the 90 % band",
        confidence=agreement(verdicts),
        explanation="A scale is learned together with the mean and follows it late. "
        + (
            "These forecasts are surer than they may be: do not lean on the band."
            if narrow
            else "These forecasts are better than they say: the band is wider than it needs to be."
        ),
        **remedy(settings, ("Train twice as long.", longer), ("Take a third of the learning rate.", calmer)),
    )


def _too_narrow(n: Reading) -> np.ndarray:
    return np.asarray(n.coverage < NARROW)


def _too_wide(n: Reading) -> np.ndarray:
    return np.asarray(n.coverage > WIDE)


def learned_verdicts(networks: Sequence[Reading], plain: Reading | None) -> list[Verdict]:
    """Networks that know the time, with an error below a tenth of the plain GRU's, or of predicting zero's."""
    verdicts = []
    for n in networks:
        if n.name == "GRU":
            continue
        ratio = share(n.error, plain.error) if plain is not None else n.worth
        if majority(ratio < LEARNED):
            beside = "the plain GRU's" if plain is not None else "predicting zero's"
            shown = percent(median(ratio)) if median(ratio) >= 0.01 else "less than 1 %"
            verdicts.append(Verdict(n.name, f"error {times(median(n.error))}, {shown} of {beside}", ratio < LEARNED))
    return verdicts


def learned(networks: Sequence[Reading], plain: Reading | None) -> Finding | None:
    """A network knows how things go on between observations."""
    verdicts = learned_verdicts(networks, plain)
    if not verdicts:
        return None
    return Finding(
        kind="learned",
        title=f"{sentence_subject(verdicts)} learned how things go on between observations",
        severity="good",
        number=number(verdicts),
        threshold="a tenth of the plain GRU's error"
        if plain is not None
        else "a tenth of the error of predicting zero",
        confidence=agreement(verdicts),
        explanation="What is known at an observation is carried on to the time of the next (document 001, eq. 31-32); "
        "a GRU that is not told the time cannot know where in its turn the signal is. Equal steps are not equal work: "
        "a GRU that is told the gaps, trained for as long on the clock, comes close within the gaps of training.",
    )


def holds(networks: Sequence[Reading]) -> Finding | None:
    """The ODE-RNN does well after gaps that training never had."""
    verdicts = [
        Verdict(
            n.name, f"{percent(median(n.long_gap_worth))} of the error of predicting zero", n.long_gap_worth < HOLDS
        )
        for n in networks
        if n.name == "ODE-RNN" and majority(n.long_gap_worth < HOLDS)
    ]
    if not verdicts:
        return None
    return Finding(
        kind="holds_in_long_gaps",
        title="The ODE-RNN holds through gaps that training never had",
        severity="good",
        number=number(verdicts),
        threshold="half the error of predicting zero, up to twice the longest gap",
        confidence=agreement(verdicts),
        explanation="Its field says at every moment how the state moves on (document 001, eq. 31), so a longer gap is "
        "more of the same. It does not hold for ever: see the shaded part of the path.",
    )


def under_trained(settings: ODERNNLaboratory, networks: Sequence[Reading]) -> Finding | None:
    """The error of a network that has not learned its task was still falling at the end."""
    verdicts = [
        Verdict(n.name, f"{percent(median(n.gained))} less error in the last quarter", n.gained > STILL_GAINING)
        for n in networks
        if majority(n.gained > STILL_GAINING)
    ]
    more = remedy(settings, ("Train three times as long.", {"steps": min(20_000, settings.steps * 3)}))
    if not verdicts or not more:
        return None
    return Finding(
        kind="under_trained",
        title=f"{sentence_subject(verdicts)} {'was' if len(verdicts) == 1 else 'were'} still learning at the end",
        severity="warning",
        number=number(verdicts),
        threshold="a fifth of the error, in the last quarter of the run",
        confidence=agreement(verdicts),
        explanation="The error had not settled when the steps ran out, so what the run says of the network is not its "
        "last word.",
        **more,
    )
