"""Two visitors: who brought a file holds its key, who opens a run that used it sees a name that opens nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from goldviz.data.labels import GONE
from goldviz.data.markets.files import Choices
from goldviz.data.markets.own_file import keep_file
from goldviz.data.tables.sealed_names import NOT_YOURS, sealed, shown_name
from goldviz.data.texts.kept_models import keep_model
from goldviz.data.texts.kept_texts import keep_text
from goldviz.declare.data_labels import labels_of
from goldviz.declare.registry import experiment, laboratories
from goldviz.export.report import report_of_run
from goldviz.labs.gold_forecast.words import source_words
from goldviz.runs.recorder import Progress
from goldviz.ui import frames, lanes, services
from goldviz.ui.controls import key_of
from goldviz.ui.lanes import OPEN, Lane
from goldviz.ui.take_away import data_in_name
from goldviz.ui.words import plain
from tests.pages.visit import HOME, RUNS, Visitor
from tests.test_own_market import table
from tests.thinned import thinned


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    return tmp_path


def a_text(_folder: Path) -> str:
    return keep_text(b"Gold rose after the meeting. " * 400, "mine.txt").name


def a_market(folder: Path) -> str:
    table().to_csv(folder / "mine.csv", index=False)
    return keep_file(folder / "mine.csv", Choices())


def a_model(_folder: Path) -> str:
    return keep_model(b"a model's bytes")


OWN: list[tuple[str, str, Callable[[Path], str]]] = [
    ("char-language-model", "corpus", a_text),
    ("gold-forecast", "data", a_market),
    ("price-tokens", "data", a_market),
    ("ode-rnn", "data", a_market),
    ("char-gpt", "corpus", a_text),
    ("bert-pretraining", "corpus", a_text),
    ("bert-pretraining", "start", a_model),
]


def told(visitor: Visitor) -> str:
    """All that the visitor's browser is told, and its address."""
    elements = [node.proto.SerializeToString() for node in visitor.at._tree if getattr(node, "proto", None)]
    return b" ".join(elements).decode("utf-8", "replace") + str(visitor.at.query_params)


@pytest.mark.parametrize(("name", "setting", "bring"), thinned(OWN))
def test_a_run_shows_others_no_key(name: str, setting: str, bring: Callable[[Path], str], folder: Path) -> None:
    declared, page, key = experiment(name), f"pages/{laboratories()[name].folder}.py", bring(folder)
    settings = declared().changed(**{setting: key})
    file = labels_of(settings)[setting]
    called = "" if file == GONE else f" in {file}"
    run_id = services.store().create(settings, name=f"of {key}{called}", status="failed")
    services.store().create(settings, status="failed")
    services.store().turn(run_id, ("failed",), "failed", f"This machine does not hold {key}{called}: load it again.")

    stranger = Visitor(HOME)
    for shown in (told(stranger), told(stranger.go(RUNS)), told(stranger.go(page, {OPEN: run_id}))):
        assert key not in shown
        assert file not in shown
        assert shown_name(key) in shown or not called
    if setting == "start":
        assert plain(NOT_YOURS) in stranger.click(f"train-{name}").errors
        assert services.store().list()[1] == 2
    else:
        assert stranger.at.session_state[key_of(declared, setting)] == declared.model_fields[setting].default
    assert any(plain(NOT_YOURS) in sentence for sentence in Visitor(page, {setting: sealed(key)}).warnings)

    guest = Visitor(page, {setting: key, "runs": run_id})
    assert guest.at.query_params[setting] == key
    assert key in told(guest.go(HOME).go(page, {OPEN: run_id}))
    assert f"of {sealed(key)}{called}" in told(guest.go(RUNS))


def test_what_a_stranger_takes_away_holds_no_key(folder: Path) -> None:
    declared, key = experiment("char-language-model"), a_text(folder)
    run_id = services.store().create(declared().changed(corpus=key), status="failed")
    lane = lanes.read(declared, run_id)
    assert isinstance(lane, Lane)
    assert key not in lane.settings.script()
    assert sealed(key) in lane.settings.script()
    report = report_of_run(lane.stored, lane.dataset, {})
    assert key not in report
    assert "mine.txt" not in report
    assert shown_name(key) in report
    assert data_in_name(lane) == [shown_name(key).replace(" ", "_")]


def test_figures_name_a_file_to_who_has_its_key_alone(folder: Path) -> None:
    declared, key = experiment("gold-forecast"), a_market(folder)
    store, settings = services.store(), declared().changed(data=key)
    run_id = store.create(settings, name="on mine.csv")
    start = store.begin(run_id)
    assert start is not None
    facts = {"data_source": "file", "data_origin": "mine.csv", "simulated": 0, "target_words": "Close"}
    store.append(run_id, Progress(0, 1, 0.0, 0.0), lease=start.lease, attributes=facts)
    for held, name in ((frozenset[str](), shown_name(key)), (frozenset({key}), "mine.csv")):
        lane = frames._lane(frames.Offer("gold-forecast", (run_id,), "light", held), run_id)
        assert isinstance(lane, Lane)
        assert (lane.sheet.attrs["data_origin"], lane.title) == (name, f"on {name}")
        assert source_words(lane.dataset).startswith(f"{name}: Close")
