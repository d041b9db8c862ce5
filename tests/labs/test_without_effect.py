"""What has no effect refuses nothing, and changes no number of a run."""

import zlib
from itertools import islice

import numpy as np
import pytest

import goldviz
from goldviz.declare.settings import SettingsError, schemas
from tests.labs.small_runs import LABORATORIES, TRAINED
from tests.truth.test_settings_anywhere import LEFT_ALONE, MOST_CHANGED, drawn_settings, drawn_value

DRAWS, RUNS, MOST_DRAWN = 30, 4, 200
WITH_IDLE = [lab for lab in LABORATORIES if "without_effect" in vars(lab.declared)]


def generator_of(lab):
    return np.random.default_rng(zlib.crc32(lab.name.encode()))


def any_of(lab, names, settings, generator):
    bounds = schemas(lab.declared)
    return {name: drawn_value(bounds[name], getattr(settings, name), generator) for name in names}


def drawn(lab, generator):
    """Settings of the laboratory that are allowed together, over all that each allows."""
    names = [name for name in schemas(lab.declared) if name not in LEFT_ALONE]
    while True:
        usual = lab.declared.preset(str(generator.choice([preset.slug for preset in lab.declared.presets])))
        changed = generator.choice(names, size=generator.integers(1, min(MOST_CHANGED, len(names)) + 1), replace=False)
        try:
            yield usual.changed(**any_of(lab, map(str, changed), usual, generator))
        except SettingsError:
            continue


@pytest.mark.parametrize("lab", WITH_IDLE, ids=lambda lab: lab.name)
def test_what_has_no_effect_refuses_nothing(lab):
    generator = generator_of(lab)
    for settings in islice(drawn(lab, generator), DRAWS):
        idle = settings.without_effect()
        for name in idle:
            # Where it stands alone, a value may be what gives another setting its effect.
            other = any_of(lab, [name], settings, generator)
            assert settings.changed(**other).without_effect().keys() >= {name}, f"{other} of {settings}"
        changed = settings.changed(**any_of(lab, idle, settings, generator))
        assert changed.without_effect() == idle


@pytest.mark.slow
@pytest.mark.parametrize("lab", [lab for lab in WITH_IDLE if lab in TRAINED], ids=lambda lab: lab.name)
def test_what_has_no_effect_changes_no_number(lab):
    generator = generator_of(lab)
    several = islice(drawn_settings(lab, generator), MOST_DRAWN)
    with_idle = list(islice((settings for settings in several if settings.without_effect()), RUNS))
    if not with_idle:
        pytest.skip("only a file of one's own leaves settings without effect")
    for settings in with_idle:
        other = settings.changed(**any_of(lab, settings.without_effect(), settings, generator))
        one, again = (goldviz.run(each, progress=False) for each in (settings, other))
        assert one.attrs["status"] in ("finished", "diverged"), f"{settings}: {one.attrs['message']}"
        assert sorted(one) == sorted(again), f"{settings}, {other}"
        for name in one:
            np.testing.assert_array_equal(one[name], again[name], f"{name} of {settings}, {other}")
