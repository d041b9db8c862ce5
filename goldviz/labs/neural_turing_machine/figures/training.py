"""What training makes: right answers by length, and how sharp addresses become."""

from __future__ import annotations

from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import legend_above_headings
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.neural_turing_machine.figures.quantities import figure, of_machine


@figure(
    "How long may a sequence be?",
    needs=("sequences_right", "bits_right"),
    shows="Right sequences and bits by length. Dotted: longest learned. Dashed: the memory's cells.",
)
def by_length(plot: Plot) -> Figure:
    """Right answers by length (Graves et al. 2014, figures 4 and 5): is a rule learned, or the lengths of training?"""
    plot.panels(["Sequences without a wrong bit", "Right bits"])
    for row, name in enumerate(("sequences_right", "bits_right"), start=1):
        plot.curves(finite(plot.now[name]), hover="%{y:.1%}", row=row)
    plot.number_axis("length", "Rows of the sequence", "%{x} rows")
    plot.figure.update_yaxes(range=(-0.05, 1.05), tickvals=[0, 0.5, 1], tickformat=".0%")
    ends = {"dot": int(plot.ds.attrs.get("trained_length", 0)), "dash": plot.ds.sizes.get("slot")}
    for dash, length in ends.items():
        # LSTM and GRU alone have no cells.
        if length is not None:
            plot.figure.add_vline(x=length, line={"color": plot.ink.muted, "width": 1.5, "dash": dash})
    note = plot.drawn(plot.step_in_words("look"))
    return legend_above_headings(plot.finish(note, height=560))


@figure(
    "Does a head choose one cell?",
    needs=("cells_used",),
    instead=of_machine("cells_used"),
    shows="Over how many cells an address is spread; 1 is a single cell.",
)
def spread(plot: Plot) -> Figure:
    """exp of the entropy of the weights over training: is the whole memory changed at each step, or one cell?"""
    now = finite(plot.ds["cells_used"]).median("seed")
    for head, colour, dash in (("write", plot.look_of("ntm").colour, "solid"), ("read", plot.ink.text, "dash")):
        plot.add(
            Scatter(
                x=plot.ds["look"].values,
                y=now.sel(head=head).values,
                name=f"{head} head",
                mode="lines+markers",
                line={"color": colour, "width": 2.5, "dash": dash},
                hovertemplate="%{y:.2f} cells",
            )
        )
    plot.step_grid()
    plot.linear_axis("cells_used", "Cells")
    plot.reference(1, "one cell")
    return plot.finish(plot.drawn(), height=430)
