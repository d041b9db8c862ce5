"""How a laboratory's advice is tried, as its ``trial.py`` says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment, Preset
    from goldviz.diagnostics.findings import Floats
    from goldviz.diagnostics.findings.advice import Bound

SEEDS = (0, 1, 2, 3, 4)
LONGEST_RUN = 7200.0
"""Seconds: on a busy machine a run that ended at its usual limit would be judged by what it had no time for."""
ALIKE = ("seeds", "device", "time_limit")
"""Settings of every experiment that make no other set-up."""


def _worths(readings: Sequence[Any]) -> Mapping[str, Floats]:
    """What each network makes of its task beside a simple answer: a share, of which less is better."""
    return {reading.name: reading.worth for reading in readings}


@dataclass(frozen=True)
class Trials:
    """How remedies are tried: by which loss of each network and seed they are judged, and in which set-ups.

    ``losses`` are read off readings, the ``worth`` of each unless something else is said; ``unit`` names them in a
    card. Settings named in ``drawn`` are drawn anew, one to three at a time, in so many ``draws``. ``sizes`` make a
    set-up smaller, so that all can be tried, and ``drawn_sizes`` one that is drawn. Where training takes long, only
    some ``presets`` are tried. ``instruments`` change what is measured and not what is learned. Where seeds make one
    forecast ``together``, each is a run, and settings named in ``with_seed`` take the seed's number. A drawn set-up
    whose seeds take more than the ``longest`` estimated seconds together is drawn again. Where a run has losses of
    different things, ``about`` says of which one a rule speaks: what makes the other better is no help. Where settings
    named in ``later`` count only after as many steps as the setting ``begun_by`` says, set-ups that differ in them
    alone are begun once. ``more`` says in how many further draws the advice of a rule, and of no other, is tried, where
    those do not tell enough of it.
    """

    unit: str
    drawn: Sequence[str]
    losses: Callable[[Sequence[Any]], Mapping[str, Floats]] = _worths
    sizes: Mapping[str, Bound] = field(default_factory=dict)
    drawn_sizes: Mapping[str, Bound] = field(default_factory=dict)
    presets: Sequence[str] = ()
    instruments: Sequence[str] = ()
    draws: int = 20
    together: bool = False
    with_seed: Sequence[str] = ()
    longest: float = 12.0
    about: Mapping[str, str] = field(default_factory=dict)
    begun_by: str = ""
    later: Sequence[str] = ()
    more: Mapping[str, int] = field(default_factory=dict)

    def rules(self, draw: int) -> Collection[str] | None:
        """The kinds of rules whose advice is tried in the draw of this number; None for all."""
        return None if draw <= self.draws else {kind for kind, count in self.more.items() if draw <= self.draws + count}

    def beginning(self, settings: Experiment) -> tuple[int, Experiment]:
        """After how many steps a run may go on from that of another set-up, and which: 0 where none begins alike."""
        usual = {name: type(settings).model_fields[name].default for name in self.later}
        return (getattr(settings, self.begun_by) if self.begun_by else 0), settings.changed(**usual)

    def smaller(self, settings: Experiment) -> Experiment:
        """The set-up as it is tried."""
        return _sized(settings, self.sizes).changed(seeds=SEEDS, device="cpu", time_limit=LONGEST_RUN)

    def smallest(self, settings: Experiment) -> Experiment:
        """The set-up as it is tried where it is drawn."""
        return self.smaller(_sized(settings, self.drawn_sizes))

    def alone(self, settings: Experiment, seed: int) -> Experiment:
        """The set-up with one seed, as a run of its own."""
        return settings.changed(seeds=(seed,), **dict.fromkeys(self.with_seed, seed))

    def in_words(self, presets: Sequence[Preset]) -> str:
        """Which set-ups are tried, and by how much they are made smaller."""
        names = [preset.name for preset in presets if preset.slug in self.presets]
        subject = f"Of the presets, {', '.join(names)}; " if names else "All presets; "
        draws = f"{self.draws} settings drawn around presets"
        smaller, smallest = _in_words(self.sizes), _in_words({**self.drawn_sizes, **self.sizes})
        if not smaller:
            return f"{subject}as they are; {draws}{f', with {smallest}' if smallest else ', as they are'}."
        return f"{subject}with {smaller}; {draws}, with {smallest}."

    def set_up(self, settings: Experiment) -> dict[str, Any]:
        """What a set-up has, as it is tried, other than the laboratory's defaults; as plain values."""
        changes = self.smaller(settings).differences()
        return {name: value for name, value in changes.items() if name not in (*ALIKE, *self.instruments)}


def _in_words(sizes: Mapping[str, Bound]) -> str:
    return ", ".join(f"{name} {bound.in_words()}" for name, bound in sizes.items())


def _sized(settings: Experiment, sizes: Mapping[str, Bound]) -> Experiment:
    return settings.changed(**{name: change.of(getattr(settings, name)) for name, change in sizes.items()})
