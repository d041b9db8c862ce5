"""What laboratories of language models read off a run alike."""

import numpy as np
import xarray as xr

from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings import networks
from goldviz.diagnostics.findings.language_model import Guesses

RUN = xr.Dataset(
    {
        "loss": (("step", "network", "seed"), [[[3.0, 3.0]], [[2.0, np.nan]]]),
        "train_loss": (("close_look", "network", "seed"), [[[2.5, 2.5]], [[1.0, 1.5]]]),
        "dev_loss": (("close_look", "network", "seed"), [[[2.0, 2.0]], [[2.25, 1.75]]]),
        "bigram_dev_loss": ((), 2.5),
    },
    coords={"step": [1, 2], "network": ["gpt"], "seed": [0, 1], "close_look": [1, 2]},
)


def test_what_all_seeds_share_is_compared_with_each() -> None:
    guesses = Guesses.of(RUN, "gpt", kinds=ByKind({"loss": "training_loss"}, {"loss": ("step", "network", "seed")}))
    np.testing.assert_allclose(guesses.over_pairs, [0.25, 0.75])
    np.testing.assert_allclose(guesses.gap, [1.25, 0.25])
    np.testing.assert_allclose(guesses.lost, [0.25, 0.0])
    assert guesses.diverged.tolist() == [False, True]
    assert np.isnan(guesses.worth).all()


def test_a_run_without_records_has_no_networks_and_nothing_to_say() -> None:
    assert networks(xr.Dataset()) == []
    nothing = Guesses.of(xr.Dataset(), "gpt")
    assert np.isnan(nothing.over_pairs).all()
    assert not nothing.diverged.any()
