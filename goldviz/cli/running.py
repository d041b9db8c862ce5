"""``goldviz run NAME``: every option is read off the experiment's settings."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldviz.api import carried_out
from goldviz.cli.errors import INTERRUPTED, Parser
from goldviz.cli.files import OUTPUTS, checked_file, named
from goldviz.experiments import experiment
from goldviz.experiments.base import Experiment, allowed, facts
from goldviz.runs.recorder import Order

if TYPE_CHECKING:
    from types import FrameType

    import xarray as xr


def run(name: str, options: Sequence[str]) -> int:
    """Carry an experiment out in this process, and write what it recorded."""
    declared = experiment(name)
    given = vars(_parser(declared).parse_args(options))
    settings = chosen(declared, given)
    output = checked_file(given["output"], OUTPUTS) if given["output"] else None
    with _keyboard(settings.step) as keyboard:
        dataset = carried_out(settings, progress=not given["quiet"], keep=given["keep"], desk=keyboard)
        if output:
            OUTPUTS[output.suffix](dataset, output)
    if keyboard.pressed or not given["quiet"]:
        print(_summary(dataset, output), file=sys.stderr)
    return INTERRUPTED if keyboard.pressed else 0


def chosen(declared: type[Experiment], given: Mapping[str, Any]) -> Experiment:
    """The settings that a command line means; raises :class:`SettingsError`."""
    values: dict[str, Any] = {}
    for name, field in declared.model_fields.items():
        if (text := given[name]) is not None:
            values[name] = text.split(",") if isinstance(field.default, tuple) else text
    start = declared.preset(given["preset"]) if given["preset"] else declared()
    return start.changed(**values)


def _parser(declared: type[Experiment]) -> argparse.ArgumentParser:
    presets = "\n".join(f"  {preset.slug:<26} {preset.words}" for preset in declared.presets)
    parser = Parser(
        prog=f"goldviz run {declared.name}",
        usage=f"goldviz run {declared.name} [--SETTING VALUE ...] [--preset NAME] [--output FILE] [--keep] [--quiet]",
        description=declared.question,
        epilog=f"presets:\n{presets}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--preset", metavar="NAME", help="start from this preset; they are listed below")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help=f"write what is recorded to a {named(OUTPUTS)} file"
    )
    parser.add_argument("--keep", action="store_true", help="keep the run in the store, where the dashboard finds it")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary")
    titles = dict.fromkeys(facts(declared, name)["group"] for name in declared.model_fields)
    groups = {title: parser.add_argument_group(f"{title.lower()} settings") for title in titles}
    for name in declared.model_fields:
        option = "--" + name.replace("_", "-")
        group = groups[facts(declared, name)["group"]]
        group.add_argument(option, dest=name, metavar="VALUE", help=_meaning(declared, name).replace("%", "%%"))
    return parser


def _meaning(declared: type[Experiment], name: str) -> str:
    field = declared.model_fields[name]
    unit = facts(declared, name)["unit"]
    default = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
    unit = f" Unit: {unit}." if unit else ""
    return f"{field.description}{unit} Allowed: {allowed(declared, name)}. Default: {default}."


class _Keyboard:
    """A desk: Ctrl-C orders the run to stop after its step, so that what was recorded is whole."""

    def __init__(self) -> None:
        self.pressed = False

    def orders(self) -> list[Order]:
        """The order to stop, once Ctrl-C was pressed."""
        return [Order("stop")] if self.pressed else []


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
