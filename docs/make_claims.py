"""Test the claims: carry their settings out in every case, and keep the numbers.

All claims whose kept numbers are missing or of other settings; or those of the laboratories, or with the numbers, named
as arguments. ``anew`` measures again what is kept already.
"""

import os
import sys
import time
from functools import lru_cache

os.environ.setdefault("OMP_NUM_THREADS", "1")

import xarray as xr

from goldviz.api import dataset_of
from goldviz.declare.claims import Claim, Evidence, claims, evidence, keep
from goldviz.declare.settings import Experiment, Settings

ANEW = "anew"
DAY_SECONDS = 86_400.0


@lru_cache(maxsize=40)
def carried_out(settings: Settings) -> xr.Dataset:
    """The run of these settings; claims share lanes. A busy machine's runs are not cut off at their time limit."""
    unhurried = settings.changed(time_limit=DAY_SECONDS) if isinstance(settings, Experiment) else settings
    return dataset_of(unhurried, progress=False)


def asked_for(claim: Claim, names: list[str]) -> bool:
    """Whether a claim is to be tested now."""
    kept = evidence(claim.lab).get(claim.number)
    current = kept is not None and kept.tests(claim)
    named = not names or claim.lab.name in names or claim.number in names
    return named and (not current or ANEW in sys.argv)


def main(names: list[str]) -> None:
    """Test these claims, or all; what was found is kept after each."""
    for claim in [claim for claim in claims().values() if asked_for(claim, names)]:
        start = time.monotonic()
        found = Evidence.of(claim, claim.measured(carried_out))
        keep(claim.lab, {**evidence(claim.lab), claim.number: found})
        print(f"{claim.number}, {time.monotonic() - start:.0f} s: {claim.judged(found.numbers).sentence}", flush=True)


if __name__ == "__main__":
    main([name for name in sys.argv[1:] if name != ANEW])
