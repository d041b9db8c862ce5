"""Count the words that explain: on cards, in what is said of each figure, and under figures' titles.

Of every recorded example of every laboratory. ``PYTHONPATH=. python docs/count_words.py`` counts those of this copy;
with another copy's root as ``PYTHONPATH`` it counts those of that one, so that two versions are told apart.
"""

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import goldviz
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import experiments, laboratories
from goldviz.runs.examples import example, has_example


def count(words: str) -> int:
    """What has a letter or a digit, between spaces; tags of HTML are none."""
    return sum(bool(re.search(r"\w", word)) for word in re.sub(r"<[^>]*>", " ", words).split())


def captions() -> Iterator[str]:
    """What the sources say that a figure shows, and what it cannot show."""
    for path in Path(goldviz.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                if keyword.arg in ("shows", "cannot_show") and isinstance(keyword.value, ast.Constant):
                    yield str(keyword.value.value)


def notes(lab: Laboratory, slug: str) -> Iterator[str]:
    """The lines under the titles of a recorded example's figures; of those that it cannot draw there are none."""
    run = example(lab.declared, slug)
    for spec in lab.figures().FIGURES.values():
        try:
            layout = spec.draw(run).to_dict()["layout"]
        except (LookupError, ValueError):
            continue
        yield from (line for line in (layout.get("meta") or {}).get("notes", []) if line)


def main() -> None:
    """Print the sums."""
    words = Counter(captions=sum(map(count, captions())))
    for name, declared in experiments().items():
        lab = laboratories()[name]
        slugs = [preset.slug for preset in declared.presets if has_example(declared, preset.slug)]
        for slug in slugs if lab.has("findings") else []:
            for card in lab.findings(declared.preset(slug), example(declared, slug)):
                words["cards"] += 1
                words["explanations on cards"] += count(card.explanation)
        for slug in slugs[:1]:
            words["notes under titles"] += sum(map(count, notes(lab, slug)))
    for what, number in words.items():
        print(f"{what}: {number:,}")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    with np.errstate(all="ignore"):
        main()
