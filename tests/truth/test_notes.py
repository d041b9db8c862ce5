"""Every number under a figure's title is that of the recorded arrays, and what stands there in words is so.

Recorded runs, and runs of three seeds drawn anew: each sentence with a number has an entry in
``predicates/notes.py``, which reads its numbers off the arrays another way. What claims something without a
number has its own in ``predicates/notes_in_words.py``.
"""

import html
import re

import numpy as np
import pytest

from goldviz.declare.kinds import by_kind
from goldviz.declare.registry import laboratories
from goldviz.runs.examples import example, has_example
from tests.labs.drawn_findings import WITH_CARDS
from tests.thinned import represented
from tests.truth.drawn_readings import drawn, light
from tests.truth.predicates import notes
from tests.truth.predicates.notes_in_words import IN_WORDS
from tests.truth.recorded_cards.printed import numbers_in

SENTENCE = re.compile(r"(?<=[.!?])(?<!eq\.)\s+(?=[A-Z0-9“§τ])")
LOWERED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DRAWN = 20
"""Drawn runs of each laboratory in the long suite."""


def entries(lab):
    return (*getattr(notes, lab.name.replace("-", "_").upper(), ()), *notes.SHARED)


def plain(sentence):
    """The same with its numbers as cards print them, and without what it quotes."""
    sentence = re.sub("“.*?”", "“”", html.unescape(sentence))
    sentence = re.sub(
        r"(\d(?:\.\d+)?)e([+-])0?(\d+)", lambda m: f"{m[1]} × 10{(m[2].strip('+') + m[3]).translate(LOWERED)}", sentence
    )
    return re.sub(r"(?<=\d)%", " %", re.sub(r"(?<![\w])-(?=\d)", "−", sentence))


def wrong(note, view, sentence):
    """The numbers that a sentence prints and those that are due, where they differ."""
    text = plain(sentence)
    parts = re.split(r"[,;] ", text[re.match(note.words, text).end() :]) if note.ends else [text]
    printed = [numbers_in(part) for part in parts]
    said = [one[-1] for one in printed if one] if note.ends else printed[0]
    due = [one for one in note.numbers(view, [one.value for one in said]) if np.isfinite(one)]
    same = [one.agrees_with(value) or one.value == 10 < value for one, value in zip(said, due, strict=False)]
    return [] if len(said) == len(due) and all(same) else [f"{view.figure}: {sentence} where the arrays give {due}"]


def wrong_notes(lab, run, settings, at=1.0):
    """Sentences under figures whose numbers are not those of the arrays, or that have no entry."""
    kinds = by_kind(lab.declared.variables)
    steps = run[run.attrs["step_dimension"]].values
    step = int(steps[int(at * (len(steps) - 1))])
    for name, spec in lab.figures().FIGURES.items():
        if not all(need in run for need in spec.needs):
            continue
        figure = spec.draw(run, epoch=step).to_dict()
        view = notes.View(run, settings, kinds, step, name)
        for text in (figure["layout"].get("meta") or {}).get("notes", []):
            for sentence in SENTENCE.split(text):
                claims = [(re.match(words, sentence), holds) for words, holds in IN_WORDS]
                claim, holds = next(((found, holds) for found, holds in claims if found), (None, None))
                if claim and not holds(view, *claim.groups()):
                    yield f"{name}: {sentence} is not what the arrays say"
                if claim or not re.search(r"\d", sentence):
                    continue
                note = next((one for one in entries(lab) if re.match(one.words, plain(sentence))), None)
                if note:
                    yield from wrong(note, view, sentence)
                elif not notes.OF_THE_DRAWING.match(sentence):
                    yield f"{name}: {sentence} has no entry"


def runs(lab, count):
    """A recorded run at its end and on its way, and so many whose arrays are drawn."""
    generator = np.random.default_rng(count)
    slugs = [preset.slug for preset in lab.declared.presets if has_example(lab.declared, preset.slug)]
    for place in range(count):
        slug = slugs[place % len(slugs)]
        run, settings = example(lab.declared, slug), lab.declared.preset(slug)
        yield settings, run, 1.0
        if place:
            yield settings, run, 2 / 3
            other = drawn(light(lab, slug), generator)
            # What a network answered are places in a list of words, which no drawn number is.
            yield settings, other.assign({"answer": run["answer"]} if "answer" in run else {}), 1.0


@pytest.mark.parametrize("lab", represented(WITH_CARDS), ids=lambda lab: lab.name)
def test_what_stands_under_a_figure_is_in_the_recorded_arrays(lab):
    with np.errstate(all="ignore"):
        (first,) = runs(lab, 1)
        assert list(wrong_notes(lab, first[1], first[0])) == []


@pytest.mark.slow
@pytest.mark.parametrize("lab", WITH_CARDS, ids=lambda lab: lab.name)
def test_it_is_in_drawn_arrays(lab):
    with np.errstate(all="ignore"):
        assert [words for settings, run, at in runs(lab, DRAWN) for words in wrong_notes(lab, run, settings, at)] == []


def test_a_number_that_is_none_of_the_arrays_is_noticed(monkeypatch):
    lab = laboratories()["depth-gradients"]
    slug = lab.declared.presets[0].slug
    other = tuple(note._replace(numbers=lambda view, said: [0.5]) for note in entries(lab))
    monkeypatch.setattr(notes, "DEPTH_GRADIENTS", other)
    assert list(wrong_notes(lab, light(lab, slug), lab.declared.preset(slug)))


def test_words_that_the_arrays_deny_are_noticed(monkeypatch):
    lab = laboratories()["leaderboard"]
    slug = lab.declared.presets[0].slug
    monkeypatch.setattr("tests.truth.test_notes.IN_WORDS", [(words, lambda *_: False) for words, _ in IN_WORDS])
    assert list(wrong_notes(lab, light(lab, slug), lab.declared.preset(slug)))
