"""Translation with a Transformer: the page's figures, a sentence of one's own, and document 004, section 4."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.translation_transformer import LAB
from goldviz.labs.translation_transformer.measures import Reading
from goldviz.labs.translation_transformer.norms import trained_norms
from goldviz.labs.translation_transformer.parts import beside, sentence
from goldviz.labs.translation_transformer.settings import TranslationTransformer
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.parts import Part

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


PAGE = LaboratoryPage(
    LAB,
    main="own_side",
    beside="alignment",
    below="alone",
    why=why,
    parts=(
        Part("sentence", "Your own sentence", sentence.show, shows=lambda settings: True),
        Part("beside", "Beside recurrent networks", beside.show, shows=lambda settings: True),
    ),
)
