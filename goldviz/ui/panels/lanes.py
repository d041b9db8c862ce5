"""Lanes: the runs that stand side by side on a laboratory's page, up to four.

A lane shows a run of the store, by its id, or a recorded example that ships with the package.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

import streamlit as st
import xarray as xr

from goldviz.arrays.light import LightDataset
from goldviz.data.tables.sealed_names import KEY
from goldviz.declare.data_labels import ATTRIBUTE, labels_of
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.setting_words import value_in_words
from goldviz.declare.settings import Experiment, Settings, SettingsError, label
from goldviz.plurals import how_many
from goldviz.runs import examples
from goldviz.runs.examples import example, has_example
from goldviz.runs.store.run import Run
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import keys, visitors_data, whole_page
from goldviz.ui.panels import controls
from goldviz.ui.seen_runs import seen_records, seen_run
from goldviz.ui.serving import services
from goldviz.ui.words import duration, numbered

Declared = TypeVar("Declared", bound=Experiment)

MOST = 4
EXAMPLE = examples.EXAMPLE
PARAMETER = "runs"
OPEN = "open"
"""The link's parameter for runs that are opened with their settings in the panel."""


@dataclass(frozen=True)
class Shown:
    """What one lane shows at one moment: recorded numbers. ``run`` is None for a recorded example; ``shown_title``
    tells lanes apart that would have one title."""

    id: str
    records: LightDataset
    run: Run | None
    shown_title: str = field(default="", kw_only=True)

    @property
    def dataset(self) -> xr.Dataset:
        """The numbers as xarray has them."""
        return self.records.dataset

    @property
    def own_title(self) -> str:
        """What it is called by itself."""
        return self.id

    @property
    def title(self) -> str:
        """What it is called in view."""
        return self.shown_title or self.own_title

    @property
    def version(self) -> int:
        """Grows with every write; figures are kept by it."""
        return self.run.version if self.run else 0

    @property
    def unfinished(self) -> bool:
        """Whether new records may come."""
        return self.run is not None and self.run.unfinished

    @property
    def step(self) -> str:
        """What its steps are called: the dimension that grows."""
        return str(self.records.attrs["step_dimension"])

    @property
    def last_step(self) -> int:
        """The latest recorded step, 0 before the first."""
        dim = self.step
        steps = self.records.coords.get(dim)
        return int(steps[-1]) if steps is not None and len(steps) else 0

    @property
    def last_finite_step(self) -> int | None:
        """The step before the one at which a run diverged; None for a run that did not, or did at once."""
        return self.last_step - 1 or None if self.last_step and self.records.attrs.get("status") == "diverged" else None


@dataclass(frozen=True)
class Lane(Shown, Generic[Declared]):
    """A run or an example with its settings: it can be read, repeated and, where it is a run, gone on with.

    ``settings`` are as the visitor may see them, with sealed names for others' files; ``stored`` is what the run itself
    works with, which no page may show.
    """

    settings: Declared
    stored: Declared

    @property
    def own_title(self) -> str:
        """The run's name, or what is special about its settings."""
        return (self.run.name if self.run else "") or difference(self.settings, kept_labels(self.run))


@dataclass(frozen=True)
class UnreadLane(Shown):
    """A run whose settings nobody understands any more, as ``complaint`` says: its numbers can be seen, and taken."""

    complaint: str

    @property
    def own_title(self) -> str:
        """The run's name, if it has one."""
        return (self.run.name if self.run else "") or "A run of another version"


AnyLane: TypeAlias = Lane[Any] | UnreadLane


def progress_of(lane: AnyLane) -> tuple[float, str]:
    """How far a lane's run is, as a share and in words; nothing for a recorded example."""
    run = lane.run
    if run is None:
        return 1.0, ""
    if run.status == "queued":
        ahead = services.executor().waiting_before(run.id) if services.executor_ready() else 0
        before = f"{how_many(ahead, 'run')} before it" if ahead else "its worker is getting ready"
        return 0.0, f"Waiting: {before}"
    text = f"{lane.step.capitalize()} {run.step} of {run.total}"
    if run.status == "running":
        left = run.seconds_left
        text += f" · about {duration(left)} left" if left is not None else " · starting"
    else:
        text += f" · {duration(run.seconds)}"
    if run.seconds > 0 and run.step:
        text += f" · recording took {run.instrument_seconds / run.seconds:.0%}"
    # A run that ended before its last step, having diverged or learned enough, is over all the same.
    share = 1.0 if run.status == "finished" else min(1.0, run.step / max(run.total, 1))
    return share, text


def trouble_of(lane: AnyLane) -> str:
    """What keeps a growing run's records from being written, and what becomes of them; mostly nothing."""
    run = lane.run
    trouble = services.trouble(run.id) if run is not None and run.status == "running" else ""
    if run is None or not trouble:
        return ""
    return (
        f"{trouble} Records up to {lane.step} {run.step} are kept. Later ones wait in the memory of the run's process, "
        "which writes them as soon as there is room."
    )


def sense_of(lane: AnyLane) -> str:
    """A mark of all that a page shows of a run but its numbers: where this differs, the page is drawn again."""
    run = lane.run
    if run is None:
        return ""
    findings = (
        laboratory_of(lane.settings).findings(lane.settings, lane.records)
        if isinstance(lane, Lane) and lane.last_step
        else []
    )
    parts = [run.status, run.message, run.name, run.step > 0, lane.records.attrs.get("marks", ""), trouble_of(lane)]
    parts += [(one.kind, one.title, one.severity) for one in findings]
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()


def kept_labels(run: Run | None) -> dict[str, str]:
    """What a run's data were called when it was queued, by setting."""
    return dict(run.attributes.get(ATTRIBUTE, {})) if run else {}


def difference(settings: Experiment, names_of_files: Mapping[str, str] | None = None) -> str:
    """The preset that these settings are, or else what sets them apart from the document's, in a few words.

    Data are called by their labels; ``kept`` are those that a run keeps.
    """
    differences = {
        name: value for name, value in settings.differences().items() if name not in ("device", "time_limit")
    }
    labels = labels_of(settings, names_of_files)
    words = _each_in_words(type(settings), differences, labels)
    preset = settings.like_preset()
    if preset is not None:
        return " · ".join([preset.name, *(words[name] for name in settings.beside_presets() if name in words)])
    return _few(words, labels) or settings.presets[0].name


def in_words(
    settings_class: type[Settings], changes: Mapping[str, Any], labels: Mapping[str, str] | None = None
) -> str:
    """Settings and their values in a few words; first the labels of data, letter by letter as they are."""
    return _few(_each_in_words(settings_class, changes, labels or {}), labels or {})


def _few(in_words: Mapping[str, str], labels: Mapping[str, str]) -> str:
    words = [in_words[name] for name in sorted(in_words, key=lambda name: name not in labels)]
    text = " · ".join(words[:4])
    first = text[:1] if words[:1] and words[0] in labels.values() else text[:1].upper()
    return first + text[1:] + (f" · {len(words) - 4} more" if len(words) > 4 else "")


def _each_in_words(
    settings_class: type[Settings], changes: Mapping[str, Any], labels: Mapping[str, str]
) -> dict[str, str]:
    return {
        name: labels[name] if name in labels else f"{label(name).lower()} {value_in_words(settings_class, name, value)}"
        for name, value in changes.items()
    }


def _key(experiment: type[Experiment]) -> str:
    return f"lanes-{experiment.name}"


def ids(experiment: type[Experiment]) -> list[str]:
    """What the lanes show now."""
    lanes: list[str] = st.session_state.setdefault(_key(experiment), [EXAMPLE + experiment.presets[0].slug])
    return lanes


def put(experiment: type[Experiment], lane_ids: list[str]) -> None:
    """Show these lanes, each once, the last four where there are more."""
    whole_page.changed()
    st.session_state[_key(experiment)] = list(dict.fromkeys(lane_ids))[-MOST:]


def compare(experiment: type[Experiment], lane_id: str) -> None:
    """Show a new run beside the one before it.

    It takes the place of the last example, or of a run with its very settings; else the oldest run goes where two or
    more are in view.
    """
    lane_ids = ids(experiment)
    gives_way = [one for one in lane_ids if one.startswith(EXAMPLE)][-1:] or _with_settings_of(experiment, lane_id)
    if gives_way:
        put(experiment, [lane_id if one == gives_way[0] else one for one in lane_ids])
    else:
        put(experiment, [*lane_ids[len(lane_ids) > 1 :], lane_id])


def _with_settings_of(experiment: type[Experiment], lane_id: str) -> list[str]:
    """The other lanes whose runs had all settings of this one, to the seed, from their first step to their last."""
    settings = {}
    for one in [lane_id, *ids(experiment)]:
        with suppress(UnknownRunError, SettingsError, StoreError):
            lane = read(experiment, one)
            if isinstance(lane, Lane) and not (lane.run and lane.run.changes):
                settings[one] = lane.stored
    return [one for one in ids(experiment) if one != lane_id and settings.get(one) == settings.get(lane_id, one)]


def show_example(experiment: type[Experiment], slug: str) -> bool:
    """Show a recorded example in another one's place, or beside the runs: none of them gives way to it.

    Returns whether it is in view; four runs leave it no room.
    """
    lane_ids, lane_id = ids(experiment), EXAMPLE + slug
    if lane_id in lane_ids:
        return True
    if any(one.startswith(EXAMPLE) for one in lane_ids):
        compare(experiment, lane_id)
    elif len(lane_ids) < MOST:
        add(experiment, lane_id)
    else:
        return False
    return True


def add(experiment: type[Experiment], lane_id: str) -> None:
    """Open a lane beside the others; with four open, the oldest goes."""
    put(experiment, [*ids(experiment), lane_id])


def close(experiment: type[Experiment], lane_id: str) -> None:
    """Close a lane; the run stays in the store. The last one gives way to the first preset's example."""
    left = [other for other in ids(experiment) if other != lane_id]
    put(experiment, left or [EXAMPLE + experiment.presets[0].slug])


def to_link(experiment: type[Experiment]) -> dict[str, str]:
    """The lanes as a link's parameter; nothing for the page as it arrives."""
    lane_ids = ids(experiment)
    return {} if lane_ids == [EXAMPLE + experiment.presets[0].slug] else {PARAMETER: ",".join(lane_ids)}


def from_link(experiment: type[Experiment], text: str) -> list[str]:
    """Open the lanes that a link names, or those of the page as it arrives; returns a sentence for each that cannot be
    opened."""
    lane_ids, complaints = [], []
    run_ids = list(dict.fromkeys(part for part in text.split(",") if part))
    if len(run_ids) > MOST:
        complaints.append(
            f"In the link: it names {len(run_ids)} runs; {MOST} can stand side by side, so the first {MOST} are shown."
        )
    for lane_id in run_ids[:MOST]:
        try:
            lane_ids.append(read(experiment, lane_id).id)
        except (UnknownRunError, SettingsError, StoreError) as error:
            complaints.append(f"In the link: {error}")
    if lane_ids or not text:
        put(experiment, lane_ids or [EXAMPLE + experiment.presets[0].slug])
    return list(dict.fromkeys(complaints))


def settings_into_panel(experiment: type[Experiment]) -> None:
    """Make the panel show the settings of the last lane whose settings are understood."""
    for lane_id in reversed(ids(experiment)):
        try:
            lane = read(experiment, lane_id)
        except (UnknownRunError, SettingsError, StoreError):
            continue
        if isinstance(lane, Lane):
            controls.put(experiment, lane.settings)
            visitors_data.bring_named(experiment, lane.settings)
            return


def keys_of(lane_ids: Sequence[str]) -> frozenset[str]:
    """The visitor's keys among those of the runs in view."""
    ours, in_use = keys.ours(), set[str]()
    for lane_id in lane_ids if ours else ():
        if not lane_id.startswith(EXAMPLE):
            with suppress(UnknownRunError, StoreError):
                in_use |= set(KEY.findall(services.live_run(lane_id).snapshot()[0].settings))
    return ours & in_use


def told_apart(visible_lanes: Sequence[AnyLane]) -> list[AnyLane]:
    """The lanes with titles that say what differs between them, and a number behind one that stands before it already.

    Runs with a name and presets are called by that.
    """
    readable = [lane for lane in visible_lanes if isinstance(lane, Lane)]
    values = [lane.settings.model_dump(mode="json") for lane in readable]
    differ = [name for name in (values[0] if values else ()) if any(one[name] != values[0][name] for one in values)]
    titles = numbered([_title_among(lane, differ) for lane in visible_lanes])
    return [replace(lane, shown_title=title) for lane, title in zip(visible_lanes, titles, strict=True)]


def _title_among(lane: AnyLane, differ: Sequence[str]) -> str:
    """A lane's own title, or for a run with neither a name nor a preset its values of the settings that differ."""
    if not isinstance(lane, Lane) or not differ or (lane.run and lane.run.name) or lane.settings.like_preset():
        return lane.own_title
    values = lane.settings.model_dump(mode="json")
    labels = labels_of(lane.settings, kept_labels(lane.run))
    return in_words(type(lane.settings), {name: values[name] for name in differ}, labels)


def read(experiment: type[Declared], lane_id: str) -> Lane[Declared] | UnreadLane:
    """A lane's present state.

    Raises :class:`UnknownRunError` for a run that is gone, :class:`SettingsError` for one of another experiment or
    an unknown example, and :class:`StoreError` where the database fails.
    """
    if lane_id.startswith(EXAMPLE):
        slug = experiment.preset_called(lane_id.removeprefix(EXAMPLE)).slug
        settings = experiment.preset(slug)
        if not has_example(experiment, slug):
            raise SettingsError({"runs": f"No recorded run of the preset {slug!r} ships with this version."})
        return Lane(EXAMPLE + slug, LightDataset.of(example(experiment, slug)), None, settings, settings)
    row, dataset = services.live_run(lane_id).snapshot()
    run, records = seen_run(row), seen_records(row, dataset)
    if run.experiment != experiment.name:
        raise SettingsError({"runs": f"Run {run.id} belongs to another laboratory ({run.experiment})."})
    try:
        settings = experiment.from_store(run.settings_version, run.settings)
        changes = experiment.changes_from_store(run.settings_version, run.changes)
    except SettingsError as error:
        return UnreadLane(lane_id, records, run, str(error))
    return Lane(lane_id, records, replace(run, changes=changes), keys.as_seen(settings), settings)
