"""What sparse attention saves, and what it gives up (document 002, section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting

DATA = {
    "peaked": "One row in ten matches a key",
    "random": "Random: no row stands out",
    "periodic": "Periodic: rows match others in phase",
    "trained": "Trained: a head that learned a pattern of 16 rows",
}
SCORES = {"exact": "Exact: all products", "max_mean": "Max minus mean: all products", "sampled": "Sampled products"}
CHOICES = {"of_all": "Among all rows (printed)", "so_far": "Among the rows so far"}
LAZY = {"of_all": "Mean of all values (printed)", "running": "Mean of the values so far"}


class AttentionCost(Instant):
    """Full, LogSparse and ProbSparse attention on one head's queries, keys and values."""

    about = About(
        "attention-cost",
        "What does attention cost?",
        icon=":material/speed:",
        section="Attention",
        rank=56,
        room="What it costs",
        sought="ProbSparse Informer sparse attention FlashAttention quadratic memory time",
        question="What does sparse attention save on a long series, and what does it give up?",
    )

    data: Literal["peaked", "random", "periodic", "trained"] = setting(
        "peaked", group="Series", essential=True, labels=DATA
    )
    """What the queries and keys are like. Values are random, but the trained head has its own."""
    length: int = setting(96, ge=8, le=256, group="Series", essential=True, unit="rows")
    """Rows t of the series that is attended. Costs are drawn for lengths up to 8,192."""
    active_rows: int = setting(25, ge=1, le=256, group="ProbSparse", essential=True, unit="rows")
    """Active rows u, at most t."""
    score: Literal["exact", "max_mean", "sampled"] = setting("exact", group="ProbSparse", essential=True, labels=SCORES)
    """How uneven a row's attention is: by all its products, or by c ln t sampled ones."""
    sampling_factor: float = setting(5.0, ge=0.1, le=20, group="ProbSparse", essential=True)
    """c: a sampled score takes c ln t keys, and costs are drawn for u = c ln t."""
    chosen_among: Literal["of_all", "so_far"] = setting("of_all", group="ProbSparse", essential=True, labels=CHOICES)
    """Among which rows the highest scores are chosen. A later row may push an earlier one out."""
    lazy_rows: Literal["of_all", "running"] = setting("of_all", group="ProbSparse", essential=True, labels=LAZY)
    """What rows take that do not attend. The mean of all values knows the future."""
    window: int = setting(1, ge=1, le=64, group="LogSparse", unit="rows")
    """The last rows that are seen besides those 1, 2, 4, 8 ... before."""
    restart: int = setting(0, ge=0, le=256, group="LogSparse", unit="rows")
    """After so many rows the pattern begins anew. 0: never."""
    width: int = setting(16, ge=2, le=64, group="Series", unit="channels")
    """Width d of the head."""
    seed: int = standard.seed(group="Series")
    """Random seed of queries, keys, values and samples."""

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "series_length": Coordinate("Length t of the series (rows)"),
        "asked": Coordinate("Active rows u", "%{x} active rows"),
        "row": Coordinate("Row", "row %{x}"),
        "query": Coordinate("Row that looks", "row %{x}"),
        "key": Coordinate("Row that is looked at", "row %{x}"),
        "cell": Coordinate("Row that is heard", "row %{x}", linked="row"),
        "changed": Coordinate("Row that changes", "row %{x}", linked="row"),
    }
    units: ClassVar[Mapping[str, str]] = {"bytes": "bytes", "unevenness": "nat", "max_mean": "nat"}
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "The 25 most uneven of 96 rows attend, and the others take the mean of all values, later ones included.",
        ),
        Preset(
            "Break it: no row stands out",
            "Random queries and keys: no row stands out, and the score chooses hardly better than chance.",
            {"data": "random"},
        ),
        Preset(
            "Break it: two samples",
            "A score of two sampled keys misses many of the rows that matter: 28 % of the output is lost, not 7 %.",
            {
                "score": "sampled",
                "sampling_factor": 0.2,
                "chosen_among": "so_far",
                "lazy_rows": "running",
                "length": 256,
                "active_rows": 28,
            },
        ),
        Preset(
            "Break it: a restart",
            "Beginning anew every 32 rows reaches all in 3 layers, but the cost grows with the square again.",
            {"chosen_among": "so_far", "lazy_rows": "running", "window": 8, "restart": 32},
        ),
        Preset(
            "Fix it: nothing from the future",
            "Rows are chosen among the rows so far, and the others take the mean so far: no earlier row moves.",
            {"chosen_among": "so_far", "lazy_rows": "running"},
        ),
        Preset(
            "Fix it: a sampled score",
            "With c = 5 the score takes 28 keys a row in place of all, and the output is as near as with all.",
            {"score": "sampled", "chosen_among": "so_far", "lazy_rows": "running", "length": 256, "active_rows": 28},
        ),
    )

    @model_validator(mode="after")
    def _no_more_rows_than_there_are(self) -> Self:
        if self.active_rows > self.length:
            raise ValueError(f"Active rows u are {self.active_rows}; allowed is at most the length t, {self.length}")
        if self.restart and self.window > self.restart:
            raise ValueError(f"Window is {self.window}; allowed is at most the restart, {self.restart}")
        return self
