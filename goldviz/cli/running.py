"""``goldviz run NAME`` and ``goldviz compute NAME``: every option is read off the settings that are declared."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from goldviz.api import carried_out, documents, labelled_texts, market, text_model
from goldviz.cli.errors import INTERRUPTED, CommandError, Parser
from goldviz.cli.files import ARRAYS, OUTPUTS, checked_file
from goldviz.declare.registry import experiment, instant
from goldviz.declare.settings import Settings, SettingsError, allowed, description, either, facts, schemas
from goldviz.plain_files import content_of
from goldviz.runs.recorder import Command

if TYPE_CHECKING:
    from types import FrameType

    import xarray as xr


Declared = TypeVar("Declared", bound=Settings)

FILE = "file of results"
"""Under which the parser keeps ``--output``: no setting is called so."""
OWN_WORDS = "preset", "output", "to", "keep", "quiet", "workers", "measures"
"""Options of the command itself, the same for every laboratory; a setting of that name has its group's before it."""
DATE_ORDERS = {"day-first": True, "month-first": False}


def run(name: str, options: Sequence[str]) -> int:
    """Carry an experiment out in this process, and write what it recorded."""
    settings_class = experiment(name)
    parser = parser_of("run", settings_class, OUTPUTS)
    parser.add_argument("--keep", action="store_true", help="keep the run in the store, where the dashboard finds it")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary")
    values = vars(parser.parse_args(options))
    settings = chosen(settings_class, with_files(settings_class, values))
    output = checked_file(values[FILE], OUTPUTS) if values[FILE] else None
    with _keyboard(settings.step) as keyboard:
        dataset = carried_out(settings, progress=not values["quiet"], keep=values["keep"], channel=keyboard)
        if output:
            OUTPUTS[output.suffix](dataset, output)
    if keyboard.pressed or not values["quiet"]:
        print(_summary(dataset, output), file=sys.stderr)
    return INTERRUPTED if keyboard.pressed else 0


def compute(name: str, options: Sequence[str]) -> int:
    """Compute what an instant page shows; write it, or say what it is."""
    settings_class = instant(name)
    values = vars(parser_of("compute", settings_class, ARRAYS).parse_args(options))
    settings = chosen(settings_class, with_files(settings_class, values))
    output = checked_file(values[FILE], ARRAYS) if values[FILE] else None
    try:
        dataset = settings.compute()
    except SettingsError:
        raise
    except ValueError as error:
        raise CommandError(str(error)) from None
    if output:
        ARRAYS[output.suffix](dataset, output)
        print(f"What was computed is in {output}.", file=sys.stderr)
    else:
        print(dataset)
    return 0


MARKET_OPTIONS = "columns", "dates", "sheet", "symbols", "known", "header", "price", "split", "date-column", "decimal"


def with_market(kind: type[Settings], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the market of the file that ``--market`` names, kept, in its place among the settings.

    Raises :class:`CommandError` where the options do not go together, and for a file that cannot be used.
    """
    from goldviz.data.markets.market import MarketError

    data = _setting_of(kind, "market")
    if data is None:
        return dict(arguments)
    if arguments["market_file"] is None:
        options = [option for option in MARKET_OPTIONS if arguments[f"market_{option.replace('-', '_')}"] is not None]
        if options:
            raise CommandError(f"The option --market-{options[0]} says how --market FILE is read; give that file, too.")
        return dict(arguments)
    if arguments[data] is not None:
        raise CommandError(f"The options --market and --{data} both say which data; give one of them.")
    try:
        return {**arguments, data: _kept_file(arguments)}
    except MarketError as error:
        raise CommandError(str(error)) from None


def _kept_file(values: Mapping[str, Any]) -> str:
    return market(
        values["market_file"],
        columns=values["market_columns"].split(",") if values["market_columns"] else (),
        day_first=DATE_ORDERS[values["market_dates"]] if values["market_dates"] else None,
        sheet=values["market_sheet"] or "",
        symbols=_by_column(values["market_symbols"] or "", "symbols", ",", "symbol, such as Close=CL=F"),
        # A release has commas of its own.
        releases=_by_column(values["market_known"] or "", "known", ";", "release, such as Close=16:15 New York"),
        header=values["market_header"] or 0,
        price=values["market_price"] or "",
        split=values["market_split"],
        dates=values["market_date_column"] or "",
        decimal=values["market_decimal"] or "",
        progress=not values.get("quiet"),
    )


def _by_column(text: str, option: str, separator: str, example: str) -> dict[str, str]:
    """What is said of each column, written as Close=CL=F,Rate=DGS10."""
    pairs = [part.strip().partition("=") for part in text.split(separator) if part.strip()]
    wrong = next((column for column, _, word in pairs if not word), None)
    if wrong is not None:
        raise CommandError(f"--market-{option} has {wrong!r}; allowed is a column and its {example}.")
    return {column: word for column, _, word in pairs}


def with_start(kind: type[Settings], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the model that ``--start-from`` names, kept; raises as :func:`with_market` does."""
    start = _setting_of(kind, "start model")
    if start is None or arguments["start_from"] is None:
        return dict(arguments)
    if arguments[start] is not None:
        raise CommandError(f"The options --start-from and --{start} both say where to start; give one of them.")
    try:
        return {**arguments, start: text_model(arguments["start_from"])}
    except ValueError as error:
        if not getattr(error, "for_a_person", False):
            raise
        raise CommandError(str(error)) from None


DOCUMENT_OPTIONS = "date", "text", "release", "kind", "dates", "out", "minutes-after"


def with_documents(kind: type[Settings], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the documents of the file or folder that ``--documents`` names, kept.

    Raises :class:`CommandError` for options without files, and for files that cannot be used.
    """
    setting = _setting_of(kind, "documents")
    if setting is None:
        return dict(arguments)
    said = {option: arguments.get(f"{setting}_{option.replace('-', '_')}") for option in DOCUMENT_OPTIONS}
    # Of os.path, which says no to what no disk has, such as a name of a thousand letters: it may be no path at all.
    path = Path(os.path.expanduser(arguments[setting] or ""))
    if not (arguments[setting] and os.path.exists(path)):
        option = next((option for option, value in said.items() if value is not None), None)
        if option:
            raise CommandError(
                f"The option --{setting}-{option} says how the file or folder of --{setting} is read; give that, too."
            )
        return dict(arguments)
    try:
        name = documents(
            path,
            date=said["date"] or "",
            text=said["text"] or "",
            release=said["release"],
            kind=said["kind"],
            day_first=DATE_ORDERS[said["dates"]] if said["dates"] else None,
            out=said["out"] or "",
            **({} if said["minutes-after"] is None else {"minutes_after": said["minutes-after"]}),
        )
    except ValueError as error:
        if not getattr(error, "for_a_person", False):
            raise
        raise CommandError(str(error)) from None
    return {**arguments, setting: name}


def with_files(kind: type[Settings], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options with what their files hold, kept, in its place among the settings: a market, a model, or texts."""
    values = with_documents(kind, with_start(kind, with_market(kind, arguments)))
    texts = _setting_of(kind, "labelled texts")
    if texts and os.path.exists(path := Path(values[texts] or "")) and not path.is_dir():
        try:
            values[texts] = labelled_texts(values[texts])
        except ValueError as error:
            raise CommandError(str(error)) from None
    return values


def chosen(kind: type[Declared], arguments: Mapping[str, Any]) -> Declared:
    """The settings that a command line means; raises :class:`SettingsError` and :class:`CommandError`."""
    values: dict[str, Any] = {}
    for name, field in kind.model_fields.items():
        if (text := arguments[name]) is not None:
            values[name] = text.split(",") if isinstance(field.default, tuple) else _written(kind, name, text)
    start = kind.preset(arguments["preset"]) if arguments["preset"] else kind()
    return start.changed(**values)


def _written(settings: type[Settings], name: str, text: str) -> str:
    """The value itself, or what the file holds that it names with ``@``, where the setting is a text."""
    if not (text.startswith("@") and _is_text(settings, name)):
        return text
    from goldviz.data.texts.uploaded_text import LARGEST_UPLOAD

    path = Path(text[1:])
    try:
        return content_of(path, LARGEST_UPLOAD).decode("utf-8-sig")
    except OSError as error:
        raise CommandError(f"The file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"The file {path} is not UTF-8 text.") from None


def _is_text(settings: type[Settings], name: str) -> bool:
    schema = schemas(settings)[name]
    return schema.get("type") == "string" and "enum" not in schema


def parser_of(
    command: str, settings: type[Settings], outputs: Mapping[str, Any], output: str = "--output"
) -> argparse.ArgumentParser:
    """The options of a command that takes a laboratory's settings, and writes a file where ``output`` names one."""
    presets = "\n".join(f"  {preset.slug:<26} {preset.words}" for preset in settings.presets)
    parser = Parser(
        prog=f"goldviz {command} {settings.name}",
        usage=f"goldviz {command} {settings.name} [--SETTING VALUE ...] [--preset NAME] [{output} FILE] [...]",
        description=settings.question,
        epilog=f"presets:\n{presets}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--preset", metavar="NAME", help="start from this preset; they are listed below")
    parser.add_argument(
        output, dest=FILE, type=Path, metavar="FILE", help=f"write the numbers to a {either(outputs)} file"
    )
    titles = dict.fromkeys(facts(settings, name)["group"] for name in settings.model_fields)
    groups = {title: parser.add_argument_group(f"{title.lower()} settings") for title in titles}
    for name in settings.model_fields:
        title = facts(settings, name)["group"]
        word = f"{title.lower()} {name}" if name in OWN_WORDS else name
        option = "--" + word.replace("_", "-").replace(" ", "-")
        group = groups[title]
        group.add_argument(option, dest=name, metavar="VALUE", help=_meaning(settings, name).replace("%", "%%"))
    if _setting_of(settings, "market"):
        _add_market_options(parser)
    if _setting_of(settings, "documents"):
        _add_document_options(parser)
    if _setting_of(settings, "start model"):
        group = parser.add_argument_group("a model to start from")
        group.add_argument(
            "--start-from",
            metavar="MODEL",
            help="go on from this model, and keep it: 'shipped', a hub's 'owner/name', 'folder:' and a name in "
            "GOLDVIZ_MODELS, or 'run:' and a run's id",
        )
    return parser


def _add_market_options(parser: Parser) -> None:
    group = parser.add_argument_group("a market of your own")
    group.add_argument(
        "--market",
        dest="market_file",
        type=Path,
        metavar="FILE",
        help="take the data from this CSV, Excel or Parquet file: a column of dates, and prices or other numbers",
    )
    group.add_argument(
        "--market-columns",
        metavar="NAMES",
        help="which of its columns, separated by commas, the one to forecast first. Default: all that are numbers",
    )
    group.add_argument(
        "--market-dates", choices=DATE_ORDERS, help="how 01/02/2024 is read, where its dates fit both readings"
    )
    group.add_argument(
        "--market-sheet", metavar="NAME", help="which sheet of a workbook. Default: the first with cells"
    )
    group.add_argument(
        "--market-header", type=int, metavar="ROW", help="in which row the names stand. Default: found out"
    )
    group.add_argument("--market-price", metavar="NAME", help="which column to forecast, by its name or its place")
    group.add_argument(
        "--market-split",
        metavar="NAME",
        help="which column has names that become columns; '' where all rows are one price",
    )
    group.add_argument("--market-date-column", metavar="NAME", help="in which column the dates stand")
    group.add_argument("--market-decimal", choices=[".", ","], help="the decimal mark")
    group.add_argument(
        "--market-symbols",
        metavar="COLUMN=SYMBOL",
        help="which known symbols its columns are, separated by commas, such as Close=CL=F: their units and release "
        "times then hold",
    )
    group.add_argument(
        "--market-known",
        metavar="COLUMN=RELEASE",
        help="when its columns' values are known, separated by semicolons, such as 'Close=16:15 New York, next working "
        "day'",
    )


def _add_document_options(parser: Parser) -> None:
    group = parser.add_argument_group("documents of your own: --documents takes a CSV file or a folder of text files")
    for option, words in (
        ("date", "in which column the days stand. Default: found out"),
        ("text", "in which column the texts stand. Default: found out"),
        ("release", "in which column the days of release stand; '' where in none. Default: found out"),
        ("kind", "in which column the kinds stand; the kind itself of text files that say none"),
        ("out", "at what time documents are out, such as '14:15 Prague'. Default: 14:00 New York"),
    ):
        group.add_argument(f"--documents-{option}", metavar="NAME" if option != "out" else "RELEASE", help=words)
    group.add_argument(
        "--documents-dates", choices=DATE_ORDERS, help="how 01/02/2024 is read, where the dates fit both readings"
    )
    group.add_argument(
        "--documents-minutes-after", type=int, metavar="DAYS", help="how many days minutes wait. Default: 24"
    )


def _setting_of(settings: type[Settings], control: str) -> str | None:
    """The setting that the named part of a page sets."""
    return next((name for name in settings.model_fields if facts(settings, name)["control"] == control), None)


def _meaning(settings: type[Settings], name: str) -> str:
    field = settings.model_fields[name]
    unit = facts(settings, name)["unit"]
    default = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
    unit = f" Unit: {unit}." if unit else ""
    file = " @FILE reads it from a file." if _is_text(settings, name) else ""
    return f"{description(settings, name)}{unit} Allowed: {allowed(settings, name)}.{file} Default: {default}."


class _Keyboard:
    """A control channel: Ctrl-C tells the run to stop after its step, so that what was recorded is whole."""

    def __init__(self) -> None:
        self.pressed = False

    def commands(self) -> list[Command]:
        """The command to stop, once Ctrl-C was pressed."""
        return [Command("stop")] if self.pressed else []


@contextmanager
def _keyboard(step: str) -> Iterator[_Keyboard]:
    keyboard = _Keyboard()

    def stop(_number: int, _frame: FrameType | None) -> None:
        keyboard.pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print(f"\ngoldviz: Stopping after this {step}; Ctrl-C once more stops at once.", file=sys.stderr)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield keyboard
    finally:
        signal.signal(signal.SIGINT, before)


def _summary(dataset: xr.Dataset, output: Path | None) -> str:
    facts_of_run = dataset.attrs
    words = [f"{str(facts_of_run['status']).capitalize()} in {float(facts_of_run['duration']):.1f} s."]
    words += [str(facts_of_run["message"])] if facts_of_run["message"] else []
    words += [f"What was recorded is in {output}."] if output else []
    words += [f"It is kept as run {facts_of_run['run_id']}."] if "run_id" in facts_of_run else []
    return " ".join(words)
