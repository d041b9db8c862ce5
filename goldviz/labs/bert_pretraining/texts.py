"""The texts of *Pre-training and fine-tuning*: what is read, what is judged, and what is kept unseen, as pieces.

The texts hang on ``text_seed`` alone, so that all runs' seeds and all presets read and are scored on the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from goldviz.data.texts.kept_texts import load_text
from goldviz.data.texts.labelled_texts import labelled_texts
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.policy.sentences import TONES, LabelledText, WhichPatterns, policy_documents, policy_sentences
from goldviz.data.texts.word_pieces import learn_word_pieces, tokeniser_of
from goldviz.labs.bert_pretraining.objectives import (
    Pair,
    joined_pair,
    mask_pieces,
    paragraphs_of,
    sentence_pairs,
)
from goldviz.labs.bert_pretraining.settings import IN_PAIRS, OWN, PERMUTATION
from goldviz.training.seeds import TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining
    from goldviz.models.text.one_file import StartModel

READ, UNSEEN, LABELLED, NEW_DRAWS, NEW_PATTERNS, DOCUMENTS, UNSEEN_DOCUMENTS, RANDOM_SECONDS = range(8)
"""Streams of the generator of texts, beside the text seed."""
GENERATED = "generated"
UNSEEN_TEXTS = 400
JUDGED_TEXTS = 400
"""Texts in each of the two sets whose tone is judged."""
SCORED_SHARE = 0.15
"""Masked in the unseen texts whatever the training masks, so that all runs answer the same questions."""
PROBE_SENTENCE = "The unemployment rate went from 4 percent to 5 percent in May."
PROBE_WORD = "rate"
SHORTEST_PROBE, LONGEST_PROBE = 8, 24
LIKELY, CANDIDATES = 8, 16
SENTENCES_OF_A_DOCUMENT = 12
"""About so many: with so many times fewer documents than texts they are about as long in all."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
FEWEST_SENTENCES = 50
FEWEST_PAIRS = 20
"""Sentences that another one follows, in all; about a fifth of them stay unseen."""
OF_A_FILE = "texts of the file"
"""The kind of all of them."""


@dataclass(frozen=True)
class Vocabulary:
    """A tokeniser's pieces by their numbers, and the numbers of the special ones: [CLS], [SEP], [MASK] and others."""

    pieces: list[str]
    special: list[int]
    first: int
    last: int
    mask: int

    @classmethod
    def of(cls, tokeniser: Any) -> Vocabulary:
        """That of a fast tokeniser of the transformers library."""
        pieces = tokeniser.convert_ids_to_tokens(list(range(len(tokeniser))))
        special = sorted(tokeniser.all_special_ids)
        return cls(pieces, special, tokeniser.cls_token_id, tokeniser.sep_token_id, tokeniser.mask_token_id)

    def __len__(self) -> int:
        return len(self.pieces)

    def are_special(self, pieces: Int[Tensor, "*places"]) -> Bool[Tensor, "*places"]:
        """Where special pieces stand."""
        return torch.isin(pieces, torch.tensor(self.special))

    @cached_property
    def ordinary(self) -> Int[Tensor, " piece"]:
        """The numbers of all other pieces."""
        numbers = torch.arange(len(self))
        return numbers[~self.are_special(numbers)]

    def counts(self, pieces: Int[Tensor, "*places"]) -> Int[Tensor, " piece"]:
        """How often each piece occurs, special pieces left out."""
        return torch.bincount(pieces[~self.are_special(pieces)], minlength=len(self))


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as rows of pieces, [CLS] first and [SEP] last, padded to the longest."""

    pieces: Int[Tensor, "text token"]
    lengths: Int[Tensor, " text"]

    def __len__(self) -> int:
        return len(self.pieces)

    def rows(self, numbers: Int[Tensor, " row"]) -> tuple[Int[Tensor, "row token"], Bool[Tensor, "row token"]]:
        """The chosen texts, no wider than the longest of them, and where they have pieces."""
        lengths = self.lengths[numbers]
        longest = int(lengths.max())
        return self.pieces[numbers, :longest], torch.arange(longest) < lengths[:, None]

    def readable(self, vocabulary: Vocabulary) -> EncodedTexts:
        """Those texts that hold at least one piece that is not special: of the others nothing can be hidden."""
        ordinary = ~vocabulary.are_special(self.pieces).all(1)
        return EncodedTexts(self.pieces[ordinary], self.lengths[ordinary])


@dataclass(frozen=True)
class MaskedTexts:
    """Texts with some pieces hidden, and the answers: the hidden piece, or -100 where nothing is asked."""

    shown: EncodedTexts
    answers: Int[Tensor, "text token"]


@dataclass(frozen=True)
class TextPairs:
    """Rows of [CLS] A [SEP] B [SEP], and whether B follows A (0) or is a random sentence (1)."""

    texts: EncodedTexts
    labels: Int[Tensor, " pair"]


@dataclass(frozen=True)
class JudgedTexts:
    """Texts with their tones and kinds as numbers, and as they were written."""

    texts: EncodedTexts
    tones: Int[Tensor, " text"]
    kinds: Int[Tensor, " text"]
    written: list[str]


ToneRow = tuple[str, str, str]
"""A text, its tone, and its kind."""


@dataclass(frozen=True)
class ProbeText:
    """An unseen sentence with one piece masked, and the pieces whose chances at the mask are followed."""

    written: str
    pieces: Int[Tensor, " token"]
    place: int
    answer: int
    candidates: Int[Tensor, " candidate"]


@dataclass(frozen=True)
class PretrainingTexts:
    """All that a run reads: unlabelled texts and documents, labelled texts, and what is unseen."""

    vocabulary: Vocabulary
    tokeniser: Any
    texts: EncodedTexts
    documents: EncodedTexts | None
    labelled: JudgedTexts
    unseen: MaskedTexts
    tone_sets: tuple[JudgedTexts, ...]
    names_of_sets: list[str]
    tones: list[str]
    kinds: list[str]
    probe: ProbeText
    pairs: tuple[TextPairs, TextPairs] | None = None
    """Pairs that training reads, and unseen ones, where the objective is one of pairs."""


def pretraining_texts(settings: BertPretraining, start: StartModel | None = None) -> PretrainingTexts:
    """The texts that the settings ask for, as pieces of the model that training starts from; without one, of a
    vocabulary learned from those that training sees."""
    read, tests = unlabelled_texts(settings)
    tones, (sentences, sets) = tones_of(settings), texts_with_tones(settings)
    documents = written_documents(settings, read)
    if start is None:
        all_texts = [*read, *documents, *(text for text, *_ in sentences)]
        tokeniser: Any = tokeniser_of(learn_word_pieces(all_texts, settings.vocabulary))
        longest = settings.longest
    else:
        tokeniser, longest = start.tokeniser, min(settings.longest, start.shape.longest)
    vocabulary = Vocabulary.of(tokeniser)
    kinds = sorted({kind for rows in sets.values() for *_, kind in rows})
    texts = encoded(tokeniser, read, longest).readable(vocabulary)
    held_out = encoded(tokeniser, tests, longest).readable(vocabulary)
    hidden = masked_texts(held_out, vocabulary, stream(settings.text_seed, TEST_DATA), SCORED_SHARE)
    if settings.objective == PERMUTATION:
        # Its network never meets [MASK]: a piece that is guessed is out of its sight.
        hidden = MaskedTexts(held_out, hidden.answers)
    probe = PROBE_SENTENCE if settings.corpus == GENERATED else _of_handy_length(tokeniser, tests)
    return PretrainingTexts(
        vocabulary,
        tokeniser,
        texts,
        joined(tokeniser, documents, longest) if documents else None,
        judged_texts(tokeniser, sentences, tones, kinds, longest),
        hidden,
        tuple(judged_texts(tokeniser, rows, tones, kinds, longest) for rows in sets.values()),
        list(sets),
        tones,
        kinds,
        probe_text(probe, tokeniser, vocabulary, texts, min(LONGEST_PROBE, longest)),
        text_pairs(settings, tokeniser, documents, set(tests), longest) if settings.objective in IN_PAIRS else None,
    )


def tones_of(settings: BertPretraining) -> list[str]:
    """The classes that fine-tuning learns, by number."""
    return list(TONES if settings.labelled_texts == GENERATED else labelled_texts(settings.labelled_texts).classes)


def texts_with_tones(settings: BertPretraining) -> tuple[list[ToneRow], dict[str, list[ToneRow]]]:
    """The labelled texts and, by their name, the sets of unseen ones: of generated texts new draws of the patterns that
    are labelled, and new patterns; of a file one set.

    Of a file at most ``settings.labelled`` texts are learned and :data:`JUDGED_TEXTS` judged, drawn by the text seed.
    Raises :class:`TextError` where the file is gone.
    """
    if settings.labelled_texts == GENERATED:
        sentences = policy_sentences(settings.labelled, _generator(settings, LABELLED))
        texts = {one.text for one in sentences}
        sets = {
            "new draws": unlabelled_sentences(_generator(settings, NEW_DRAWS), "seen", texts),
            "new patterns": unlabelled_sentences(_generator(settings, NEW_PATTERNS), "unseen", texts),
        }
        return _rows(sentences), {name: _rows(some) for name, some in sets.items()}
    own, generator = labelled_texts(settings.labelled_texts), _generator(settings, LABELLED)
    tones = tones_of(settings)

    def some(pairs: Sequence[tuple[str, int]], most: int) -> list[ToneRow]:
        places = generator.permutation(len(pairs))[:most]
        return [(pairs[place][0], tones[pairs[place][1]], OF_A_FILE) for place in places]

    return some(own.learned, settings.labelled), {OWN: some(own.unseen, JUDGED_TEXTS)}


def _rows(sentences: Sequence[LabelledText]) -> list[ToneRow]:
    return [(one.text, one.tone, one.kind) for one in sentences]


def unlabelled_sentences(
    generator: np.random.Generator, patterns: WhichPatterns, sentences_with_labels: set[str]
) -> list[LabelledText]:
    """The texts on which the tone is judged: the first 400 different ones drawn that are not among the labelled."""
    sentences = policy_sentences(2 * JUDGED_TEXTS, generator, patterns)
    return list({one.text: one for one in sentences if one.text not in sentences_with_labels}.values())[:JUDGED_TEXTS]


def unlabelled_texts(settings: BertPretraining) -> tuple[list[str], list[str]]:
    """The texts of pre-training, and unseen ones of the same source that training does not hold.

    Pre-training reads sentences of all patterns, as one reads much that nobody has labelled; labelled texts come from
    the seen patterns alone. Of an uploaded text every tenth sentence stays unseen, up to 400 of them.
    """
    if settings.corpus == GENERATED:
        read = [one.text for one in policy_sentences(settings.texts, _generator(settings, READ), "all")]
        texts_read = set(read)
        all_sentences = [one.text for one in policy_sentences(2 * UNSEEN_TEXTS, _generator(settings, UNSEEN), "all")]
        return read, [text for text in dict.fromkeys(all_sentences) if text not in texts_read][:UNSEEN_TEXTS]
    sentences = sentences_of(load_text(settings.corpus))[: settings.texts]
    tests = sentences[9::10][:UNSEEN_TEXTS]
    unseen_texts = set(tests)
    return [text for text in sentences if text not in unseen_texts], tests


def sentences_of(text: str) -> list[str]:
    """The different sentences of a text in their order; raises :class:`TextError` where there are too few.

    >>> sentences_of("Gold rose. It fell again! " * 2 + " ".join(f"Day {n} was calm." for n in range(48)))[:3]
    ['Gold rose.', 'It fell again!', 'Day 0 was calm.']
    """
    sentences = list(dict.fromkeys(part.strip() for part in SENTENCE_END.split(text) if any(map(str.isalnum, part))))
    if len(sentences) < FEWEST_SENTENCES:
        raise TextError(
            f"The text has {len(sentences)} different sentences; for pre-training at least {FEWEST_SENTENCES} are "
            "needed.",
            "too_few",
        )
    return sentences


def written_documents(settings: BertPretraining, read: Sequence[str]) -> list[str]:
    """Documents with about as many pieces as the single texts have; none where no step reads documents.

    Those of an uploaded text are its own sentences, one after another.
    """
    if settings.document_share == 0 and settings.objective not in IN_PAIRS:
        return []
    if settings.corpus != GENERATED:
        return [" ".join(read)]
    return policy_documents(max(1, settings.texts // SENTENCES_OF_A_DOCUMENT), _generator(settings, DOCUMENTS))


def text_pairs(
    settings: BertPretraining, tokeniser: Any, documents: Sequence[str], tests: set[str], longest: int
) -> tuple[TextPairs, TextPairs]:
    """Pairs for training, and unseen ones; of generated texts each from documents of their own.

    Of an uploaded text a paragraph is a document, and a pair with a sentence that is kept unseen stays unseen. Raises
    :class:`TextError` where too few sentences are followed by another in their paragraph.
    """
    generator = _generator(settings, RANDOM_SECONDS)
    if settings.corpus == GENERATED:
        count = max(1, UNSEEN_TEXTS // SENTENCES_OF_A_DOCUMENT)
        others = policy_documents(count, _generator(settings, UNSEEN_DOCUMENTS))
        read, test = (
            sentence_pairs([SENTENCE_END.split(one) for one in some], generator) for some in (documents, others)
        )
    else:
        text_documents = paragraphs_of(load_text(settings.corpus), SENTENCE_END)
        every = sentence_pairs(text_documents, generator)[: 2 * settings.texts]
        test = [pair for pair in every if not tests.isdisjoint(pair[:2])]
        read = [pair for pair in every if tests.isdisjoint(pair[:2])]
        if len(every) < 2 * FEWEST_PAIRS or not read or not test:
            raise TextError(
                f"Objective is '{settings.objective}', and {len(every) // 2} sentences have another behind them in "
                f"their paragraph; allowed are at least {FEWEST_PAIRS}.",
                "too_few",
            )
    return encoded_pairs(tokeniser, read, longest), encoded_pairs(tokeniser, test, longest)


def encoded_pairs(tokeniser: Any, pairs: Sequence[Pair], longest: int) -> TextPairs:
    """Pairs as rows of pieces; of one that is longer than ``longest`` the longer sentence loses its end."""
    vocabulary = Vocabulary.of(tokeniser)
    plain = {"add_special_tokens": False, "return_token_type_ids": False, "verbose": False}
    *halves, labels = zip(*pairs, strict=True)
    halves = [tokeniser(list(sentences), **plain)["input_ids"] for sentences in halves]
    cut = [joined_pair(first, second, longest - 3) for first, second in zip(*halves, strict=True)]
    rows = [torch.tensor([vocabulary.first, *one, vocabulary.last, *other, vocabulary.last]) for one, other in cut]
    lengths = torch.tensor([len(row) for row in rows])
    pieces = pad_sequence(rows, batch_first=True, padding_value=tokeniser.pad_token_id)
    # Of a pair without one ordinary piece nothing can be hidden.
    readable = ~vocabulary.are_special(pieces).all(1)
    return TextPairs(EncodedTexts(pieces[readable], lengths[readable]), torch.tensor(labels)[readable])


def encoded(tokeniser: Any, texts: Sequence[str], longest: int) -> EncodedTexts:
    """Texts as pieces; what is beyond ``longest`` pieces is cut off."""
    encoding = tokeniser(
        list(texts),
        truncation=True,
        max_length=longest,
        padding="longest",
        return_token_type_ids=False,
        return_tensors="pt",
    )
    return EncodedTexts(encoding["input_ids"], encoding["attention_mask"].sum(1))


def joined(tokeniser: Any, documents: Sequence[str], longest: int) -> EncodedTexts:
    """Rows of exactly ``longest`` pieces: documents end to end with [SEP] between, cut where a row is full."""
    encoding = tokeniser(list(documents), add_special_tokens=False, return_token_type_ids=False, verbose=False)
    vocabulary = Vocabulary.of(tokeniser)
    pieces = torch.tensor([piece for document in encoding["input_ids"] for piece in (*document, vocabulary.last)])
    room = longest - 2
    pieces = pieces.repeat(-(-room // len(pieces)) if len(pieces) < room else 1)
    rows = pieces[: len(pieces) // room * room].view(-1, room)
    ends = [torch.full((len(rows), 1), piece) for piece in (vocabulary.first, vocabulary.last)]
    texts = EncodedTexts(torch.cat([ends[0], rows, ends[1]], 1), torch.full((len(rows),), longest))
    return texts.readable(vocabulary)


def masked_texts(texts: EncodedTexts, vocabulary: Vocabulary, masks: torch.Generator, share: float) -> MaskedTexts:
    """The texts with a share of their pieces hidden."""
    inputs, answers = hide(texts.pieces, vocabulary, masks, share)
    return MaskedTexts(EncodedTexts(inputs, texts.lengths), answers)


def hide(
    pieces: Int[Tensor, "text token"], vocabulary: Vocabulary, masks: torch.Generator, share: float
) -> tuple[Int[Tensor, "text token"], Int[Tensor, "text token"]]:
    """Inputs with a share of the pieces hidden, and answers, as :func:`mask_pieces`."""
    special = vocabulary.are_special(pieces)
    return mask_pieces(pieces, special, vocabulary.ordinary, vocabulary.mask, masks, share)


def judged_texts(
    tokeniser: Any, texts: Sequence[ToneRow], tones: Sequence[str], kinds: Sequence[str], longest: int
) -> JudgedTexts:
    """Labelled texts as pieces and numbers; a kind that is not listed is -1."""
    written, numbers = [text for text, *_ in texts], {kind: number for number, kind in enumerate(kinds)}
    return JudgedTexts(
        encoded(tokeniser, written, longest),
        torch.tensor([tones.index(tone) for _, tone, _ in texts]),
        torch.tensor([numbers.get(kind, -1) for *_, kind in texts]),
        written,
    )


def probe_text(text: str, tokeniser: Any, vocabulary: Vocabulary, texts: EncodedTexts, longest: int) -> ProbeText:
    """The probe: an unseen text, cut where it is longer, with its verb hidden, or else the longest piece that is a
    whole word. Candidates for the place are read off the training texts."""
    pieces = tokeniser(text, truncation=True, max_length=longest, return_tensors="pt")["input_ids"][0]
    tokens = tokeniser.convert_ids_to_tokens(pieces.tolist())
    inside = range(1, len(tokens) - 1)
    place = max(inside, key=lambda i: (tokens[i] == PROBE_WORD, tokens[i].isalpha(), len(tokens[i]), -i))
    masked_pieces = pieces.clone()
    masked_pieces[place] = vocabulary.mask
    return ProbeText(text, masked_pieces, place, int(pieces[place]), probe_candidates(texts, vocabulary, pieces, place))


def probe_candidates(
    texts: EncodedTexts, vocabulary: Vocabulary, probe: Int[Tensor, " token"], place: int
) -> Int[Tensor, " candidate"]:
    """The hidden piece; those that most often stand between its neighbours, and after the first of them; and the most
    frequent ones of all.
    """
    left, middle, right = texts.pieces[:, :-2], texts.pieces[:, 1:-1], texts.pieces[:, 2:]
    follows = left == probe[place - 1]
    candidates = [
        int(probe[place]),
        *_most_frequent(middle[follows & (right == probe[place + 1])], vocabulary)[:LIKELY],
        *_most_frequent(middle[follows], vocabulary)[: LIKELY // 2],
        *_most_frequent(texts.pieces, vocabulary),
    ]
    return torch.tensor(list(dict.fromkeys(candidates))[:CANDIDATES])


def _most_frequent(pieces: Tensor, vocabulary: Vocabulary) -> list[int]:
    counts = vocabulary.counts(pieces)
    order = counts.argsort(descending=True, stable=True)
    return [int(piece) for piece in order[:CANDIDATES] if counts[piece]]


def _of_handy_length(tokeniser: Any, texts: Sequence[str]) -> str:
    lengths = [len(pieces) for pieces in tokeniser(list(texts))["input_ids"]]
    handy = range(SHORTEST_PROBE, LONGEST_PROBE + 1)
    return next((text for text, length in zip(texts, lengths, strict=True) if length in handy), texts[0])


def _generator(settings: BertPretraining, number: int) -> np.random.Generator:
    return np.random.default_rng([settings.text_seed, number])
