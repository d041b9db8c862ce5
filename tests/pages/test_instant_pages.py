"""What holds on every instant page: what is shown can be taken along."""

import csv
import io
import subprocess
import sys

import pytest

from goldviz.declare.instant import Instant
from goldviz.declare.registry import instants
from goldviz.export.report import report_of_view
from goldviz.export.table import curves_csv
from goldviz.figures.spec import by_name
from goldviz.ui.panels import take_away
from tests.export.report_parts import lanes_in
from tests.pages.instant import InstantVisitor
from tests.thinned import thinned

PAGES = [declared for name, declared in instants().items() if name not in ("inside-bert", "policy-documents")]
DRAWN_BY_PARTS = {"backpropagation-steps": {"diagram"}}
"""Figures of reports that a part of the page's own draws on the page."""


@pytest.mark.parametrize("declared", thinned(PAGES, 2), ids=lambda declared: declared.name)
def test_what_is_shown_can_be_taken_along(declared: type[Instant], monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    def seen(settings, dataset, figures) -> None:  # type: ignore[no-untyped-def]
        taken.append((settings, dataset, by_name(*figures())))
        show(settings, dataset, figures)

    show = take_away.show_view
    monkeypatch.setattr(take_away, "show_view", seen)
    visitor = InstantVisitor(declared)
    drawn = set(visitor.all_drawn())
    visitor.open("take")
    assert [button.label for button in visitor.at.get("download_button")] == ["Numbers (CSV)", "Report (HTML)"]
    settings, dataset, figures = taken[-1]
    rows = list(csv.DictReader(io.StringIO(curves_csv(dataset))))
    assert {row["variable"] for row in rows} <= set(map(str, dataset.data_vars))
    report = report_of_view(settings, dataset, figures)
    assert len(lanes_in(report)[0]["figures"]) == len(figures) > 0
    assert set(figures) - DRAWN_BY_PARTS.get(declared.name, set()) == drawn
    codes = [code.value for code in visitor.at.code]
    assert f'goldviz.compute("{declared.name}"' in codes[-2]
    assert codes[-1].startswith(f"goldviz compute {declared.name}")


@pytest.mark.slow
def test_the_lines_that_repeat_a_view_give_its_numbers() -> None:
    declared = instants()["backpropagation-by-hand"]
    visitor = InstantVisitor(declared, {"text": 'it\'s "so"'}).open("take")
    python, shell = [code.value for code in visitor.at.code][-2:]
    namespace: dict = {}
    exec(python, namespace)
    assert namespace["ds"].attrs["text"] == 'it\'s "so"'
    line = shell.split(" --output ")[0].replace(
        "goldviz", f"{sys.executable} -c 'import sys; from goldviz.cli import main; sys.exit(main())'", 1
    )
    said = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True).stdout
    assert 'it\'s "so"' in said
