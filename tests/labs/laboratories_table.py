"""``docs/laboratories.md``: what each laboratory has. ``python -m tests.labs.laboratories_table`` writes it anew."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment
from goldviz.runs.examples import has_example, picture_path
from tests.labs.small_runs import LABORATORIES, cases

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "laboratories.md"
SYSTEMS = ROOT / "docs" / "systems.toml"
START = """# Laboratories

What each laboratory has. `make laboratories` writes this page from the declarations, and
`tests/labs/test_contract.py` holds every laboratory to what it says: presets of the document, presets that break
something and presets that mend it; a recorded run of every preset where networks are trained; figures that each say
their question, what they show and what they cannot show; small runs (`tests/labs/<lab>/cases.py`) that a pause,
company and the exported script repeat bit by bit.

| laboratory | folder | how | settings | document, break, fix | recorded | figures | variables | small runs | more |
|---|---|---|---|---|---|---|---|---|---|
"""

SYSTEMS_START = """
## Systems of the documents

Each system of the five documents, the section that tells of it, and the laboratories that show it.
`docs/systems.toml` lists them.

| system | document | section | shown in |
|---|---|---|---|
"""


class Document(NamedTuple):
    """A document's title, and its sections."""

    title: str
    sections: tuple[str, ...]


class System(NamedTuple):
    """What a document tells of, the section that does, and the laboratories that show it, by name."""

    name: str
    document: str
    section: str
    laboratories: tuple[str, ...]


def listed() -> tuple[list[System], dict[str, Document]]:
    """The systems of the documents, and the documents by number."""
    kept = tomllib.loads(SYSTEMS.read_text(encoding="utf-8"))
    systems = [System(name, document, section, tuple(labs)) for name, document, section, labs in kept["systems"]]
    documents = {number: Document(one["title"], tuple(one["sections"])) for number, one in kept["documents"].items()}
    return systems, documents


def system_row(system: System, titles: Mapping[str, str]) -> str:
    """A line of the table of systems; raises ``KeyError`` for a laboratory that there is not."""
    shown = ", ".join(titles[name] for name in system.laboratories)
    return f"| {system.name} | {system.document} | {system.section} | {shown} |"


def systems_table() -> str:
    """The table of systems, and which document is which."""
    systems, documents = listed()
    titles = {lab.name: lab.declared.title for lab in LABORATORIES}
    rows = "\n".join(system_row(system, titles) for system in systems)
    numbered = "\n".join(f"- {number}: {one.title}" for number, one in documents.items())
    return f"{SYSTEMS_START}{rows}\n\n{numbered}\n"


def chapter_page(lab: Laboratory) -> Path:
    """The page of the documentation that tells of a laboratory: its chapter's."""
    return ROOT / "docs" / f"{lab.declared.section.lower().replace(' ', '-')}.md"


def row(lab: Laboratory) -> str:
    declared, held = lab.declared, cases(lab)
    trains = issubclass(declared, Experiment)
    presets = declared.presets
    broken, mended = (sum(preset.name.startswith(one) for preset in presets) for one in ("Break it: ", "Fix it: "))
    counts = f"{len(presets) - broken - mended}, {broken}, {mended}"
    recorded = sum(has_example(declared, preset.slug) for preset in presets) if trains else None
    page = chapter_page(lab)
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
        f"[{page.stem}]({page.name})",
    ]
    assert picture_path(lab).is_file()
    return "| " + " | ".join(map(str, cells)) + " |"


def table() -> str:
    return START + "\n".join(row(lab) for lab in LABORATORIES) + "\n" + systems_table()


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
