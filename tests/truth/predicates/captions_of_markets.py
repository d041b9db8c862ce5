"""What is claimed under figures of markets and of what central banks write."""

from itertools import pairwise

import numpy as np
import xarray as xr

from goldviz.labs.policy_documents.figures.reading import TONE_INKS
from tests.truth.predicates.captions_of_forecasts import at_its_days
from tests.truth.predicates.drawing import SAME, Drawing, absent, both, gold, numeric, over, same, scales

LATEST = 48
"""Hours after midnight at which what comes later has its mark."""
LEAST_MOVES = 20
"""Moves from which a volatility is given."""


def sides(drawing: Drawing) -> tuple[Drawing, Drawing]:
    return drawing.named("^out: may be used$"), drawing.named("^not out yet")


def hours(drawing: Drawing) -> bool:
    """Every value is in one of two traces, at the hour at which it came out: what the line has passed, and the rest."""
    out = np.minimum(drawing.view.of("out_after").values.ravel(), LATEST)
    moment = drawing.place - 1
    due = np.where(out <= moment, out, np.nan), np.where(out > moment, out, np.nan)
    return all(
        np.allclose(numeric(part.data[0]["x"]), one, equal_nan=True)
        for part, one in zip(sides(drawing), due, strict=True)
    )


def moment(drawing: Drawing) -> bool:
    """A gold line at the hour in view; the first place is midnight."""
    return any(
        shape.get("x0") == shape.get("x1") == drawing.place - 1 and gold((shape.get("line") or {}).get("color"))
        for shape in drawing.layout.get("shapes") or ()
    )


def curve(drawing: Drawing, due: np.ndarray, days: xr.DataArray) -> bool:
    """Whether some trace has these numbers on its own days, as they are or in percent."""
    return any(at_its_days(trace, one, days) for trace in drawing.typed("scatter").data for one in (due, 100 * due))


def went(drawing: Drawing) -> bool:
    """Each as it is, or both as an index that is 100 on the first day that both have; what grows is on a log axis."""
    parts = [(drawing.run[name], drawing.run[name][day]) for name, day in (("price", "day"), ("beside", "beside_day"))]
    common = np.intersect1d(*(days.values for _, days in parts))
    kinds = drawing.run["transformation"].values[[0, int(drawing.run.attrs["number"])]]
    axes = [drawing.layout[axis].get("type") for axis in ("yaxis", "yaxis2") if axis in drawing.layout]
    if len(axes) == 1:
        rows = [100 * values.values / values.values[days.values == common[0]][0] for values, days in parts]
        logs = axes == ["log"]
    else:
        rows = [values.values for values, _ in parts]
        logs = [axis == "log" for axis in axes] == [kind == "log_return" for kind in kinds]
    return logs and all(curve(drawing, row, days) for row, (_, days) in zip(rows, parts, strict=True))


def in_their_rows(drawing: Drawing) -> bool:
    """As many marks in a channel's line as it has values in the last rows; of those, as many hidden as are masked."""
    there = np.isfinite(drawing.view.of("dated").values)
    masked = drawing.view.of("masked").values > 0
    early = there & ~masked & (drawing.view.of("wait").values < 0)
    due = {"^known at": there & ~masked & ~early, "^not out yet": early, "^hidden": masked}
    rows = [str(row)[:10] for row in drawing.run["row"].values]
    for words, where in due.items():
        marks = set()
        for trace in drawing.named(words).data:
            lines = numeric(trace["base"]) + numeric(trace["y"]) / 2
            marks |= {(str(day)[:10], round(float(line), 6)) for day, line in zip(trace["x"], lines, strict=True)}
        if marks != {(rows[row], float(channel)) for row, channel in zip(*np.nonzero(where), strict=True)}:
            return False
    return True


def as_joined_now(drawing: Drawing) -> bool:
    """The thicker line is of the way in which the run aligns its rows."""
    by_date, by_release = (drawing.named(words).data[0]["line"]["width"] for words in ("^joined", "^known"))
    return by_date != by_release and (by_date > by_release) == (drawing.run.attrs["alignment"] == "date")


def given_away(drawing: Drawing) -> bool:
    """From each mark by date as far as the one beside it, as known."""
    by_date, by_release = (drawing.named(words).data[0] for words in ("^joined", "^known"))
    bar = numeric(by_date["error_x"]["array"]) - numeric(by_date["error_x"]["arrayminus"])
    return same(numeric(by_date["x"]) + bar, drawing.run["known_overall"].values[1:]) and same(
        numeric(by_release["x"]), drawing.run["known_overall"].values[1:]
    )


def within_volatilities(drawing: Drawing) -> bool:
    """Moves, and twice the standard deviations of the last ones and of all before, without the day's own."""
    moves, days = drawing.run["change"].values, drawing.run["change_day"]
    window = int(drawing.run.attrs["window"])

    def before(count: int) -> np.ndarray:
        parts = [moves[max(0, day - count) : day] for day in range(len(moves))]
        return np.array([part.std(ddof=1) if len(part) >= min(LEAST_MOVES, count) else np.nan for part in parts])

    lines = {f"last {window}$": before(window), "all before$": before(len(moves))}
    return curve(drawing, moves, days) and all(
        curve(drawing.named(words), sign * 2 * reach, days) for words, reach in lines.items() for sign in (1, -1)
    )


def after_documents(drawing: Drawing) -> bool:
    """A mark for each, across its tone and upwards the mean of its own days' moves, as it is or in percent."""
    [marks] = drawing.named("^a document$").data
    released, days = (drawing.run[name].values.astype("datetime64[D]") for name in ("document", "change_day"))
    starts = np.append(np.busday_offset(released, 2, roll="forward"), days[-1] + 1)
    moves = drawing.run["change"].values
    parts = [moves[(days >= start) & (days < end)] for start, end in pairwise(starts)]
    means = np.array([part.mean() if part.size else np.nan for part in parts])
    upwards = any(np.allclose(numeric(marks["y"]), one, equal_nan=True, **SAME) for one in scales(means))
    return upwards and np.allclose(numeric(marks["x"]), drawing.run["tone"].values, **SAME)


def from_the_one_before(drawing: Drawing) -> np.ndarray:
    """1 - cos of each document's vector with that of the last one of its kind."""
    vectors, kinds = drawing.run["vector"].values, drawing.run["kind"].values
    distance = np.full(len(vectors), np.nan)
    for kind in np.unique(kinds):
        mine = np.flatnonzero(kinds == kind)
        unit = vectors[mine] / np.linalg.norm(vectors[mine], axis=1, keepdims=True)
        distance[mine[1:]] = 1 - (unit[1:] * unit[:-1]).sum(1)
    return distance


def at_their_release(drawing: Drawing) -> bool:
    """Of each kind P(positive) - P(negative) as colours, and below it the distances, at the minute of release."""
    kinds, tone = drawing.run["kind"].values, drawing.view.of("tone")
    balance = (tone.sel(label="positive") - tone.sel(label="negative")).values
    moments = drawing.run["released"].values.astype("datetime64[m]").astype(str)
    distance = from_the_one_before(drawing)

    def drawn_of(kind: str) -> bool:
        mine = kinds == kind
        own = [trace for trace in drawing.data if list(trace["x"]) == moments[mine].tolist()]
        colours = [numeric((trace.get("marker") or {}).get("color")) for trace in own]
        return any(
            one is not None and one.shape == balance[mine].shape and np.allclose(one, balance[mine], atol=1e-6)
            for one in colours
        ) and any(np.allclose(numeric(trace["y"]), distance[mine], atol=1e-7, equal_nan=True) for trace in own)

    return all(drawn_of(kind) for kind in np.unique(kinds))


def most_different(drawing: Drawing) -> bool:
    """The first two principal components of the fitted documents; either side of an axis may be its right one."""
    vectors, fitted = drawing.run["vector"].values, drawing.run["fitted"].values == 1
    around = vectors - vectors[fitted].mean(0)
    directions = np.linalg.svd(around[fitted], full_matrices=False)[2][:2]
    due = np.abs(around @ directions.T)
    filled = drawing.only(lambda trace: trace["x"][0] is not None and len(trace["x"]) > 1)
    drawn = np.abs(np.concatenate([np.stack([numeric(trace[axis]) for axis in "xy"], 1) for trace in filled.data]))
    return len(drawn) == len(due) and all(
        np.allclose(np.sort(drawn[:, axis]), np.sort(due[:, axis]), atol=1e-6) for axis in (0, 1)
    )


def red_above(drawing: Drawing) -> bool:
    """Bars of the tone are red above zero, and blue below it."""
    balance = drawing.run["balance"].values
    reds, blues = ({inks[side] for inks in TONE_INKS.values()} for side in (0, 1))
    colours = (drawing.typed("bar").data[0].get("marker") or {})["color"]
    return all(
        (colour in reds) == (value > 0) and (colour in blues) == (value < 0)
        for colour, value in zip(colours, balance, strict=True)
    )


OF_LABORATORIES = {
    "gold-market": {
        "When a value of each date came out.": hours,
        "Gold: the forecast's moment.": moment,
        "Prices on a log axis, or both as an index on one: equal heights are equal ratios.": went,
        "Whether the two are related.": absent("correl", "related"),
        "Each mark is a new value in that day's row, or one that is hidden from it.": in_their_rows,
        "Revisions.": absent("revis"),
        "Thick: as the rows are joined now.": as_joined_now,
        "Bar: what joining by date gives away.": given_away,
        "How a forecast would do.": absent("score", "skill", "error"),
        "The moves, and twice two volatilities known the day before.": within_volatilities,
        "The mean move from the second working day after a document until that of the next, by tone.": after_documents,
    },
    "policy-documents": {
        "Red: more positive.": red_above,
        "Each document's tone at its release, and its distance from the one before of its kind.": at_their_release,
        "Whether the tone is right.": absent("right", "wrong"),
        "Documents on the two directions in which the fitted ones differ most.": most_different,
        "What each changed passage did to tone and vector.": both(over("balance"), over("distance")),
    },
}
