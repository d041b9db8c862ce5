"""``docs/laboratories.md``: what each laboratory has. ``python -m tests.labs.laboratories_table`` writes it anew."""

from __future__ import annotations

from pathlib import Path

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment
from goldviz.runs.examples import has_example, picture_path
from tests.labs.small_runs import LABORATORIES, cases

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "laboratories.md"
START = """# Laboratories

What each laboratory has. `make laboratories` writes this page from the declarations, and
`tests/labs/test_contract.py` holds every laboratory to what it says: presets of the document, presets that break
something and presets that mend it; a recorded run of every preset where networks are trained; figures that each say
their question, what they show and what they cannot show; small runs (`tests/labs/<lab>/cases.py`) that a pause,
company and the exported script repeat bit by bit.

| laboratory | folder | how | settings | document, break, fix | recorded | figures | variables | small runs | more |
|---|---|---|---|---|---|---|---|---|---|
"""


def row(lab: Laboratory) -> str:
    declared, held = lab.declared, cases(lab)
    trains = issubclass(declared, Experiment)
    presets = declared.presets
    broken, mended = (sum(preset.name.startswith(one) for preset in presets) for one in ("Break it: ", "Fix it: "))
    counts = f"{len(presets) - broken - mended}, {broken}, {mended}"
    recorded = sum(has_example(declared, preset.slug) for preset in presets) if trains else None
    page = Path(held.DOCUMENTED_IN)
    link = page.name if page.parent.name == "docs" else f"../{page}"
    cells = [
        declared.title,
        f"`{lab.folder}`",
        "trains" if trains else "computes",
        len(declared.model_fields),
        counts,
        recorded if trains else "–",
        len(getattr(lab.figures(), "FIGURES", ())) or "own page",
        len(declared.variables) if trains else "–",
        len(held.RUNS) if trains else "–",
        f"[{page.stem}]({link})",
    ]
    assert picture_path(lab).is_file()
    return "| " + " | ".join(map(str, cells)) + " |"


def table() -> str:
    return START + "\n".join(row(lab) for lab in LABORATORIES) + "\n"


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
