"""Every card is true of runs that were trained at settings drawn over all that they allow, no two contradict, and every
figure of such a run can be drawn.

Up to eight settings of a preset take any value between their bounds, or stand at one; then what takes time is halved
until a run takes about a second.
"""

import math
import zlib
from collections import Counter

import numpy as np
import pytest

import goldviz
from goldviz.declare.settings import SettingsError, schemas
from tests.labs.drawn_findings import WITH_CARDS, conclusions_of
from tests.truth.drawn_readings import Reading
from tests.truth.test_sentences_on_cards import Judge, cards, untrue

RUNS = 6
SECONDS, MOST_SECONDS = 0.7, 3.0
"""Estimated, of a run: sizes are halved down to the first; what still takes longer than the second is drawn again."""
MOST_CHANGED = 8
AT_A_BOUND = 0.15
LEFT_ALONE = ("seeds", "device", "time_limit")
HALVED = ("steps", "epochs", "pretraining_steps", "fine_tuning_steps", "refits", "batch", "samples", "hidden", "width")
"""Where a laboratory's own settings of what takes time do not do."""
SMALLEST = 3
PLACE, SEEDS = 1, (33, 34, 35, 36, 37)
"""Of the drawing, and of the runs."""


def drawn_value(schema, usual, generator):
    """Any value that is allowed: sizes and rates by their logarithm, at times one of the bounds."""
    if "enum" in schema:
        return str(generator.choice(schema["enum"]))
    if schema["type"] == "boolean":
        return bool(generator.random() < 0.5)
    if schema["type"] not in ("integer", "number"):
        return usual
    low, high = schema["minimum"], schema["maximum"]
    if generator.random() < AT_A_BOUND:
        value = float(generator.choice([low, high]))
    elif low < 0:
        value = generator.uniform(low, high)
    else:
        least = max(low, 1 if schema["type"] == "integer" else 1e-4 * high)
        value = math.exp(generator.uniform(math.log(least), math.log(high)))
    return round(value) if schema["type"] == "integer" else min(max(float(f"{value:.3g}"), low), high)


def quick(settings, generator):
    """The same with sizes halved until it takes little time, or are as small as they may be."""
    bounds = schemas(type(settings))
    sizes = sorted({*type(settings).smaller, *HALVED} & {name for name in bounds if "minimum" in bounds[name]})
    while settings.estimated_seconds() > SECONDS:
        halves = {name: type(getattr(settings, name))(getattr(settings, name) / 2) for name in sizes}
        allowed = [name for name, half in halves.items() if half >= max(SMALLEST, bounds[name]["minimum"])]
        if not allowed:
            break
        name = allowed[generator.integers(len(allowed))]
        settings = settings.changed(**{name: halves[name]})
    return settings


def drawn_settings(lab, generator):
    declared, bounds = lab.declared, schemas(lab.declared)
    while True:
        usual = declared.preset(declared.presets[generator.integers(len(declared.presets))].slug)
        names = [name for name in bounds if name not in LEFT_ALONE]
        changed = generator.choice(names, size=generator.integers(1, MOST_CHANGED + 1), replace=False)
        values = {str(name): drawn_value(bounds[name], getattr(usual, name), generator) for name in changed}
        try:
            seeds = (int(generator.choice(SEEDS)),)
            found = quick(usual.changed(device="cpu", seeds=seeds, **values), generator)
        except SettingsError:
            continue
        if found.estimated_seconds() <= MOST_SECONDS:
            yield found


def trained(lab, place):
    """Runs at drawn settings; what data do not hold is refused in a sentence, and drawn again."""
    for settings in drawn_settings(lab, np.random.default_rng([zlib.crc32(lab.name.encode()), place])):
        try:
            run = goldviz.run(settings, progress=False)
        except ValueError as fault:
            if not getattr(fault, "for_a_person", False):
                raise
            continue
        assert run.attrs["status"] in ("finished", "diverged"), run.attrs["message"]
        yield settings, run


@pytest.mark.slow
@pytest.mark.parametrize("lab", WITH_CARDS, ids=lambda lab: lab.name)
def test_every_figure_of_a_run_at_drawn_settings_is_drawn_and_no_card_is_false(lab):
    wrong, told = [], Counter()
    for (settings, run), _ in zip(trained(lab, PLACE), range(RUNS), strict=False):
        for name in goldviz.figures(run):
            assert goldviz.figure(run, name).layout.title.text, f"{settings}: {name}"
        with np.errstate(all="ignore"):
            reading = Reading(settings, run, slice(None), tuple(conclusions_of(lab).readings(settings, run)))
            told.update(rule.kind for _, rule, _ in cards(lab, reading))
            wrong += [f"{settings}: {words}" for words in untrue(lab, reading, Judge(lab, run, settings))]
    assert not wrong, "\n".join(wrong)
    assert told, "no run has a card"
