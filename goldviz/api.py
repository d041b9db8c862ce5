"""The Python face: run an experiment here, and look at runs that were kept."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldviz.declare import registry
from goldviz.declare.settings import Experiment, SettingsError
from goldviz.extras import check_extra
from goldviz.notebook import Findings, Measures, Trials
from goldviz.watching.declared import WATCHED

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import xarray as xr
    from torch import nn
    from torch.optim import Optimizer

    from goldviz.declare.claims import Claim
    from goldviz.declare.kinds import Understood
    from goldviz.declare.settings import Settings
    from goldviz.diagnostics.verdicts import Verdict
    from goldviz.figures.chart import Part
    from goldviz.figures.spec import FigureSpec
    from goldviz.figures.theme import Theme
    from goldviz.runs.recorder import ControlChannel, Progress
    from goldviz.watching.watcher import Watcher

log = logging.getLogger(__name__)


NOT_A_RUN = (
    "The dataset does not say in its attributes which experiment it is of. Give what goldviz.run or goldviz.load "
    "returned, or a part of it that keeps its attributes, such as ds.mean('seed', keep_attrs=True). Of a dataset of "
    "your own each variable says its kind, such as ds.loss.attrs['kind'] = 'training_loss'."
)


class RunFailedError(RuntimeError):
    """A kept run failed; the message says why, in sentences."""

    for_a_person = True


def run(experiment: str | Experiment, *, progress: bool = True, keep: bool = False, **settings: Any) -> xr.Dataset:
    """Carry an experiment out in this process and return what it recorded.

    ``experiment`` is a name, with settings as keywords, or a settings object. Defaults are those of the preset
    *As in the document*. ``progress=False`` silences the bar. Nothing is written anywhere unless ``keep`` is true;
    then the run also goes into the store, and ``ds.attrs["run_id"]`` names it.

    The dataset's attributes carry experiment, settings (JSON), status, device, versions (JSON), duration in seconds
    and the seconds spent on measuring. A run that diverges returns what it recorded, with the status *diverged*.

    Raises :class:`goldviz.experiments.SettingsError` for settings that are not allowed, and
    :class:`RunFailedError` where the training code of a kept run fails, or its end could not be written.
    """
    if isinstance(experiment, Experiment):
        whole = experiment.changed(**settings) if settings else experiment
    else:
        whole = registry.experiment(str(experiment)).checked(settings)
    return carried_out(whole, progress=progress, keep=keep)


def carried_out(
    settings: Experiment, *, progress: bool, keep: bool, channel: ControlChannel | None = None
) -> xr.Dataset:
    """What :func:`run` does with checked settings; ``channel`` may give commands meanwhile, such as to stop."""
    from goldviz.runs.execution.limits import check

    check(settings)
    for sentence in doubts(settings) if progress else ():
        with suppress(BrokenPipeError):
            print(f"{settings.name}: {sentence}", file=sys.stderr)
    with _bar(settings, progress) as watch:
        return _with_measures((_run_kept if keep else _run_in_memory)(settings, watch, channel))


def doubts(experiment: str | Experiment, **settings: Any) -> list[str]:
    """What should be known before these settings are trained on a market of your own, as the page says it by *Train*.

    A column that tells too much of what comes is named here, for one; empty for simulated data. Raises as :func:`run`
    does for settings that are not allowed, and ``ValueError`` with a sentence where a run would fail on the data.
    """
    from goldviz.declare.laboratory import laboratory_of

    whole = experiment.changed(**settings) if isinstance(experiment, Experiment) else None
    own_settings = whole or registry.experiment(str(experiment)).checked(settings)
    return list(laboratory_of(own_settings).doubts(own_settings))


def compute(name: str, **settings: Any) -> xr.Dataset:
    """The numbers behind an instant page, such as ``compute("jacobian-lens", size=1.2)``.

    Raises :class:`goldviz.experiments.SettingsError` for settings that are not allowed, and ``ValueError`` with a
    sentence for settings that have no result.
    """

    return registry.instant(str(name)).checked(settings).compute()


def claims() -> list[Claim]:
    """What the documents claim and a laboratory tests: each has ``number``, ``sentence``, ``place`` and ``verdict``."""
    from goldviz.declare.claims import claims as known

    return list(known().values())


def examine(claim: str | Claim, *, progress: bool = True) -> Verdict:
    """Test a claim here, such as ``examine("C76")``: carry out its settings in every case, and judge the numbers.

    Raises :class:`goldviz.experiments.SettingsError` for a number that no claim has.
    """
    from goldviz.declare.claims import Claim, claim_of

    subject = claim if isinstance(claim, Claim) else claim_of(str(claim))
    return subject.judged(subject.measured(lambda settings: dataset_of(settings, progress=progress)))


def dataset_of(settings: Settings, *, progress: bool = True) -> xr.Dataset:
    """What settings of either kind give: a run's records, or what an instant page computes."""
    from goldviz.declare.instant import Instant

    if isinstance(settings, Instant):
        return settings.compute()
    assert isinstance(settings, Experiment)
    return carried_out(settings, progress=progress, keep=False)


def market(
    file: str | Path,
    *,
    columns: Sequence[str] = (),
    day_first: bool | None = None,
    sheet: str = "",
    symbols: Mapping[str, str] | None = None,
    releases: Mapping[str, str] | None = None,
    header: int = 0,
    price: str = "",
    split: str | None = None,
    dates: str = "",
    decimal: str = "",
    progress: bool = True,
) -> str:
    """Keep a file of your own as a market, and return its name: ``run("gold-forecast", data=name)``.

    It is CSV, a workbook (``sheet`` says which of its sheets, the first with cells by default) or Parquet.
    ``columns`` are those to use, the one to forecast first; without them all columns of numbers, or of open, high, low
    and close the close alone. ``day_first`` says how 01/02/2024 is read, and is needed where the dates fit both
    readings. ``symbols`` say which known symbol a column is, such as ``{"Close": "CL=F"}``, whose unit and release time
    then hold; nothing is taken from the file's name. ``releases`` say when a column's values are known, such as
    ``{"Close": "16:15 New York, next working day"}`` or ``"23:59 UTC, end of month"``. ``header`` is the row of names,
    ``price`` the column to forecast, by name or place; ``split`` the column whose names are channels, empty where all
    rows are one price; ``dates`` the column of dates, and ``decimal`` the decimal mark. What of these a file leaves
    open is asked by the error, which names the argument. The file is kept in the folder of markets, where pages find it
    under the same name. What was noticed in it, such as when its values count as known, goes to the error stream;
    ``progress=False`` silences it.

    Raises :class:`goldviz.data.markets.market.MarketError`, in one sentence that names the file, the place in it and
    what is allowed.
    """
    from goldviz.data.markets.file_channel import Choices
    from goldviz.data.markets.kept_markets import load_market
    from goldviz.data.markets.own_file import keep_file
    from goldviz.data.markets.release_words import written_release

    release_rules = {column: written_release(words) for column, words in (releases or {}).items()}
    choices = Choices(
        tuple(columns),
        day_first,
        symbols=symbols or {},
        sheet=sheet,
        releases=release_rules,
        header=header,
        price=price,
        split=split,
        date_column=dates,
        decimal=decimal,
    )
    name = keep_file(file, choices)
    for note in load_market(name).notes.values() if progress else ():
        print(f"{Path(file).name}: {note}", file=sys.stderr)
    return name


def documents(
    files: str | Path | Sequence[str | Path],
    *,
    date: str = "",
    text: str = "",
    release: str | None = None,
    kind: str | None = None,
    day_first: bool | None = None,
    out: str = "",
    minutes_after: int = 24,
    progress: bool = True,
) -> str:
    """Keep dated texts of your own, and return their name: ``compute("policy-documents", documents=name)``.

    ``files`` is a CSV file with a column of dates and one of texts, a folder of text files, or text files with the date
    in the name or at the top. ``date``, ``text``, ``release`` and ``kind`` are columns of the table, found out where
    nothing is said; an empty ``release`` or ``kind`` means that there is none. Of text files ``kind`` is that of those
    which say none. ``day_first`` says how 01/02/2024 is read, and is needed where the dates fit both readings. Where no
    day of release stands in the files, a document counts from its own day on, minutes ``minutes_after`` days later.
    ``out`` is the hour, such as ``"14:15 Prague"``; without it the Federal Reserve's. What was noticed goes to the
    error stream; ``progress=False`` silences it.

    Raises :class:`goldviz.data.texts.dated_texts.DatedTextError`, in one sentence that names the file, the place in it
    and what is allowed.
    """
    from goldviz.data.texts.own_documents import keep_files

    name, notes = keep_files(
        files,
        date=date,
        text=text,
        release=release,
        kind=kind,
        day_first=day_first,
        out=out,
        minutes_after=minutes_after,
    )
    for note in notes if progress else ():
        print(note, file=sys.stderr)
    return name


def labelled_texts(file: str | Path) -> str:
    """Keep a file of labelled texts, and return its name for the setting of that name; raises ``TextError``."""
    from goldviz.data.texts.labelled_files import keep_file

    return keep_file(file).name


def watch(
    model: nn.Module,
    optimizer: Optimizer | None = None,
    *,
    name: str = "",
    config: Mapping[str, Any] | None = None,
    to: str | Path | None = None,
    every: int = 10,
    budget: float | None = 0.1,
    histograms: bool = False,
    resume: str = "",
    knobs: bool = False,
) -> Watcher:
    """Watch a network of your own while your own script trains it; the page *Your network* shows it live.

    ::

        with goldviz.watch(model, optimizer, name="my run") as record:
            for x, y in batches:
                loss = loss_of(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                record.step(loss=loss)

    ``watch(model)`` alone works too: the optimiser's steps are noticed. ``config`` are facts to keep beside the run.
    ``to`` names a file such as "run.gv", for ``goldviz open`` on another machine, or a database's address; without it
    the run goes into this machine's store. ``every`` says how seldom activations are looked at. ``budget`` is the share
    of a step's time that watching may take; beyond it looks come more seldom. None looks as asked at any price.
    ``histograms`` also keeps distributions, which cost more. ``resume`` is the ``run_id`` of a record that goes on.
    ``knobs`` lets its page change rate, clipping, dropout and frozen layers while it trains. Neither inputs nor weights
    are stored.

    Raises :class:`goldviz.experiments.SettingsError` for arguments that are not allowed. Later nothing is raised into
    the loop: what goes wrong ends the watching, and the log says so.
    """
    from goldviz.watching.arguments import watched

    return watched(
        model, optimizer, name=name, config=config or {}, to=to, every=every, budget=budget, histograms=histograms,
        resume=resume, knobs=knobs,
    )  # fmt: skip


def trial(
    step: Callable[[dict[str, Any], int, int], Any],
    state: Mapping[str, Any],
    *,
    record: Watcher | None = None,
    kinds: Sequence[str] = (),
    cures: Mapping[str, Callable[[dict[str, Any]], None]] | None = None,
    steps: int = 50,
    orders: int = 3,
) -> Trials:
    """Try cures on your own run: each goes on from a copy of your state, beside a control and a placebo.

    ``state`` is a mapping with your "model", your "optimizer" and whatever else a step needs. ``step(state, order,
    number)`` takes one training step of a state and returns its loss; ``order`` says which order of the data, and
    ``number`` counts from 1. The cards of a watched run ``record`` say what is tried, and keep what came of it;
    ``kinds`` name cards yourself, and ``cures`` are functions of your own that change a state. Every arm takes
    ``steps`` steps in each of so many ``orders``. It helped if its loss is below the control's with 95 % certainty, and
    by a twentieth at least, and the placebo did not help.

    Raises :class:`goldviz.experiments.SettingsError` for arguments that are not allowed, and whatever the step raises.
    """
    from goldviz.watching.trial import check_kinds, tried_on

    check_kinds(kinds)
    own = [finding.kind for finding in record.findings()] if record is not None else []
    run = record.dataset() if record is not None else None
    results = tried_on(step, state, [*own, *kinds], steps=steps, orders=orders, cures=cures, run=run)
    if record is not None:
        record.keep_tried(results)
    return Trials(results)


def load(run_id: str) -> xr.Dataset:
    """What a kept run has recorded; raises :class:`goldviz.runs.store.run_store.UnknownRunError`.

    Its numbers stand under ``measures``, as :func:`measures` gives them: ``load(run_id).measures["plain.test"]``.
    """
    from goldviz.runs.store.run_store import Store

    return _with_measures(Store().load(str(run_id)))


def _with_measures(dataset: xr.Dataset) -> xr.Dataset:
    """The dataset; from the first one on, every dataset of xarray's has its :func:`measures` under that name."""
    import xarray as xr

    if not hasattr(xr.Dataset, "measures"):
        xr.register_dataset_accessor("measures")(measures)
    return dataset


def figure(
    dataset: xr.Dataset | Watcher,
    name: str | Part,
    *parts: Part,
    step: int | None = None,
    theme: Theme = "light",
    **how: Any,
) -> go.Figure:
    """One of a page's figures of a run, such as ``figure(ds, "loss", step=40)``, as a Plotly figure.

    In place of a name there may be marks and panels of :mod:`goldviz.figures.chart`, for a figure of one's own of any
    dataset: ``figure(ds, curves("gradient_norm", over="layer"))``; ``how`` says what
    :func:`goldviz.figures.chart.figure` is told. Its axes say what the run's laboratory declares, or what the dataset's
    own attributes say.

    ``dataset`` is what :func:`run` or :func:`load` gave, or a part of it: one network by ``ds.sel(network="plain")``,
    some steps, a mean over seeds. It may also be a dataset of your own whose variables say their kind; see
    :func:`goldviz.declare.kinds.understood`. A step that was not recorded stands for the last one before it; without a
    step the run's last is drawn. Raises :class:`goldviz.experiments.SettingsError` where the dataset is of no
    experiment and says no kinds, has no such figure or lacks a dimension that it is drawn along, or the step or theme
    is none, and :class:`goldviz.declare.kinds.KindError` for a kind that is none.
    """
    from goldviz.declare.plain_values import plain
    from goldviz.figures.selected import given_back
    from goldviz.figures.theme import INKS

    dataset = _dataset_of(dataset)
    number = plain(step)
    if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
        raise SettingsError({"step": f"The step is {number!r}; allowed is a whole number from 1 on, or None."})
    if not isinstance(theme, str) or theme not in INKS:
        raise SettingsError({"theme": f"The theme is {theme!r}; allowed is {' or '.join(INKS)}."})
    if not isinstance(name, str):
        return _figure_of_marks(dataset, (name, *parts), number, theme, how)
    if parts or how:
        told = next(iter(how), "a mark")
        raise SettingsError({"name": f"The figure {name[:60]!r} is asked for with {told}; allowed are step and theme."})
    own = _kinds_of(dataset)
    owner = "this dataset" if own else str(dataset.attrs["experiment"])
    variables = {} if own else registry.experiment(owner).variables
    specs = _figure_specs(dataset)
    if name not in specs:
        near = get_close_matches(str(name)[:60], specs, 1)
        there = f"did you mean {near[0]!r}?" if near else f"{owner} has {', '.join(specs)}."
        raise SettingsError({"name": f"There is no figure {str(name)[:60]!r}; {there}"})
    dims = {name: variable.dims for name, variable in variables.items()}
    whole, missing = given_back(dataset, dims) if own is None else (own.dataset, dict[str, str]())
    spec = specs[name]
    if (variable := next((one for one in spec.needs if one in missing), None)) is not None:
        raise SettingsError({"dataset": _without_dimension(name, variable, missing[variable], dataset)})
    try:
        return spec(whole, epoch=number, theme=theme)
    except (LookupError, TypeError, ValueError) as error:
        # Which entries of a run a figure cannot do without is known to its drawing alone.
        raise SettingsError({"dataset": _too_small_a_part(name, spec.needs, whole)}) from error


def _figure_of_marks(
    dataset: xr.Dataset, parts: Sequence[Part], step: int | None, theme: Theme, how: Mapping[str, Any]
) -> go.Figure:
    """Marks on axes that say what the laboratory of the dataset declares, or the dataset itself."""
    from goldviz.figures.chart import Chart, drawn_of, is_part, readings_of
    from goldviz.figures.selected import given_back

    for part in parts:
        if not is_part(part):
            words = f"{str(part)[:60]!r} is neither a figure's name nor a mark, such as curves('loss')."
            raise SettingsError({"name": words})
    try:
        chart = Chart("figure", parts=tuple(parts), **{"question": "", **how})
    except TypeError as error:
        raise SettingsError({"name": f"{error}; see goldviz.figures.chart.figure."}) from error
    if missing := next((one for one in chart.variables if one not in dataset), None):
        near = get_close_matches(missing, [str(one) for one in dataset.data_vars], 1)
        there = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(map(str, dataset.data_vars))}."
        raise SettingsError({"name": f"The dataset has no variable {missing!r}; {there}"})
    declared = registry.experiments().get(str(dataset.attrs.get("experiment", "")))
    whole = dataset
    if declared:
        whole, lost = given_back(dataset, {name: one.dims for name, one in declared.variables.items()})
        if (variable := next((one for one in chart.variables if one in lost), None)) is not None:
            raise SettingsError({"dataset": _without_dimension("of your own", variable, lost[variable], dataset)})
    for mark in chart.marks:
        of = getattr(mark, "of", None)
        dims = whole[of].dims if isinstance(of, str) else ()
        for given in ("over", "by", "rows") if dims else ():
            dim = getattr(mark, given, "")
            if dim and dim not in dims:
                words = f"{given} is {str(dim)[:60]!r}; {of} goes over {', '.join(map(str, dims))}."
                raise SettingsError({given: words})
    try:
        return drawn_of(whole, chart, readings_of(declared) if declared else None)(whole, epoch=step, theme=theme)
    except (LookupError, TypeError, ValueError) as error:
        # What a mark cannot draw is known to its drawing alone.
        goes = [f"{one} over {', '.join(map(str, whole[one].dims)) or 'nothing'}" for one in chart.variables]
        raise SettingsError({"dataset": f"These marks cannot draw {'; '.join(goes)}: {error}."}) from error


class Figures(Mapping[str, "go.Figure"]):
    """The figures of a dataset by name, in the order of its page. One is drawn when it is asked for, as by
    :func:`figure`; printed, each name stands beside what its figure asks."""

    def __init__(self, dataset: xr.Dataset, specs: Mapping[str, FigureSpec]) -> None:
        self._dataset = dataset
        self.questions = {name: spec.question for name, spec in specs.items()}

    def __getitem__(self, name: str) -> go.Figure:
        return figure(self._dataset, name)

    def __contains__(self, name: object) -> bool:
        return name in self.questions

    def get(self, name: str, default: Any = None) -> Any:
        """The figure, or ``default`` where the dataset has none of this name."""
        return self[name] if name in self else default  # noqa: SIM401 - of this it is made

    def __iter__(self) -> Iterator[str]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    def __repr__(self) -> str:
        width = max(map(len, self.questions), default=0)
        return "\n".join(f"{name:<{width}}  {question}" for name, question in self.questions.items())


def figures(dataset: xr.Dataset | Watcher) -> Figures:
    """All figures of a run by name: ``figures(ds)`` lists them, ``figures(ds)["loss"]`` draws one.

    ``dataset`` is what :func:`run` or :func:`load` gave, a record, or one of your own whose variables say their
    kind. Raises as :func:`figure` does; a mistaken name is told beside the one that was meant.
    """
    dataset = _dataset_of(dataset)
    return Figures(dataset, _figure_specs(dataset))


def _figure_specs(dataset: xr.Dataset) -> Mapping[str, FigureSpec]:
    from goldviz.diagnostics.findings import networks
    from goldviz.figures.by_kind import figures_of_any_run

    if own := _kinds_of(dataset):
        from goldviz.watching.figures import figures_of_watched

        watched = dataset.attrs.get("experiment") == WATCHED
        return figures_of_watched(own) if watched else figures_of_any_run(own.kinds, networks(own.dataset))
    specs: Mapping[str, FigureSpec] = registry.laboratories()[str(dataset.attrs["experiment"])].figures().FIGURES
    return specs


def findings(dataset: xr.Dataset | Watcher) -> Findings:
    """What a run's numbers say, as its page's cards do, most serious first.

    ``dataset`` is what :func:`run` or :func:`load` gave, a record, or one of your own whose variables say their
    kind. Raises as :func:`figure` does.
    """
    from goldviz.declare.laboratory import laboratory_of
    from goldviz.diagnostics.findings import by_kind

    dataset = _dataset_of(dataset)
    if getattr(dataset, "attrs", {}).get("experiment") == WATCHED:
        from goldviz.watching.findings import findings_of

        return Findings(findings_of(_known(dataset)))
    own = _kinds_of(dataset)
    if own:
        return Findings(by_kind.findings_of(own.dataset, own.kinds))
    settings = _settings_of(dataset)
    return Findings(laboratory_of(settings).findings(settings, dataset))


def measures(dataset: xr.Dataset | Watcher) -> Measures:
    """The numbers of a run by name, each with its words, its unit and a value for each seed.

    Those of its laboratory, of those that one run has, and those that its variables' kinds give. ``dataset`` is what
    :func:`run` or :func:`load` gave, or one of your own whose variables say their kind. Raises as :func:`figure` does.
    """
    from goldviz.diagnostics.findings.by_kind import measures_of
    from goldviz.diagnostics.measure import MeasuredNumber

    dataset = _dataset_of(dataset)
    own = _kinds_of(dataset)
    if own:
        return Measures(measures_of(own.dataset, own.kinds))
    kind = type(_settings_of(dataset))
    numbers = measures_of(dataset, kind.variables_by_kind)
    for name, measure in registry.laboratories()[kind.name].measures.items():
        # Some compare several runs, or read what this run never recorded.
        with suppress(LookupError, TypeError, ValueError, AttributeError):
            numbers[name] = MeasuredNumber(name, measure.words, measure.unit, measure.by_seed(dataset))
    return Measures(numbers)


def report(dataset: xr.Dataset | Watcher, path: str | Path | None = None, *, still: bool = False) -> str:
    """Figures, findings and settings of a run as one self-contained HTML text, which is also written to ``path``.

    A ``still`` report is a third as large: its figures step, and nobody can zoom or point at them. ``dataset`` is what
    :func:`run` or :func:`load` gave, a record, or one of your own whose variables say their kind. Raises as
    :func:`figure` does.
    """
    from goldviz.diagnostics.findings import networks
    from goldviz.export.report import report_of_any_run, report_of_run
    from goldviz.figures.by_kind import figures_of_any_run

    dataset = _dataset_of(dataset)
    own = _kinds_of(dataset)
    if own:
        drawn = figures_of_any_run(own.kinds, networks(own.dataset))
        html = report_of_any_run(own.dataset, drawn, findings(dataset), still=still)
    else:
        settings = _settings_of(dataset)
        drawn = registry.laboratories()[settings.name].figures().FIGURES
        html = report_of_run(settings, dataset, drawn, still=still)
    if path is not None:
        from goldviz.data.tables.whole_files import write_text_beside

        write_text_beside(Path(path), html)
    return html


def _dataset_of(dataset: xr.Dataset | Watcher) -> xr.Dataset:
    """What a record has recorded until now; a dataset as it is."""
    from_script = sys.modules.get("goldviz.watching.watcher")
    given: Any = dataset
    whole: xr.Dataset = given
    if from_script is not None and isinstance(given, from_script.Watcher):
        whole = given.dataset()
    return whole


def _kinds_of(dataset: xr.Dataset) -> Understood | None:
    """A dataset of somebody's own by its kinds; None for one of an experiment. Raises as :func:`figure` does."""
    from goldviz.declare.kinds import understood

    # A watched run has a row of its own in the store, and no laboratory.
    if getattr(dataset, "attrs", {}).get("experiment", WATCHED) != WATCHED:
        return None
    if not any("kind" in one.attrs for one in getattr(dataset, "data_vars", {}).values()):
        raise SettingsError({"dataset": NOT_A_RUN})
    if "experiment" not in dataset.attrs:
        return understood(dataset)
    from goldviz.watching.figures import understood_watched

    return understood_watched(_known(dataset))


def _known(dataset: xr.Dataset) -> xr.Dataset:
    """A watched run without what another goldviz recorded and this one does not know, which the log says."""
    from goldviz.watching.versions import known, said_of

    if sentence := said_of(dataset):
        log.warning(sentence)
    return known(dataset)


def _settings_of(dataset: xr.Dataset) -> Experiment:
    """What the run was asked for."""

    facts = dataset.attrs
    return registry.experiment(str(facts["experiment"])).from_store(
        int(facts.get("settings_version", 1)), str(facts["settings"])
    )


def _too_small_a_part(figure: str, needs: Sequence[str], dataset: xr.Dataset) -> str:
    dims = dict.fromkeys(str(dim) for name in needs if name in dataset for dim in dataset[name].dims)
    along = f" along {', '.join(dims)}" if dims else ""
    return (
        f"The figure {figure!r} cannot be drawn of this part of the run, which lacks entries{along} that it needs. "
        "Give it the whole run, or choose networks, seeds and steps alone."
    )


def _without_dimension(figure: str, variable: str, dim: str, dataset: xr.Dataset) -> str:
    if dim in dataset[variable].dims:
        return (
            f"The figure {figure!r} draws {variable}, which has the dimension {dim!r} in this dataset and in no run; "
            f"choose one entry, such as ds.isel({dim}=0)."
        )
    return (
        f"The figure {figure!r} draws {variable} along the dimension {dim!r}, which this dataset no longer has. "
        f"Choose along it by ds.isel or ds.sel, such as ds.isel({dim}=-1), and average over seeds alone."
    )


def _run_in_memory(
    settings: Experiment, watch: Callable[[Progress], None], channel: ControlChannel | None
) -> xr.Dataset:
    from goldviz.declare.kinds import roles_of
    from goldviz.declare.laboratory import laboratory_of
    from goldviz.runs.execution.processes import processes_for_run
    from goldviz.runs.execution.watchdog import Watchdog
    from goldviz.runs.recorder import Ended, Recorder
    from goldviz.runs.store.memory import Memory, NobodyAsks
    from goldviz.runs.versions import versions

    memory = Memory(watch)
    record = Recorder(settings, memory, channel or NobodyAsks(), processes=processes_for_run())
    try:
        with Watchdog(record):
            laboratory_of(settings).run(settings, record)
        status, message = "finished", ""
    except Ended as ended:
        status, message = ended.status, str(ended)
    return memory.dataset(
        {name: asdict(variable) for name, variable in settings.variables.items()},
        {
            "experiment": settings.name,
            "settings": settings.model_dump_json(),
            "settings_version": settings.version,
            "status": status,
            "message": message,
            "versions": versions(),
            "duration": record.seconds,
            "instrument_seconds": record.instrument_seconds,
            "step_dimension": settings.step,
            "roles": roles_of(settings.variables),
        },
    )


def _run_kept(settings: Experiment, watch: Callable[[Progress], None], channel: ControlChannel | None) -> xr.Dataset:
    from goldviz.runs.execution.processes import processes_for_run
    from goldviz.runs.execution.worker import DISK_FULL, UNWRITTEN, execute
    from goldviz.runs.store.run_store import Store

    store = Store()
    run_id = store.create(settings)
    status = execute(settings, run_id, store.url, processes=processes_for_run(), watch=watch, channel=channel)
    if status in (DISK_FULL, UNWRITTEN):
        raise RunFailedError(_without_end(run_id, store.place, full=status == DISK_FULL))
    run = store.run(run_id)
    if run.status == "failed":
        raise RunFailedError(f"{run.message} What was recorded until then is kept as run {run_id}.")
    return store.load(run_id)


def _without_end(run_id: str, database: str, *, full: bool) -> str:
    why, first = ("the disk is full", "Make room on it") if full else ("the log says why", "Mend that")
    return (
        f"The end of run {run_id} could not be written to the database {database}: {why}. What was recorded before is "
        f"kept, its last records are lost. {first}; then let the run go on, on its page, or start it anew."
    )


@contextmanager
def _bar(settings: Experiment, visible: bool) -> Iterator[Callable[[Progress], None]]:
    """A progress bar for notebooks and terminals, as a function that takes a progress."""
    if not visible:
        yield lambda progress: None
        return
    from tqdm.auto import tqdm

    # Where nobody reads the bar any more, as behind "| head", the run is worth finishing without it.
    unread = suppress(BrokenPipeError)
    bar = tqdm(disable=True)
    with unread:
        bar = tqdm(total=settings.steps_planned(), desc=settings.name, unit=settings.step)

    def watch(progress: Progress) -> None:
        with unread:
            bar.update(progress.step - bar.n)

    try:
        yield watch
    finally:
        with unread:
            bar.close()


def text_model(name: str) -> str:
    """Keep a model of texts for pre-training to go on from, and return the name of its content.

    ``run("bert-pretraining", start=text_model("shipped"))`` starts from it. ``name`` is 'shipped', a hub's 'owner/name'
    that was downloaded on the page *Inside BERT*, 'folder:' and the name of a folder in ``GOLDVIZ_MODELS``, or 'run:'
    and the id of a kept run that trained one.

    Raises :class:`goldviz.models.text.model.TextModelError`, in one sentence, for a model that this machine does not
    hold or cannot read, without a masked-word head, or too large; ``TextError`` where it cannot be kept.
    """
    check_extra("texts", "A model of texts")
    # Imported here, because torch takes a second, and most who import goldviz name no model.
    from goldviz.data.texts.kept_models import keep_model
    from goldviz.models.text.one_file import text_model_bytes
    from goldviz.text_models import resolve_text_model

    return keep_model(text_model_bytes(resolve_text_model(str(name))))
