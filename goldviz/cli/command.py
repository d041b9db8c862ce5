"""The command line as a whole, and its short commands.

What a command works with is imported when it is carried out: ``goldviz --help`` waits for none of it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path

from goldviz.cli.errors import FAILED, INTERRUPTED, REFUSED, CommandError, Parser, check_values, in_print, told
from goldviz.cli.streams import abandoned, flushed
from goldviz.plurals import how_many


def main(argv: list[str] | None = None) -> int:
    """Carry out a command line, and return its exit code."""
    try:
        try:
            code = _carried_out(argv)
        except SystemExit:  # after --help and --version
            flushed(0)
            raise
        return flushed(code)
    except BrokenPipeError:
        return abandoned()
    except OSError as error:
        abandoned()
        return _complain(FAILED, str(error))


def _carried_out(argv: list[str] | None) -> int:
    try:
        check_values(sys.argv[1:] if argv is None else argv)
        arguments = _parser().parse_args(argv)
        command: Callable[[argparse.Namespace], int] = arguments.command
        return command(arguments)
    except CommandError as error:
        return _complain(REFUSED, str(error))
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _complain(INTERRUPTED, "Stopped at once; nothing was written.")
    except Exception as error:
        code, sentences = told(error)
        if code is None:
            raise
        return _complain(code, *sentences)


def _complain(code: int, *sentences: str) -> int:
    for sentence in sentences:
        print(f"goldviz: {in_print(sentence)}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="goldviz", description="A laboratory for small neural networks.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"goldviz {metadata.version('goldviz')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    listing = commands.add_parser("list", help="experiments and instant pages with their questions", allow_abbrev=False)
    listing.add_argument("--runs", action="store_true", help="the latest kept runs instead")
    listing.set_defaults(command=_list)

    for name, words, about in (
        ("run", "carry an experiment out here", "Carry an experiment out here"),
        ("sweep", "carry it out for many settings and seeds", "Carry an experiment out for many settings and seeds"),
        ("compute", "what an instant page shows, as numbers", "Compute what an instant page shows"),
    ):
        description = f"{about}. 'goldviz {name} NAME --help' lists its settings."
        commands.add_parser(name, help=words, description=description, fill=_by_name)

    claims = commands.add_parser("claims", help="what the documents claim, and what came of it", allow_abbrev=False)
    claims.add_argument("number", metavar="NUMBER", nargs="?", help="one claim in full, such as C76; without it, all")
    claims.add_argument("--run", action="store_true", help="test that claim here and now")
    claims.set_defaults(command=_claims)

    serve = commands.add_parser("serve", help="the dashboard in the browser", allow_abbrev=False)
    serve.add_argument("--port", type=int, default=8501, help="port of the server; default 8501")
    serve.add_argument(
        "--address", default="127.0.0.1", help="address to listen on; default 127.0.0.1: this machine alone"
    )
    serve.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="HOST",
        help="a further name at which people open it: lab.example, lab.example:8443 or https://lab.example",
    )
    serve.add_argument(
        "--allow-embedding",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="a site whose pages may show it in a frame: https://site.example",
    )
    serve.add_argument("--base-path", metavar="PATH", help="the path below which it answers, behind a proxy: lab")
    serve.add_argument("--open", action="store_true", help="open it in a browser")
    serve.set_defaults(command=_serve)

    commands.add_parser("export", help="a kept run as a file", allow_abbrev=False, fill=_exports)

    site = commands.add_parser("site", help="all that was recorded as pages without a server", allow_abbrev=False)
    site.add_argument(
        "--to", type=Path, required=True, metavar="FOLDER", help="a new folder, or that of an earlier site"
    )
    site.set_defaults(command=_site)

    opening = commands.add_parser("open", help="a file of watched runs, on this machine", allow_abbrev=False)
    opening.add_argument("file", type=Path, metavar="FILE", help='what goldviz.watch(..., to="run.gv") wrote')
    opening.add_argument("--serve", action="store_true", help="start the dashboard and open it in a browser, too")
    opening.set_defaults(command=_open)

    telling = commands.add_parser("findings", help="what a kept run's numbers say", allow_abbrev=False)
    telling.add_argument("run", metavar="RUN", help="the run's id, as 'goldviz list --runs' shows it")
    telling.add_argument("--json", action="store_true", help="as JSON: number, threshold and cure of each")
    telling.add_argument(
        "--fail-on", choices=("bad", "warning"), help="end with status 1 where a card is as serious, for a script in CI"
    )
    telling.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="KINDS",
        help="kinds of cards to set aside, with commas between; --json names them",
    )
    telling.set_defaults(command=_findings)

    checking = commands.add_parser("check-lab", help="whether a laboratory of your own keeps what all promise")
    checking.add_argument("name", metavar="NAME", help="its name, or the package with its LAB, such as walks.random")
    checking.set_defaults(command=_check_lab)

    agents = commands.add_parser("mcp", help="answer programs that speak the Model Context Protocol, over stdio")
    agents.set_defaults(command=_mcp)

    saving = commands.add_parser("rescue", help="save the runs of a damaged database", allow_abbrev=False)
    saving.set_defaults(command=_rescue)
    return parser


def _by_name(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``run``, ``sweep`` and ``compute``: one of what is declared, and settings that only it knows."""
    from goldviz.cli import running, sweeping
    from goldviz.declare.registry import experiments, instants

    carry_out = {"run": running.run, "sweep": sweeping.sweep, "compute": running.compute}[
        parser.prog.rpartition(" ")[2]
    ]
    names = [*instants()] if carry_out is running.compute else [*experiments()]
    parser.add_argument("name", metavar="NAME", help="one of " + ", ".join(names))
    parser.add_argument("settings", nargs=argparse.REMAINDER, help=f"see '{parser.prog} NAME --help'")
    parser.set_defaults(command=lambda arguments: carry_out(arguments.name, arguments.settings))


def _exports(parser: argparse.ArgumentParser) -> None:
    from goldviz.cli.files import EXPORTS
    from goldviz.declare.settings import either

    parser.add_argument("run", metavar="RUN", help="the run's id, as 'goldviz list --runs' shows it")
    parser.add_argument(
        "--to", type=Path, required=True, metavar="FILE", help=f"the file; its suffix, {either(EXPORTS)}, says what"
    )
    parser.add_argument(
        "--still", action="store_true", help="an .html file of a third the size, without zoom and hover"
    )
    parser.set_defaults(command=_export)


def _claims(arguments: argparse.Namespace) -> int:
    from goldviz.cli.claiming import claims

    return claims(arguments.number, arguments.run)


def _serve(arguments: argparse.Namespace) -> int:
    from goldviz.cli import serving

    options = serving.Served(
        arguments.address, arguments.port, arguments.allow_host, arguments.allow_embedding, arguments.base_path
    )
    return serving.serve(options, arguments.open)


def _list(arguments: argparse.Namespace) -> int:
    if arguments.runs:
        return _list_runs()
    from goldviz.declare.registry import experiments, instants

    for name, settings in [*experiments().items(), *instants().items()]:
        presets = ", ".join(preset.slug for preset in settings.presets)
        print(f"{name}\n    {settings.question}\n    Presets: {presets}")
    return 0


def _list_runs() -> int:
    from goldviz.data.tables.sealed_names import sealed_text
    from goldviz.runs.store.run_store import Store

    rows, total = Store().list()
    for run in rows:
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.created))
        row = f"{run.id}  {date}  {run.experiment:<18} {run.status:<12} {run.step:>6} of {run.total:<6} "
        print((row + sealed_text(run.name)).rstrip())
    print(f"{len(rows)} of {how_many(total, 'kept run')}" if rows else "No run has been kept yet.")
    return 0


def _site(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from goldviz.site.build import build, planned

    plan = planned()
    complaints = build(arguments.to, lambda: iter(tqdm(plan, unit="page", disable=None)))
    for sentence in complaints:
        print(in_print(sentence), file=sys.stderr)
    print(f"The site is in {arguments.to}; begin at {arguments.to / 'index.html'}.")
    return 0


def _open(arguments: argparse.Namespace) -> int:
    from goldviz.cli import serving
    from goldviz.runs.store.run_store import Store
    from goldviz.watching.files import brought_in
    from goldviz.watching.versions import said_of

    store = Store()
    for run in brought_in(arguments.file, store):
        print(f"Run {run} is kept. 'goldviz serve' shows it on the page Your network.")
        if sentence := said_of(store.load(run)):
            print(in_print(sentence))
    return serving.serve(serving.Served("127.0.0.1", 8501, [], [], None), True) if arguments.serve else 0


def _findings(arguments: argparse.Namespace) -> int:
    from goldviz.api import findings, load
    from goldviz.watching.findings import as_json

    run = load(arguments.run)
    every = findings(run)
    known = {kind.strip().lower() for kind in ",".join(arguments.known).split(",")} - {""}
    cards, aside = [card for card in every if card.kind not in known], known & {card.kind for card in every}
    for kind in sorted(known - aside):
        if near := get_close_matches(kind, [card.kind for card in cards], 1):
            print(in_print(f"No card is of the kind {kind[:60]!r}; did you mean {near[0]!r}?"), file=sys.stderr)
    serious = {None: (), "bad": ("bad",), "warning": ("bad", "warning")}[arguments.fail_on]
    status = int(any(card.severity in serious for card in cards))
    if arguments.json:
        print(json.dumps([as_json(finding, run) for finding in cards], indent=2))
        return status
    for finding in cards:
        sentence = f"{finding.title}: {finding.number} (limit: {finding.threshold}). {finding.explanation}"
        cure = "".join(f"\n    {line}" for line in finding.cure.splitlines())
        cure += f"\n    {finding.effect}" if cure and finding.effect else ""
        print(in_print(sentence.rstrip()) + cure)
    if not cards:
        print(f"Nothing new; set aside: {', '.join(sorted(aside))}." if aside else "Nothing out of the ordinary.")
    return status


def _mcp(_arguments: argparse.Namespace) -> int:
    from goldviz.cli.agents import serve

    return serve()


def _check_lab(arguments: argparse.Namespace) -> int:
    from goldviz.cli.checking import check_lab

    return check_lab(arguments.name)


def _rescue(_arguments: argparse.Namespace) -> int:
    from goldviz.runs.store.rescue import rescue

    outcome = rescue()
    loss = f"{how_many(outcome.lost, 'row')} could not be read. " if outcome.lost else ""
    saved = f"{how_many(outcome.runs, 'run')} with {how_many(outcome.rows, 'row')} of records"
    print(f"{saved} {'was' if outcome.runs == 1 else 'were'} saved. {loss}The old file is {outcome.aside}.")
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from goldviz.cli.files import EXPORTS, checked_file, write_report
    from goldviz.runs.store.run_store import Store

    if arguments.still:
        file = checked_file(arguments.to, (".html",))
        write_report(Store().load(arguments.run), file, still=True)
    else:
        file = checked_file(arguments.to, EXPORTS)
        EXPORTS[file.suffix](Store().load(arguments.run), file)
    print(f"Run {arguments.run} is in {file}.")
    return 0
