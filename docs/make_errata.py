"""Write ``docs/errata.md`` of ``goldviz/labs/errata.toml``: run by ``make errata``."""

from pathlib import Path

from goldviz.declare.errata import as_markdown

(Path(__file__).parent / "errata.md").write_text(as_markdown(), encoding="utf-8")
