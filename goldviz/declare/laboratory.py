"""A laboratory: one folder under ``goldviz/labs``, and what its files are for.

A folder has ``settings.py`` (what can be set and what is recorded), ``train.py`` or ``compute.py`` (what is done),
``measures`` (what its runs' numbers are), ``figures``, ``findings`` where something is concluded, ``page.py`` and
``recorded/`` (finished runs of its presets and the home page's picture). ``queries.py`` has what it answers the browser
without its page's script, ``assets/`` what draws its own parts of a page. Everything is imported when it is asked for,
so that a list of laboratories costs nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from goldviz.arrays.light import LightDataset
from goldviz.diagnostics.findings.advice import opposed
from goldviz.diagnostics.findings.trial import Trial, trials_in
from goldviz.diagnostics.findings.tried import Tried
from goldviz.diagnostics.measure import Measures, measures_in
from goldviz.export.script import script
from goldviz.extras import check_extra

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Experiment, Settings
    from goldviz.declare.trials import Trials
    from goldviz.diagnostics.findings import Finding
    from goldviz.runs.recorder import Recorder

Declared = TypeVar("Declared", bound="Experiment")


@dataclass(frozen=True)
class Laboratory:
    """One laboratory by its name (in links, in the shell and in stored runs) and its package.

    ``settings`` names the class in its ``settings.py``. ``text_models`` names the function, as ``module:name``, that
    makes a model of texts of a run's settings and kept state, where the laboratory trains such models. ``extra`` names
    the packages that it computes with and a lean installation leaves out; see :data:`goldviz.extras.EXTRAS`.
    """

    package: str
    name: str
    settings: str
    text_models: str = ""
    extra: str = ""

    @property
    def declared(self) -> type[Settings]:
        """The settings class; loads neither torch nor Streamlit."""
        return cast("type[Settings]", getattr(self.part("settings"), self.settings))

    @property
    def folder(self) -> str:
        """The name of its folder and of its file in ``pages/``."""
        return self.package.rpartition(".")[2]

    @property
    def recorded(self) -> Path:
        """Where the finished runs and the picture that ship with the package lie."""
        return Path(str(self.part().__file__)).parent / "recorded"

    def part(self, name: str = "") -> ModuleType:
        """One of its modules, such as ``part("figures")``; the folder's own without a name."""
        return importlib.import_module(f"{self.package}.{name}" if name else self.package)

    def has(self, name: str) -> bool:
        """Whether it has such a module."""
        return importlib.util.find_spec(f"{self.package}.{name}") is not None

    def hook(self, module: str, name: str) -> Any:
        """A function of one of its modules, or None where it has no such module, or the module no such function."""
        return getattr(self.part(module), name, None) if self.has(module) else None

    def doubts(self, settings: Settings) -> Sequence[str]:
        """What should be known before these settings are trained: what ``doubts`` of its ``doubts.py`` says.

        Raises ``ValueError`` with a sentence where a run must fail on its data.
        """
        find_doubts = self.hook("doubts", "doubts")
        return find_doubts(settings) if find_doubts else ()

    def beside(self, settings: Settings) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
        """What stands below single settings' controls, as ``beside`` of its ``doubts.py`` says: what is to be expected
        of a value, in a sentence, and the values of others that cure it."""
        find_words = self.hook("doubts", "beside")
        words: Mapping[str, tuple[str, Mapping[str, Any]]] = find_words(settings) if find_words else {}
        return words

    def figures(self) -> ModuleType:
        """Its figures: a table ``FIGURES``, ``shared_limits`` for runs side by side, ``picture`` for the home page."""
        return self.part("figures")

    @cached_property
    def measures(self) -> Measures:
        """Its measures by name, in the order of its file; none where it has no such file. Loads no torch.

        A name that is none of them raises :class:`goldviz.diagnostics.measure.UnknownMeasureError`.
        """
        return measures_in(self.part("measures")) if self.has("measures") else Measures()

    @property
    def trials(self) -> Trials | None:
        """How its advice is tried; None where it has none."""
        how: Trials | None = self.part("trial").TRIALS if self.has("trial") else None
        return how

    @cached_property
    def tried(self) -> Tried | None:
        """What came of its advice, by ``recorded/advice.json``; None where nothing was tried."""
        how, trials = self.trials, self.advice_trials
        if how is None or not trials:
            return None
        return Tried(trials, how.unit, ", made smaller" if how.sizes else "", how.in_words(self.declared.presets))

    @cached_property
    def advice_trials(self) -> Sequence[Trial]:
        """The trials in ``recorded/advice.json``; none where there is no such file. Loads no other part of it."""
        return trials_in(self.recorded / "advice.json")

    def function(self, reference: str) -> Any:
        """What ``module:name`` refers to inside the laboratory."""
        module, _, name = reference.partition(":")
        return getattr(self.part(module), name)

    def check_installed(self) -> None:
        """Raise :class:`goldviz.extras.MissingExtraError` where packages that it computes with are not there."""
        if self.extra:
            check_extra(self.extra, self.declared.title)

    def run(self, settings: Declared, record: Recorder[Declared]) -> None:
        """Carry an experiment out by its ``train.py``, telling ``record`` what is seen."""
        self.check_installed()
        train = self.part("train").train
        record.starts()
        train(settings, record)

    def script(self, settings: Experiment, changes: Mapping[int, Mapping[str, Any]] | None = None) -> str:
        """A Python file that repeats a run by itself; ``changes`` are hot settings, by the step after which.

        Raises :class:`goldviz.declare.settings.SettingsError` for changes that are not allowed.
        """
        hot = {step: settings.hot_values(values) for step, values in (changes or {}).items()}
        heading = f"{settings.title}: {settings.question}"
        return script(heading, f"{self.package}.train", settings.model_dump(), hot)

    def findings(self, settings: Experiment, dataset: Run) -> list[Finding]:
        """What the recorded numbers say, most serious first: ``findings_of`` of its ``findings.py``, if it has one.

        Of advice that was tried, what helped is offered, with its effect; nothing that goes against what a card before
        it offers, for a page has one panel of settings for all networks.
        """
        if not self.has("findings"):
            return []
        return self.advised(settings, self.part("findings").findings_of(settings, LightDataset.of(dataset)))

    def advised(self, settings: Experiment, findings: Sequence[Finding]) -> list[Finding]:
        """The findings, most serious first, with what is offered of what their rules would advise."""
        how, table = self.trials, self.tried
        cards: list[Finding] = []
        offers: list[Mapping[str, Any]] = []
        for finding in findings:
            card = finding
            if card.severity != "good":
                card = card.without(lambda remedy: any(opposed(settings, remedy.changes, other) for other in offers))
            if how is not None and table is not None:
                card = table.advised(card, how.set_up(settings))
            if card.severity != "good":
                offers.append(card.changes)
            cards.append(card)
        return cards


def laboratory_of(settings: Settings | type[Settings]) -> Laboratory:
    """The laboratory in whose folder the class of settings stands; raises ``TypeError`` for a class of none."""
    kind = settings if isinstance(settings, type) else type(settings)
    package = importlib.import_module(kind.__module__.rpartition(".")[0])
    lab = getattr(package, "LAB", None)
    if not isinstance(lab, Laboratory):
        raise TypeError(f"{kind.__name__} stands in no laboratory's folder: {kind.__module__}.")
    return lab
