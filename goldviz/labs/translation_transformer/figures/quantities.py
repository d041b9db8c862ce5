"""What the figures of *Translation with a Transformer* have limits for."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import SHARES, Quantity, Values, padded, places, with_zero
from goldviz.labs.translation_transformer.norms import STYLES
from goldviz.labs.translation_transformer.settings import TranslationTransformer


def _spread(ds: Run) -> Values:
    """What the bars of a word's mean and deviation reach to."""
    if "norm_mean" not in ds:
        return np.array([0.0, 1.0])
    means, deviations = ds["norm_mean"].values, ds["norm_deviation"].values
    return np.concatenate([(means - deviations).ravel(), (means + deviations).ravel()])


KINDS = TranslationTransformer.variables_by_kind
QUANTITIES = {
    **quantities_by_kind(KINDS),
    "share": SHARES,
    "norm_mean": Quantity(_spread, padded),
    "steps_to_right": Quantity(with_zero("look"), padded),
    **places("length"),
}

figure = partial(plot.figure, QUANTITIES, look_of=STYLES.__getitem__)
shared_limits = partial(limits.shared_limits, QUANTITIES)
