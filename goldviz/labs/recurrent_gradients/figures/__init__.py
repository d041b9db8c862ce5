"""The figures of the laboratory *Memory through time*, in the order in which a page shows them.

What is measured at looks is shown as of the last look before the step in view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent, times
from goldviz.figures import elements, training_steps
from goldviz.figures.chart import Panel, at, axis, changed, curves, figure, lines, mean, offered, panel, rule, thinned
from goldviz.figures.diagram import colour_quantities, diagram
from goldviz.figures.elements import number_ticks, power_ticks, unseen, whole
from goldviz.figures.frames import Words, line, spoken
from goldviz.figures.layers import update_to_data
from goldviz.figures.limits import Quantity, Values, log_of, values_of
from goldviz.figures.marks import Canvas, Mark
from goldviz.figures.plot import Now, Plot, unless_zero
from goldviz.figures.reading import absence, finite, networks
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import by_network, networks_svg, polyline_svg
from goldviz.labs.recurrent_gradients.figures.network import COLOURS, parts_of
from goldviz.labs.recurrent_gradients.measures import FADED
from goldviz.labs.recurrent_gradients.settings import FOLLOWED, RecurrentGradients
from goldviz.models.recurrent.cells import CELLS
from goldviz.models.style import NetworkStyle

GATES = {name: cell.gates for name, cell in CELLS.items() if cell.gates}
"""The gates of each network that has any (document 001, eq. 10-12, 21-22)."""

BOUND_ROOM = 4.0
"""Decades beyond the measured norms up to which the axis follows the bound, which may grow without end."""


def fading_lag(logarithms: Array) -> Array:
    """The first lag at which a Jacobian norm (log10, dimension ``lag``) is below a hundredth; NaN if it never is.

    Minus infinity, a product that is exactly zero, counts as below; NaN does not.
    """
    below = logarithms < FADED
    first = below["lag"].isel(lag=below.argmax("lag"))
    return first.where(below.any("lag")).drop_vars("lag", errors="ignore")


def gates_of(ds: Run) -> list[tuple[str, str]]:
    """The (network, gate) pairs of a run, network by network."""
    gates = {str(gate) for gate in ds["gate"].values}
    return [(n, gate) for n in networks(ds) for gate in GATES.get(n, ()) if gate in gates]


def _finite_values(ds: Run, *names: str) -> Values:
    values = values_of(*names)(ds)
    return np.asarray(values[np.isfinite(values)])


def jacobian_norms(ds: Run) -> Values:
    """What the axis of Jacobian products reaches over: the bound only as far as it stays near them."""
    norms = _finite_values(ds, "log_jacobian_norm", "log_cell_path")
    if not norms.size:
        return norms
    bound = _finite_values(ds, "log_bound")
    visible = bound[(bound <= norms.max() + BOUND_ROOM) & (bound >= norms.min() - BOUND_ROOM)]
    return np.concatenate([norms, visible, [0.0, FADED]])


def whole_decades(low: float, high: float) -> tuple[float, float]:
    """Limits at whole powers of ten, with room."""
    return (float(np.floor(low - 0.2)), float(np.ceil(high + 0.2)))


def matrix_measures(ds: Run) -> Values:
    """Spectral radii and norms of W, and the 1 at which its powers keep their size."""
    return np.append(values_of("spectral_radius", "spectral_norm")(ds), 1.0)


def contribution_share(ds: Run | Now) -> Array:
    """Each lag's share of the summed norms of eq. 6's contributions; NaN where their sum is zero or not finite."""
    norms = finite(ds["lag_contribution"].astype(np.float64))
    total = norms.sum("lag")
    return norms / total.where(total > 0)


__all__ = ["FIGURES", "WITHOUT_GATES", "picture", "shared_limits"]

WITHOUT_GATES = "A plain RNN has no gates: train an LSTM or a GRU beside it."
NOTHING_KEPT = NetworkStyle("best without memory", "#838383", "dot", "square")
POWER = "10<sup>%{y:.2f}</sup>"
BESIDE = (("log_cell_path", "lstm", "cell path alone", "dash"), ("log_bound", "rnn", "bound", "dot"))
"""Thin lines of theory: of which network each is, in words, and its dash."""


def _recorded_beside(plot: Plot) -> list[tuple[str, str, str, str]]:
    return [one for one in BESIDE if one[1] in plot.networks and not plot.lacks(one[0])]


def _theory(plot: Plot) -> Sequence[Mark]:
    return [
        lines(
            at(name, network=network),
            name=f"{plot.look_of(network).label}, {words}",
            colour=network,
            dash=dash,
            width=1.5,
            hover=POWER,
            legend=False,
            more={"legendgroup": network},
        )
        for name, network, words, dash in _recorded_beside(plot)
    ]


def _in_words(plot: Plot) -> Words:
    """What the thin lines are, where there is anything of them, and whose norm it is.

    Runs kept from before the mean was taken say in the variable's words that it is of one sequence.
    """
    keys: list[Words] = []
    for name, network, words, dash in _recorded_beside(plot):
        key = f"{'Dotted' if dash == 'dot' else 'Thin dashed'}: {plot.look_of(network).label}, {words}."
        there = finite(plot.now[name].sel(network=network)).median("seed").notnull().any("lag")
        keys.append(plot.at_step(there, {True: key, False: ""}.__getitem__))
    of_one = "one sequence" in plot.ds["log_jacobian_norm"].attrs.get("long_name", "")
    return line(*keys, "Of one sequence alone." if of_one else f"Geometric mean of {FOLLOWED} sequences.")


def _fading(plot: Plot) -> Words:
    """The answer: the lag at which each network's signal falls below a hundredth."""
    now = plot.now["log_jacobian_norm"]
    never, lags = -1.0, fading_lag(now)
    never_fades, there = lags.notnull().mean("seed") > 0.5, now.notnull().any(["lag", "seed"])
    usual = lags.median("seed").where(never_fades, never).where(there)
    return plot.each(usual, lambda lag: "never" if lag == never else f"lag {lag:.0f}", within="Below 1/100 from: {}.")


def _exponents(plot: Plot) -> dict[str, object]:
    ends = plot.limit("log_jacobian_norm")
    plot.figure.update_layout(meta={"logarithms": {"y": True}})
    return {"range": [*ends], **power_ticks(*ends)}


def _nearest(plot: Plot) -> Words:
    """The answer: what share of the summed norms the nearer half of the lags makes up."""
    share = contribution_share(plot.now)
    half = (share.sizes["lag"] + 1) // 2
    near = share.isel(lag=slice(0, half)).sum("lag", min_count=1).median("seed")
    return plot.each(near, percent, within=f"Share of lags below {half}: {{}}.") if share.sizes["lag"] > 1 else ""


def _unheard(plot: Plot) -> Words:
    """Lags that a log axis has no place for; the largest multiplies by the initial state, which is zero."""
    return unseen(plot.now["lag_contribution"].astype(np.float64).isel(lag=slice(0, -1)), "lag", "lag")


def _without_gates(ds: Run) -> str:
    plain = "gate_opening" in ds and not GATES.keys() & set(networks(ds))
    return WITHOUT_GATES if plain else absence(ds, "gate_opening")


@dataclass(frozen=True)
class _OfGate:
    """Says of which gate its panel is, so that who chooses the gate elsewhere finds it."""

    gate: str

    def draw(self, canvas: Canvas) -> None:
        elements.about(canvas.plot.figure, canvas.row or 1, gate=self.gate)


def _gates(plot: Plot) -> Sequence[Panel]:
    return [
        panel(
            curves(at("gate_opening", network=network, gate=gate), style=style_of(network), legend=False),
            _OfGate(gate),
            heading=f"{style_of(network).label}: {gate} gate",
            of=network,
        )
        for network, gate in gates_of(plot.ds)
    ]


def _memory(plot: Plot) -> Words:
    """The LSTM's mean forget gate, and what is left at the largest lag along its cell path and along all paths.

    The mean says little of the path: units with open gates carry it (eq. 18), and h carries a signal of its own.
    """
    if ("lstm", "forget") not in gates_of(plot.ds):
        return ""
    forget = finite(plot.now["gate_opening"].sel(network="lstm", gate="forget")).mean(["seed", "time"])
    if plot.lacks("log_cell_path", "log_jacobian_norm"):
        return plot.at_step(forget, lambda opening: f"Mean forget gate {opening:.2f}.")
    far = [plot.now[name].sel(network="lstm").isel(lag=-1) for name in ("log_cell_path", "log_jacobian_norm")]
    lag = int(plot.ds["lag"].max())

    def words(opening: float, cell: float, whole: float) -> str:
        if not np.isfinite([opening, cell, whole]).all():
            return ""
        left = f"{times(10 ** float(cell))} along the cell, {times(10 ** float(whole))} along all paths"
        return f"Mean forget gate {float(opening):.2f}. Left after {lag} steps: {left}."

    return plot.say(words, forget, *(finite(values).median("seed") for values in far))


def _answers_by_lag(plot: Plot) -> Sequence[Panel]:
    """The loss beside that without memory, and the share of right answers where the task has it."""
    kept = "memoryless_loss_by_lag"
    beside = [] if plot.lacks(kept) else [curves(kept, style=NOTHING_KEPT)]
    scores = [] if plot.lacks("accuracy_by_lag") else [panel(curves("accuracy_by_lag"), y=axis("Share"))]
    return [panel(curves("loss_by_lag"), *beside), *scores]


SATURATIONS = ("gate_saturation", "state_saturation")


def _stuck(plot: Plot) -> Sequence[Panel]:
    """Of each network that has any: the mean of its gates, and its hidden values."""
    having = list(dict.fromkeys(network for network, _ in gates_of(plot.ds)))
    gates = changed(mean(thinned(SATURATIONS[0]), "gate"), lambda values: values.sel(network=having))
    shares = dict(zip(SATURATIONS, (gates, thinned(SATURATIONS[1])), strict=True))
    recorded = [name for name in SATURATIONS if not plot.lacks(name)]
    return [panel(curves(shares[name], legend=name == recorded[-1])) for name in recorded]


def _most_stuck(plot: Plot) -> Words:
    """The gate with the largest share of stuck values at each look."""
    if plot.lacks("gate_saturation"):
        return ""
    now, pairs = finite(plot.now["gate_saturation"]).median("seed"), gates_of(plot.ds)

    def words(*shares: float) -> str:
        stuck_gates = [(share, *pair) for share, pair in zip(shares, pairs, strict=True) if share >= 0.005]
        if not stuck_gates:
            return ""
        share, network, gate = max(stuck_gates)
        return f"Most now: {style_of(network).label} {gate} gate, {percent(share)}."

    return spoken(words, "look", *(now.sel(network=network, gate=gate).values.tolist() for network, gate in pairs))


OF_LAYERS = update_to_data.chart(RecurrentGradients.variables_by_kind)
OF_RECURRENT = figure(
    "update_to_data_of_recurrent",
    "",
    curves(thinned("update_to_data"), hover="%{y:.2e}"),
    rule(y=1e-3, words="10⁻³: usual advice"),
    y=axis("Update-to-data ratio", scale="log", read=lambda ds: np.append(log_of("update_to_data")(ds), -3.0)),
)


def _without_answers(ds: Run) -> str:
    asks_for_numbers = "accuracy" in ds and ds["accuracy"].size > 0 and absence(ds, "accuracy")
    without = "This task asks for numbers: see the loss, there are no right or wrong answers."
    return without if asks_for_numbers else absence(ds, "accuracy")


FIGURES, shared_limits = offered(
    RecurrentGradients,
    # Document 001, eq. 6-9, and eq. 18 of the cell path. Mean of the logarithms over unseen sequences. A curve below
    # 1/100 has lost its signal, however healthy the parameters' gradients look.
    figure(
        "jacobian_by_lag",
        "Does the signal survive the way back through time?",
        curves("log_jacobian_norm", hover=POWER),
        _theory,
        rule(y=0, words="1: nothing lost"),
        rule(y=FADED, words="1/100"),
        title="Does the signal survive?",
        shows="How much of a change of the state can arrive after so many steps.",
        cannot_show="Which direction the task needs.",
        y=axis("Norm of dh(T)/dh(T−lag)", scale="free", told=_exponents),
        limits={"log_jacobian_norm": Quantity(jacobian_norms, whole_decades)},
        notes=(_fading, _in_words),
    ),
    # A network that stays on the line of the best answer without memory has learned only what needs no past.
    partial(
        training_steps.loss.of,
        question="Do the networks learn to remember?",
        shows="The training loss, beside an answer without memory.",
    ),
    "state_gradient",
    training_steps.norm_map(
        "state_gradient_map",
        "When in training does the past get heard?",
        "state_gradient_norm",
        "time",
        hover="step %{x}, time %{y}<br>norm 10<sup>%{z:.2f}</sup>",
        words="Norm of dL/dh(t)",
        title="When does the past get heard?",
        shows="The length of dL/dh over time and training.",
        y=axis("Time", told=lambda plot: number_ticks(*whole(plot.limit("time")), {1: "1"}, most=4)),
        height=lambda plot: 240 + 150 * len(plot.networks),
        needs=("state_gradient_norm",),
        instead=unless_zero("state_gradient_norm", "Every norm of dL/dh recorded so far is exactly 0."),
    ),
    # Eq. 6. Where the curve falls steeply, the sum is made of the last few steps: the parameters' gradient is healthy,
    # and says nothing about the far past.
    figure(
        "lag_contribution",
        "Which lags teach the recurrent weights?",
        curves("lag_contribution"),
        title="Which lags teach the weights?",
        instead=unless_zero("lag_contribution", "Every norm of the contributions recorded so far is exactly 0."),
        x=axis("Lag t − k"),
        notes=(_nearest, _unheard),
    ),
    # Eq. 10-15, 21-24. An LSTM's forget gate multiplies its cell path: open it keeps the past. A GRU's update gate
    # replaces the past: shut it keeps it.
    figure(
        "gates",
        "What do the gates let through?",
        _gates,
        instead=_without_gates,
        needs=("gate_opening",),
        y=axis(scale="free", range=(-0.06, 1.06), tickvals=[0, 0.5, 1]),
        notes=("1: open.", _memory),
        legend="none",
        height=lambda plot: 144 + 110 * len(gates_of(plot.ds)),
    ),
    figure(
        "by_lag",
        "From what distance does each network forget the cue?",
        _answers_by_lag,
        title="From what distance is it forgotten?",
        needs=("loss_by_lag",),
        shows="How well each network answers, by how far back the cue lies. Dotted: without memory.",
        cannot_show="Why a network fails.",
        y=axis("Loss", "loss_by_lag", "memoryless_loss_by_lag", scale="loss"),
        height=lambda plot: 430 if plot.lacks("accuracy_by_lag") else 560,
    ),
    # Eq. 8-9. With a norm below 1, and slopes of at most 1, the gradient must fade. The radius says what powers of this
    # one matrix do, which a product of steps with other slopes need not follow.
    figure(
        "recurrent_matrix",
        "What does the recurrent matrix do to a signal in the long run?",
        panel(curves(thinned("spectral_radius")), y=axis("Radius", read=matrix_measures)),
        panel(curves(thinned("spectral_norm")), y=axis("Norm", read=matrix_measures)),
        rule(y=1, words="below 1, powers of W fade"),
        title="Does W keep, stretch or shrink?",
        notes=(lambda plot: "LSTM and GRU: the candidate's matrix." if {"lstm", "gru"} & set(plot.networks) else "",),
        height=560,
    ),
    # A gate stuck at an end hardly learns, though a forget gate stuck open keeps the past.
    figure(
        "saturation",
        "How much is stuck at an end?",
        _stuck,
        instead=lambda ds: absence(ds, SATURATIONS[0]) and absence(ds, SATURATIONS[1]),
        shows="The share of gates almost shut or open, and of saturated hidden values.",
        y=axis("Share", tickvals=[0, 0.5, 1]),
        notes=(_most_stuck,),
        height=lambda plot: 200 + 180 * sum(not plot.lacks(name) for name in SATURATIONS),
    ),
    "clipping",
    figure(
        "update_to_data",
        "Are the steps the right size?",
        needs=("update_to_data",),
        shows="How large the steps are beside the weights.",
        # Every layer's lines; runs that recorded the recurrent weights' ratio alone show that.
        draw=lambda plot: (OF_RECURRENT if plot.lacks("update_to_data_by_layer") else OF_LAYERS).drawn(plot),
    ),
    "gradient_to_data",
    partial(training_steps.accuracy.of, needs=(), instead=_without_answers),
    lambda make, _: diagram(
        make,
        parts_of,
        COLOURS,
        noun="gate or time step",
        question="Where in the cell, and when?",
        shows="Each cell with its weights and gates, and its state. Choose one: other figures mark it.",
    ),
    more=colour_quantities(COLOURS),
)


def picture(ds: Run) -> str:
    """The home page's picture: the Jacobian product's norm by lag, log scale, at the last look."""
    label = "How much of a signal survives on a log scale, by the number of steps it travels through time."
    if "log_jacobian_norm" not in ds or ds["log_jacobian_norm"].size == 0:
        return polyline_svg([], label=label)
    return networks_svg(
        by_network(finite(ds["log_jacobian_norm"].isel(look=-1)).median("seed")),
        label=label,
        axes=("steps through time", "signal left, log scale"),
        is_revealed=True,
    )
