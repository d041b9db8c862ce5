"""Plotly's script for a browser: of its kinds of traces those on cartesian axes, a third of the whole.

The small one is Plotly's own distribution ``plotly.js-cartesian-dist-min``, its MIT licence beside it. The package
``plotly`` brings only the whole one; where that is of another version it is taken, so that a page draws as a notebook.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

WHOLE = files("plotly") / "package_data" / "plotly.min.js"
SMALL = files("goldviz.figures") / "plotly_cartesian" / "plotly-cartesian.min.js"
VERSION = re.compile(rb"plotly\.js (?:\(cartesian - minified\) )?v(\d+\.\d+\.\d+)")
HEADING = 200
"""Bytes within which a script says its version."""


def version_of(script: Traversable) -> bytes | None:
    """The version that a script says of itself at its beginning, such as ``b"4.1.1"``."""
    with script.open("rb") as file:
        match = VERSION.search(file.read(HEADING))
    return match[1] if match else None


@cache
def plotly_script() -> Traversable:
    """The script that draws goldviz's figures as the installed ``plotly`` would."""
    return SMALL if version_of(SMALL) == version_of(WHOLE) else WHOLE
