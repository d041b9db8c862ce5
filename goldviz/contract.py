"""What every laboratory promises, whatever it is about: ``goldviz check-lab`` holds one of your own to it.

Each promise is a function that gives a sentence for whatever does not hold, and nothing where all does.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping

import numpy as np
import xarray as xr

from goldviz.api import carried_out
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, SettingsError, schemas
from goldviz.figures.spec import FigureSpec
from goldviz.runs.examples import example, has_example, picture_path

SEVERITIES = ("bad", "warning", "good")
MOST_FINDINGS = 5
"""Cards of a run, where a laboratory's tests do not allow more."""
FEW_STEPS = 4
"""Of the short run that a laboratory without recorded examples is held to."""


def figures_of(lab: Laboratory) -> Mapping[str, FigureSpec]:
    """A laboratory's figures by name."""
    figures: Mapping[str, FigureSpec] = getattr(lab.figures(), "FIGURES", {})
    return figures


def presets_hold(lab: Laboratory) -> Iterator[str]:
    """The first preset is the defaults, another breaks something, and each has words and a link of its own."""
    presets = lab.declared.presets
    if not presets:
        yield "There are no presets."
        return
    if presets[0].name.startswith(("Break it: ", "Fix it: ")) or lab.declared.preset(presets[0].slug) != lab.declared():
        yield f"The first preset, {presets[0].name}, is not the defaults."
    if not any(preset.name.startswith("Break it: ") for preset in presets):
        yield "No preset's name begins with 'Break it: '."
    links = [lab.declared.preset(preset.slug).model_dump_json() for preset in presets]
    for preset, link in zip(presets, links, strict=True):
        if links.count(link) > 1 or [one.slug for one in presets].count(preset.slug) > 1:
            yield f"The preset {preset.name} has the settings or the short name of another one."
        if not preset.words.endswith((".", "?")):
            yield f"The words of the preset {preset.name} are no sentence."
        if lab.declared.preset(preset.slug).like_preset() != preset:
            yield f"The settings of the preset {preset.name} are not found to be its own."


MOST_WORDS, MOST_READ_OFF = 18, 30
"""Under a figure: a short sentence, and a legend where it needs one; what is read off marks names each of them."""


def words_hold(lab: Laboratory) -> Iterator[str]:
    """It asks a question, each figure asks one and says in few words what it shows, and its picture is SVG."""
    if not lab.declared.question.endswith("?"):
        yield f"Its question is no question: {lab.declared.question!r}."
    picture = picture_path(lab)
    if picture.is_file() and not ET.fromstring(picture.read_text("utf-8")).tag.endswith("svg"):  # noqa: S314 - one's own
        yield "Its picture is no SVG."
    for name, figure in figures_of(lab).items():
        sentences = [figure.shows, *([figure.cannot_show] if figure.cannot_show else [])]
        if not (figure.question.endswith("?") and all(one.endswith(".") for one in sentences)):
            yield f"The figure {name} lacks a question, or a sentence on what it shows."
        most = MOST_READ_OFF if figure.computed else MOST_WORDS
        if len(figure.shows.split()) > most:
            yield f"The figure {name} says in more than {most} words what it shows."


def example_holds(lab: Laboratory, slug: str) -> Iterator[str]:
    """A preset's recorded run has the settings and the variables that are declared today."""
    experiment = lab.declared
    assert issubclass(experiment, Experiment)
    if not has_example(experiment, slug):
        yield f"The preset {slug} has no recorded run."
        return
    dataset = example(experiment, slug)
    if experiment.checked_json(dataset.attrs["settings"]) != experiment.preset(slug):
        yield f"The recorded run of {slug} has other settings than the preset."
    if dataset.attrs["status"] not in ("finished", "diverged"):
        yield f"The recorded run of {slug} is {dataset.attrs['status']}."
    yield from _undeclared(experiment, dataset)


def _undeclared(experiment: type[Experiment], dataset: xr.Dataset) -> Iterator[str]:
    for name, array in dataset.data_vars.items():
        variable = experiment.variables.get(str(name))
        if variable is None or array.dims != variable.dims:
            yield f"The variable {name} has the dimensions {array.dims}; declared is {variable and variable.dims}."


def begins_empty(lab: Laboratory, dataset: xr.Dataset) -> Iterator[str]:
    """Of a run that has just begun, each figure says why it is empty, and nothing is concluded."""
    experiment = lab.declared
    assert issubclass(experiment, Experiment)
    variables = experiment.variables
    grows = {variable.dims[0] for variable in variables.values() if not variable.once}
    at_the_end = [name for name, variable in variables.items() if variable.once and name in dataset]
    empty = dataset.isel({dim: slice(0, 0) for dim in grows}).drop_vars(at_the_end)
    for name, figure in figures_of(lab).items():
        chart = figure(empty)
        if chart.data or not chart.layout.annotations:
            yield f"The figure {name} does not say why nothing is drawn of a run that has just begun."
    if lab.findings(experiment(), empty):
        yield "A run that has just begun has findings."


def findings_hold(
    lab: Laboratory, settings: Experiment, dataset: xr.Dataset, most: int = MOST_FINDINGS
) -> Iterator[str]:
    """A run's findings are few, sorted, one of a kind, with a number, and advise settings that are allowed."""
    findings = lab.findings(settings, dataset)
    kinds = [finding.kind for finding in findings]
    if not lab.has("findings") <= len(findings) <= most:
        yield f"A run has {len(findings)} findings; allowed are {int(lab.has('findings'))} to {most}."
    if len(set(kinds)) < len(kinds):
        yield "Two findings of a run are of one kind."
    ranks = [SEVERITIES.index(finding.severity) for finding in findings]
    if ranks != sorted(ranks):
        yield "A run's findings are not sorted, the most serious first."
    for finding in findings:
        if not finding.number or bool(finding.advice) != bool(finding.changes):
            yield f"The finding {finding.kind} has no number, or advice without settings to change."
        try:
            settings.changed(**finding.changes)
        except SettingsError as error:
            yield f"The finding {finding.kind} advises what is not allowed: {' '.join(error.sentences.values())}"


def repeats(lab: Laboratory, settings: Experiment) -> Iterator[str]:
    """A run records what is declared, and the same numbers once more."""
    first, again = (carried_out(settings, progress=False, keep=False) for _ in range(2))
    yield from _undeclared(type(settings), first)
    for name, array in first.data_vars.items():
        if not np.array_equal(array.values, again[name].values, equal_nan=array.dtype.kind == "f"):
            yield f"The variable {name} is another one when the same run is repeated."


def broken(lab: Laboratory) -> Iterator[str]:
    """Every sentence on what of the promises does not hold."""
    yield from presets_hold(lab)
    yield from words_hold(lab)
    experiment = lab.declared
    if not issubclass(experiment, Experiment):
        return
    settings = _short(experiment)
    yield from repeats(lab, settings)
    yield from begins_empty(lab, carried_out(settings, progress=False, keep=False))
    for preset in experiment.presets:
        if has_example(experiment, preset.slug):
            yield from example_holds(lab, preset.slug)
            yield from findings_hold(lab, experiment.preset(preset.slug), example(experiment, preset.slug))


def _short(experiment: type[Experiment]) -> Experiment:
    """The defaults with a few steps, where a setting says how many."""
    name = f"{experiment.step}s"
    if name not in experiment.model_fields:
        return experiment()
    return experiment().changed(**{name: max(FEW_STEPS, int(schemas(experiment)[name].get("minimum", 0)))})
