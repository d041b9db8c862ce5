from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import plotly.graph_objects as go
import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import experiments
from goldviz.declare.settings import description
from goldviz.diagnostics.findings import Finding
from goldviz.export.report import (
    LARGEST,
    TOO_LARGE,
    TOO_OLD,
    Setting,
    findings_html,
    lane_of_run,
    report_html,
    report_of_lanes,
    report_of_run,
    report_of_unread_run,
    told,
)
from goldviz.figures.spec import by_name
from goldviz.figures.theme import INKS
from goldviz.labs.depth_gradients.figures import FIGURES
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.runs.examples import example
from tests.export.report_parts import figure_texts, lanes_in, words_of

NASTY = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
FINDING = Finding(
    "vanishing", NASTY, "bad", "4,100 times", "100 times", "one seed", "Because.", "Do that.", {"learning_rate": 0.1}
)
FEW = by_name(*(FIGURES[name] for name in ("gradient_by_layer", "loss", "network")))


class Outline(HTMLParser):
    """Tags outside scripts, and what they ask the network for."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href")]


SHOWN = list(FIGURES.values())[:3]


@pytest.fixture(scope="module")
def report(build_run):
    run = build_run()
    run.attrs["title"] = NASTY
    figures = [(spec, spec(run)) for spec in SHOWN]
    return report_html(
        NASTY,
        [Setting("Seeds", "0, 1"), Setting("Note", NASTY, NASTY), Setting("Rate", "0.001")],
        figures,
        ["Eq. 27: I + dF/dh.", NASTY],
        [FINDING],
        [NASTY],
    )


@pytest.fixture(scope="module")
def moving(build_run):
    return report_of_run(DepthGradients(), build_run(), FIGURES)


def test_report_asks_for_nothing_and_runs_nothing_of_the_users(report):
    outline = Outline()
    outline.feed(report)
    assert "img" not in outline.tags
    assert outline.addresses == []
    assert outline.tags.count("script") == 5, "what it carries, what draws, and a word for old browsers"
    assert "default-src 'none'" in report
    assert report.count(TOO_OLD) == 2


def test_report_holds_settings_findings_equations_and_figures(report):
    text = words_of(report)
    assert "0, 1" in text
    assert "0.001" in text
    assert "4,100 times" in text
    assert "Learning rate: 0.1" in text
    assert "Eq. 27: I + dF/dh." in text
    limited = [spec for spec in SHOWN if spec.cannot_show]
    assert text.count("Not shown here:") == len(limited) > 0


def test_report_of_a_run_moves_and_has_every_figure_and_setting(build_run, moving):
    text, [lane] = words_of(moving), lanes_in(moving)
    assert text.count("<figure>") == len(FIGURES) == len(lane["figures"])
    assert text.count("<tr>") == len(DepthGradients.model_fields)
    assert "The gradient vanishes in the plain network" in text
    assert "The same run again: goldviz run depth-gradients --output run.nc" in text
    assert 'class="goldviz-diagram' in text
    epochs = build_run()["epoch"].values.tolist()
    assert lane["steps"]["epoch"]["labels"] == epochs
    assert lane["last"] == epochs[-1]
    assert lane["figures"]["gradient_by_layer"]["kept"]["epoch"]["places"] == [*range(len(epochs))]
    assert 'class="goldviz-scrubber">' in text
    assert len(moving.encode()) <= LARGEST


def test_two_lanes_stand_side_by_side_under_their_titles(build_run):
    lanes = [lane_of_run(DepthGradients(), build_run(), FEW) for _ in range(2)]
    titled = [replace(lane, title=title) for lane, title in zip(lanes, ("one", NASTY), strict=True)]
    html = report_of_lanes(titled, "Depth")
    text = words_of(html)
    assert "<h1>Depth</h1>" in text
    assert [lane["id"] for lane in lanes_in(html)] == ["lane-0", "lane-1"]
    assert text.count("<h3>one</h3>") == len(FEW), "over each figure, and over no section that is the same for both"
    assert "<img" not in text


def test_a_long_run_keeps_fewer_steps_and_says_how_many(build_run, monkeypatch):
    run = build_run()
    long = run.isel(epoch=np.arange(20_000) % run.sizes["epoch"]).assign_coords(epoch=np.arange(1, 20_001))
    html = report_of_run(DepthGradients(), long, FEW)
    [lane] = lanes_in(html)
    labels = lane["steps"]["epoch"]["labels"]
    assert (labels[0], labels[-1], lane["last"]) == (1, 20_000, 20_000)
    assert f"Of 20,000 epochs, {len(labels):,} are in this file." in html
    assert all(one["kept"]["epoch"]["places"] == [*range(len(labels))] for one in lane["figures"].values())
    assert len(html.encode()) <= LARGEST


def test_what_is_too_large_is_left_out_and_said(build_run):
    spec, drawn = FIGURES["loss"], FIGURES["loss"](build_run())
    noise = np.random.default_rng(0).random(LARGEST // 8)
    figures = [(spec, drawn), (replace(spec, question="What is this?"), go.Figure(drawn).add_scatter(y=noise))]
    html = report_html("Large", [], figures, [])
    assert f"<h3>What is this?</h3><p>{TOO_LARGE}</p>" in html
    assert html.count(TOO_LARGE) == 1
    assert [*lanes_in(html)[0]["figures"]] == ["0-loss"]


def test_a_run_without_records_and_one_of_no_number_say_so(build_run):
    run = build_run()
    empty = report_of_run(DepthGradients(), run.isel(epoch=slice(0), histogram_epoch=slice(0)), FEW)
    assert lanes_in(empty)[0]["last"] == 0
    assert 'class="goldviz-scrubber" hidden' in empty
    assert any("nothing measured yet" in text for text in figure_texts(empty))
    bare = report_of_run(DepthGradients(), run.map(lambda values: values * np.nan), FEW)
    assert any("no recorded value is a finite number" in text for text in figure_texts(bare))


def test_a_run_of_another_version_has_its_numbers_and_a_note(build_run):
    run = build_run().assign_attrs(settings='{"depth": "<b>"}', experiment="depth-gradients")
    broken = replace(FIGURES["loss"], frames=lambda *_, **__: 1 / 0)
    html = report_of_unread_run("Nobody reads this.", run, {**FEW, "loss": broken})
    assert "Nobody reads this." in words_of(html)
    assert "&lt;b&gt;" in words_of(html)
    assert any("settings that are not understood any more" in text for text in figure_texts(html))
    assert lanes_in(html)[0]["figures"]["gradient_by_layer"]["kept"]["epoch"]["places"]


def test_settings_are_told_in_words(build_run):
    settings = DepthGradients(activation="leaky_relu")
    text = words_of(report_of_run(settings, build_run(), {}))
    assert ">LeakyReLU<" in text
    assert "leaky_relu<" not in text
    assert description(DepthGradients, "depth") in text


def test_a_report_follows_the_theme_of_its_reader(report):
    assert "@media (prefers-color-scheme: dark)" in report
    assert f"--st-background-color: {INKS['dark'].background}" in report
    assert ":root[data-theme=dark]" in report


def test_a_market_s_report_names_source_period_and_transformation_at_its_top():
    declared = experiments()["gold-forecast"]
    recorded = example(declared, "as-in-the-document")
    text = words_of(report_of_run(declared(), recorded, {}))
    top = text[: text.index("What happened")]
    assert "Data: simulated market. Shown: 2018-12-31 to 2024-12-31." in top
    assert "Read as: Log return (%). What is forecast: next move." in top


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


def test_without_findings_it_says_so():
    assert "Nothing stands out" in findings_html([])
    assert "&lt;img" in findings_html([FINDING])
