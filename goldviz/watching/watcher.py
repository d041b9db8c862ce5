"""The watcher: what stands in a training loop of somebody's own, and writes what it sees into a run.

It never raises into the loop, draws no random number and changes no weight. Where something goes wrong with it, it
says so once, takes its hooks away and lets the training go on.
"""

from __future__ import annotations

import atexit
import logging
import math
import os
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.optimizer import Optimizer

from goldviz.diagnostics.critical_rate import critical_factor
from goldviz.diagnostics.findings.measures import ratio
from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.notebook import Findings, of_record
from goldviz.runs.execution.worker import StoreSink
from goldviz.runs.recorder import Batch, Progress, Sink
from goldviz.runs.store.memory import Memory
from goldviz.runs.store.run import Start
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import StoreError
from goldviz.runs.versions import versions
from goldviz.watching.beside import asked, twin
from goldviz.watching.commit import commit_here
from goldviz.watching.declared import TRY, VARIABLES, WatchedScript
from goldviz.watching.first_cause import Cause, OfLoss, cause_in_loss, read_loss
from goldviz.watching.knobs import KnobError, Knobs
from goldviz.watching.layers import MODEL, Layers, layers_of
from goldviz.watching.live_figure import LiveFigure, figure_of
from goldviz.watching.looking import Looking
from goldviz.watching.measures import listed
from goldviz.watching.price import Price
from goldviz.watching.scalars import Scalars, as_number
from goldviz.watching.steps import Steps
from goldviz.watching.structure import hidden_parameters, units_alike
from goldviz.watching.through_time import PLACES
from goldviz.watching.trial import APPLIED, Tried, as_facts, check, tried_on
from goldviz.watching.versions import VERSION

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import xarray as xr

TOGETHER, WRITTEN = 0.2, 1.0
"""Seconds for which the records of quick steps may wait to be handed over together, and to be written."""
WHOLE = 1000
"""Steps of which each has a row by layer; later ones share one."""
FIRST_LOOKS = 3
"""Steps at the start whose graphs are read."""
EARLY = (1, 2, 3, 6, 12, 25, 50, 100)
"""Steps that are looked at whatever that costs: most cards need eight looks."""
FIRST_PROBE, PROBE_EVERY = 10, 100
"""Steps along which the rate is probed."""
RING = 32
"""Measured steps before the first cause of which each keeps its own row by layer."""
BY_LAYER = {"gradient_by_layer": "gradient_before", "update_to_data": "update_before"}
"""What is measured of each layer at nearly every step, and what it is called in the steps up to the first cause."""
CLOSING_SECONDS = 10.0
"""So long a lost store is waited for at the end."""

log = logging.getLogger(__name__)


class Watcher:
    """A watched training run. Use it as a context manager, or call :meth:`close` at its end."""

    def __init__(
        self,
        model: nn.Module,
        optimizer: Optimizer | None,
        *,
        name: str,
        config: Mapping[str, Any],
        store: Store | None,
        every: int,
        budget: float | None,
        histograms: bool,
        resume: str = "",
        knobs: bool = False,
    ) -> None:
        self.layers: Layers = layers_of(model)
        self._knobs = Knobs(self.layers) if knobs else None
        self._trial: Callable[[str], list[Tried]] | None = None
        self._tried: dict[str, Tried] = {}
        self._shown: list[LiveFigure] = []
        self.step_number = self._looks_from = 0
        self._earlier = (0.0, 0.0)
        self.facts: dict[str, Any] = {}
        self.cause: Cause | None = None
        self.price = Price(every, budget, len(self.layers.hooked))
        self.config, self.name, self._store = config, name, store
        self._looking = Looking(self.layers, self.price, self.facts, histograms=histograms)
        self._steps = Steps(self.layers, self.price, self.facts, histograms=histograms)
        self._looking.trouble = self._steps.trouble = self._steps.arrivals.trouble = self._gave_up
        self._steps.began = self._optimiser_begins
        if self._knobs is not None:
            self._steps.turned = self._knobs.before_step
        self._by_hand = self._over = self._probes = False
        self._scalars, self._complained = Scalars(), set[str]()
        self._told_facts: dict[str, Any] = {}
        self._largest: dict[str, np.ndarray] = {}
        self._before: deque[tuple[int, dict[str, np.ndarray]]] = deque(maxlen=RING)
        self._batch: Batch | None = None
        self._handed_over = self._boundary = self._began = time.perf_counter()
        self._without_gradient = np.ones(len(self.layers.parameters), dtype=bool)
        self._optimised_steps = self._evaluated_at = 0
        self._of_loss = OfLoss()
        self._hidden = [*hidden_parameters(self.layers.root)]
        if optimizer is not None:
            self._say_what_is_held(optimizer)
        try:
            self.run_id, self._sink = self._opened(optimizer, resume)
            self._prepare()
        except BaseException:
            self._looking.close()
            self._steps.close()
            raise
        atexit.register(_close_at_exit, weakref.ref(self))

    def _opened(self, optimizer: Optimizer | None, resume: str) -> tuple[str, Sink]:
        """The run in the store, and where records go; memory where there is no store."""
        sink: Sink = Memory()
        run_id = ""
        try:
            if self._store is not None:
                if resume:
                    self._go_on(self._store, resume)
                script = WatchedScript(self.config)
                run_id = resume or self._store.create(script, name=self.name, status="running")
                start = Start("", self._store.run(run_id), None)
                sink = StoreSink(self._store, start, lambda progress: None, every=WRITTEN)
        except StoreError as error:
            log.warning("goldviz keeps this run in memory alone: %s", error)
            self._store, run_id = None, ""
        coordinates: dict[str, list[Any]] = {"layer": list(self.layers.names), "scalar": self._scalars.labels}
        if self.layers.heads:
            coordinates["head"] = [*range(max(self.layers.heads.values()))]
        if any(isinstance(module, nn.RNNBase) for module in self.layers.modules):
            coordinates["time"] = [*range(1, PLACES + 1)]
        if self._looking.histograms:
            coordinates |= {"value_bin": VALUE_BINS.centres, "magnitude_bin": MAGNITUDE_BINS.centres}
        self._coordinates = coordinates
        sink.coordinates(coordinates)
        optimisers = [type(optimizer).__name__] if optimizer is not None else []
        sink.attributes(
            {
                "layers": self.layers.facts,
                "model": type(self.layers.root).__name__,
                "optimiser": ", ".join(optimisers),
                "command": " ".join(sys.argv)[:300],
                "commit": commit_here(),
                "torch": str(torch.__version__),
                VERSION: versions()["goldviz"],
                "knobs": [] if self._knobs is None else self._knobs.names,
            }
        )
        return run_id, sink

    def _say_what_is_held(self, optimizer: Optimizer) -> None:
        """A word in the log where the optimiser lacks parameters that want to learn."""
        held = self._steps.given(optimizer)
        lacking = [at not in held and one.requires_grad for at, one in enumerate(self.layers.parameters)]
        if not held:
            log.warning("The optimizer holds none of the model's parameters, so its steps will not move them.")
        elif any(lacking):
            names = listed(self._rows(np.array(lacking)))
            log.warning("The optimizer does not hold %s: unless another one does, they will not learn.", names)

    def _go_on(self, store: Store, run_id: str) -> None:
        """Take up a run where it ended: its steps count on, and what was noticed stays noticed."""
        run = store.run(run_id)
        store.append(run_id, Progress(run.step, 0, run.seconds, run.instrument_seconds), status="running")
        self.step_number, self._earlier = run.step, (run.seconds, run.instrument_seconds)
        self._looks_from = run.step
        self._scalars.go_on(store.about(run_id).coordinates.get("scalar", ()), run.step)
        watched = run.attributes.get("watched")
        self.facts |= dict(watched) if isinstance(watched, Mapping) else {}
        if isinstance(cause := self.facts.get("first_cause"), Mapping):
            self.cause = Cause.of(cause)

    # -- what a script calls ----------------------------------------------------------------------------------

    def step(
        self, loss: Any = None, *, evaluation_loss: Any = None, again: Callable[[], Any] | None = None, **scalars: Any
    ) -> None:
        """A step of training is over. ``loss`` is a tensor or a number; give the tensor itself, not ``.item()``.

        ``again`` computes the loss of the same batch anew, such as ``lambda: loss_of(model(x), y)``: at every hundredth
        step it tells how much larger the rate could be. ``scalars`` are numbers of your own, as :meth:`log` keeps them.
        """
        if self._over or os.getpid() != self._looking._process:
            return
        began = time.perf_counter()
        if not self._by_hand:
            self._by_hand = True
            self._take_back()
        try:
            loss, evaluation_loss = self._loss("loss", loss), self._loss("evaluation_loss", evaluation_loss)
            probe: Any = again
            if probe is not None and not callable(probe):
                self._complain("again", f"again is a {type(probe).__name__}; allowed is a function without arguments.")
                probe = None
            self._end_step(loss, evaluation_loss, began, probe)
            self._log(scalars)
        except Exception as error:  # noqa: BLE001 - nothing may go wrong in somebody's training for this
            self._gave_up(error)

    def log(self, **scalars: Any) -> None:
        """Keep numbers of your own with the last step, such as ``record.log(accuracy=0.9)``.

        Each is a number or a tensor of one element; a run has up to 16 names. What is not allowed is told in the log.
        """
        if self._over or os.getpid() != self._looking._process:
            return
        try:
            self._log(scalars)
        except Exception as error:  # noqa: BLE001 - as above
            self._gave_up(error)

    def keep_evaluation(self, loss: Any) -> None:
        """Keep an evaluation's loss with the last step, where none follows that it could be told with."""
        value = _number(loss)
        if not self._over and self._evaluated_at < self.step_number and math.isfinite(value):
            self._batch = self._batch or Batch(self.step_number)
            self._batch.last_step = self.step_number
            self._batch.add("evaluation_loss", self.step_number, np.asarray(value, dtype=np.float32))

    def offer_trials(
        self,
        step: Callable[[dict[str, Any], int, int], Any],
        state: Mapping[str, Any],
        *,
        steps: int = 50,
        orders: int = 3,
    ) -> None:
        """Let the page have cures tried while this script trains.

        The script tries one at the end of its step, from a copy of ``state`` as it is then, and trains on afterwards.
        Arguments are those of :func:`goldviz.trial`. Raises :class:`goldviz.experiments.SettingsError` for what is not
        allowed.
        """
        check(step, state, steps, orders)
        self._trial = lambda kind: tried_on(step, state, [kind], steps=steps, orders=orders, run=self.dataset())
        self._sink.attributes({"offered_trials": list(APPLIED)})

    def keep_tried(self, results: Sequence[Tried]) -> None:
        """Keep what cures did on this run: its cards tell it."""
        self._tried |= {one.kind: one for one in results}
        facts = {"tried": as_facts([*self._tried.values()])}
        if not self._over or self._store is None:
            self._sink.attributes(facts)
            return
        run = self._store.run(self.run_id)
        progress = Progress(run.step, run.total, run.seconds, run.instrument_seconds)
        self._store.append(self.run_id, progress, attributes=facts)

    def findings(self) -> Findings:
        """What the run says so far, most serious first, as the cards of its page do."""
        from goldviz.watching.findings import findings_of

        return Findings(findings_of(self.dataset()))

    def dataset(self) -> xr.Dataset:
        """All that was recorded until now, with its kinds."""
        self._write_scalars()
        self._hand_over()
        if isinstance(self._sink, Memory):
            from dataclasses import asdict

            facts = {"experiment": "watched", "title": self.name, "status": "finished" if self._over else "running"}
            return self._sink.dataset({key: asdict(one) for key, one in VARIABLES.items()}, facts)
        assert self._store is not None
        assert isinstance(self._sink, StoreSink)
        self._sink.hurry()
        until = time.monotonic() + CLOSING_SECONDS
        while self._store.run(self.run_id).step < self.step_number and time.monotonic() < until:
            time.sleep(0.02)
        return self._store.load(self.run_id)

    def figure(self, name: str = "map", *, layers: str = "", theme: Literal["light", "dark"] = "light") -> go.Figure:
        """A figure of the run so far: the page's map of layers and steps, or what :func:`goldviz.figure` draws by name.

        ``layers`` asks the map for some layers and a quantity as the page's line does: ``"blocks.*.attn : weight"``.
        Raises :class:`goldviz.experiments.SettingsError` for what there is not, or not yet.
        """
        return figure_of(self.dataset(), name, layers, theme)

    def show(self, name: str = "map", *, every: float = 2.0, **how: Any) -> None:
        """Show :meth:`figure` in a notebook's cell, where it follows the run every so many seconds while a loop trains.

        What drawing takes is no price of watching. Raises :class:`goldviz.experiments.SettingsError` in a script.
        """
        self._shown.append(LiveFigure(lambda: self.figure(name, **how), every))

    def close(self, status: str = "finished", message: str = "") -> None:
        """End the run and take every hook away; what was recorded is written."""
        if self._over:
            return
        if not self._by_hand and self._steps.stepped:
            self.step_once()
        self._over = True
        self._looking.close()
        self._steps.close()
        if os.getpid() != self._looking._process:
            return
        try:
            if "frozen" in self.facts:  # What was thawed since the last look is frozen no more.
                self.facts["frozen"] = self._frozen()
            self._tell_facts()
            self._write_scalars()
            self._hand_over()
            self._follow(at_once=True)
            if isinstance(self._sink, StoreSink):
                self._sink.close(status, message, patience=CLOSING_SECONDS)
            if self._store is not None:
                # Its last connection folds a file's log into the file, which can then be carried elsewhere.
                self._store.close()
        except Exception as error:  # noqa: BLE001 - as above
            log.warning("The end of the watched run could not be written: %s", error)

    def __repr__(self) -> str:
        return f"<watched run {self.name!r}: {self._state}, run_id {self.run_id!r}>"

    def _repr_html_(self) -> str:
        dataset = self.dataset()
        losses = dataset["loss"].values[~np.isnan(dataset["loss"].values)] if "loss" in dataset else ()
        return of_record(self.name, self.run_id, self._state, losses, self.findings())

    @property
    def _state(self) -> str:
        return f"{'ended' if self._over else 'running'} at step {self.step_number:,}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        elif issubclass(kind, KeyboardInterrupt):
            self.close("stopped", "Stopped from the keyboard.")
        else:
            self.close("failed", f"The script ended with {kind.__name__}: {str(error)[:300]}")

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("A watcher belongs to its process and cannot be pickled; the watched model can.")

    def _loss(self, name: str, value: Any) -> Any:
        """A loss as it was told; None, with a word in the log, for what is no number."""
        if value is None or (isinstance(value, Tensor) and value.numel()) or as_number(value) is not None:
            return value
        self._complain(name, f"{name} is a {type(value).__name__}; allowed is a tensor or a number. It is left out.")
        return None

    def _log(self, scalars: Mapping[str, Any]) -> None:
        before = len(self._scalars.names)
        for name, sentence in self._scalars.take(scalars, self.step_number).items():
            self._complain(name, sentence)
        if len(self._scalars.names) > before:
            self._sink.coordinates({**self._coordinates, "scalar": self._scalars.labels})

    def _write_scalars(self, until: float = math.inf) -> None:
        if (row := self._scalars.row(until)) is not None:
            self._batch = self._batch or Batch(row[0])
            self._batch.add("scalars", *row)

    def _complain(self, what: str, sentence: str) -> None:
        """Say once what was told and cannot be kept."""
        if what not in self._complained:
            self._complained.add(what)
            log.warning("Step %d: %s", self.step_number, sentence)

    # -- steps ------------------------------------------------------------------------------------------------

    def _optimiser_begins(self, optimiser: int) -> None:
        """Without calls of :meth:`step`, a step ends where an optimiser that has stepped begins again."""
        if not self._by_hand and optimiser in self._steps.stepped:
            self.step_once()

    def _take_back(self) -> None:
        """Forget the steps that were ended for want of a word: of several optimiser's steps one was meant to be one."""
        if self._batch is not None and self._handed_over == self._began:
            self._batch, self.step_number = None, self._looks_from
            self._largest.clear()
            self._before.clear()

    def step_once(self) -> None:
        """End a step that nobody announced."""
        self._end_step(None, None, time.perf_counter())

    def _prepare(self) -> None:
        following = self.step_number + 1
        looks = following - self._looks_from in EARLY or following % self.price.looks == 0
        keeps = self._probes and (following == FIRST_PROBE or following % PROBE_EVERY == 0)
        self._steps.prepare(measures=following % self.price.norms == 0, looks=looks, keeps=keeps)
        self._looking.prepare(looks=looks, guards=self.price.guards and self.cause is None)

    def _end_step(self, loss: Any, evaluation_loss: Any, began: float, again: Callable[[], Any] | None = None) -> None:
        self._write_scalars(self.step_number)
        self.step_number += 1
        looked, measured = self._looking.looks, self._steps.measures
        tensor = loss if isinstance(loss, Tensor) else None
        told, value = self._read(loss)
        if tensor is not None and self.step_number <= FIRST_LOOKS:
            if tensor.grad_fn is not None:
                self._read_graph(tensor)
            self.facts["loss_not_connected"] = tensor.requires_grad and tensor.is_leaf
        before = self.cause
        self._find_cause(tensor, value, told, looked)
        self._record(told, value if loss is not None else None, evaluation_loss, looked)
        self._probe(again)
        if looked:
            self._note_parameters()
            self._read_answers(value)
        if looked or self.cause is not before:
            self._tell_facts()
        now = time.perf_counter()
        self.price.spent += now - began
        changed = self.price.stepped(now - self._boundary, looked, measured)
        self._boundary = now
        if changed:
            plan = {"looks": self.price.looks, "norms": self.price.norms, "guards": self.price.guards}
            self._sink.attributes({"intervals": plan})
        waited = self._obey() if self._knobs is not None or self._trial is not None else 0.0
        waited += self._follow() if self._shown else 0.0
        self._prepare()
        self.price.spent += time.perf_counter() - now - waited
        self._boundary += waited
        if now - self._handed_over >= TOGETHER:
            self._hand_over()

    def _obey(self) -> float:
        """Do what was asked for on the page, which the thread that writes has read meanwhile; seconds of trials."""
        waited = 0.0
        for command in self._sink.commands() if isinstance(self._sink, StoreSink) else ():
            if command.kind == "change" and self._knobs is not None:
                following = self.step_number + 1
                try:
                    turned = self._knobs.turn(command.changes, self._steps.rate)
                    words = f"From step {following} on: {turned}." if turned else ""
                except KnobError as error:
                    words = f"Refused at step {following}: {error}"
                if words:
                    self._sink.mark(self.step_number, words, {})
            elif command.kind == TRY and self._trial is not None:
                card = str(command.changes.get("card"))
                # Two clicks, or two people, ask for one trial.
                waited += self._try(card, self._trial) if card in APPLIED and card not in self._tried else 0.0
        return waited

    def _follow(self, *, at_once: bool = False) -> float:
        """Draw what a notebook shows anew; seconds of it."""
        began = time.perf_counter()
        for one in self._shown:
            try:
                one.follow(at_once=at_once)
            except Exception as error:  # noqa: BLE001 - nothing may go wrong in somebody's training for this
                log.warning("A live figure ended: %s: %s", type(error).__name__, error)
                self._shown = [other for other in self._shown if other is not one]
        return time.perf_counter() - began

    def _try(self, kind: str, trial: Callable[[str], list[Tried]]) -> float:
        """Try a card's cure, and say how long the script waited for it."""
        began = time.perf_counter()
        try:
            self.keep_tried(trial(kind))
        except Exception as error:  # noqa: BLE001 - somebody's own step
            log.warning("The trial failed: %s: %s", type(error).__name__, error)
            words = f"The trial failed after step {self.step_number}: {type(error).__name__}: {str(error)[:200]}"
        else:
            words = f"Tried after step {self.step_number}: {self._tried[kind].cure}."
        waited = time.perf_counter() - began
        self._sink.mark(self.step_number, f"{words} The script waited {waited:.1f} seconds.", {})
        return waited

    def _read(self, loss: Any) -> tuple[dict[str, np.ndarray], float]:
        """All that was measured in this step, in one transfer from the device, and the loss."""
        if not self._steps.measures:
            return {}, _number(loss)
        of_steps, of_modules = self._steps.gathered(), self._looking.gathered()
        given = [loss.detach().flatten()[:1]] if isinstance(loss, Tensor) and loss.numel() == 1 else []
        parts = [*of_steps, *of_modules, *given]
        if not parts:
            return self._steps.told(np.zeros(0)), _number(loss)
        where, alike = parts[0].device, len({(part.device, part.dtype) for part in parts}) == 1
        flat = [part.detach().reshape(-1) for part in parts]
        row = torch.cat(flat if alike else [part.to(where, torch.float64) for part in flat]).cpu().numpy()
        count = sum(part.numel() for part in of_steps)
        told = self._steps.told(row[:count])
        if self._looking.looks:
            told |= self._looking.told(row[count : len(row) - len(given)])
        return told, float(row[-1]) if given else _number(loss)

    def _record(self, told: dict[str, np.ndarray], loss: float | None, evaluation_loss: Any, looked: bool) -> None:
        step = self.step_number
        self._batch = self._batch or Batch(step)
        self._batch.last_step = step
        evaluated = None if evaluation_loss is None else _number(evaluation_loss)
        self._evaluated_at = self._evaluated_at if evaluated is None else step
        for name, value in (("loss", loss), ("evaluation_loss", evaluated), ("learning_rate", self._steps.rate)):
            if value is not None:
                self._batch.add(name, step, np.asarray(value, dtype=np.float32))
        if looked and "gradient_norm" in told and "used_gradient_norm" in told:
            told["clip_factor"] = ratio(told["used_gradient_norm"], told["gradient_norm"])
        for name in BY_LAYER:
            if name in told:
                before = self._largest.get(name)
                self._largest[name] = told[name] if before is None else np.fmax(before, told[name])
        if self.cause is None or self.cause.step == step:
            self._before.append((step, told))
        if self.cause is not None and self._before:
            self._tell_before(self._batch)
        if step % _rows_apart(step) == 0:
            for name, values in self._largest.items():
                self._batch.add(name, step, values.astype(np.float32))
            self._largest.clear()
        with np.errstate(over="ignore"):
            for name, values in told.items():
                if name not in BY_LAYER:
                    self._batch.add(name, step, np.asarray(values, dtype=np.float32))

    def _probe(self, again: Callable[[], Any] | None) -> None:
        """How much larger the rate could be, along the step just taken."""
        self._probes = again is not None and self.cause is None
        kept = self._steps.kept
        if again is None or not kept or self._batch is None:
            return
        self._looking.asleep = True
        try:
            own = [self.layers.parameters[place] for place in kept]
            factor = critical_factor(again, self.layers.root, own, [*kept.values()])
            self._batch.add("headroom", self.step_number, np.asarray(factor, dtype=np.float32))
        except Exception as error:  # noqa: BLE001 - somebody's own function
            self._probes = False
            log.warning("The rate was not probed: %s: %s", type(error).__name__, error)
        finally:
            self._looking.asleep = False

    def _tell_before(self, batch: Batch) -> None:
        """The measured steps up to the first cause, each with its own row."""
        for step, told in self._before:
            for name, before in BY_LAYER.items():
                if name in told:
                    batch.add(before, step, told[name].astype(np.float32))
        self._before.clear()

    def _hand_over(self) -> None:
        if self._batch is not None:
            self._sink.batch(self._batch, self._progress)
            self._batch = None
            self._handed_over = time.perf_counter()

    @property
    def _progress(self) -> Progress:
        seconds, watched = self._earlier
        return Progress(self.step_number, 0, seconds + time.perf_counter() - self._began, watched + self.price.watched)

    # -- what is noticed --------------------------------------------------------------------------------------

    def _read_graph(self, loss: Tensor) -> None:
        told = read_loss(loss)
        shape = self._looking.output_shape
        if told.softmax_twice:
            self.facts["softmax_twice"] = True
        self.facts["likelihood"] = told.likelihood
        self.facts |= {"broadcast": told.broadcast} if told.broadcast else {}
        self.facts |= {"softmax_over_one": True} if told.softmax_over_one else {}
        self.facts |= {"reshaped": told.reshaped} if told.reshaped else {}
        self._of_loss, self._looking.class_dim = told, told.class_dim
        if told.over_classes == 1 and len(shape) > 1:
            self.facts["classes"] = shape[told.class_dim]

    def _find_cause(self, tensor: Tensor | None, loss: float, told: Mapping[str, np.ndarray], looked: bool) -> None:
        if self.cause is not None:
            return
        gradients = told.get("used_gradient_norm")
        bad_loss = not math.isfinite(loss) and not (tensor is None and math.isnan(loss))
        bad_gradient = gradients is not None and not math.isfinite(gradients)
        if not (bad_loss or bad_gradient):
            return
        calls = self._looking.calls
        cause = self._looking.cause or self._looking.late_cause()
        if cause is None and not calls:
            cause = Cause("", "", "late", "", "infinite or NaN")
        elif cause is None and bad_loss:
            cause = cause_in_loss(tensor, loss, calls[-1].name if calls else "")
        elif cause is None:
            cause = self._in_backward(told["gradient_by_layer"], tensor)
        facts = cause.facts() | {"step": self.step_number}
        self.cause = Cause(**facts)
        self.facts["first_cause"] = facts

    def _in_backward(self, gradients: np.ndarray, tensor: Tensor | None) -> Cause:
        """The module nearest to the loss whose gradient is not finite: what came after it made it so."""
        bad = {self.layers.names[row] for row in np.flatnonzero(np.isinf(gradients)).tolist()}
        order = [call.name for call in self._looking.calls]
        last = next((name for name in reversed(order) if name in bad), next(iter(bad), ""))
        own = order[len(order) - 1 - order[::-1].index(last) :] if last in order else [last]
        after = next((name for name in own[1:] if name != MODEL and name in self.layers.names), "")
        kinds = dict(zip(self.layers.names, self.layers.modules, strict=True))
        operations = cause_in_loss(tensor, math.nan, "").operation if tensor is not None else ""
        return Cause(last, type(kinds[last]).__name__ if last in kinds else "", "backward", operations, "infinite",
                     more=[after] if after else [])  # fmt: skip

    def _note_parameters(self) -> None:
        """Parameters without gradient, that no optimiser moves, or that are frozen in one."""
        none = self._steps.strangers and not self._steps.optimised and bool(self._steps.arrivals.ever)
        if none or "optimizer_holds_none" in self.facts:
            self.facts["optimizer_holds_none"] = none
        if not self._steps.gradients:
            return
        self._optimised_steps += 1
        parameters = self.layers.parameters
        trains = np.array([one.requires_grad for one in parameters])
        # Whatever cleared a gradient since: it arrived, or a step used it.
        used = self._steps.arrivals.ever.union(*(own for own, _, _ in self._steps.gradients))
        self._without_gradient &= np.array([at not in used and one.grad is None for at, one in enumerate(parameters)])
        if self._optimised_steps < FIRST_LOOKS:
            return
        held = np.zeros(len(parameters), dtype=bool)
        held[list(self._steps.optimised)] = True
        called = np.isin(self.layers.layer_of, [*self._looking.called])
        self.facts |= {
            "no_gradient": self._rows(trains & held & self._without_gradient & called),
            "unused": self._rows(trains & held & self._without_gradient & ~called),
            "frozen": self._frozen(),
            "not_optimised": self._rows(trains & ~held & ~self._without_gradient),
        }

    def _frozen(self) -> list[str]:
        held = self._steps.optimised
        return self._rows(np.array([at in held and not p.requires_grad for at, p in enumerate(self.layers.parameters)]))

    def _read_answers(self, loss: float) -> None:
        """What the loss asked for, what another pass says, and what the weights do."""
        looking = self._looking
        if not looking.reads or not math.isfinite(loss):
            return
        looking.answers.read(loss, self._steps.scale, self._of_loss)
        looking.given.with_targets(looking.answers.last)
        if self._optimised_steps > FIRST_LOOKS:
            self.facts["units_alike"] = units_alike(self.layers)
        hidden = {place for place, one in self._hidden if one.grad is not None and id(one) not in self._steps.others}
        self.facts["unregistered"] = sorted(hidden)
        alone = not (torch.distributed.is_available() and torch.distributed.is_initialized())
        if looking.batch is not None and alone and not self.layers.regions:
            arguments, named = looking.batch
            looking.asleep = True
            try:
                with twin(self.layers.root) as model:
                    self.facts |= {} if model is None else asked(model, arguments, named, looking.answers.last)
            except Exception as error:  # noqa: BLE001 - somebody's own forward pass
                log.info("The network was not asked again: %s: %s", type(error).__name__, error)
            finally:
                looking.asleep = False

    def _rows(self, parameters: np.ndarray) -> list[str]:
        return [self.layers.names[row] for row in sorted(set(self.layers.layer_of[parameters].tolist()))]

    def _tell_facts(self) -> None:
        looks = self._looking._windows
        self.price.beside = self._sink.seconds if isinstance(self._sink, StoreSink) else 0.0
        if self.facts != self._told_facts or self._over or looks % 8 == 0:
            self._told_facts = dict(self.facts)
            self._sink.attributes({"watched": {**self.facts, "looks": looks, "price": round(self.price.share, 4)}})

    def _gave_up(self, error: Exception) -> None:
        """Stop watching, and say why once; the training goes on."""
        if not self._over:
            log.warning("goldviz stopped watching at step %d: %s: %s", self.step_number, type(error).__name__, error)
            self.close("failed", f"goldviz could not go on watching: {type(error).__name__}: {str(error)[:200]}")


def _number(value: Any) -> float:
    """A loss as a number; NaN for none, and for what is no number."""
    try:
        if isinstance(value, Tensor):
            return float((value if value.numel() == 1 else value.detach().mean()).item())
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _rows_apart(step: int) -> int:
    """How many steps share a row by layer.

    >>> [_rows_apart(step) for step in (1, 1999, 2000, 9000)]
    [1, 1, 2, 8]
    """
    return 1 << max(step // WHOLE, 1).bit_length() - 1


def _close_at_exit(watcher: weakref.ref[Watcher]) -> None:
    """A script that watches without ``with`` ends its run with itself."""
    if (alive := watcher()) is not None:
        alive.close()
