"""``docs/claims.md``: every claim with its verdict, under its laboratory's title."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from goldviz.declare.claims import Claim
from goldviz.diagnostics.verdicts import counted

HEAD = """# What the documents claim, and what came of it

Each line is a claim of one of the documents (001 to 004), its place there, and what the laboratory measured. Nobody
writes a verdict: a claim declares its settings, what is measured and where the line is, `make claims` carries the
settings out on five seeds or more and keeps the numbers, and the verdict is computed of them. `goldviz claims C76
--run` tests one again; `goldviz.claims()` lists them in a notebook; each laboratory's page shows its own under *What
the document claims*, and the page *Claims* shows all.

A part of a claim *holds* where the whole 95 % interval over the seeds lies inside the declared line, *does not hold*
where it lies outside, and is *undecided* where it reaches over the line. The interval is Student's t over seeds, of the
logarithms for ratios; Wilson's for shares of seeds. A claim *holds in part* where some of its parts hold and others do
not.

C23, that half precision trains faster, is about GPUs that have it. It was tried on none, so it has no verdict.

To declare a claim, write `goldviz/labs/<lab>/claims.py` as `goldviz/declare/claims.py` shows, then run
`make claims NAME=<name>`. A test is red where a claim has no numbers, or numbers of other settings.
"""


def page(claims: Iterable[Claim]) -> str:
    """The whole page."""
    found = list(claims)
    parts = [HEAD, f"{len(found)} claims: {counted(claim.word for claim in found)}.\n"]
    by_title = sorted(found, key=lambda claim: claim.lab.declared.rank)
    for title, group in groupby(by_title, key=lambda claim: claim.lab.declared.title):
        rows = "\n".join(_row(claim) for claim in group)
        parts.append(f"## {title}\n\n| | claim | place | verdict |\n|---|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _row(claim: Claim) -> str:
    verdict = claim.verdict.sentence if claim.verdict else claim.word
    return f"| {' | '.join(cell.replace('|', '/') for cell in (claim.number, claim.sentence, claim.place, verdict))} |"
