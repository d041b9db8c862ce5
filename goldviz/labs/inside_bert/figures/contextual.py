"""One word in two sentences, state by state (document 001, section 4.2.1)."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.notes import as_label
from goldviz.figures.spec import drawn
from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert import measures

LINES = {"same word": ("#d55e00", "solid", "circle"), "other words": ("#838383", "dash", "square")}


@drawn(
    "Does a word keep its vector?",
    shows="The cosine of the word's two vectors. Dashed: with the other words of the second sentence.",
    cannot_show="What the vector means.",
    name="word_cosine",
    needs=("word_cosine",),
)
def word_cosine(ds: Run, *, theme: Theme = "light") -> Figure:
    """Cosine of one word's vectors in two sentences, state by state, beside that of other words."""
    figure, states = Figure(), ds["state"].values
    for pair, (colour, dash, symbol) in LINES.items():
        figure.scatter(
            x=states,
            y=ds["word_cosine"].sel(pair=pair).values,
            mode="lines+markers",
            name=as_label(ds.attrs["word"]) if pair == "same word" else "other words, median",
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 8},
            hovertemplate="%{y:.3f}",
        )
    look.apply(figure, theme, title="Does a word keep its vector?", notes=[as_label(in_words(ds))], height=440)
    figure.update_xaxes(title_text="State: 0 is what goes in, then the layers", dtick=1 if len(states) < 14 else 2)
    return figure.update_yaxes(title_text="Cosine", range=[-1.05, 1.05])


def in_words(ds: Run) -> str:
    """What becomes of the word, in a sentence."""
    cosines = measures.word_going_in(ds), measures.word_coming_out(ds), ds["word_cosine"].sel(pair="other words")[-1]
    before, after, others = (f"{float(value):.2f}".replace("-", "−") for value in cosines)
    beside = "" if others == "nan" else f", other words {others}"
    return f"“{ds.attrs['word']}” in both sentences: cosine {before} going in, {after} after the last layer{beside}."
