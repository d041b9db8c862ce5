"""The declaration of *Residual steps to flow*: which settings count, and what is refused."""

import numpy as np
import pytest

from goldviz.declare.registry import instants
from goldviz.declare.settings import SettingsError
from goldviz.labs.residual_flow.settings import FIELDS, TRAINED, ResidualFlow
from tests.thinned import thinned


def test_it_is_found_by_its_name() -> None:
    assert instants()["residual-flow"] is ResidualFlow
    assert ResidualFlow.rank == 44


@pytest.mark.parametrize("field", thinned(FIELDS, 2))
def test_settings_without_effect_change_no_number(field: str) -> None:
    settings = ResidualFlow.checked({"field": field, "blocks": 4})
    idle = settings.without_effect()
    assert ("mu" in idle) == (field != "van_der_pol")
    assert ("depth" in idle) == (field in TRAINED)
    others = {"mu": 3.0, "depth": 2.0}
    changed = settings.changed(**{name: others[name] for name in idle})
    assert changed.compute().identical(settings.compute())


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"blocks": 0}, "Blocks is 0; allowed is a whole number from 1 to 256."),
        ({"mu": 0.0}, "Mu is 0.0; allowed is a number from 0.5 to 12."),
        ({"view": 101}, "View is 101; allowed is a whole number from 0 to 100."),
    ],
)
def test_what_is_not_allowed_is_told_in_a_sentence(values: dict[str, float], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        ResidualFlow.checked(values)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("seed", thinned([0, 4, 9]))
def test_presets_say_what_their_points_do(seed: int) -> None:
    roughly, stiff = (
        ResidualFlow.preset(slug).changed(seed=seed).compute() for slug in ("as-in-the-document", "break-it-stiff")
    )
    assert float(roughly["distance_median"][-1]) == pytest.approx(0.5, abs=0.02)
    ends = stiff["network"].values
    lost = ~np.isfinite(ends).all(1) | (np.abs(ends) > 100).any(1)
    assert 0.055 < lost.mean() < 0.115
