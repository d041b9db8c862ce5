"""Try every remedy of every rule that fires, on presets and on drawn settings, and keep what came of it.

All laboratories that give advice, or those named as arguments; ``anew`` tries again what is kept already, ``presets``
leaves what is drawn as it was kept, ``drawn`` the presets, and ``rule=KIND`` all but the advice of the rule of this
kind. ``unseen`` keeps nothing: on seeds and set-ups that no
trial used it counts how often what a card offers does what it promises. Each one's ``trial.py`` says how set-ups are
made smaller and by which loss remedies are judged; ``recorded/advice.json`` keeps the trials, and the page *Advice*
shows them.
"""

import hashlib
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import xarray as xr
from filelock import FileLock

import goldviz
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import experiments, laboratories
from goldviz.declare.settings import Experiment, SettingsError, schemas
from goldviz.declare.trials import SEEDS, Trials
from goldviz.diagnostics.findings import Finding, Floats, Remedy, Verdicts, any_seed, majority
from goldviz.diagnostics.findings.trial import Trial
from goldviz.diagnostics.findings.tried import MENDS
from goldviz.runs.examples import example, has_example
from goldviz.runs.execution.worker import execute
from goldviz.runs.store.run_store import Store

NOTHING = np.full(len(SEEDS), np.nan)
ANEW, PRESETS, DRAWN, UNSEEN = "anew", "presets", "drawn", "unseen"
UNSEEN_SEEDS = (17, 18, 19)
UNSEEN_SET_UPS, MOST_DRAWS, MOST_SECONDS = 10, 120, 1800.0
"""Set-ups in which a remedy is offered, after which a laboratory ends; or draws, or seconds, whichever is first."""
ONLY = {argument.removeprefix("rule=") for argument in sys.argv if argument.startswith("rule=")}
"""The kinds of rules whose advice is tried; none where it is that of all."""
BEGINNINGS = "GOLDVIZ_BEGINNINGS"
"""The variable of the environment that names the folder of runs that others go on from; without it none does."""


@dataclass(frozen=True)
class Outcome:
    """What became of a set-up: by kind of rule and network the seeds over the line, the losses, and by network the
    seeds that learned their task."""

    over: Mapping[str, Mapping[str, Verdicts]]
    loss: Mapping[str, Floats]
    learned: Mapping[str, Verdicts]

    @classmethod
    def of(cls, lab: Laboratory, how: Trials, settings: Experiment, ran: xr.Dataset | None = None) -> "Outcome":
        """Train it, unless it ``ran``. A run ends where one seed diverges: then each seed has a run of its own."""
        several = len(settings.seeds) > 1
        one_by_one = how.together and several
        dataset = None if one_by_one else run(how, settings) if ran is None else ran
        if dataset is None or (several and dataset.attrs["status"] == "diverged"):
            return _joined([cls.of(lab, how, how.alone(settings, seed)) for seed in settings.seeds])
        if dataset.attrs["status"] not in ("finished", "diverged"):
            raise RuntimeError(f"{lab.name}: a run ended as {dataset.attrs['status']}: {dataset.attrs['message']}")
        findings_of, count = lab.part("findings").findings_of, len(settings.seeds)
        over = {
            kind: {name: _by_seed(verdicts, count) for name, verdicts in found.items()}
            for kind, found in findings_of.over(settings, dataset).items()
        }
        losses = how.losses(findings_of.readings(settings, dataset))
        learned = findings_of.learned_by(settings, dataset)
        return cls(over, *({name: _by_seed(one, count) for name, one in part.items()} for part in (losses, learned)))


def run(how: Trials, settings: Experiment) -> xr.Dataset:
    """What a set-up records. Those that begin alike are begun once, in a store of their own, and go on from there."""
    steps, alike = how.beginning(settings)
    if not steps or not os.environ.get(BEGINNINGS):
        return goldviz.run(settings, progress=False)
    name = hashlib.sha256(alike.model_dump_json().encode()).hexdigest()[:16]
    store = Store(f"sqlite:///{Path(os.environ[BEGINNINGS], name)}.db")
    try:
        with FileLock(f"{os.environ[BEGINNINGS]}/{name}.lock"):
            begun = next((one.id for one in store.list(text="beginning")[0]), "")
            if not begun:
                begun = store.create(alike, name="beginning")
                execute(alike, begun, store.url, budget=steps)
        # One that diverged before shows what any of them would.
        if store.run(begun).status == "paused":
            begun = store.fork(begun, steps, settings)
            execute(settings, begun, store.url)
        return store.load(begun)
    finally:
        store.close()


def _by_seed(values: Any, count: int) -> Any:
    """Values of each seed; what is said of the whole run, or of its fits one by one, is said of all seeds alike."""
    if len(values) == count:
        return values
    return np.full(count, majority(values) if values.dtype == bool else values[0])


def _joined(parts: list[Outcome]) -> Outcome:
    kinds = parts[0].over
    over = {kind: _stacked([part.over[kind] for part in parts], False) for kind in kinds}
    loss = _stacked([part.loss for part in parts], np.nan)
    return Outcome(over, loss, _stacked([part.learned for part in parts], False))


def _stacked(parts: list[Mapping[str, Any]], missing: Any) -> dict[str, Any]:
    names = list(dict.fromkeys(name for part in parts for name in part))
    return {name: np.concatenate([part.get(name, np.array([missing])) for part in parts]) for name in names}


def set_ups(lab: Laboratory, how: Trials) -> Iterator[tuple[str, Experiment]]:
    """Presets, then settings drawn around them, each made smaller; what is there already is drawn again. Of ``more``
    draws those in which the advice of no rule is tried this time are left out."""
    declared, seen = experiments()[lab.name], []
    for preset in declared.presets:
        if not how.presets or preset.slug in how.presets:
            settings = how.smaller(declared.preset(preset.slug))
            seen.append(how.set_up(settings))
            if DRAWN not in sys.argv:
                yield preset.name, settings
    generator = np.random.default_rng(2024)
    last = how.draws + max(how.more.values(), default=0)
    for number in range(1, last + 1 if PRESETS not in sys.argv else 1):
        settings = drawn(declared, how, generator)
        while how.set_up(settings) in seen:
            settings = drawn(declared, how, generator)
        seen.append(how.set_up(settings))
        rules = how.rules(number)
        if rules is None or not ONLY or rules & ONLY:
            yield f"drawn {number}", settings


def drawn(declared: type[Experiment], how: Trials, generator: np.random.Generator) -> Experiment:
    """Settings around a preset: one to three of them drawn anew, and made small."""
    while True:
        preset = declared.presets[generator.integers(len(declared.presets))]
        settings = declared.preset(preset.slug)
        names = generator.choice(how.drawn, size=generator.integers(1, 4), replace=False)
        try:
            settings = how.smallest(settings.changed(**{n: _value(settings, str(n), generator) for n in names}))
        except SettingsError:
            continue
        if settings.estimated_seconds() <= how.longest:
            return settings


def _value(settings: Experiment, name: str, generator: np.random.Generator) -> Any:
    """Another choice; or up to ten times more or less of a number, within its bounds."""
    schema, value = schemas(type(settings))[name], getattr(settings, name)
    if "enum" in schema:
        return str(generator.choice(schema["enum"]))
    reach = 10.0 ** generator.uniform(-1, 1)
    low, high = schema.get("minimum", -np.inf), schema.get("maximum", np.inf)
    drawn = min(max((value or schema.get("default") or 0.1) * reach, low), high)
    return round(drawn) if isinstance(value, int) else float(f"{drawn:.2g}")


def trials(lab: Laboratory, how: Trials, where: str, settings: Experiment, kept: Sequence[Trial] = ()) -> list[Trial]:
    """Every remedy of every rule that fires in one set-up and complains of something, or does so in the recorded run of
    the preset; what was ``kept`` is not tried again."""
    findings_of = lab.part("findings").findings_of
    dataset = run(how, settings)
    found = [finding for finding in findings_of.all(settings, dataset) if finding.severity != "good"]
    found += _recorded(lab, where, settings, {finding.kind for finding in found})
    rules = how.rules(int(where.removeprefix("drawn "))) if where.startswith("drawn ") else None
    found = [one for one in found if (rules is None or one.kind in rules) and (not ONLY or one.kind in ONLY)]
    outcome = cache(lambda one: Outcome.of(lab, how, one, dataset if one == settings else None))
    known = {_identity(trial): trial for trial in kept}
    made = []
    for finding, remedy in [(f, remedy) for f in found for remedy in f.remedies if not remedy.check]:
        what = (finding.kind, finding.line, remedy.words, remedy.changes)
        trial = Trial(where, how.set_up(settings), *what, complaint={}, loss={}, mends=remedy.mends)
        if _identity(trial) not in known:
            before, after = outcome(settings), outcome(settings.changed(**remedy.changes))
            loss = {name: (loss, after.loss.get(name, NOTHING)) for name, loss in before.loss.items()}
            complaint = _complaint(lab, finding.kind, before, after)
            complaint = {how.about.get(finding.kind, name): pair for name, pair in complaint.items()}
            known[_identity(trial)] = replace(trial, complaint=complaint, loss=loss, learned=before.learned)
        made.append(replace(known[_identity(trial)], where=where))
    return made


@dataclass(frozen=True)
class Offer:
    """A remedy that a card offers in one set-up, and what became of the set-up without it."""

    lab: Laboratory
    how: Trials
    settings: Experiment
    card: Finding
    remedy: Remedy
    before: Outcome

    def tried(self) -> tuple[str, Trial, Verdicts]:
        """What it promises, its trial on the set-up's own seeds, and the seeds in which the promise was kept."""
        kind, remedy, before, table = self.card.kind, self.remedy, self.before, self.lab.tried
        assert table is not None
        after = Outcome.of(self.lab, self.how, self.settings.changed(**remedy.changes))
        missing = np.full(len(self.settings.seeds), np.nan)
        loss = {name: (loss, after.loss.get(name, missing)) for name, loss in before.loss.items()}
        complaint = {
            self.how.about.get(kind, name): pair for name, pair in _complaint(self.lab, kind, before, after).items()
        }
        what = (kind, self.card.line, remedy.words, remedy.changes, complaint, loss, remedy.mends)
        trial = Trial("unseen", self.how.set_up(self.settings), *what, learned=before.learned)
        if remedy.mends:
            return MENDS, trial, trial.helped
        promise = table.held_out(kind, remedy).promise
        return promise.words, trial, promise.kept(trial)


def offers(lab: Laboratory, how: Trials, settings: Experiment) -> Iterator[Offer]:
    """What the cards of one set-up offer, but for checks."""
    dataset = run(how, settings)
    before = Outcome.of(lab, how, settings, dataset)
    for card in lab.advised(settings, lab.part("findings").findings_of.all(settings, dataset)):
        remedy = next((one for one in card.remedies if card.effect and one.advice == card.advice), None)
        if card.severity != "good" and remedy is not None and not remedy.check:
            yield Offer(lab, how, settings, card, remedy, before)


def unseen(lab: Laboratory, how: Trials) -> Iterator[tuple[str, Trial, Verdicts]]:
    """What cards offer on unused seeds of drawn set-ups that were not tried: the promise, the trial, where it held."""
    declared, table = experiments()[lab.name], lab.tried
    known, begun = [trial.settings for trial in table.trials] if table else [], time.monotonic()
    generator, set_ups = np.random.default_rng(2027), 0
    for _ in range(MOST_DRAWS):
        if set_ups == UNSEEN_SET_UPS or time.monotonic() - begun > MOST_SECONDS or table is None:
            return
        settings = drawn(declared, how, generator).changed(seeds=UNSEEN_SEEDS)
        if how.set_up(settings) in known:
            continue
        tried = [offer.tried() for offer in offers(lab, how, settings) if not offer.remedy.mends]
        telling = [one for one in tried if one[1].complained.any()]
        yield from telling
        set_ups += bool(telling)


def count_unseen(lab: Laboratory, how: Trials) -> None:
    """Print every promise and whether it held, and a laboratory's sum."""
    rows = []
    for promise, trial, kept in unseen(lab, how):
        complained = int(trial.complained.sum())
        rows.append((kept.sum(), complained, json.dumps(trial.settings, sort_keys=True, default=list), trial.ruined))
        ruined = f", ruined {', '.join(trial.ruined)}" if trial.ruined else ""
        print(f"{lab.name}, {trial.kind}: {trial.words} {promise}: {kept.sum()} of {complained}{ruined}", flush=True)
    kept_in_all, of_all = (sum(row[place] for row in rows) for place in (0, 1))
    set_ups, ruined_in = len({row[2] for row in rows}), sum(bool(row[3]) for row in rows)
    print(f"| {lab.declared.title} | {kept_in_all} of {of_all} | {len(rows)} | {set_ups} | {ruined_in} |", flush=True)


def _recorded(lab: Laboratory, where: str, settings: Experiment, known: Collection[str]) -> list[Finding]:
    """What else is said of the recorded run of a preset, which has one seed."""
    declared, findings_of = experiments()[lab.name], lab.part("findings").findings_of
    for preset in declared.presets:
        if preset.name == where and has_example(declared, preset.slug):
            found = findings_of.all(settings, example(declared, preset.slug))
            return [one for one in found if one.severity != "good" and one.kind not in known]
    return []


def _identity(trial: Trial) -> str:
    what = (trial.settings, trial.kind, trial.line, trial.words, trial.changes)
    return json.dumps(what, sort_keys=True, default=list)


def _complaint(lab: Laboratory, kind: str, before: Outcome, after: Outcome) -> dict[str, tuple[Verdicts, Verdicts]]:
    """Of the networks complained of, the seeds before and after; none where the rule does not apply any more.

    Where one seed is enough for a card, as for one that ends the run of all, the card stays until no seed is left.
    """
    one_is_enough = any(rule.enough is any_seed for rule in lab.part("findings").findings_of.rules if rule.kind == kind)
    pairs = {}
    for name, seeds in before.over[kind].items():
        left = after.over[kind].get(name, np.zeros_like(seeds))
        if seeds.any():
            pairs[name] = (seeds, np.full_like(left, left.any()) if one_is_enough else left)
    return pairs


def _timed(lab_name: str, one: tuple[str, Experiment]) -> list[Trial]:
    start, lab = time.monotonic(), laboratories()[lab_name]
    how = lab.trials
    assert how is not None
    try:
        found = trials(lab, how, *one, kept=() if ANEW in sys.argv else getattr(lab.tried, "trials", ()))
    except ValueError as fault:
        # Drawn settings may ask their data for what they do not hold.
        if not getattr(fault, "for_a_person", False):
            raise
        print(f"{lab_name}, {one[0]}: {fault}", flush=True)
        return []
    helped, seconds = sum(trial.helps for trial in found), time.monotonic() - start
    print(f"{lab_name}, {one[0]}: {helped} of {len(found)} remedies helped, {seconds:.0f} s", flush=True)
    return found


def _keep(lab: Laboratory, trials: Sequence[Trial]) -> None:
    """After every set-up, so that what was tried outlasts an interruption."""
    rows = ",\n".join(json.dumps(trial.to_json(), ensure_ascii=False) for trial in trials)
    (lab.recorded / "advice.json").write_text(f"[\n{rows}\n]\n", encoding="utf-8")


def main(names: list[str]) -> None:
    """Try the advice of these laboratories, or of all."""
    begun = time.monotonic()
    for name, lab in laboratories().items():
        how = lab.trials if name in (names or laboratories()) else None
        if how is None:
            continue
        if UNSEEN in sys.argv:
            count_unseen(lab, how)
            continue
        # What is not tried this time, or not yet, stays.
        planned, found, rest = list(set_ups(lab, how)), list[Trial](), list(getattr(lab.tried, "trials", ()))
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            for (where, _), part in zip(planned, pool.imap(partial(_timed, name), planned), strict=True):
                found += part
                rest = [trial for trial in rest if trial.where != where or (ONLY and trial.kind not in ONLY)]
                _keep(lab, [*found, *rest])
        if not {PRESETS, DRAWN} & set(sys.argv) and not ONLY:
            _keep(lab, found)
        print(f"{name}: {(time.monotonic() - begun) / 60:.0f} minutes since the start", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ[BEGINNINGS] = folder
        main([one for one in sys.argv[1:] if one not in (ANEW, PRESETS, DRAWN, UNSEEN) and not one.startswith("rule=")])
