"""Pre-training and fine-tuning of a small BERT: first it guesses masked words, then it judges a statement's tone.

Document 001, section 4.2.2, and section 4.2.3 for the financial texts; Devlin et al. 2019. The learning rate follows
document 002's "Warmup + cosine decay", each phase by itself.

The attention that is recorded is that of a probe: an unseen sentence with one word masked. ``query`` and ``key`` are
labelled "0 [CLS]", "1 the" and so on. The run's attributes say more: ``probe_text`` (the sentence as it was written),
``probe_answer`` (the hidden piece), ``probe_place`` (its place), ``vocabulary_size``, ``texts_read``, ``unseen_texts``
and ``labelled_texts``; of a run that starts from a model its title, ``starts_from``, and ``width``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from goldviz.arrays.readings import Coordinate
from goldviz.declare import layers as of_layers
from goldviz.declare import standard
from goldviz.declare.memory_of_training import bytes_of_training
from goldviz.declare.settings import About, Experiment, Preset, Variable, setting

TONES = ("negative", "neutral", "positive")
TONE_SETS = NEW_DRAWS, NEW_PATTERNS = ("new draws", "new patterns")
"""Unseen texts of the patterns that labelled texts have, and of patterns that no labelled text has; of a person's file
there is one set, of unseen texts.

Pre-training reads sentences of all patterns, without their tones.
"""
OWN = "unseen texts"
"""Those of a person's file, in place of both."""
BASELINES = ("bag of words", "majority")
TEXT_SETTINGS = ("corpus", "labelled_texts", "text_seed")
"""They are the visitor's, so presets leave them alone."""

SIZES = ("vocabulary", "layers", "heads", "width", "inner")
"""They come with the model that a run starts from."""

NEXT_SENTENCE, PERMUTATION = "next_sentence", "permutation"
"""Objectives of pre-training that need a part of their own."""
IN_PAIRS = ("pairs", NEXT_SENTENCE)
"""Objectives that read two sentences at once."""
OBJECTIVES = {
    "masked_words": "masked words",
    "pairs": "masked words in pairs of sentences",
    NEXT_SENTENCE: "masked words and the next sentence",
    PERMUTATION: "words in a drawn order",
}
OWN_PARTS = {NEXT_SENTENCE: "next-sentence head", PERMUTATION: "query stream"}

EVERY_STEP = ("step", "seed")
LOOK = ("look", "seed")
HEAD = ("look", "seed", "layer", "head")


class BertPretraining(Experiment):
    """Train an encoder on masked words of unlabelled texts, then on the tone of a few labelled ones."""

    about = About(
        "bert-pretraining",
        "Pre-training and fine-tuning",
        icon=":material/model_training:",
        section="Attention",
        rank=52,
        room="Pre-training",
        sought="BERT masked language model MLM next sentence fine-tuning transfer FinBERT tone sentiment",
        question="What does a network learn by guessing masked words, and what is that good for?",
    )
    step: ClassVar[str] = "step"
    smaller: ClassVar[tuple[str, ...]] = ("width", "layers", "longest", "batch")

    corpus: str = standard.kept("a text", "generated", group="Texts", control="text")
    """What is read in pre-training: generated policy and market sentences, or a text of yours."""
    labelled_texts: str = standard.kept(
        "labelled texts",
        "generated",
        group="Texts",
        control="labelled texts",
        labels={"generated": "generated sentences with their tone"},
    )
    """What fine-tuning learns: the tone of generated sentences, or the classes of a file of yours. These are called
    tones as well."""
    text_seed: int = setting(0, ge=0, le=999, group="Texts")
    """Seed of the generated texts; all runs' seeds read the same ones."""
    texts: int = setting(4000, ge=50, le=40_000, group="Texts", unit="texts")
    """Texts without labels for pre-training; of an uploaded text at most so many sentences."""
    labelled: int = setting(200, ge=30, le=40_000, group="Texts", essential=True, unit="texts")
    """Texts with a known tone for fine-tuning, about a third of each tone; of a file of yours at most so many."""
    vocabulary: int = setting(2500, ge=256, le=8000, group="Texts", unit="pieces")
    """Most pieces of the vocabulary, which is learned from the training texts. A start model has its own."""
    longest: int = setting(64, ge=16, le=512, group="Texts", unit="pieces")
    """Longest sequence; what is beyond is cut off."""
    document_share: float = setting(0.0, ge=0, le=1, group="Texts")
    """Share of the pre-training steps that read whole documents, joined to the longest sequence, in place of single
    sentences."""

    start: str = standard.kept("a model", "random", group="Start", control="start model")
    """What pre-training starts from: random weights, or a model that has read before and now reads on. It brings its
    sizes and its pieces; the tone head is always new."""
    compare_start: bool = setting(False, group="Start")
    """Also fine-tune the start without pre-training, on the same labels in the same order. The difference is what
    reading did."""
    layers: int = setting(2, ge=1, le=6, group="Network", essential=True, unit="layers")
    """Encoder blocks, one on the other. A start model has its own."""
    heads: int = setting(4, ge=1, le=8, group="Network", essential=True, unit="heads")
    """Attention heads of every block. A start model has its own."""
    width: int = setting(64, ge=8, le=256, group="Network", unit="units")
    """Width of a piece's state; a multiple of the heads. A start model has its own."""
    inner: int = setting(256, ge=8, le=1024, group="Network", unit="units")
    """Units of every feed-forward network. A start model has its own."""
    dropout: float = standard.dropout(0.0)
    """Share of each branch's output that is dropped in training."""

    objective: Literal["masked_words", "pairs", "next_sentence", "permutation"] = setting(
        "masked_words", group="Pre-training", essential=True, labels=OBJECTIVES
    )
    """What pre-training asks for: masked words of single sentences; of pairs, A [SEP] B; whether B follows A as well
    (BERT); or words in a drawn order, each seeing earlier ones alone (XLNet)."""
    masked_share: float = setting(0.15, ge=0.02, le=0.9, group="Pre-training", essential=True)
    """Share of the pieces that have to be guessed. Of these 80 % are masked, 10 % replaced at random and 10 % left."""
    pretraining_steps: int = setting(3000, ge=0, le=50_000, group="Pre-training", essential=True, unit="steps")
    """Optimiser steps on masked words. 0: no pre-training."""
    learning_rate: float = standard.learning_rate(3e-3, group="Pre-training")
    """Peak of the learning rate in pre-training."""
    fine_tuning_steps: int = setting(400, ge=0, le=20_000, group="Fine-tuning", essential=True, unit="steps")
    """Optimiser steps on the tone. 0: no fine-tuning."""
    fine_tuning_rate: float = standard.learning_rate(3e-4, group="Fine-tuning", essential=False)
    """Peak of the learning rate in fine-tuning."""
    frozen: bool = setting(False, group="Fine-tuning", essential=True)
    """Fine-tuning leaves the encoder as it is, and trains the classifier alone."""
    rehearsal: float = setting(0.0, ge=0, le=10, group="Fine-tuning")
    """Weight of the loss of masked words beside that of the tone, so that fine-tuning does not forget them. 0: none."""

    optimiser: str = standard.optimiser("adamw")
    batch: int = standard.batch(32, "texts", le=256)
    warm_up: float = setting(0.1, ge=0, le=0.9, group="Training")
    """Share of each phase in which the learning rate rises to its peak; then it falls to a hundredth."""
    weight_decay: float = setting(0.01, ge=0, le=1, group="Training")
    """Pull of the weight matrices towards zero; biases and layer norms are left alone."""
    clip: float = standard.clip(1.0)
    """Largest norm of the whole gradient; a longer one is scaled down. 0: no clipping."""
    look_every: int = standard.look_every(150, le=10_000)
    """Unseen texts are scored and attention is recorded after so many steps, and at the phases' ends."""

    variables: ClassVar[Mapping[str, Variable]] = {
        "phase": Variable(("step",), "Phase: 1 masked words, 2 tone"),
        "learning_rate": Variable(
            ("step",),
            "Learning rate of the step",
            kind="learning_rate",
            label="Learning rate",
            format=".2e",
            scale="zero",
        ),
        "loss": Variable(
            EVERY_STEP,
            "Loss on the step's texts: of masked words in phase 1, of the tone in phase 2",
            "nat",
            must_stay_finite=True,
            kind="training_loss",
        ),
        "masked_accuracy": Variable(
            EVERY_STEP, "Share of the step's masked pieces guessed (NaN in phase 2 without rehearsal)"
        ),
        "tone_accuracy": Variable(EVERY_STEP, "Share of the step's tones judged rightly (NaN in phase 1)"),
        "gradient_norm": Variable(
            EVERY_STEP,
            "Norm of the whole gradient before clipping",
            kind="gradient_norm",
            label="Norm of the whole gradient",
            format=".2e",
            scale="log",
        ),
        "clipped": Variable(EVERY_STEP, "1 where the gradient was clipped", kind="clipped"),
        "part_gradient_norm": Variable(
            (*EVERY_STEP, "part"),
            "Gradient norm by part, before clipping (0 where a part is frozen)",
            kind="gradient_norm_by_layer",
        ),
        "update_to_data": Variable(
            (*LOOK, "part"),
            "Update-to-data ratio by part: spread of the step over spread of the weights",
            kind="update_to_data_by_layer",
        ),
        **of_layers.gradient_to_data((*LOOK, "part")),
        **of_layers.distributions(("look", "part"), ("look", "part")),
        "next_sentence_loss": Variable(
            EVERY_STEP, "Loss on whether B follows A, of the step's pairs (NaN in phase 2 without rehearsal)", "nat"
        ),
        "unseen_next_sentence_accuracy": Variable(
            LOOK, "Share of unseen pairs of which it is told rightly", label="Unseen pairs told rightly", format=".1%"
        ),
        "start_tone_accuracy": Variable(
            (*LOOK, "tone_set"), "The same of the start, fine-tuned without pre-training (NaN in phase 1)"
        ),
        "factorisation_order": Variable(
            ("look", "key"), "Place of the probe's pieces in a drawn order; 0 is read and not guessed"
        ),
        "unseen_masked_loss": Variable(LOOK, "Loss on masked pieces of unseen texts", "nat"),
        "unseen_masked_accuracy": Variable(LOOK, "Share of masked pieces guessed in unseen texts"),
        "unseen_tone_accuracy": Variable(
            (*LOOK, "tone_set"), "Share of tones judged rightly in unseen texts (NaN in phase 1)"
        ),
        "unseen_tone_loss": Variable((*LOOK, "tone_set"), "Loss on the tone of unseen texts (NaN in phase 1)", "nat"),
        "kind_tone_accuracy": Variable(
            (*LOOK, "kind"), "Share of tones judged rightly by kind of text, new draws and patterns (NaN in phase 1)"
        ),
        "confusion": Variable(
            (*LOOK, "tone_set", "tone", "judged"), "Share of a tone's unseen texts that are judged so (NaN in phase 1)"
        ),
        "head_entropy": Variable(
            HEAD,
            "Entropy of a head's attention on unseen texts, mean over queries",
            "bit",
            label="Entropy (bits)",
            scale="zero",
        ),
        "head_distance": Variable(
            HEAD,
            "Mean distance that a head looks on unseen texts",
            "pieces",
            label="Distance (pieces)",
            scale="zero",
        ),
        "head_special": Variable(
            HEAD,
            "Share of a head's attention on [CLS] and [SEP] in unseen texts",
            label="Share on [CLS] and [SEP]",
            scale="share",
        ),
        "attention": Variable(
            ("look", "layer", "head", "query", "key"),
            "Attention in the probe sentence, first seed; rows sum to 1",
            kind="attention_map",
        ),
        "probe_probability": Variable(
            ("look", "candidate"),
            "Probability of a word at the probe's mask, first seed",
            label="Probability of a word",
        ),
        "probe_rank": Variable(
            LOOK,
            "Rank of the hidden word at the probe's mask, 1 is best",
            label="Rank of the hidden word",
            format=".0f",
            scale="log",
        ),
        "uniform_loss": Variable((), "Loss of guessing all pieces alike, ln V", "nat", once=True),
        "unigram_loss": Variable(
            (), "Loss of guessing by the frequency of each piece, same masked pieces", "nat", once=True
        ),
        "unigram_accuracy": Variable((), "Share guessed by always naming the most frequent piece", once=True),
        "baseline_tone_accuracy": Variable(
            ("baseline", "tone_set"), "Share of tones that a baseline judges rightly in these texts", once=True
        ),
        "baseline_kind_accuracy": Variable(
            ("baseline", "kind"), "Share of tones that a baseline judges rightly by kind of text", once=True
        ),
        "kind_count": Variable(("kind",), "Unseen labelled texts of the kind", once=True),
        "parameter_count": Variable(("part",), "Number of parameters by part; the token table counts once", once=True),
    }

    coordinates: ClassVar[Mapping[str, Coordinate]] = {
        "candidate": Coordinate("Word"),
        "judged": Coordinate("Judged as"),
    }

    equations: ClassVar[tuple[str, ...]] = (
        "Phase 1, masked language modelling: L = -sum over masked places i of log p(x_i | the text with its masks) "
        "(document 001, section 4.2.2).",
        "Phase 2, fine-tuning: a small layer on top of [CLS] reads the tone, and labelled texts update the parameters "
        "(section 4.2.2). Rehearsal adds the first phase's loss: L = L_tone + lambda L_masked (Radford et al. 2018).",
        "Next sentence: L = L_masked + L_next, with L_next = -log p(B follows A or is random | [CLS]) (Devlin et al. "
        "2019).",
        "Permutation: L = -sum over t > c of log p(x_z(t) | x_z(1), ..., x_z(t - 1), position z(t)), z a drawn order "
        "(Yang et al. 2019, eq. 5).",
        "Learning rate: eta_t = eta_max t / s_w in warm-up, then eta_min + (eta_max - eta_min) "
        "(1 + cos(pi (t - s_w) / (T - s_w))) / 2 (document 002), with eta_min = eta_max / 100.",
    )

    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "As in the document",
            "Masked words first, then the tone from a few labelled texts. Reading without labels adds up to 12 points "
            "on new patterns (4 of 5 seeds). On known ones it takes 4 or adds up to 12.",
        ),
        Preset(
            "Go on from a model",
            "The model that comes with goldviz reads on. It begins at 1.29 nat a masked word, and 300 more steps on "
            "such sentences change that by less than 0.02 (5 of 5 seeds). Upload a text of yours to see it learn.",
            {
                "start": "225e982b0efd5b87",
                "pretraining_steps": 300,
                "learning_rate": 3e-4,
                "fine_tuning_steps": 100,
                "look_every": 50,
            },
        ),
        Preset(
            "Break it: no pre-training",
            "The same labelled texts, for a network that has read nothing else. On new patterns it is no better "
            "than counting words (10 of 10 seeds).",
            {"pretraining_steps": 0},
        ),
        Preset(
            "Break it: frozen at random",
            "A frozen encoder that was never trained. On its random states, the classifier does no better than "
            "always naming one tone (10 of 10 seeds).",
            {"pretraining_steps": 0, "frozen": True},
        ),
        Preset(
            "Fix it: frozen after pre-training",
            "The encoder is frozen again, but it was pre-trained. Masks alone bring it 15 to 23 points above always "
            "naming one tone, on known patterns (5 of 5 seeds).",
            {"frozen": True},
        ),
        Preset(
            "Fix it: rehearse",
            "Fine-tuning goes on with masked words beside the tone: their loss does not rise (5 of 5 seeds).",
            {"rehearsal": 0.5},
        ),
        Preset(
            "Break it: learning rate × 30",
            "Steps thirty times too long, no warm-up and no clipping: the loss stays at word frequencies (5 of "
            "5 seeds).",
            {"learning_rate": 0.09, "warm_up": 0.0, "clip": 0.0},
        ),
        Preset(
            "Break it: mask 80 %",
            "With four of five words hidden little context is left to guess from. The same steps end up to 0.5 "
            "nat higher (5 of 5 seeds on one processor, 4 on another).",
            {"masked_share": 0.8},
        ),
        Preset(
            "With next-sentence head",
            "BERT's own pre-training: pairs A [SEP] B, masked words, and whether B follows A. Before fine-tuning it "
            "tells 63 to 66 % of unseen pairs (5 of 5 seeds).",
            {"objective": "next_sentence"},
            figure="next_sentence",
        ),
        Preset(
            "Permutation objective",
            "XLNet's idea in small: no masks, words are guessed in a drawn order. They end at 2.6 to 2.9 nat, word "
            "frequencies at 6.1 (5 of 5 seeds).",
            {"objective": "permutation"},
        ),
        Preset(
            "Further pre-training on my texts",
            "The model that comes with goldviz reads on, and learns the tone beside a twin that did not. On generated "
            "texts that moves the tone by 2 points at most (5 of 5 seeds).",
            {
                "start": "225e982b0efd5b87",
                "compare_start": True,
                "pretraining_steps": 200,
                "learning_rate": 3e-4,
                "fine_tuning_steps": 100,
                "look_every": 50,
            },
        ),
        Preset(
            "Break it: one head",
            "One layer with one head: a place can look for one thing only. Its loss is 0.6 to 1.2 nat higher (5 of "
            "5 seeds).",
            {"layers": 1, "heads": 1},
        ),
    )

    kept_by_presets: ClassVar[tuple[str, ...]] = TEXT_SETTINGS

    @model_validator(mode="after")
    def _heads_share_the_width(self) -> Self:
        if self.has_effect("heads") and self.width % self.heads:
            raise ValueError(f"Width is {self.width}; allowed is a multiple of the {self.heads} heads")
        return self

    @model_validator(mode="after")
    def _some_phase_takes_steps(self) -> Self:
        if not self.steps_planned():
            raise ValueError("Pretraining steps and fine tuning steps are both 0; allowed is at least one step in all")
        return self

    def without_effect(self) -> Mapping[str, str]:
        """Sizes that the model brings from which a run starts, and documents where sentences are read in pairs."""
        own = "The model that a run starts from has its sizes."
        idle = {} if self.start == "random" else dict.fromkeys(SIZES, own)
        if self.objective in IN_PAIRS:
            idle |= {"document_share": "Every step reads pairs of sentences."}
        return idle

    @property
    def warm_up_steps(self) -> float:
        """Steps of masked words up to the highest rate."""
        return self.warm_up * self.pretraining_steps

    def steps_planned(self) -> int:
        return self.pretraining_steps + self.fine_tuning_steps

    def estimated_bytes(self) -> float:
        """About how much memory a run takes: every piece's values in each block, and each map of attention."""
        of_ones_own = {self.corpus, self.labelled_texts} != {"generated"}
        sentence = self.longest if of_ones_own else min(self.longest, 40)
        pieces = min(self.longest, 2 * sentence) if self.objective in IN_PAIRS else sentence
        values = self._values(max(self.batch, 64), pieces) * (2 if self.objective == PERMUTATION else 1)
        if self.document_share:
            values = max(values, self._values(self.batch, self.longest))
        weights = self.vocabulary * self.width + self.layers * (4 * self.width**2 + 2 * self.width * self.inner)
        return bytes_of_training(weights, len(self.seeds), values + 6e6)

    def _values(self, texts: int, pieces: int) -> float:
        """How many numbers the network keeps of so many texts of so many pieces."""
        a_block = 16 * self.width + 4 * self.inner + 4 * self.heads * pieces
        return texts * pieces * (self.layers * a_block + self.masked_share * 3 * self.vocabulary)

    def counts(self) -> dict[str, float]:
        """Steps of both trainings, and looks."""
        steps = {"pretraining_steps": self.pretraining_steps, "fine_tuning_steps": self.fine_tuning_steps}
        return {**steps, "look": 3 + self.steps_planned() / self.look_every}

    def sizes(self) -> dict[str, float]:
        """What a step computes in its blocks, and what masked pieces are compared with, also of a model of others."""
        from goldviz.data.texts.kept_models import about_model

        model = None if self.start == "random" else about_model(self.start)
        sizes = model or self
        values = float(self.batch * sizes.layers * sizes.width)
        table = float(sizes.vocabulary * sizes.width)
        scored = self.masked_share * self.batch * table
        return {"layers": sizes.layers, "width": sizes.width, "values": values, "products": values * sizes.width} | {
            "table": table,
            "scored": scored,
        }


def names_of_parts(objective: str, layers: int) -> list[str]:
    """The parts of a network of so many blocks from the bottom to the top, as ``part`` names them."""
    blocks = [f"block {number}" for number in range(1, layers + 1)]
    own = [OWN_PARTS[objective]] if objective in OWN_PARTS else []
    return ["embeddings", *blocks, "masked-word head", *own, "tone head"]
