"""How the models of the next token learn."""

from __future__ import annotations

import numpy as np

from goldviz.figures.draft import Figure
from goldviz.figures.elements import legend_above_headings
from goldviz.figures.plot import Plot
from goldviz.labs.price_tokens.figures.quantities import figure
from goldviz.labs.price_tokens.figures.skill import look_of, network_of


@figure(
    "Does it learn, or learn by heart?",
    needs=("loss", "validation_loss"),
    shows="Training and validation loss of the next token, mean over the fits.",
    cannot_show="How runs with other tokens compare: nats a day are for that.",
)
def loss(plot: Plot) -> Figure:
    """The loss of the next token over the epochs, in nats; ln K is that of saying all alike."""
    own = network_of(plot)
    names = {"loss": "Training loss", "validation_loss": "Validation loss"}
    plot.panels(list(names.values()))
    for row, name in enumerate(names, start=1):
        plot.curve(plot.ds[name].mean("fold"), own, style=look_of(own), hover="%{y:.4f}", row=row, legend=False)
    plot.step_grid()
    plot.loss_axis("loss", "Loss (nat)")
    count = plot.ds.sizes["token_name"]
    last = plot.say(
        lambda now: f"At epoch {int(now['epoch'])}: {float(now.mean()):.3f} nat on validation.",
        plot.now["validation_loss"],
    )
    return legend_above_headings(
        plot.finish(last, f"Guessing all {count} tokens alike: {np.log(count):.3f} nat.", plot.drawn(), height=500)
    )
