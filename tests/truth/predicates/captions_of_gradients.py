"""What is claimed under figures of gradients through layers and through time, and of flows."""

import numpy as np
import xarray as xr
from scipy.stats import norm

from tests.truth.predicates.drawing import (
    Drawing,
    absent,
    both,
    dotted,
    in_nodes,
    line_at,
    now,
    numeric,
    over,
    shown,
)


def decays(drawing: Drawing) -> bool:
    """ln of a weight matrix's gradient over that one layer below, of neighbouring hidden layers."""
    norms = drawing.view.last("gradient_norm")
    rates = np.log(norms.where(norms > 0)).diff("layer").where(np.isfinite).median("seed").values
    drawn = [numeric(trace.get("y")) for trace in drawing.data]
    return all(not np.isfinite(row).any() or any(inside(one, row) for one in drawn if one is not None) for row in rates)


def inside(drawn: np.ndarray, due: np.ndarray) -> bool:
    """Whether numbers stand in a row of others, from some place on."""
    ends = range(len(due) - len(drawn) + 1)
    return any(np.allclose(drawn, due[end : end + len(drawn)], atol=1e-5, equal_nan=True) for end in ends)


def block_factors(drawing: Drawing) -> bool:
    """By how much a block's input has a longer gradient than its output, and open the average gain."""
    gains = drawing.view.until().of("jacobian_gain")
    norms = drawing.view.of("hidden_gradient_norm").sel(epoch=gains.histogram_epoch.values[-1])
    before, after = norms.isel(hidden=slice(0, -1)), norms.isel(hidden=slice(1, None))
    factors = before.copy(data=before.values / after.values)
    return shown(drawing.filled, factors) and shown(drawing.hollow, drawing.view.last("jacobian_gain"))


def behind(drawing: Drawing) -> bool:
    """Thin behind the other loss; alone where training ended before that was measured."""
    measured = np.isfinite(drawing.view.of("evaluation_loss")).any()
    return shown(drawing.thin if measured else drawing, drawing.view.of("loss"))


def zero_line(name: str):
    """A line at a loss, where training came so far as to measure it."""
    at = line_at(lambda drawing: float(drawing.view.of(name).median()))
    return lambda drawing: name not in drawing.run or at(drawing)


def answers_by_lag(drawing: Drawing) -> bool:
    """The loss at each distance, and the share of right answers where there are some."""
    names = [name for name in ("loss_by_lag", "accuracy_by_lag") if name in drawing.run]
    return now(*names)(drawing)


def without_memory(drawing: Drawing) -> bool:
    names = [str(name) for name in drawing.run.data_vars if str(name).startswith("memoryless_loss_by_lag")]
    return bool(names) and dotted(over(*names))(drawing)


def mean_of_gates(drawing: Drawing) -> bool:
    shares = drawing.view.of("gate_saturation").mean("gate")
    return shown(drawing, shares) and over("state_saturation")(drawing)


def square(name: str):
    """A table of steps and steps in a heat map."""
    return lambda drawing: bool(drawing.typed("heatmap").data) and over(name)(drawing.typed("heatmap"))


def bounds(drawing: Drawing) -> bool:
    """The product's norm, and what the page has beside it."""
    beside = [name for name in ("bound", "asymptote", "stepwise_bound", "cell_path_by_lag") if name in drawing.run]
    norm = drawing.view.of("singular_value").max("order")
    return shown(drawing, norm) and over(*beside)(drawing)


def spectra(drawing: Drawing) -> bool:
    """Real parts across, imaginary parts up; hollow the matrix', filled the step's."""
    marks = {"weight_eigenvalue": drawing.hollow.typed("scatter"), "step_eigenvalue": drawing.filled.typed("scatter")}
    return all(shown(part, drawing.view.of(name)) for name, part in marks.items() if name in drawing.run)


def parts_of_cell(drawing: Drawing) -> bool:
    """Numbers of one unit at the step in view stand in words; the note counts the new state with them."""
    inside = drawing.view.of("inside").sel(step=drawing.place)
    unit = inside.sel(unit=drawing.run.attrs["unit_in_view"])
    texts = drawing.texts.replace("−", "-") + " ".join(
        str(text) for trace in drawing.data for text in np.atleast_1d(trace.get("text", ""))
    ).replace("−", "-")
    return all(f"{float(unit.sel(quantity=name)):.2f}" in texts for name in ("i", "f", "o"))


def carried(drawing: Drawing) -> bool:
    """Points of the network and, where it has no figure of its own, of the flow; what is far outside is left out."""
    low, high = drawing.run.window.transpose("end", "axis").values
    reach = 2 * (high - low).max()

    drawn = {
        point
        for trace in drawing.typed("scatter").data
        if numeric(trace.get("x")) is not None
        for point in zip(*(np.round(numeric(trace[axis]), 4) for axis in "xy"), strict=True)
    }
    for name in ("network", *(["flow"] if drawing.named("^flow$").data else [])):
        due = drawing.view.of(name).values
        near = np.isfinite(due).all(1) & (due > low - reach).all(1) & (due < high + reach).all(1)
        if not drawn >= set(zip(*np.round(due[near], 4).T, strict=True)):
            return False
    return True


def same_field(drawing: Drawing) -> bool:
    """The flow's paths are drawn, and leave their first points as the network's first step does."""
    flow, network = (drawing.view.of(name).values for name in ("flow_path", "network_path"))
    depth, layers = drawing.run.place_depth.values, drawing.run.layer_depth.values
    leaving = (-3 * flow[0] + 4 * flow[1] - flow[2]) / (2 * (depth[1] - depth[0]))
    step = (network[1] - network[0]) / (layers[1] - layers[0])
    path = numeric(drawing.named("^flow's paths$").data[0].get("x"))
    drawn = np.isin(np.round(path[np.isfinite(path)], 4), np.round(flow[..., 0], 4)).all()
    return bool(drawn and np.abs(leaving - step).max() < 0.05 * np.abs(step).max())


def paths(drawing: Drawing) -> bool:
    """Every point's way over all depths, one after another in one line."""
    path = drawing.view.last("path").transpose("network", "point", "depth", "dimension").values
    axis = "x" if path.shape[-1] > 1 else "y"
    drawn = [numeric(trace.get(axis)) for trace in drawing.data if trace.get("mode") == "lines"]
    rows = [one[np.isfinite(one)] for one in drawn if one is not None]
    every = np.concatenate(rows)
    if path.shape[-1] > 2:
        return "seen from" in drawing.notes and every.size >= path[..., 0].size
    due = np.round(path[..., 0].ravel(), 3)
    return bool(np.isin(due[np.isfinite(due)], np.round(every, 3)).mean() > 0.99)


def decisions(drawing: Drawing) -> bool:
    """Of numbers a curve; of classes heat maps of a chance, finer in between than it was recorded."""
    if drawing.run.sizes["grid_y"] == 1:
        return now("decision")(drawing)
    chances = 1 / (1 + np.exp(-drawing.view.last("decision")))
    maps = [numeric(trace["z"]) for trace in drawing.typed("heatmap").data]
    rows = [chances.sel(network=name).values for name in chances.network.values]
    return all(any(np.allclose(one[::2, ::2], row, atol=1e-3) for one in maps) for row in rows)


def adjoint(drawing: Drawing) -> bool:
    return over("gradient_difference", "adjoint_cost")(drawing)


def forecast(drawing: Drawing) -> bool:
    """Of the first channel, in every network's panel: its mean and, each side of it, 1.645 of its spreads."""
    mean, scale = (drawing.view.last(name).isel(channel=0) for name in ("decoded_mean", "decoded_scale"))
    bands = [xr.DataArray(mean + side * norm.ppf(0.95) * scale) for side in (-1, 1)]
    return all(shown(drawing, band) for band in bands) and bool(drawing.named("jump").data)


def most_moving(drawing: Drawing) -> bool:
    """The first of each network's units in the figure's order has the largest spread over time."""
    states = drawing.view.last("state")
    return all(
        drawn_within(drawing.named("^moves most$"), states.sel(network=name).isel(unit=place))
        for name in states.network.values
        for place in [int(np.ptp(states.sel(network=name).transpose("moment", "unit").values, axis=0).argmax())]
    )


def drawn_within(drawing: Drawing, values: xr.DataArray) -> bool:
    """Whether a line that breaks at jumps goes over these numbers."""
    due = np.unique(np.round(values.values.astype(float), 4))
    return any(
        set(np.round(one[np.isfinite(one)], 4)) <= set(due) and len(set(np.round(one[np.isfinite(one)], 4))) > 3
        for one in (numeric(trace.get("y")) for trace in drawing.data)
        if one is not None
    )


def in_plane(drawing: Drawing) -> bool:
    path = drawing.view.last("plane_path")
    [axis] = [dim for dim in path.dims if path.sizes[dim] == 2]
    flow = drawing.named("^(flow|after the last observation)$")
    points = [numeric(trace.get("x")) for trace in flow.data]
    drawn = np.concatenate([one[np.isfinite(one)] for one in points])
    return bool(np.isin(np.round(drawn, 4), np.round(path.isel({axis: 0}).values.ravel(), 4)).mean() > 0.9)


def finer(drawing: Drawing) -> bool:
    own = drawing.view.of("error").sel(network="ode_rnn")
    return shown(drawing, own) and shown(drawing.hollow, drawing.view.of("refined_error"))


def cells(drawing: Drawing) -> bool:
    """A node for each of a network's weights and gates, and one for each time step."""
    openings = drawing.view.last("gate_opening")
    parts = [[node[-1] for node in part["nodes"]] for part in drawing.layout["meta"]["diagram"]["parts"]]
    for name, nodes in zip(drawing.run.network.values, parts, strict=True):
        own = openings.sel(network=name)
        gates = {str(gate) for gate in own.gate.values if np.isfinite(own.sel(gate=gate)).any()}
        if not {node.get("gate") for node in nodes} >= gates:
            return False
    return in_nodes("layer", "time")(drawing)


OF_LABORATORIES = {
    "depth-gradients": {
        "Each block's factor, beside its Jacobian's average gain (document 001, eq. 27, 48).": block_factors,
        "The same lengths for every epoch, in the same colours.": over("gradient_norm"),
        "The mean squared error on unseen samples, beside always answering 0.": both(
            over("evaluation_loss"), zero_line("zero_loss")
        ),
        "Thin: the training loss.": behind,
        "Whether a deeper network wants another learning rate, or longer training.": absent("learning rate", "longer"),
        "By how much the gradient shrinks or grows from one layer to the one below.": decays,
        "Both networks layer by layer.": in_nodes("layer"),
    },
    "recurrent-gradients": {
        "How much of a change of the state can arrive after so many steps.": now("log_jacobian_norm"),
        "Which direction the task needs.": absent("direction"),
        "The training loss, beside an answer without memory.": both(
            lambda drawing: shown(drawing, drawing.view.of("loss")), zero_line("memoryless_loss")
        ),
        "The length of dL/dh over time and training.": over("state_gradient_norm"),
        "How well each network answers, by how far back the cue lies.": answers_by_lag,
        "Dotted: without memory.": without_memory,
        "Why a network fails.": absent("gradient", "fail"),
        "The share of gates almost shut or open, and of saturated hidden values.": mean_of_gates,
        "How large the steps are beside the weights.": over("update_to_data", "update_to_data_by_layer"),
        "Each cell with its weights and gates, and its state.": cells,
    },
    "jacobian-lens": {
        "The product's exact norm over lag, beside bounds, asymptote or gates.": bounds,
        "What each unit's gates leave of a change from this step on.": over("gate_product"),
        "The identity counts 1.": both(
            square("norm"), lambda drawing: bool(np.allclose(np.diag(drawing.view.of("norm").values), 0))
        ),
        "The product of forget gates (document 001, eq. 18), in the same colours.": square("cell_path"),
        "Eigenvalues of the recurrent matrix and of one step's Jacobian.": spectra,
        "The slope, forget gate or kept share of every unit and step.": over("passed"),
    },
    "lstm-valves": {
        "Steps back until dL/dc_t falls below 1/100, by bias.": over("reach_by_bias"),
        "The cell as the document draws it, with one unit's numbers.": parts_of_cell,
        "That a trained network keeps its gates there.": absent("trained"),
        "The product of an LSTM's forget gates, and of a minGRU's 1 − z, to the end.": over("gates_left"),
    },
    "residual-flow": {
        "The residual network's states at this depth.": carried,
        "The flow (document 001, eq. 29-30) of the field whose steps the network takes.": same_field,
        "What networks trained with that many blocks would reach.": absent("trained"),
        "dopri5's error and its evaluations of f, by tolerance.": over("adaptive_error", "evaluations"),
    },
    "continuous-depth": {
        "Paths of unseen points through depth.": paths,
        "Added dimensions.": absent("h₃", "added"),
        "The loss, and that of the same weights with the field followed exactly.": over(
            "test_loss", "refined_test_loss"
        ),
        "What is answered, wherever a point may start.": decisions,
        "How sure one may be.": absent("sure", "certain"),
        "What networks trained with that many blocks would do.": absent("trained"),
        "How far the adjoint's gradient is from the one through the steps, and its cost.": adjoint,
        "The way through depth and the field on it.": in_nodes("layer"),
    },
    "ode-rnn": {
        "The forecast with its 90 % band, and its jump at each observation.": forecast,
        "Other sequences.": absent("sequence"),
        "The squared error on unseen sequences, after usual and longer gaps.": over("error", "long_gap_error"),
        "What a step of each network costs.": absent("cost", "second"),
        "The hidden units that move most.": most_moving,
        "The ODE-RNN's path in the plane of its two principal axes, and the field at its end.": in_plane,
        "The error with these steps and with steps four times as fine.": finer,
        "Which is nearer to the truth.": absent("truth", "true"),
        "Where they fail.": absent("fail", "after"),
        "Evaluations a step, how much the field stretches, and its saturated units.": over(
            "evaluations", "field_stiffness", "field_saturation"
        ),
        "How long dL/dh is after each observation.": now("state_gradient_norm"),
    },
}
