"""What stands under a figure's title of a run and has no number: of which sentences it is true.

An entry is the words of a sentence, as a pattern, and whether the recorded arrays say so; its groups are handed over.
Words that only name what is drawn, such as "Dotted: learned", claim nothing of a run.
"""

import json

from goldviz.models.series.forecasters.table import FORECASTERS
from tests.truth.predicates import series
from tests.truth.predicates.told import finite
from tests.truth.predicates.view import GROWING


def labels(names):
    return [FORECASTERS[str(name)].label for name in names]


def level_with(view, first, others):
    """Whether exactly these rows' differences from the first may be zero."""
    level = series.level(view.told)
    named = labels(level.forecaster.values[level.values])
    return labels([series.leader(view.told)]) == [first] and named == others.split(", ")


def ahead(view, first):
    return labels([series.leader(view.told)]) == [first] and not bool(series.level(view.told).any())


def right(view):
    return view.last("puzzle_right").sel(network="tau") >= 1


def all_right(view):
    return bool(right(view).all())


def inputs_wrong(view, names):
    return ", ".join(map(str, view.run.puzzle.values[~right(view).values])) == names


def kept_its_steps(view):
    """On the way back nothing was asked: over all steps."""
    return not bool((finite(view.of("evaluations_backward")) > 0).any())


def written(view, numbers):
    words = json.loads(view.run.attrs["words"])
    return " ".join(words[int(number)] for number in numbers if number >= 0) or "nothing"


def of_look(view, name):
    values = view.until().run[name]
    return values.isel({next(dim for dim in GROWING if dim in values.dims): -1})


def writes(view, answer):
    return written(view, of_look(view, "answer").values.ravel()) == answer


def answers(view, with_attention, answer):
    network = "attention" if with_attention == "with" else "fixed_vector"
    return written(view, of_look(view, "answer").sel(network=network).values.ravel()) == answer


def by_date(view):
    return view.settings.alignment == "date" and view.run.sizes["channel"] > 1


def never_right(view, names):
    """How many networks' middle seed had 99 % right at no look, at some learning rate; the list is of the whole run."""
    shares = view.of("rate_accuracy" if "rate_accuracy" in view.run else "sequence_accuracy")
    arrived = (shares >= 0.99).any("look")
    lost = arrived.sum("seed") <= (shares.sizes["seed"] - 1) // 2
    lost = lost.any("rate") if "rate" in lost.dims else lost
    return int(lost.sum()) == len(names.split(", "))


IN_WORDS = (
    (r"Not to be told from (.*), the lowest: (.*)\.$", level_with),
    (r"(.*) is ahead of every other row\.$", ahead),
    (r"All answers are right\.$", all_right),
    (r"Wrong: (.*)\.$", inputs_wrong),
    (r"Back: none\.$", kept_its_steps),
    (r"It writes: (.*)\.$", writes),
    (r"GRU (with|without) attention: (.*)\.$", answers),
    (r"Joined by date: ", by_date),
    (r"Not everywhere: (.*)\.$", never_right),
)
