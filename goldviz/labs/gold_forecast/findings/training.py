"""Rules on how the forecaster learned: it diverged, over-fitted or stopped early; how sure it is; what it looks at."""

from __future__ import annotations

from dataclasses import replace

from goldviz.diagnostics.findings import Case, Rule, above, below, median, part, where
from goldviz.diagnostics.findings.advice import SLOWER_AND_CLIPPED, Candidate, DividedBy, Times
from goldviz.diagnostics.findings.training import training_diverged
from goldviz.diagnostics.findings.words import counted
from goldviz.labs.gold_forecast.findings.skill import FASTER, MORE_DROPOUT, STUDENT, TO_VARIANCE
from goldviz.labs.gold_forecast.measures import FADED, STEADY, Reading
from goldviz.plurals import how_many


def _fits(case: Case) -> str:
    fits = case.verdicts[0].seeds
    return counted(fits, "fits") if fits.size > 1 else "one fit only"


def _since_best(n: Reading) -> str:
    best, fall, rise = (median(values) for values in (n.learning.best, n.learning.fall, n.learning.rise))
    since = f"since then the training loss fell by {fall:.3f} and the validation loss rose by {rise:.3f}"
    return f"best epoch {int(best)}; {since}"


def _narrow(case: Case) -> bool:
    return bool(case.reading.coverage.share < case.reading.coverage.nominal)


def _wilson(case: Case) -> str:
    low, high = case.reading.coverage.interval
    return f"95 % interval {100 * low:.1f} to {100 * high:.1f} %, as if days were independent"


def _beyond(case: Case) -> str:
    rows = case.reading.rows_heard
    return f"The past beyond {how_many(rows, 'row')} teaches it next to nothing"


def _of_the_last_refit(case: Case) -> str:
    short = case.verdicts[0].seeds
    agreement = "one seed: run several to be sure" if short.size == 1 else counted(short, "seeds")
    return f"the last refit, {agreement}"


def _within_reach(case: Case) -> list[Candidate]:
    window = ("Take a window that ends where the signal does.", {"window": case.reading.window_heard})
    gates = ("Take a GRU: gates keep the signal.", {"network": "gru"})
    return [gates, window] if case.settings.network == "rnn" else [window]


SHORT = below("reach_share", 0.5, "{at:part} of the window")

DIVERGED = training_diverged(
    number=lambda n: counted(n.diverged, "fits"),
    confidence="the run stopped for it",
    advice=[SLOWER_AND_CLIPPED, STUDENT],
)


def _spread(n: Reading) -> str:
    return "less than 0.01 %" if n.spread < 1e-4 else f"{100 * n.spread:.2g} %"


CONSTANT = Rule(
    "constant_forecast",
    "warning",
    "The forecast listens to nothing",
    line=below("spread", STEADY["return"], "{at:percent} of the moves' spread"),
    number=lambda n: f"its spread within a refit is {_spread(n)} of the {n.series.moves.plural}' spread",
    confidence="measured over all refits; the inputs' derivatives show the same",
    explanation="Whatever its inputs are, the network says nearly the same.",
    advice=[TO_VARIANCE, FASTER],
    only=lambda n, settings: n.series.target == "return",
    silenced_by=("known_leak", "leak_suspected"),
)

RULES = (
    CONSTANT,
    replace(
        CONSTANT,
        line=below("spread", STEADY["volatility"], "{at:percent} of its mean"),
        number=lambda n: f"its spread within a refit is {_spread(n)} of its mean",
        advice=[FASTER],
        only=lambda n, settings: n.series.target == "volatility",
    ),
    Rule(
        "over_fitting",
        "warning",
        "The network learns its past by heart",
        line=where("learning.over_fitting", "a best epoch up to {learning.early}, validation rising after it"),
        number=_since_best,
        confidence=_fits,
        explanation="The forecasts are made with the weights of the best epoch.",
        advice=[
            ("Take a third of the learning rate, so that it stops at a finer place.", {"learning_rate": DividedBy(3)}),
            MORE_DROPOUT,
        ],
    ),
    Rule(
        "under_trained",
        "warning",
        "Training ended too soon",
        line=where("learning.unfinished", "a best epoch before the last"),
        number=lambda n: f"still improving at epoch {int(n.learning.epochs[-1])}, the last",
        confidence=_fits,
        advice=[("Train twice as long.", {"epochs": Times(2)}), FASTER],
        at_end=True,
    ),
    Rule(
        "badly_calibrated",
        "warning",
        lambda case: f"The intervals are too {'narrow' if _narrow(case) else 'wide'}",
        line=above("coverage.off", 0.02, "90 % within the Wilson interval, or no more than {at:points} off"),
        number=lambda n: f"90 % intervals held {100 * n.coverage.share:.1f} %",
        confidence=_wilson,
        explanation=lambda case: (
            f"They are {'surer than they should be' if _narrow(case) else 'less sure than they could be'}."
        ),
        advice=[
            ("Forecast quantiles, which have no shape to get wrong.", {"head": "quantiles"}),
            ("Train on a window that moves along.", {"scheme": "rolling"}),
        ],
        silenced_by=("known_leak", "leak_suspected"),
    ),
    Rule(
        "short_reach",
        "warning",
        _beyond,
        line=SHORT,
        number=lambda n: f"dL/dh above {part(FADED)} up to {n.rows_heard} of {n.rows_shown} rows back",
        confidence=_of_the_last_refit,
        explanation="A short reach is normal for daily moves.",
        advice=_within_reach,
        only=lambda n, settings: settings.network != "mlp",
        silenced_by=("constant_forecast",),
    ),
)
