"""Two visitors: who brought a file holds its key, who opens a run that used it sees a name that opens nothing."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from goldviz.data.labels import GONE
from goldviz.data.markets.file_channel import Choices
from goldviz.data.markets.own_file import keep_file
from goldviz.data.tables.sealed_names import NOT_YOURS, sealed, shown_name
from goldviz.data.texts.kept_models import keep_model
from goldviz.data.texts.kept_texts import keep_text
from goldviz.declare.data_labels import labels_of
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiment, laboratories
from goldviz.declare.settings import Experiment
from goldviz.export.report import report_of_run
from goldviz.labs.gold_forecast.words import source_words
from goldviz.runs.recorder import Progress
from goldviz.ui import keys
from goldviz.ui.panels import lanes
from goldviz.ui.panels.controls import key_of
from goldviz.ui.panels.lanes import OPEN, Lane
from goldviz.ui.panels.take_away import data_in_name
from goldviz.ui.seen_runs import seen_records, seen_run
from goldviz.ui.serving import frames, services
from goldviz.ui.words import plain
from tests.labs.char_language_model.cases import SMALL
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
    assert key not in laboratory_of(lane.settings).script(lane.settings)
    assert sealed(key) in laboratory_of(lane.settings).script(lane.settings)
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
        assert (lane.records.attrs["data_origin"], lane.title) == (name, f"on {name}")
        assert source_words(lane.dataset).startswith(f"{name}: Close")


CALLED = ["epoch", "gold", "finished", "[]"]


@pytest.mark.parametrize("called", CALLED)
def test_a_file_called_like_a_word_of_goldvizs_breaks_no_page(called: str, folder: Path) -> None:
    key = keep_text(b"Gold rose after the meeting. " * 400, called).name
    declared, store = experiment("char-language-model"), services.store()
    run_id = store.create(declared().changed(corpus=key), name=f"on {called}, with golden epochs", status="finished")
    assert json.loads(services.live_run(run_id).snapshot()[1].attrs["data_labels"]) == {"corpus": called}
    stranger = lanes.read(declared, run_id)
    with keys.held(frozenset({key})):
        owner = lanes.read(declared, run_id)
    told = {
        "title": f"on {shown_name(key)}, with golden epochs",
        "data_labels": json.dumps({"corpus": shown_name(key)}),
    }
    assert stranger.records.attrs == {**owner.records.attrs, **told}
    assert stranger.title == told["title"]
    visitor = Visitor("pages/char_language_model.py", {OPEN: run_id})
    assert "Finished" in visitor.states[0]


def _find(visitor: Visitor, text: str) -> list[str]:
    visitor.at.text_input(key="runs-text").set_value(text)
    return [run_id for table in visitor.look().at.dataframe for run_id in table.value["Id"]]


def test_a_run_is_found_by_what_a_visitor_is_told_of_its_name(folder: Path) -> None:
    key, declared = a_text(folder), experiment("char-language-model")
    run_id = services.store().create(declared().changed(corpus=key), name="on mine.csv, mine.txt")
    named = services.store().create(declared(), name="mine alone")
    stranger = Visitor(RUNS)
    assert _find(stranger, "mine.txt") == _find(stranger, ".TXT") == []
    assert _find(stranger, shown_name(key)) == _find(stranger, run_id[:8]) == [run_id]
    assert _find(stranger, "MINE") == [named, run_id]
    guest = Visitor("pages/char_language_model.py", {"corpus": key}).go(RUNS)
    assert _find(guest, "Mine.txt") == [run_id]
    assert _find(guest, shown_name(key)) == []


def test_a_stranger_who_saves_what_is_shown_leaves_the_name_as_it_is(folder: Path) -> None:
    key, store = a_text(folder), services.store()
    run_id = store.create(experiment("char-language-model")().changed(corpus=key), name="on mine.txt")
    stranger = Visitor(RUNS)
    table = str(stranger.at.dataframe[0].key)
    for written, kept in (("", "on mine.txt"), ("a better name", "a better name")):
        stranger.at.session_state[table] = {"selection": {"rows": [0], "columns": [], "cells": []}}
        stranger.look()
        [box] = [box for box in stranger.at.text_input if box.label == "Name of the run"]
        assert box.value == f"on {shown_name(key)}"
        if written:
            box.set_value(written)
        stranger.press("Save")
        assert store.run(run_id).name == kept


def test_a_fork_is_named_without_what_its_file_is_called(folder: Path) -> None:
    key, declared = a_text(folder), experiment("char-language-model")
    settings = declared().changed(**SMALL | {"corpus": key})
    run_id = services.executor().submit(settings)
    owner = Visitor("pages/char_language_model.py", {"corpus": key, OPEN: run_id}).wait_for("Finished")
    assert plain("mine.txt") in owner.states[0]
    owner.press("Fork")
    [fork] = [run for run in services.store().list()[0] if run.parent == run_id]
    assert "mine.txt" not in fork.name
    assert shown_name(key) in fork.name
    assert ", forked at " in fork.name
    services.executor().stop(fork.id)


def test_a_run_that_nobody_understands_any_more_names_no_file_to_others(folder: Path) -> None:
    key, store = a_text(folder), services.store()
    run_id = store.create(experiment("char-language-model")().changed(corpus=key), name="on mine.txt")
    run, records = services.live_run(run_id).snapshot()
    attrs = seen_records(replace(run, settings_version=99), records).attrs
    assert (attrs["title"], json.loads(attrs["data_labels"])) == ("on own file", {"corpus": "own file"})


def test_settings_of_a_run_are_validated_once_and_only_where_a_file_is_hidden(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, declared, store = a_text(folder), experiment("char-language-model"), services.store()
    own, plain_run = (
        store.run(store.create(declared().changed(**more))) for more in ({"corpus": key, "gain": 1.2345}, {})
    )
    understood: list[str] = []
    from_store = declared.from_store

    def counted(version: int, text: str) -> Experiment:
        understood.append(text)
        return from_store(version, text)

    monkeypatch.setattr(declared, "from_store", counted)
    for _ in range(3):
        assert seen_run(plain_run) == plain_run
        assert seen_run(own).attributes["data_labels"] == {"corpus": shown_name(key)}
    assert understood == [own.settings]
