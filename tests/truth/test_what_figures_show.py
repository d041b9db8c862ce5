"""Every sentence under a figure has a predicate beside it, and is true of what is drawn.

Drawn are recorded runs, at their end and on their way, and what pages without runs compute. Each predicate is seen to
fail: on the same drawing with other numbers, dashes and colours, or with what it says that a figure does not show.
"""

from collections.abc import Iterator

import numpy as np
import pytest

import goldviz.api
from goldviz.declare.kinds import by_kind
from goldviz.declare.laboratory import Laboratory
from goldviz.figures.spec import FigureSpec
from goldviz.labs.leaderboard.public_sets import PUBLIC_SETS
from goldviz.labs.policy_documents.compute import read_change
from goldviz.runs.examples import example, has_example
from tests.labs.figures_drawn import shown, specs
from tests.labs.small_runs import LABORATORIES, TRAINED, with_own
from tests.thinned import represented
from tests.truth.predicates.another_drawing import holds, otherwise, sentences
from tests.truth.predicates.captions import OF_LABORATORIES, SHARED
from tests.truth.predicates.captions_read_off import OF_FIGURES
from tests.truth.predicates.drawing import Drawing
from tests.truth.predicates.view import View

OWN = with_own(OF_LABORATORIES, "UNDER_FIGURES")
DEAR = "jacobian-lens"
"""What takes seconds to compute."""
ONE_OF_EACH = [
    *represented(lab for lab in LABORATORIES if lab.name != DEAR),
    *(pytest.param(lab, marks=pytest.mark.slow) for lab in LABORATORIES if lab.name == DEAR),
]


def claims(lab: Laboratory):
    """The predicates of a laboratory's sentences, each by its own words."""
    own = OWN.get(lab.name, {})
    assert not own.keys() & SHARED.keys()
    return {**SHARED, **own}


def views_of_run(lab, settings, run, at=1.0) -> Iterator[tuple[FigureSpec, Drawing]]:
    """Every figure of a run that has something to draw, at a step so far along."""
    kinds = by_kind(lab.declared.variables)
    steps = run[run.attrs["step_dimension"]].values
    step = int(steps[int(at * (len(steps) - 1))])
    for spec in specs(lab):
        if all(name in run and run[name].size for name in spec.needs):
            figure = spec.draw(run, epoch=step).to_dict()
            if figure["data"] or "diagram" in (figure["layout"].get("meta") or {}):
                view = View(run, settings, kinds, step, spec.name)
                yield spec, Drawing(view, tuple(figure["data"]), figure["layout"])


def views_at_once(lab, slug) -> Iterator[tuple[FigureSpec, Drawing]]:
    """Every figure of a page without runs, in the middle of its places."""
    run, place = shown(lab, slug)
    settings = lab.declared.preset(slug)
    for spec in specs(lab):
        if all(name in run for name in spec.needs):
            figure = spec.draw(run, **spec.position(place)).to_dict()
            if figure["data"] or "diagram" in (figure["layout"].get("meta") or {}):
                view = View(run, settings, {}, place, spec.name)
                yield spec, Drawing(view, tuple(figure["data"]), figure["layout"], place)


def slugs_of(lab) -> list[str]:
    all_slugs = [preset.slug for preset in lab.declared.presets]
    return [slug for slug in all_slugs if has_example(lab.declared, slug)] if lab in TRAINED else all_slugs


def recorded(lab, slug, at=1.0) -> Iterator[tuple[FigureSpec, Drawing]]:
    if lab not in TRAINED:
        return views_at_once(lab, slug)
    return views_of_run(lab, lab.declared.preset(slug), example(lab.declared, slug), at)


def untrue(lab, views) -> Iterator[str]:
    table = claims(lab)
    for spec, drawing in views:
        for sentence in sentences(spec):
            if not holds(table[sentence], drawing):
                yield f"{spec.name}: {sentence}"


def blind(lab, views) -> Iterator[str]:
    """Sentences whose predicate holds of other drawings, too."""
    table = claims(lab)
    for spec, drawing in views:
        for sentence in sentences(spec):
            if holds(table[sentence], otherwise(drawing, table[sentence])):
                yield f"{spec.name}: {sentence}"


@pytest.mark.parametrize("lab", LABORATORIES, ids=lambda lab: lab.name)
def test_every_sentence_under_a_figure_has_a_predicate(lab):
    said = {sentence for spec in specs(lab) for sentence in sentences(spec)}
    assert said - claims(lab).keys() == set(), "UNDER_FIGURES in tests/labs/<lab>/cases.py says when each is true"
    assert OWN.get(lab.name, {}).keys() - said == set()


@pytest.mark.parametrize("lab", ONE_OF_EACH, ids=lambda lab: lab.name)
def test_every_sentence_is_true_of_what_is_drawn_and_not_of_another_drawing(lab):
    """Each predicate can fail: of the figure with other numbers and another look, or with what it does not show."""
    with np.errstate(all="ignore"):
        drawings = list(recorded(lab, slugs_of(lab)[0]))
        assert list(untrue(lab, drawings)) == []
        assert list(blind(lab, drawings)) == []


@pytest.mark.parametrize("lab", [lab for lab in LABORATORIES if lab.name in OF_FIGURES], ids=lambda lab: lab.name)
def test_a_line_holds_what_the_caption_calls_it(lab):
    with np.errstate(all="ignore"):
        drawings = {spec.name: drawing for spec, drawing in recorded(lab, slugs_of(lab)[0])}
    for name, claim in OF_FIGURES[lab.name].items():
        assert holds(claim, drawings[name]), name
        assert not holds(claim, otherwise(drawings[name], claim)), name


def test_filled_and_hollow_marks_are_this_run_and_the_published_table():
    """No recorded example is of a public set: the scores of one, whose horizon a run has, stand beside the run's."""
    [lab] = [lab for lab in LABORATORIES if lab.name == "leaderboard"]
    slug = slugs_of(lab)[0]
    run, settings = example(lab.declared, slug), lab.declared.preset(slug)
    scores = PUBLIC_SETS[1].published(settings.horizon, PUBLIC_SETS[1].split)
    beside = run.assign(published=("published_model", list(scores.values()))).assign_coords(
        published_model=list(scores)
    )
    beside.attrs["public_set"] = PUBLIC_SETS[1].label
    drawings = [pair for pair in views_of_run(lab, settings, beside) if pair[0].name == "published"]
    assert len(drawings) == 1
    assert list(untrue(lab, drawings)) == []
    assert list(blind(lab, drawings)) == []


@pytest.mark.slow
def test_strokes_below_a_row_are_seeds():
    """Recorded runs of price tokens have one seed: here are three."""
    [lab] = [lab for lab in LABORATORIES if lab.name == "price-tokens"]
    settings = lab.declared.preset("regimes").changed(seeds=[0, 1, 2])
    drawings = list(views_of_run(lab, settings, goldviz.api.run(settings, progress=False)))
    assert list(untrue(lab, drawings)) == []
    assert list(blind(lab, (pair for pair in drawings if pair[0].name == "scoreboard"))) == []


@pytest.mark.slow
def test_bars_are_what_each_changed_passage_did():
    """What a change does is measured beside the page's own numbers, here of a document with several changes."""
    [lab] = [lab for lab in LABORATORIES if lab.name == "policy-documents"]
    settings = lab.declared.preset(slugs_of(lab)[0]).changed(document=6)
    run, spec = read_change(settings), next(spec for spec in specs(lab) if spec.name == "effects")
    numbers = run["passage"].values.tolist()
    figure = spec.draw(run, numbers=numbers, words=["a word"] * len(numbers)).to_dict()
    drawings = [(spec, Drawing(View(run, settings, {}, 6, spec.name), tuple(figure["data"]), figure["layout"]))]
    assert len(numbers) > 1
    assert list(untrue(lab, drawings)) == []
    assert list(blind(lab, drawings)) == []


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABORATORIES, ids=lambda lab: lab.name)
def test_it_is_true_of_every_recorded_run(lab):
    seen: set[str] = set()
    with np.errstate(all="ignore"):
        for slug in slugs_of(lab):
            for at in (1.0, 2 / 3) if lab in TRAINED else (1.0,):
                drawings = list(recorded(lab, slug, at))
                assert list(untrue(lab, drawings)) == [], (slug, at)
                assert list(blind(lab, (pair for pair in drawings if pair[0].name not in seen))) == [], (slug, at)
                seen |= {spec.name for spec, _ in drawings}
