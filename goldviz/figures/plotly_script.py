"""Plotly's script for a browser: of its kinds of traces those on cartesian axes, a third of the whole.

It is Plotly's own distribution ``plotly.js-cartesian-dist-min``, its MIT licence beside it. It is served whichever
version of the package ``plotly`` is installed, for what goldviz knows of a script's insides is known of this one.
"""

from importlib.resources import files

PLOTLY_SCRIPT = files("goldviz.figures") / "plotly_cartesian" / "plotly-cartesian.min.js"
VERSION = "4.1.1"
"""That it says of itself, of which a browser keeps one copy."""
