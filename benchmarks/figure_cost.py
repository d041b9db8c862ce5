"""What a figure costs the server: as Plotly's checked figure, as a plain draft, and as the row of one new step.

Each trained laboratory's figures, drawn from its first recorded example at its last step. The first column is what
every poll and every step of a scrub used to send; the last is what a growing run's new step takes for all its viewers.
Processor time, the least of several repeats, so other programs disturb it little; sizes are of JSON, uncompressed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from goldviz.arrays.light import LightDataset
from goldviz.declare.registry import experiments, laboratories
from goldviz.figures.reading import GROWING
from goldviz.runs.examples import example


def milliseconds(work: Callable[[], Any], repeats: int) -> float:
    took = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return 1000 * min(took)


def costs(name: str, repeats: int) -> list[tuple[float, float, float | None, int, str]]:
    declared = experiments()[name]
    dataset = example(declared, declared.presets[0].slug)
    sheet = LightDataset.of(dataset)
    known = {dim: max(dataset.sizes[dim] - 1, 0) for dim in GROWING if dim in dataset.sizes}
    rows = []
    for spec in laboratories()[name].figures().FIGURES.values():
        try:
            checked = milliseconds(lambda spec=spec: spec(dataset).to_json(), repeats)
        except LookupError:
            continue
        draft = milliseconds(lambda spec=spec: spec.draw(dataset), repeats)
        row = spec.frames and milliseconds(lambda spec=spec: spec.frames(sheet, since=known).template(), repeats)
        rows.append((checked, draft, row, len(spec(dataset).to_json()), f"{name}: {spec.name}"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    rows = [row for name in experiments() for row in costs(name, repeats)]
    print("figure | checked, ms | draft, ms | a new step, ms | ratio | kB")
    for checked, draft, row, size, title in sorted(rows, reverse=True)[:10]:
        step = f"{row:.1f} | {checked / row:.0f}" if row else "drawn anew | "
        print(f"{title} | {checked:.0f} | {draft:.1f} | {step} | {size / 1000:.0f}")


if __name__ == "__main__":
    main()
