"""``goldviz claims``: what the documents claim, and what came of it."""

from __future__ import annotations

from goldviz.api import examine
from goldviz.cli.errors import CommandError
from goldviz.declare.claims import Claim, claim_of
from goldviz.declare.claims import claims as known


def claims(number: str | None, run: bool) -> int:
    """List all claims, one line each; or show one in full, or test it here."""
    if number is None:
        if run:
            raise CommandError("Which claim is to be run? Give its number: goldviz claims C76 --run.")
        for claim in known().values():
            print(f"{claim.number:<5}{claim.word:<15}{claim.place:<28}{claim.sentence}")
        return 0
    claim = claim_of(number)
    print(f"{claim.number}: {claim.sentence}\n    Document {claim.place}; laboratory {claim.lab.name}")
    print(f"    {_verdict(claim, run)}")
    return 0


def _verdict(claim: Claim, run: bool) -> str:
    verdict = examine(claim) if run else claim.verdict
    return verdict.sentence if verdict else f"Not tested yet: goldviz claims {claim.number} --run tests it."
