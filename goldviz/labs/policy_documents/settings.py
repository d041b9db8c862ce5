"""Policy documents: many texts as vectors, when each was out, and what changed from one to the next.

Document 001, section 4.2.3: FinBERT encodes policy documents, so that a forecast can use them beside prices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from goldviz.declare import market_settings, standard
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, setting
from goldviz.declare.text_models import text_model_setting

if TYPE_CHECKING:
    from goldviz.data.texts.dated_texts import DatedText, DatedTexts

POOLINGS = {"mean": "mean over the pieces", "cls": "[CLS], the first piece"}
COLOURS = {"date": "its date", "tone": "its tone", "kind": "its kind"}
FITTED = {"first_half": "the first half", "all": "all documents (looks ahead)"}
KINDS_ON_THE_MAP = {"one": "the kind of the document in view", "all": "all kinds, on the same axes"}
MOST_DOCUMENTS = 2_000


class PolicyDocuments(Instant):
    """Statements and minutes through one model: tones, a map, neighbours, and the change from text to text."""

    about = About(
        "policy-documents",
        "Policy documents",
        icon=":material/newspaper:",
        section="Markets",
        rank=55,
        sought="FOMC statement minutes central bank sentiment FinBERT event study",
        question="What changed between these statements, and when could a market have known?",
    )

    documents: str = standard.kept("documents", "generated", group="Documents", control="documents")
    """The documents: generated ones, or documents kept on this server."""
    model: str = text_model_setting("The model that reads the documents.")
    pooling: Literal["mean", "cls"] = setting("mean", group="Vectors", essential=True, labels=POOLINGS)
    """What of the last hidden states becomes the document's vector."""
    fitted_on: Literal["first_half", "all"] = setting("first_half", group="Map", essential=True, labels=FITTED)
    """The documents from which the map's axes, the principal components, are computed."""
    map_kinds: Literal["one", "all"] = setting("one", group="Map", essential=True, labels=KINDS_ON_THE_MAP)
    """Which documents are on the map, and have a part in its axes."""
    colour: Literal["date", "tone", "kind"] = setting("date", group="Map", essential=True, labels=COLOURS)
    """What a document's colour in the map shows."""
    tone_response: float = market_settings.tone_response(group="Channels")
    """Planted where these documents become channels of the simulated market. It is how far one standard deviation of
    tone moves gold's mean return, in the return's standard deviations."""
    neighbours: int = setting(6, ge=1, le=20, group="View", unit="documents")
    """How many of the nearest documents are listed."""
    document: int = setting(321, ge=1, le=MOST_DOCUMENTS, group="View")
    """Number of the document that is compared with the one before it of its kind, by release."""
    position: ClassVar[str] = "document"

    kept_by_presets: ClassVar[tuple[str, ...]] = ("documents", "model", "document")
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "Each text becomes one vector, the mean over its pieces. The map's axes know the first half alone, of one "
            "kind; the later documents are placed on them.",
        ),
        Preset(
            "The tone's view",
            "The vector of [CLS], from which the tone is read, coloured by tone: the first axis is mostly good or bad.",
            {"pooling": "cls", "colour": "tone"},
        ),
        Preset(
            "Break it: statements and minutes on one map",
            "Axes of all kinds together: the first one tells mostly which kind a text is, and little of what it says.",
            {"map_kinds": "all", "colour": "kind"},
        ),
        Preset(
            "Break it: a map that knows the future",
            "Axes fitted on all documents: where an early text stands now depends on texts that were not written yet.",
            {"fitted_on": "all"},
        ),
    )

    def positions(self) -> tuple[int, int]:
        """The documents, numbered by release from 1; one place where there are no such documents."""
        return 1, max(1, len(self._texts_here()))

    def document_in_words(self) -> str:
        """Which document is in view: 'Document 9 of 48: 2022-07-27 Statement'; less where there are no such ones."""
        texts = self._texts_here()
        number = min(self.document, len(texts))
        return f"Document {number} of {len(texts)}: {texts[number - 1].title}" if texts else "Document"

    def _texts_here(self) -> tuple[DatedText, ...]:
        from goldviz.data.texts.dated_texts import DatedTextError

        try:
            return self.texts().texts
        except DatedTextError:
            return ()

    def texts(self) -> DatedTexts:
        """The documents; raises :class:`goldviz.data.texts.dated_texts.DatedTextError` where they are not here."""
        from goldviz.data.texts.kept_documents import documents_at_hand

        return documents_at_hand(self.documents)
