"""What a run of *Price tokens* says about its tokens and its forecasts, in order and without contradiction.

Tokens that know the future make every score worthless, so nothing else is said of one. Names that switch come next.
"""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import (
    Case,
    Check,
    Conclusions,
    DividedBy,
    Mend,
    Rule,
    Times,
    above,
    below,
    percent,
    where,
)
from goldviz.diagnostics.findings.advice import SLOWER, Candidate
from goldviz.diagnostics.findings.training import training_diverged
from goldviz.diagnostics.findings.words import counted
from goldviz.diagnostics.forecasts.words import p_value, signed
from goldviz.labs.price_tokens.measures import CLIMBED, Reading
from goldviz.labs.price_tokens.settings import OF_WINDOWS
from goldviz.labs.price_tokens.verdict import SIGN, SWITCHED, UNUSED, gain_in_words, in_use, of_market

if TYPE_CHECKING:
    pass

FOUND = 0.2
"""Adjusted Rand index from which tokens count as the planted regimes; chance gives 0, the regimes themselves 1."""
REGIMES = (*OF_WINDOWS, "hmm")
WORTHLESS = ("knows_future", "labels_switch")
IDLE = (*WORTHLESS, "codes_unused")

TO_PAST = Mend("Fit the tokeniser on the days before each block.", {"fitted_on": "past"})
TO_FILTER = Mend("Read the states by the filter.", {"read": "filter"})
MATCHED = Mend("Match each fit's names to the one before.", {"labels": "aligned"})
AMONG_DATA: Candidate = ("Start the codes among the data.", {"codes": "data"})
FEWER: Candidate = ("Take half as many tokens.", {"tokens": DividedBy(2)})
TO_TRUTH = Mend("Put the days back into their order.", {"shuffle_days": False})
SHUFFLED = Check("Deal the days out at random: skill that stays is a mistake.", {"shuffle_days": True})
SHORTER: Candidate = ("Train half as long.", {"epochs": DividedBy(2)})
MORE_PAST: Candidate = ("Show the network twice as many tokens.", {"context": Times(2)})
REGIMES_ALONE = Check("Take a market that is nothing but its regimes.", {"returns": "regimes"})


def score(n: Reading) -> str:
    """The gain in words."""
    return gain_in_words(n.own)


def _how_it_knows(case: Case) -> str:
    if case.settings.fitted_on == "all":
        return "The tokeniser was fitted on all days, those that are forecast among them."
    if case.settings.fitted_on == "block":
        return "The tokeniser was fitted on the very days that are forecast."
    smooths = case.settings.has_effect("read") and case.settings.read == "smoother"
    return "The smoother reads a day's state with the help of all later days." if smooths else ""


def _beside_garch(n: Reading) -> str:
    return f"{score(n)}; GARCH {signed(n.garch.value, 3)}" if isfinite(n.garch.value) else score(n)


def _why_no_regimes(case: Case) -> str:
    days = case.settings.days_in_token
    if case.settings.tokeniser in OF_WINDOWS:
        return f"A token says what {'one move' if days == 1 else f'the last {days} moves'} looked like."
    if case.settings.returns == "regimes":
        return "The filter knows the moves until that day alone."
    return "States follow the size of moves, which has a memory of its own in this market."


def _how_much_each_sees(case: Case) -> str:
    window = "counted pairs one token" if case.settings.network == "bigram" else "the network {settings.context}"
    return f"GARCH knows the whole past, {window}."


def _parts_of_it(case: Case) -> str:
    n = case.reading
    return f"Of that, {signed(n.sign.value, 4)} is of the sign, {signed(n.size.value, 4)} of the size."


def _why_unused(case: Case) -> str:
    if case.settings.tokeniser == "uniform":
        return "Of bins of equal width, the middle ones take most days."
    if case.settings.tokeniser == "basis_points":
        return "Rounded tokens lie around zero, whatever moves the days hold."
    learned = case.settings.tokeniser == "vqvae"
    return "A code that is nearest to no day gets no gradient, so it stays unused." if learned else ""


ABOVE_ZERO = "the whole interval above 0"

judged = partial(
    Rule,
    number=score,
    confidence=lambda case: f"95 % interval from a bootstrap of blocks of days, {of_market(case.reading)}",
)
in_order = partial(judged, only=lambda n, settings: not settings.shuffle_days)

RULES = (
    training_diverged(
        number=lambda n: counted(n.diverged, "fits"),
        confidence="the run stopped for it",
        advice=[SLOWER],
    ),
    Rule(
        "knows_future",
        "bad",
        "The tokens know the future",
        line=above("changed", 0.0, "no token that changes when only later days do"),
        number=lambda n: f"{percent(n.changed)} of the tokens",
        confidence="measured: later moves were changed, and earlier days turned into tokens again",
        explanation=_how_it_knows,
        advice=lambda case: [TO_PAST] if case.settings.fitted_on != "past" else [TO_FILTER],
        must_tell=True,
    ),
    Rule(
        "labels_switch",
        "bad",
        "A new fit calls old regimes by new names",
        line=above("switched", SWITCHED, "{at:percent} of the days renamed for nothing"),
        number=lambda n: f"{percent(n.same_label)} keep their name, {percent(n.same_meaning)} with names matched",
        confidence="counted on the past of every refit",
        explanation="Clusters and states have no order of their own, so a new fit may number them anew.",
        advice=[MATCHED],
        must_tell=True,
    ),
    judged(
        "shuffled_skill",
        "bad",
        "Skill on days in random order",
        line=where("own.better", ABOVE_ZERO),
        explanation="Such days have no order to learn: look for a mistake in how data are used.",
        advice=[TO_TRUTH],
        only=lambda n, settings: settings.shuffle_days,
        silenced_by=WORTHLESS,
    ),
    judged(
        "shuffled_check_passed",
        "good",
        "No skill is left on shuffled days",
        line=where("own.unproved", ABOVE_ZERO),
        explanation="Random order leaves nothing to learn, and nothing was found.",
        advice=[TO_TRUTH],
        only=lambda n, settings: settings.shuffle_days,
        silenced_by=WORTHLESS,
    ),
    in_order(
        "sign_skill",
        "warning",
        "Too good: the sign of the next move seems known",
        line=above("sign.low", SIGN, "an interval of the sign's part above {at} nats a day"),
        number=lambda n: gain_in_words(n.sign),
        explanation="Nobody is known to forecast the sign of daily moves: look for a leak.",
        advice=[SHUFFLED],
        silenced_by=WORTHLESS,
    ),
    Rule(
        "codes_unused",
        "warning",
        "A few tokens take most days",
        line=below("used", UNUSED, "a perplexity of {at:percent} of the tokens"),
        number=in_use,
        confidence="counted on the past of every refit",
        explanation=_why_unused,
        advice=[AMONG_DATA, FEWER],
    ),
    Rule(
        "not_regimes",
        "warning",
        "The tokens are not the planted regimes",
        line=below("rand", FOUND, "an adjusted Rand index of {at:.1f}; 0 is chance, 1 the regimes"),
        number=lambda n: f"adjusted Rand index {n.rand:.2f}",
        confidence=lambda case: f"counted on {of_market(case.reading)}",
        explanation=_why_no_regimes,
        advice=[REGIMES_ALONE],
        only=lambda n, settings: settings.tokeniser in REGIMES and not settings.shuffle_days,
        silenced_by=IDLE,
    ),
    Rule(
        "by_heart",
        "warning",
        "The network learns its past by heart",
        line=above("climbed", CLIMBED, "a validation loss {at:.2f} nat above its lowest"),
        number=lambda n: f"{n.climbed:.2f} nat above its lowest, of epoch {n.best_epoch}",
        confidence="median over the fits",
        explanation="Forecasts come from the weights of the best epoch.",
        advice=[SHORTER],
        only=lambda n, settings: settings.network != "bigram",
    ),
    in_order(
        "worse",
        "warning",
        "Worse than saying how often each token comes",
        line=where("own.worse", "an interval below 0"),
        explanation=_parts_of_it,
        advice=[SHUFFLED],
        silenced_by=(*WORTHLESS, "sign_skill"),
    ),
    Rule(
        "worse_than_garch",
        "warning",
        "GARCH forecasts the density better",
        line=below("p_of_garch", 0.05, "Diebold-Mariano p below {at}"),
        number=_beside_garch,
        confidence=lambda case: p_value(case.reading.p_of_garch),
        explanation=_how_much_each_sees,
        advice=lambda case: [] if case.settings.network == "bigram" else [MORE_PAST],
        only=lambda n, settings: not settings.shuffle_days,
        silenced_by=WORTHLESS,
    ),
    in_order(
        "no_skill",
        "good",
        "No detectable skill over token frequency",
        line=where("own.undecided", ABOVE_ZERO),
        explanation=lambda case: "GARCH finds something to forecast here." if case.reading.garch.better else "",
        silenced_by=(*IDLE, "sign_skill"),
    ),
    in_order(
        "size_skill",
        "good",
        "The next move's size can be forecast",
        line=where("knows_size", f"{ABOVE_ZERO}, and that of the size's part"),
        number=lambda n: f"size {gain_in_words(n.size)}, sign {signed(n.sign.value, 4)}",
        advice=[SHUFFLED],
        silenced_by=(*IDLE, "sign_skill"),
    ),
)


findings_of = Conclusions(RULES, lambda settings, dataset: [Reading(dataset)])
