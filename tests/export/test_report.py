import re
from dataclasses import replace
from html.parser import HTMLParser

import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import experiments
from goldviz.declare.settings import description
from goldviz.diagnostics.findings import Finding
from goldviz.export.report import LARGEST, TOO_LARGE, Setting, findings_html, report_html, report_of_run, told
from goldviz.figures.theme import INKS
from goldviz.labs.depth_gradients.figures import FIGURES
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.runs.examples import example

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
        NASTY,
        [Setting("Seeds", "0, 1"), Setting("Note", NASTY, NASTY), Setting("Rate", "0.001")],
        figures,
        ["Eq. 27: I + dF/dh.", NASTY],
        [FINDING],
        [NASTY],
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
    assert "Learning rate: 0.1" in text
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


def test_settings_are_told_in_words(build_run):
    settings = DepthGradients(activation="leaky_relu")
    text = re.sub(r"<script.*?</script>", "", report_of_run(settings, build_run(), {}), flags=re.S)
    assert ">LeakyReLU<" in text
    assert "leaky_relu<" not in text
    assert description(DepthGradients, "depth") in text


def test_a_model_of_texts_is_named_and_never_by_the_id_of_its_run():
    settings = InsideBert(model="run:0123456789ab", second_model="folder:bank")
    values = {one.name: one.value for one in told(settings, {"model": "Tuesday"})}
    assert (values["Model"], values["Second model"]) == ("Tuesday", "folder bank")
    assert {one.name: one.value for one in told(settings)}["Model"] == "a run kept here"
    assert "" not in values.values()


def test_what_a_finding_would_change_is_told_as_the_controls_name_it(build_run, monkeypatch):
    found = Finding("f", "t", "bad", "1", "2", "high", "x", changes={"activation": "sigmoid"})

    monkeypatch.setattr(Laboratory, "findings", lambda lab, settings, dataset: [found])
    text = report_of_run(DepthGradients(), build_run(), {})
    assert "Settings to change: Activation: Sigmoid" in text


def test_a_report_follows_the_theme_of_its_reader(report):
    assert "@media (prefers-color-scheme: dark)" in report
    assert f"--background: {INKS['dark'].background}" in report
    assert 'matchMedia("(prefers-color-scheme: dark)")' in report
    assert "recoloured(INKS.light, INKS.dark)" in report


def test_a_market_s_report_names_source_period_and_transformation_at_its_top():
    declared = experiments()["gold-forecast"]
    recorded = example(declared, "as-in-the-document")
    text = re.sub(r"<script.*?</script>", "", report_of_run(declared(), recorded, {}), flags=re.S)
    top = text[: text.index("What happened")]
    assert "Data: simulated market. Shown: 2018-04-25 to 2024-12-31." in top
    assert "Read as: Log return (%). What is forecast: next move." in top


def test_what_is_too_large_is_left_out_and_said(build_run):
    spec, drawn = FIGURES["loss"], FIGURES["loss"](build_run())
    large = go.Figure(drawn).add_scatter(y=[f"{number:07}" for number in range(LARGEST // 9)])
    figures = [(spec, drawn), (replace(spec, question="What is this?"), large)]
    told = report_html("Large", [], figures, [])
    assert f"What is this? {TOO_LARGE}" in told
    assert told.count(TOO_LARGE) == 1
    assert len(told.encode()) - len(get_plotlyjs().encode()) < 1_500_000


def test_without_findings_it_says_so():
    assert "Nothing stands out" in findings_html([])
    assert "&lt;img" in findings_html([FINDING])
