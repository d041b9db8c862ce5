"""What modules give while they are at work: statistics of their outputs, and the first value that is no finite number.

Hooks stand on modules only for the steps that need them. They keep no tensor of the graph: what they measure is a few
numbers on the tensor's own device, which leave it together at the end of the step.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from goldviz.diagnostics.histograms import VALUE_BINS
from goldviz.watching.answers import Answers
from goldviz.watching.attention import of_heads
from goldviz.watching.compiled import Entrances, copied, pass_beside
from goldviz.watching.first_cause import Call, Cause, batch_dim, cause_in_forward
from goldviz.watching.given import Given
from goldviz.watching.hook import Hook
from goldviz.watching.layers import MODEL, Layers, Region, tensors_in
from goldviz.watching.price import Price
from goldviz.watching.structure import behind, largest_dropout
from goldviz.watching.through_time import Replay, can_be_replayed

WINDOW, CLOSE_EVERY = 8, 32
"""Looks over which a unit must be 0 for every row to count as dead, and of which one replays a recurrent module."""
FLAT_TANH, FLAT_SIGMOID = 0.975, 0.013
"""Beyond them the slope is below a twentieth of its steepest."""
GATE_STEPS = 16
"""Time steps, and as many rows, of which gates are computed anew."""
STATISTICS = ("activation_mean", "activation_std", "largest_activation", "saturation")
READ, READ_EVERY = 8, 8
"""Looks at the start that also read what goes in and what comes out, and of later ones one in so many."""
SETTLED = 50
"""Passes after which a batch norm's averages have had time to come near."""
ALIKE = 1e-4
"""Of its largest entry, how far a module's outputs for different rows lie apart that are all alike."""
CALLS = 3
"""Calls in one pass, of which the last alone is told how to do better: the others are cut off."""

_WITH_MODES = (nn.Dropout, nn.modules.batchnorm._BatchNorm)
"""Modules that act otherwise while they train."""
_FOLDS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)

log = logging.getLogger(__name__)


class Looking:
    """The hooks on modules, and what they saw in this step.

    ``facts`` counts what training loops get wrong and only a forward pass shows. ``histograms`` also takes
    distributions of outputs.
    """

    def __init__(self, layers: Layers, price: Price, facts: dict[str, Any], *, histograms: bool) -> None:
        self.layers, self.price, self.facts = layers, price, facts
        self.histograms = histograms
        self.output_shape: tuple[int, ...] = ()
        self.looks = False
        self.trouble: Callable[[Exception], None] = lambda error: None
        self._handles: list[RemovableHandle] = []
        self._thread, self._process = threading.get_ident(), os.getpid()
        self._row = {id(module): row for row, module in enumerate(layers.modules)}
        self._has_modes = any(isinstance(one, _WITH_MODES) for one in layers.root.modules())
        self._has_norms = any(isinstance(one, nn.modules.batchnorm._BatchNorm) for one in layers.root.modules())
        self.answers, self.given = Answers(facts), Given(facts)
        self.class_dim = -1
        """Along which dimension of an answer its classes stand, as the loss's graph says."""
        self._alike: dict[int, int] = {}
        self._passes = 0
        self.called: set[int] = set()
        """Rows that have been called in a pass that was looked at."""
        facts["largest_dropout"] = list(largest_dropout(layers.root))
        self._alive: dict[int, list[Tensor]] = {}
        self._windows = 0
        self._root_inputs: set[int] = set()
        self._inside = False
        self.asleep = False
        """Whether passes are somebody else's: those that probe the rate."""
        self._root_handles: list[RemovableHandle] = []
        if layers.hooked.get(MODEL) is layers.root:
            enter = layers.root.register_forward_pre_hook(Hook(self._enter), with_kwargs=True)
            self._root_handles = [enter, layers.root.register_forward_hook(Hook(self._leave))]
        self._beside = self._passes_beside = self._guards = False
        self._clear()
        self._entrances = Entrances(layers.regions, self._before, self._behind)
        if layers.regions:
            # Of several processes each would look at steps of its own, and wait for the others in the middle of one.
            self._passes_beside = not (torch.distributed.is_available() and torch.distributed.is_initialized())

    # -- around a step ----------------------------------------------------------------------------------------

    def prepare(self, *, looks: bool, guards: bool) -> None:
        """Hook every module for the next step if it is looked at or guarded, and none otherwise."""
        self.looks = looks
        self._guards = wanted = looks or guards
        if wanted and not self._handles:
            for name, module in self.layers.hooked.items():
                hook = Hook(partial(self.saw, name, self._row.get(id(module))))
                self._handles.append(module.register_forward_hook(hook, with_kwargs=True))
        elif not wanted:
            self._unhook()
        self.answers.clear()
        self._clear()

    def _clear(self) -> None:
        """Begin a step."""
        self.reads = self.looks and (self._windows < READ or self._windows % READ_EVERY == 0)
        """Whether this look reads what goes in and what comes out."""
        self.cause: Cause | None = None
        self.calls: list[Call] = []
        self.batch: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        """A copy of what the network was last given, where it is to be asked again."""
        self._taken: list[tuple[str, int, Tensor]] = []
        """What was measured of a row, on the device."""
        self._sums: list[tuple[int, Tensor]] = []
        self._reached: dict[tuple[int, int], list[bool]] = {}
        """Of each pass and layer, which of its calls a gradient reached."""
        self._lags: list[float] = []
        self._last: tuple[int, ...] = ()
        self._dropped: Tensor | None = None
        self._replay: Replay | None = None
        self._passed: set[str] = set()

    def _unhook(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def close(self) -> None:
        """Take every hook away."""
        self._unhook()
        self._entrances.close()
        for handle in self._root_handles:
            handle.remove()

    def gathered(self) -> list[Tensor]:
        """What a looked-at step measured, on the device, to be read together; see :meth:`told`."""
        if not self.looks:
            return []
        for row, masks in self._alive.items():
            self._taken.append(("dead", row, 1 - torch.stack(masks).any(0).float().mean()))
        return [values for _, _, values in self._taken]

    def told(self, numbers: np.ndarray) -> dict[str, np.ndarray]:
        """What :meth:`gathered` gave, now on the host, as (layer, ...) of each variable."""
        taken: defaultdict[str, list[tuple[int, np.ndarray]]] = defaultdict(list)
        ends = np.cumsum([values.numel() for _, _, values in self._taken])
        for (what, row, _), part in zip(self._taken, np.split(numbers, ends)[:-1], strict=True):
            taken[what].append((row, part))
        count = len(self.layers.names)
        table = np.full((len(STATISTICS), count), np.nan)
        calls = np.zeros(count)
        for row, values in taken["output"]:
            calls[row] += 1
            # Of a module that is called several times: the mean over its calls, and the largest entry of all.
            table[:, row] = values if calls[row] == 1 else table[:, row] + (values - table[:, row]) / calls[row]
            table[2, row] = values[2] if calls[row] == 1 else max(table[2, row], values[2])
        told = dict(zip(STATISTICS, table, strict=True))
        # Saturation says NaN where it does not apply; elsewhere what is no number is told as infinite.
        for name in STATISTICS[:3]:
            told[name] = np.where((calls > 0) & ~np.isfinite(told[name]), np.inf, told[name])
        squares = np.full(count, np.nan)
        for row, [norm] in taken["gradient"]:
            squares[row] = np.nansum([squares[row], norm**2]) if math.isfinite(norm) else np.inf
        dead = np.full(count, np.nan)
        for row, [share] in taken["dead"]:
            dead[row] = share
        told |= {"output_gradient": np.sqrt(squares), "dead_units": dead}
        if self.histograms:
            told["activation_histogram"] = bins = np.full((count, VALUE_BINS.count + 2), np.nan)
            for row, shares in taken["histogram"]:
                bins[row] = shares
        if self.layers.heads:
            of_heads = np.full((2, count, max(self.layers.heads.values())), np.nan)
            for row, values in taken["heads"]:
                part = values.reshape(2, -1)
                # A head whose every key is masked has no finite entropy; what was not returned stays NaN.
                part[0][~np.isfinite(part[0])] = np.inf
                of_heads[:, row, : part.shape[1]] = part
            told |= {"attention_entropy": of_heads[0], "largest_logit": of_heads[1]}
        if self._replay is not None:
            told |= self._replay.told()
        if len(taken["gain"]) > 1:
            self.facts["gain"] = round(float(np.min([gain for _, [gain] in taken["gain"]])), 4)
        self._note_alike([(row, float(share)) for row, [share] in taken["apart"]])
        self._windows += 1
        if self._windows % WINDOW == 0:
            # Two windows overlap, so that the share always rests on at least one whole one.
            self._alive = {row: [masks[-1], torch.zeros_like(masks[-1])] for row, masks in self._alive.items()}
        return told

    def _note_alike(self, apart: Sequence[tuple[int, float]]) -> None:
        """Count the looks at which a layer's outputs were alike for all rows, and name the calls that are cut off."""
        if not self.reads:
            return
        farthest: dict[int, float] = {}
        for row, share in apart:
            farthest[row] = max(share, farthest.get(row, 0.0))
        self._alike = {row: 0 if share > ALIKE else self._alike.get(row, 0) + 1 for row, share in farthest.items()}
        alike = [self.layers.names[row] for row, looks in self._alike.items() if looks >= READ]
        cut = {row for (_, row), told in self._reached.items() if len(told) >= CALLS and told[-1] and sum(told) == 1}
        self.facts |= {"outputs_alike": alike[:1], "cut_in_time": [self.layers.names[row] for row in sorted(cut)]}

    def late_cause(self) -> Cause | None:
        """The first module of this step whose output was not finite, on a device that was not asked meanwhile."""
        if not self._sums:
            return None
        sums = torch.stack([total.to(self._sums[0][1].device) for _, total in self._sums]).cpu()
        bad = (~torch.isfinite(sums)).nonzero().flatten().tolist()
        call = self.calls[self._sums[bad[0]][0]] if bad else None
        self._sums = []
        return Cause(module=call.name, kind=call.kind, passing="forward", operation=call.kind) if call else None

    # -- hooks ------------------------------------------------------------------------------------------------

    def _mine(self) -> bool:
        return not self.asleep and threading.get_ident() == self._thread and os.getpid() == self._process

    def _enter(self, module: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        if not self._mine() or _in_backward():
            return
        began = time.perf_counter()
        try:
            self._entered(module, arguments, named)
        except Exception as error:  # noqa: BLE001 - nothing may go wrong in somebody's training for this
            self.trouble(error)
        self.price.spent += time.perf_counter() - began

    def _entered(self, module: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        self._inside = torch.is_grad_enabled()
        if not self._inside:
            if self._has_modes:
                self._count("evaluations", True)
                self._count("evaluations_in_training_mode", module.training)
            self.given.in_evaluation((arguments, dict(named)))
            return
        self._passes += 1
        if not self.looks:
            return
        if self.reads and self.answers.kept:
            self.given.again()
        elif self.reads:
            self.given.in_training((arguments, dict(named)))
            if self._windows == READ // 2:
                self.batch = copied(arguments), copied(dict(named))
        given = [*tensors_in(arguments), *tensors_in(dict(named))]
        self._root_inputs = {id(tensor) for tensor in given}
        first = next((one for one in given if one.ndim > 1), None)
        if self._has_modes and first is not None:
            self._count("passes", True)
            self._count("passes_in_evaluation_mode", not module.training)
            self._count("batches_of_one", module.training and self._has_norms and first.shape[0] == 1)
        if first is not None and first.shape[0] > 1:
            self._count("inputs", True)
            self._count("constant_inputs", not first.is_cuda and bool((first == first[:1]).all()))

    def _count(self, fact: str, happened: bool) -> None:
        self.facts[fact] = self.facts.get(fact, 0) + int(happened)

    def _leave(self, _module: nn.Module, _arguments: object, output: object) -> None:
        if not (self._inside and self._mine()) or _in_backward():
            return
        self._inside = False
        try:
            if self.looks:
                wide = next((one for one in tensors_in(output) if one.ndim > 1), None)
                self.output_shape = tuple(wide.shape) if wide is not None else ()
            if self.reads:
                self.answers.saw(output, self.class_dim)
                self._count("answers_read", True)
                self._count("answers_dropped", wide is not None and wide is self._dropped)
        except Exception as error:  # noqa: BLE001 - as above
            self.trouble(error)

    def saw(
        self, name: str, row: int | None, module: nn.Module, arguments: tuple[Any, ...], named: Any, output: Any
    ) -> None:
        """A module gave an output."""
        if not (self._beside or self._inside) or not self._mine() or _in_backward() or torch.compiler.is_compiling():
            return
        began = time.perf_counter()
        try:
            given = output if type(output) is Tensor else next(tensors_in(output), None)
            if given is not None and given.is_floating_point() and given.numel():
                call = Call(name, type(module).__name__)
                self.calls.append(call)
                if self.reads and isinstance(module, nn.modules.dropout._DropoutNd):
                    self._dropped = given if module.training and module.p > 0 else None
                self._guard(call, module, arguments, named, output)
                if self.looks and row is not None:
                    self.called.add(row)
                    self._measure(row, module, arguments, given)
                    close = self._replay is None and self._windows % CLOSE_EVERY == 0 and not self._beside
                    if close and can_be_replayed(module, arguments):
                        assert isinstance(module, nn.RNNBase)
                        initial = arguments[1] if len(arguments) > 1 else named.get("hx")
                        self._replay = Replay(module, arguments[0], initial, output)
                        self.facts["through_time"] = name
                    if row in self.layers.heads and (told := of_heads(module, arguments, named, output)) is not None:
                        self._taken.append(("heads", row, told))
        except Exception as error:  # noqa: BLE001 - nothing may go wrong in somebody's training for this
            self.trouble(error)
        taken = time.perf_counter() - began
        self.price.spent += taken
        if not self.looks:
            self.price.guarding += taken

    # -- compiled regions -------------------------------------------------------------------------------------

    def _before(self, region: Region, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        """A compiled region is about to be called: at a look its batch passes beside it first."""
        if region.name == MODEL:
            self._enter(region.module, arguments, named)
        first = self._passes_beside and self.looks and self._inside and region.name not in self._passed
        if not first or not self._mine() or _in_backward() or torch.compiler.is_compiling():
            return
        self._passed.add(region.name)
        began, spent, inputs = time.perf_counter(), self.price.spent, self._root_inputs
        self._beside = True
        try:
            given, keywords = copied(arguments), copied(dict(named))
            pairs = zip(tensors_in((arguments, named)), tensors_in((given, keywords)), strict=True)
            self._root_inputs = inputs | {id(copy) for own, copy in pairs if id(own) in inputs}
            hooks = {name: partial(self.saw, name, self._row.get(id(one))) for name, one in region.inside.items()}
            pass_beside(region, given, keywords, hooks)
        except Exception as error:  # noqa: BLE001 - somebody's own forward pass
            self._passes_beside = False
            log.warning("Compiled modules are not looked into: %s: %s", type(error).__name__, error)
        finally:
            self._beside, self._root_inputs = False, inputs
            self.price.spent = spent + time.perf_counter() - began

    def _behind(self, region: Region, arguments: tuple[Any, ...], named: Mapping[str, Any], output: Any) -> None:
        """A compiled region gave an output, which is guarded as a module's is."""
        if self._guards:
            self.saw(region.name, None, region.module, arguments, named, output)
        if region.name == MODEL:
            self._leave(region.module, arguments, output)

    def _guard(self, call: Call, module: nn.Module, arguments: object, named: object, output: object) -> None:
        for tensor in (output,) if isinstance(output, Tensor) else tensors_in(output):
            # A container gives what its last part gave.
            same = (id(tensor), tensor.data_ptr(), tensor._version)
            if same == self._last or not tensor.numel():
                continue
            self._last = same
            plain = tensor.detach()
            total = plain.sum(dtype=torch.float32 if plain.element_size() < 4 else None)
            if total.device.type != "cpu":
                self._sums.append((len(self.calls) - 1, total))
            elif not math.isfinite(total.item()) and not bool(torch.isfinite(plain).all()) and self.cause is None:
                self.cause = cause_in_forward(call, module, (arguments, named), tensor, self.calls, self.layers.root)

    def _measure(self, row: int, module: nn.Module, arguments: tuple[Any, ...], output: Tensor) -> None:
        plain = output.detach()
        plain = plain.float() if plain.element_size() < 4 else plain
        spread, mean = torch.std_mean(plain, correction=0)
        low, high = torch.aminmax(plain)
        largest = torch.maximum(-low, high)
        flat = _saturated(module, arguments, plain)
        self._taken.append(("output", row, torch.stack([mean, spread, largest, flat]).float()))
        if self.histograms:
            self._taken.append(("histogram", row, VALUE_BINS.shares([plain])[0].float()))
        given = next(tensors_in(arguments), None)
        if output.requires_grad:
            reached = self._reached.setdefault((self._passes, row), [])
            reached.append(False)
            output.register_hook(partial(self._gradient, row, reached, len(reached) - 1))
        if self.reads and given is not None:
            self._read(row, module, given.detach(), plain, largest)
        if isinstance(module, _FOLDS) and given is not None and id(given) not in self._root_inputs:
            unit = given.ndim - 1 if isinstance(module, nn.Linear) else 1
            alive = (given.detach() != 0).any(dim=[dim for dim in range(given.ndim) if dim != unit])
            masks = self._alive.setdefault(row, [alive])
            masks[-1] = masks[-1] | alive if masks[-1].shape == alive.shape else alive

    def _read(self, row: int, module: nn.Module, given: Tensor, output: Tensor, largest: Tensor) -> None:
        """How far outputs for different rows lie apart, how far they grow at the start, and what norms remember."""
        batch = batch_dim(module, output)
        if output.ndim > 1 and output.shape[batch] > 1 and given.shape[:1] == output.shape[:1]:
            apart, before = ((one - one.narrow(batch, 0, 1)).abs().amax().float() for one in (output, given))
            self._taken.append(("apart", row, apart / torch.maximum(largest.float(), before).clamp_min(1e-30)))
        if self._windows == 0 and isinstance(module, _FOLDS):
            size = torch.linalg.vector_norm(given.float()) / math.sqrt(given.numel())
            grown = torch.linalg.vector_norm(output) / math.sqrt(output.numel())
            self._taken.append(("gain", row, (grown / size.clamp_min(1e-30)).float()))
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.training and self._passes > SETTLED:
            self._lags.append(behind(module, given))
            self.facts["norms_behind"] = round(max(self._lags), 3)

    def _gradient(self, row: int, reached: list[bool], call: int, gradient: Tensor) -> None:
        """The gradient of a layer's output is known."""
        began = time.perf_counter()
        reached[call] = True
        try:
            self._taken.append(("gradient", row, torch.linalg.vector_norm(gradient.detach().float())))
        except Exception as error:  # noqa: BLE001 - as above
            self.trouble(error)
        self.price.spent += time.perf_counter() - began


def _in_backward() -> bool:
    """Whether autograd is at work: what a checkpoint computes anew there is no pass of its own."""
    return bool(torch._C._current_graph_task_id() != -1)


def _saturated(module: nn.Module, arguments: Sequence[Any], output: Tensor) -> Tensor:
    """The share of outputs, or of a recurrent module's gates, on a flat part; NaN where a module has none."""
    if isinstance(module, nn.Tanh):
        return (output.abs() > FLAT_TANH).float().mean()
    if isinstance(module, nn.Sigmoid):
        return ((output - 0.5).abs() > 0.5 - FLAT_SIGMOID).float().mean()
    if isinstance(module, nn.LSTM | nn.GRU) and arguments and isinstance(arguments[0], Tensor):
        gates = _gates(module, arguments[0].detach(), output)
        if gates is not None:
            return ((gates - 0.5).abs() > 0.5 - FLAT_SIGMOID).float().mean()
    return output.new_tensor(math.nan)


@torch.no_grad()
def _gates(module: nn.LSTM | nn.GRU, x: Tensor, states: Tensor) -> Tensor | None:
    """The sigmoid gates of a single layer, computed anew from its inputs and its own states.

    The state before each time step is the output one step earlier, so that no loop is needed: at the second step and
    later, for gates of x_t and h_{t-1}, sigma(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh) as in PyTorch's documentation of
    ``nn.LSTM`` and ``nn.GRU``. None for several layers, both directions, a projection, and sequences without batch.
    """
    several = module.num_layers > 1 or module.bidirectional or bool(getattr(module, "proj_size", False))
    if several or x.ndim != 3 or states.ndim != 3 or x.dtype != states.dtype:
        return None
    if module.batch_first:
        x, states = x.transpose(0, 1), states.transpose(0, 1)
    now, before = x[1 : GATE_STEPS + 1, :GATE_STEPS], states[:GATE_STEPS, :GATE_STEPS]
    before = before[: len(now)]
    own = dict(module.named_parameters())
    sums = nn.functional.linear(now, own["weight_ih_l0"], own.get("bias_ih_l0"))
    sums = sums + nn.functional.linear(before, own["weight_hh_l0"], own.get("bias_hh_l0"))
    parts = sums.chunk(4 if isinstance(module, nn.LSTM) else 3, dim=-1)
    gates = (parts[0], parts[1], parts[3]) if isinstance(module, nn.LSTM) else parts[:2]
    return torch.cat([part.sigmoid() for part in gates], dim=-1)
