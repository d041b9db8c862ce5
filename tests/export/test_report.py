import re
from html.parser import HTMLParser

import pytest

from goldviz.diagnostics.findings import Finding
from goldviz.export.report import findings_html, report_html, report_of_run
from goldviz.labs.depth_gradients.figures import FIGURES
from goldviz.labs.depth_gradients.settings import DepthGradients

NASTY = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
FINDING = Finding(
    "vanishing", NASTY, "bad", "4,100 times", "100 times", "one seed", "Because.", "Do that.", {"learning_rate": 0.1}
)


class Outline(HTMLParser):
    """Tags outside scripts, and what they ask the network for."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href")]


@pytest.fixture(scope="module")
def report(build_run):
    run = build_run()
    run.attrs["title"] = NASTY
    figures = [(spec, spec(run)) for spec in list(FIGURES.values())[:3]]
    return report_html(
        NASTY, {"Seeds": (0, 1), "Note": NASTY, "Rate": 1e-3}, figures, ["Eq. 27: I + dF/dh.", NASTY], [FINDING]
    )


def test_report_asks_for_nothing_and_runs_nothing_of_the_users(report):
    outline = Outline()
    outline.feed(report)
    assert "img" not in outline.tags
    assert outline.addresses == []
    assert outline.tags.count("script") == 1 + 3
    assert "default-src 'none'" in report


def test_report_holds_settings_findings_equations_and_figures(report):
    text = re.sub(r"<script.*?</script>", "", report, flags=re.S)
    assert "0, 1" in text
    assert "0.001" in text
    assert "4,100 times" in text
    assert "learning rate = 0.1" in text
    assert "Eq. 27: I + dF/dh." in text
    assert text.count("What it cannot show:") == 3


def test_report_of_a_run_has_every_figure_and_setting(build_run):
    run = build_run()
    run.attrs["title"] = "My run"
    text = re.sub(r"<script.*?</script>", "", report_of_run(DepthGradients(), run, FIGURES), flags=re.S)
    assert "<h1>My run</h1>" in text
    assert text.count("<figure>") == len(FIGURES)
    assert text.count("<tr>") == len(DepthGradients.model_fields)
    assert "The gradient vanishes in the plain network" in text


def test_without_findings_it_says_so():
    assert "Nothing stands out" in findings_html([])
    assert "&lt;img" in findings_html([FINDING])
