"""Two texts, or two models, side by side on *Inside BERT*: the same axes and the same colours for both."""

from __future__ import annotations

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.figures import ON_PAGES
from goldviz.labs.inside_bert.figures.evidence import SUMMARIES
from goldviz.labs.inside_bert.head import on_one_scale
from goldviz.labs.inside_bert.parts.explorer import Choice, attention_explorer, exhibit_token
from goldviz.labs.inside_bert.parts.state import Look
from goldviz.ui import whole_page
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain


def told(first: Look, second: Look) -> None:
    """What differs, in sentences, and where more of it is."""
    for sentence in differences(first.overview, second.overview):
        st.markdown(sentence)
    st.caption("Both stand side by side under the first of the page's questions.")


def show(first: Look, second: Look) -> None:
    """Tone, the head in view and every head's number of both."""
    st.subheader("Side by side", anchor=False)
    st.caption(f"First: {_named(first)}. Second: {_named(second)}.")
    left, right = st.columns(2)
    with left:
        if "probability" in first.overview and "probability" in second.overview:
            first.figure(ON_PAGES["tones"], first.overview, second.read.key, second=second.overview)
        else:
            st.caption("A tone stands here where both models have a classifier.")
    with right:
        summary = st.selectbox(
            "Compare the heads by",
            list(SUMMARIES),
            format_func=SUMMARIES.__getitem__,
            key="compare-summary",
            persist_state="session",
        )
        spec = ON_PAGES[f"heads_{summary}"]
        first.figure(spec, first.overview, second.read.key, summary, key="summaries", second=second.overview)
        if not same_model(first.overview, second.overview):
            st.caption(
                "Two models: a head of one has no partner in the other. Compare what heads there are, not cell by cell."
            )
    _heads(first, second)


@whole_page.drawn_alone
def _heads(first: Look, second: Look) -> None:
    """The same head, and the same place in the text, of both."""
    mine = first.shares()
    theirs = None if mine is None else second.shares()
    if mine is None or theirs is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Follow the head and piece in view", icon=":material/sync:", key="compare-now")
        layer, head, token = _place(mine)
        st.caption(f"Shown: layer {layer}, head {head}, piece {token}.")
    both = zip(("First", "Second"), on_one_scale(mine, theirs), strict=True)
    for column, (words, own) in zip(st.columns(2), both, strict=True):
        with column:
            spec, about = ON_PAGES["shares_pair"], (second.read.key, *_place(own))
            first.figure(spec, own, *about, key=f"pair_{words.lower()}", heading=words)
    with st.expander("The second one's heads in full", icon=":material/grid_view:"):
        attention_explorer(
            exhibit_token(second.read, second.reading),
            Choice(int(theirs.attrs["layer"]) - 1, int(theirs.attrs["head"]) - 1),
            key="attention-second",
            theme=theme_now(),
        )


def _place(ds: Run) -> tuple[int, int, int]:
    return int(ds.attrs["layer"]), int(ds.attrs["head"]), int(ds.attrs["query_piece"])


def _named(look: Look) -> str:
    text = " ".join(look.read.text.split())
    excerpt = text if len(text) <= 70 else text[:69].rstrip() + "…"
    return f"“{plain(excerpt)}” read by {plain(look.read.model.name)}"


def differences(first: Run, second: Run) -> list[str]:
    """What differs between two overviews, in sentences of Markdown."""
    sentences = []
    places = measures.pieces_changed(first, second)
    if places is None:
        sentences.append(f"{first.sizes['piece']} pieces and {second.sizes['piece']}.")
    elif 0 < len(places) <= 5:
        pairs = ", ".join(f"“{plain(one)}” and “{plain(other)}” at {place}" for place, one, other in places)
        sentences.append(f"The pieces differ in {len(places)} of {first.sizes['piece']}: {pairs}.")
    classes = [list(overview["label"].values) for overview in (first, second) if "logit" in overview]
    same = same_model(first, second)
    if len(classes) == 2 and classes[0] == classes[1]:
        name = "logit" if same else "probability"
        change = measures.largest_change(first[name], second[name])
        by = (f"{change.by:+.2g}" if same else f"{100 * change.by:+.1f}").replace("-", "−")
        sentences.append(
            f"The logit of {plain(change.label)} changes most, by {by}."
            if same
            else f"The two models differ most in the probability of {plain(change.label)}, by {by} percentage points."
        )
    if same:
        layer, head, before, after = measures.head_changed(first, second)
        sentences.append(
            f"Layer {layer}, head {head} changes most in how widely it looks. Its entropy goes from {before:.0%} to "
            f"{after:.0%} of an even spread over the N pieces, log₂ N."
        )
    return sentences


def same_model(first: Run, second: Run) -> bool:
    """Whether both overviews are of the same weights; only then do logits have one scale, and heads a partner."""
    return bool(first.attrs["fingerprint"] == second.attrs["fingerprint"])
