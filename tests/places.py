"""Where the checkout lies, and the real data beside it, which only some machines have."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
REAL_DATA = ROOT.parent / "shared" / "data"
