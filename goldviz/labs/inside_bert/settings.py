"""Inside BERT: a text, and everything that an encoder does with it (document 001, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from goldviz.arrays.readings import Coordinate
from goldviz.declare.instant import Instant
from goldviz.declare.settings import About, Preset, Variable, setting
from goldviz.declare.text_models import text_model_setting
from goldviz.labs.inside_bert.samples import CONTRAST, LONG, NEGATION, ONE_WORD, PAIR, PLAIN, TEN_WORDS, UNKNOWN

LONGEST_TEXT = 20_000
FIRST_VERSION = {"text": PLAIN, "layer": "1", "head": "1", "token": "2"}
"""What the first version began with, as a link writes it."""
PLACES = ("layer", "head", "token", "masked", "label", "steps", "off", "hide_special", "convention")
"""Settings that say where to look in one text; fragments change them without drawing the whole page."""
CONVENTIONS = {"rows": "rows are queries (code)", "columns": "columns are queries (documents)"}


class InsideBert(Instant):
    """One text through one model; layers, heads and pieces are counted from 1, as the documents count them."""

    about = About(
        "inside-bert",
        "Inside BERT",
        icon=":material/hub:",
        section="Attention",
        rank=50,
        door="Where does BERT look? FinBERT or a model of yours",
        sought="FinBERT MiniLM attention head self-attention query key value encoder embeddings sentiment tone "
        "integrated gradients",
        question="What does a BERT make of this text, and where does it look?",
    )

    model: str = text_model_setting("The model that reads the text.")
    text: str = setting(TEN_WORDS, group="Text", control="text", min_length=1, max_length=LONGEST_TEXT)
    """What is read. A longer text than the model's positions is read in overlapping chunks. What follows a [SEP] is
    sentence B."""
    sentence_b: str = setting("", group="Text", control="text", max_length=LONGEST_TEXT)
    """Sentence B, read behind the text and the model's own separator; nothing for one text alone."""
    second_model: str = text_model_setting(
        "A model to stand beside the first; nothing for the same one.", optional=True
    )
    second_text: str = setting("", group="Text", control="text", max_length=LONGEST_TEXT)
    """A text to stand beside the first; nothing for the same one."""
    chunk: int = setting(1, ge=1, le=2000, group="View", control="explorer")
    """Which chunk of a long text is looked at."""
    layer: int = setting(2, ge=1, le=96, group="View", control="explorer")
    """The layer of the head in view, l."""
    head: int = setting(1, ge=1, le=96, group="View", control="explorer")
    """The head in view, h."""
    token: int = setting(4, ge=1, le=512, group="View", control="explorer")
    """The piece whose attention is followed, j; piece 1 is [CLS]."""
    masked: int = setting(0, ge=0, le=512, group="View", control="explorer")
    """The piece that is masked and guessed; 0 for the longest one."""
    label: int = setting(0, ge=0, le=100, group="View", control="explorer")
    """The class that is explained, in the model's order; 0 for the most probable one."""
    steps: int = setting(32, ge=4, le=512, group="Evidence", control="explorer", unit="steps")
    """Points of the path that integrated gradients follow; doubled while the sum is over 1 % off."""
    off: str = setting(
        "",
        group="Evidence",
        control="explorer",
        max_length=1000,
        pattern=r"^(\d+(\.\d+)?(,\d+(\.\d+)?)*)?$",
        allowed="numbers of layers, or layer and head with a point, separated by commas: '2,3.1'",
    )
    """Heads that are switched off: '3.1' is layer 3, head 1; '2' is the whole layer 2."""
    hide_special: bool = setting(False, group="View", control="explorer")
    """Leave [CLS], [SEP] and their like out of rows and columns, and let the rest of a row sum to 1."""
    convention: Literal["rows", "columns"] = setting("rows", group="View", control="explorer", labels=CONVENTIONS)
    """Whether a query's weights stand in a row that sums to 1, as in code, or in a column, as in the documents."""

    version: ClassVar[int] = 2
    kept_by_presets: ClassVar[tuple[str, ...]] = ("model", "second_model", *PLACES)
    variables: ClassVar[Mapping[str, Variable]] = {
        "attention": Variable(("query", "key"), "Attention weight", label="Attention weight"),
        "embedding_norm": Variable(("part", "piece"), "Length of an embedding", label="Length of embeddings"),
    }
    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "head": Coordinate("Head"),
        "layer": Coordinate("Layer"),
        "key": Coordinate("Key"),
        "query": Coordinate("Query"),
        "label": Coordinate("Class"),
        "neighbour": Coordinate("Neighbour"),
        "dimension": Coordinate("Dimension of the head", "dimension %{x}"),
        "rank": Coordinate("Key"),
        "state": Coordinate("State: 0 is what goes in, then the layers", "state %{x}"),
        "position": Coordinate("Position"),
        "other": Coordinate("Position", linked="position"),
        "unit": Coordinate("Number of the vector", "number %{x}"),
    }
    units: ClassVar[Mapping[str, str]] = {"head_entropy": "bit", "head_distance": "pieces"}
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("As in the document", "Ten words through every head."),
        Preset(
            "A policy statement",
            "Two sentences of a central bank: which heads go on doing the same in a longer text?",
            {"text": PLAIN},
        ),
        Preset(
            "A negation",
            "The same words with 'not' and 'no longer': which heads look at them?",
            {"text": NEGATION},
        ),
        Preset(
            "A contrast",
            "Weak growth in one clause, high inflation in the other: which heads look across?",
            {"text": CONTRAST},
        ),
        Preset(
            "One word apart",
            "Two texts side by side that differ in 'rose' and 'fell'.",
            {"text": ONE_WORD[0], "second_text": ONE_WORD[1]},
        ),
        Preset(
            "A pair of sentences",
            "Two sentences in one sequence, the second as segment B: which heads look from one to the other?",
            dict(zip(("text", "sentence_b"), PAIR.split(" [SEP] "), strict=True)),
        ),
        Preset(
            "Break it: too long",
            "More pieces than the model has positions: it reads overlapping chunks, and no chunk knows the others.",
            {"text": LONG},
        ),
        Preset(
            "Break it: only unknown pieces",
            "No sign is in an English vocabulary, so one [UNK] stands for each word: every head looks somewhere all "
            "the same.",
            {"text": UNKNOWN},
        ),
    )

    @classmethod
    def upgrade(cls, version: int, values: dict[str, Any]) -> dict[str, Any]:
        """Version 1 began with a longer text and another head: what names only some of its settings meant that text."""
        return FIRST_VERSION | values if values else values
