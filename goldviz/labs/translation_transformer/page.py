"""Translation with a Transformer: the page's figures, a sentence of one's own, and document 004, section 4."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import streamlit as st

from goldviz.declare.registry import experiments, laboratories
from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.translation_transformer import LAB
from goldviz.labs.translation_transformer.figures import FIGURES, one_step
from goldviz.labs.translation_transformer.measures import Reading
from goldviz.labs.translation_transformer.settings import TranslationTransformer, trained_norms
from goldviz.runs.examples import example
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.ask import Ask
from goldviz.ui.panels.beam import answers_table, sentence_and_width
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import drawn_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from goldviz.figures.spec import FigureSpec
    from goldviz.labs.translation_transformer.writing import Writing
    from goldviz.runs.jobs.kept_weights import KeptWeights

NUMBERS = (
    "In this run, at its last count, {told_right:.1%} of the words are right when told, and {free_right:.1%} when it "
    "writes alone. It took {steps_to_right:.0f} steps to answer 99 % without a fault, or did not get there."
)
NORMS = {
    "layer": r"\mathrm{norm}(x) = \gamma \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta",
    "rms": r"\mathrm{norm}(x) = \gamma \frac{x}{\sqrt{\overline{x^2} + \varepsilon}}",
    "batch": r"\mathrm{norm}(x) = \gamma \frac{x - \mu_B}{\sqrt{\sigma_B^2 + \varepsilon}} + \beta",
    "none": r"\mathrm{norm}(x) = x",
}
PLACES = {
    "post": r"x \leftarrow \mathrm{norm}(x + \mathrm{part}(x))",
    "pre": r"x \leftarrow x + \mathrm{part}(\mathrm{norm}(x))",
}
SENTENCES = {
    "reversal": ("a b c d e", "Write letters with blanks between them."),
    "sorting": ("d a c b", "Write letters with blanks between them."),
    "phrases": ("area economic european", "Write each noun before its adjectives, and links between phrases."),
    "dates": ("Monday, 3 September 2001", "Write a date in words or numbers."),
}
RECURRENT = "attention-interface"
EXAMPLES = {"reversal": "turn-letters-round", "phrases": "european-economic-area", "dates": "dates-to-iso"}
"""The other laboratory's recorded run of each task that it has one of."""


def why(lane: Lane[TranslationTransformer], draw: Callable[[str], None]) -> None:
    """Document 004, section 4, with the run's own numbers."""
    settings = lane.settings
    first = trained_norms(settings.norm)[0]
    with words_beside(draw, "norm_at_work"):
        st.markdown("Every attention is the same formula (document 004, 4.1; Vaswani et al. 2017). Rows are words:")
        st.latex(r"\mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right) V")
        st.markdown(
            "Encoder: Q, K and V come from the words read. Decoder: from the words written, later ones masked. Between "
            "them: Q from the words written, K and V from the encoder's top."
        )
        st.markdown("What a part puts out is added to its input, and a norm stands behind or before it (4.2):")
        st.latex(PLACES[settings.place])
        st.latex(NORMS[first])
        if lane.dataset.sizes.get("close_look"):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, first, settings)))
        st.caption(
            "Layer and RMS norm look at one word alone. Batch norm looks at all words of the batch, so a sentence's "
            "answer depends on which others are learned beside it."
        )


def _sentence(lane: Lane[TranslationTransformer]) -> tuple[str, int]:
    settings = lane.settings
    if settings.corpus != "generated":
        return sentence_and_width("transformer", settings.corpus, "", "Write a sentence as those of your pairs.")
    return sentence_and_width("transformer", settings.task, *SENTENCES[settings.task])


def _show_writing(lane: Lane[TranslationTransformer], writing: Writing, weights: KeptWeights) -> None:
    """Greedy and beam answers; and of one step of the greedy one what it sees, and which words it holds likely."""
    st.html(answers_table(writing.greedy, writing.beam))
    st.caption(f"The percentage is the probability of the whole answer. Weights of step {weights.step:,}.")
    steps = len(writing.told)
    place = 1
    if steps > 1:
        place = st.slider("Step of writing", 1, steps, 1, key=f"transformer-step-{steps}", persist_state="session")
    drawn_figure(
        one_step,
        writing.source,
        writing.told,
        writing.own,
        writing.cross,
        key=f"transformer-step-{lane.id}",
        subject=f"{lane.id} {weights.step} {' '.join(writing.source)} {place}",
        step=place - 1,
    )
    candidates = ", ".join(f"**{plain(word)}** {share:.1%}" for word, share in writing.candidates[place - 1])
    st.markdown(f"The next word: {candidates}.")


ASK = Ask(
    "transformer",
    does="answers your sentence here, word by word",
    button="Write",
    icon=":material/edit:",
    working="Writing",
    asked=_sentence,
    answer="writing.write",
    show_answer=_show_writing,
)


def beside(lane: Lane[TranslationTransformer], step: int | None) -> None:
    """This run's cross-attention to the left, the recurrent networks' to the right, where their task is the same."""
    slug = EXAMPLES.get(lane.settings.task) if lane.settings.corpus == "generated" else None
    if slug is None:
        st.caption("The recurrent networks have no recorded run of this task. Turn letters round to compare.")
        return
    if "cross_attention" not in lane.dataset or not lane.dataset.sizes.get("look"):
        st.caption("Cross-attention appears here with the run's first look.")
        return
    recurrent = cast("FigureSpec", laboratories()[RECURRENT].figures().FIGURES["alignment"])
    subject = f"{lane.id} {lane.last_step} {step}"
    columns = st.columns(2)
    with columns[0]:
        st.markdown("**Transformer, this run**")
        drawn_figure(
            FIGURES["alignment"], lane.dataset, key="transformer-beside-Transformer", subject=subject, epoch=step
        )
    with columns[1]:
        st.markdown("**Two recurrent networks, recorded**")
        recorded = example(experiments()[RECURRENT], slug)
        drawn_figure(recurrent, recorded, key="transformer-beside-Two recurrent networks", subject=slug)
    st.caption("Sequences, sizes and steps differ: compare where the large weights stand, not how many there are.")


PAGE = LaboratoryPage(
    LAB,
    main="pair",
    beside="alignment",
    below="own_side",
    why=why,
    parts=(
        Part("sentence", "Your own sentence", ASK.show, shows=lambda settings: True),
        Part("beside", "Beside recurrent networks", beside, shows=lambda settings: True),
    ),
)
