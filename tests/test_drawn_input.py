"""Settings, command lines and links drawn at random, most of them wrong: each ends in a result or in sentences."""

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xarray as xr

from goldviz.cli import claiming, main, running
from goldviz.declare.registry import experiments, instants, laboratories
from goldviz.declare.settings import Experiment, Settings, SettingsError, schemas
from goldviz.runs.execution.limits import check
from goldviz.runs.store.run_store import Store
from goldviz.ui.panels import controls, lanes
from tests.pages.store import database, on_pages, pages_by_navigation
from tests.pages.visit import Visitor

pytestmark = pytest.mark.slow

__all__ = ["database", "on_pages", "pages_by_navigation"]

DRAWS = range(30)
SETTINGS_A_DRAW, LINES_A_DRAW, LINKS_A_DRAW, VISITS_A_DRAW = 100, 100, 16, 3
OTHER_PAGES = ("home", "runs", "claims", "advice", "stories", "glossary", "your_network")
DECLARED: dict[str, type[Settings]] = {**experiments(), **instants()}
TEXTS = [
    "",
    " ",
    "--",
    "-",
    "=",
    "0",
    "1",
    "-1",
    "00",
    "1e3",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "None",
    "null",
    "true",
    "[]",
    "{}",
    "0x10",
    "1,2",
    "1,,2",
    ",",
    "1-3",
    "3-1",
    "0-99999999",
    "٣",
    "²",
    "9" * 5000,
    "a" * 3000,
    "\0",
    "\ud800",
    "é",
    "../../etc/passwd",
    "@",
    "@/etc/passwd",
    "@/",
    "@\0",
    "<b>x</b>",
    "'; drop table runs; --",
    "%s%n",
    "{x}",
    "\r\n",
    "0123456789abcdef",
    "sealed-01234567",
    "simulated",
    "example:",
    "example:nothing",
    "run:0123456789ab",
    "folder:..",
]
VALUES: list[Any] = [
    *TEXTS,
    None,
    True,
    False,
    0,
    1,
    -1,
    2**63,
    -(2**63),
    10**400,
    0.5,
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    b"1",
    [],
    [1],
    [1, 1],
    [[1]],
    [None],
    {},
    {"a": 1},
    (0, 1),
    {0, 1},
    1j,
    object(),
    [0] * 1000,
]


def allowed_value(draw: random.Random, declared: type[Settings], name: str) -> Any:
    """A value within a setting's own bounds, its ends more often than not."""
    schema = schemas(declared)[name]
    if "enum" in schema:
        return draw.choice(schema["enum"])
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        between = draw.randint(low, high) if schema["type"] == "integer" else draw.uniform(low, high)
        return draw.choice([low, high, between])
    return declared.model_fields[name].default


def drawn_settings(draw: random.Random, declared: type[Settings], wrong: list[Any]) -> dict[str, Any]:
    """Some settings, and now and then one that there is not."""
    names = draw.sample([*declared.model_fields, "nothing", "", "class", "__init__"], draw.randint(0, 6))
    return {
        name: draw.choice(wrong)
        if name not in declared.model_fields or draw.random() < 0.4
        else allowed_value(draw, declared, name)
        for name in names
    }


def check_sentences(error: Exception) -> None:
    """What a person is told is one line of print, and ends as sentences do."""
    for text in error.sentences.values() if isinstance(error, SettingsError) else [str(error)]:
        assert text.isprintable(), text
        assert text.endswith("."), text
        assert len(text) < 2000, text


@pytest.mark.parametrize("number", DRAWS)
def test_any_settings_end_in_settings_or_sentences(number: int) -> None:
    draw = random.Random(number)
    for _ in range(SETTINGS_A_DRAW):
        declared = DECLARED[draw.choice(list(DECLARED))]
        values = drawn_settings(draw, declared, VALUES)
        try:
            settings = declared.checked(values)
            used(settings)
            kept = json.dumps(values, default=str)[: draw.choice([5, 10**6])]
            declared.from_store(draw.choice([declared.version, 1, 99]), kept)
        except SettingsError as error:
            check_sentences(error)


def used(settings: Settings) -> None:
    """What pages ask of settings before anything runs."""
    assert type(settings).checked_json(settings.model_dump_json()) == settings
    again, complaints = controls.from_link(type(settings), controls.to_link(settings))
    assert complaints or again.model_dump_json() == settings.model_dump_json()
    assert settings.like_preset() is None or settings.presets
    set(settings.without_effect())
    if isinstance(settings, Experiment):
        assert 0 < settings.estimated_bytes() < math.inf
        assert 0 < settings.estimated_seconds() < math.inf
        assert settings.steps_planned() >= 0
        check(settings)


@pytest.fixture
def nothing_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a command line that is right, only what it would start is left out: drawn settings may take days."""
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    monkeypatch.chdir(tmp_path)
    done = xr.Dataset(attrs={"status": "finished", "duration": 1.0, "message": ""})

    def carried_out(settings: Experiment, **_options: Any) -> xr.Dataset:
        check(settings)
        return done

    monkeypatch.setattr(running, "carried_out", carried_out)
    monkeypatch.setattr(claiming, "examine", lambda claim: claim.verdict)
    for declared in instants().values():
        monkeypatch.setattr(declared, "compute", lambda _settings: done)


def drawn_line(draw: random.Random) -> list[str]:
    """A command line: a command with options, of which some are wrong."""
    command = draw.choice(["run", "run", "run", "compute", "compute", "list", "claims", "export", "serve", *TEXTS[:8]])
    names = {"run": list(experiments()), "compute": list(instants())}.get(command, [])
    line = [command]
    if command in ("run", "compute"):
        name = draw.choice(names) if draw.random() < 0.9 else draw.choice(TEXTS)
        line.append(name)
        declared = DECLARED.get(name, DECLARED["depth-gradients"])
        for setting, value in drawn_settings(draw, declared, list(TEXTS)).items():
            line += written(draw, setting.replace("_", "-"), str(value))
    for option in draw.sample(OPTIONS, draw.randint(0, 2)):
        line += written(draw, option, draw.choice([*TEXTS, "run.nc", "x.csv", "/nowhere/x.nc", "as-in-the-document"]))
    if command == "serve":
        line += ["--port", draw.choice(["0", "-1", "99999999", "x", "--"])]
    if draw.random() < 0.1:
        draw.shuffle(line)
    return line


OPTIONS = [
    "preset",
    "output",
    "keep",
    "quiet",
    "market",
    "market-columns",
    "market-dates",
    "start-from",
    "runs",
    "run",
    "to",
    "address",
    "allow-host",
    "allow-embedding",
    "base-path",
    "help",
    "version",
    "nothing",
]


def written(draw: random.Random, name: str, value: str) -> list[str]:
    return draw.choice([[f"--{name}", value], [f"--{name}={value}"], [f"--{name}"]])


@pytest.mark.parametrize("number", DRAWS)
@pytest.mark.usefixtures("nothing_is_computed")
def test_any_command_line_ends_in_a_result_or_sentences(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(number)
    for _ in range(LINES_A_DRAW):
        line = drawn_line(draw)
        try:
            code = main(line)
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = capsys.readouterr().err.splitlines()
        assert code in (0, 1, 2), line
        assert code == 0 or said, line
        assert code == 0 or any(text.startswith("goldviz: ") for text in said), (line, said)
        assert not any("Traceback" in text for text in said), (line, said)


def drawn_link(draw: random.Random, declared: type[Settings]) -> dict[str, str]:
    drawn = {name or "x": str(value) for name, value in drawn_settings(draw, declared, list(TEXTS)).items()}
    more: dict[str, Callable[[], str]] = {
        "runs": lambda: ",".join(draw.choices([*TEXTS, "example:as-in-the-document", "0" * 12], k=draw.randint(1, 6))),
        "open": lambda: draw.choice(TEXTS),
        "claim": lambda: draw.choice([*TEXTS, "C1", "C76"]),
        "story": lambda: draw.choice([*TEXTS, "skip.1", "skip.99"]),
        "shown": lambda: draw.choice([*TEXTS, "first", "closer", "why", "take", "claims", "findings", "explore"]),
        "figure": lambda: draw.choice([*TEXTS, "loss", "path", "decay_rate"]),
        "edits": lambda: draw.choice([*TEXTS, "3:0.5:1", "-3", "3:nan:inf", "1:1:1,2:0:0", "-1,-2,-3,-4", "99:0:0"]),
        controls.VERSION: lambda: draw.choice([*TEXTS, "2", "99"]),
    }
    return drawn | {name: more[name]() for name in draw.sample(list(more), draw.randint(0, 2))}


@pytest.mark.parametrize("number", DRAWS)
@pytest.mark.usefixtures("on_pages")
def test_any_link_ends_in_a_page_with_sentences(number: int) -> None:
    draw = random.Random(number)
    for visit in range(LINKS_A_DRAW + VISITS_A_DRAW):
        name = draw.choice(list(DECLARED))
        declared = DECLARED[name]
        link = drawn_link(draw, declared)
        settings, complaints = controls.from_link(
            declared, {k: v for k, v in link.items() if k in declared.model_fields}
        )
        assert all(text.startswith("In the link: ") for text in complaints), link
        assert declared.checked_json(settings.model_dump_json()) == settings
        for lane_id in link.get("runs", "").split(",") if name in experiments() else []:
            try:
                lanes.read(experiments()[name], lane_id)
            except (SettingsError, LookupError) as error:
                check_sentences(error)
        if visit >= LINKS_A_DRAW:
            whole = {key: text.encode("utf-8", "replace").decode() for key, text in link.items()}
            page = laboratories()[name].folder if draw.random() < 0.9 else draw.choice(OTHER_PAGES)
            Visitor(f"pages/{page}.py", whole)
    assert Store().list()[1] == 0
