"""Rules on attention heads: those that look everywhere alike, at special pieces, or at a neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Candidate, Case, Rule, Verdicts, at_least, percent, where
from goldviz.diagnostics.findings.words import counted, quantity
from goldviz.labs.bert_pretraining.findings.steps import has_read, longer
from goldviz.labs.bert_pretraining.heads import EVEN, NEIGHBOUR, SPECIAL
from goldviz.labs.bert_pretraining.measures import PretrainingReading

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

ONE_SENTENCE = "one sentence, first seed: a head may do otherwise in another"


def _seeds(case: Case) -> str:
    return f"mean over unseen texts, {'median of the seeds' if case.reading.seeds > 1 else 'one seed'}"


def _part(heads: Verdicts) -> str:
    return f"{'one' if heads.sum() == 1 else quantity(float(heads.mean()))} head{'' if heads.sum() == 1 else 's'}"


def _fewer(settings: BertPretraining) -> Candidate:
    heads = max(1, settings.heads // 2)
    fits = "heads" not in settings.without_effect() and settings.width % heads == 0
    return "Take half as many heads.", {"heads": heads} if fits else {}


def _nearest(n: PretrainingReading) -> str:
    share, words = n.heads.nearest
    others = n.heads.others_beside
    return f"{words}: {percent(share)} of its attention{f', and {others} more' if others else ''}"


def _one_or_more(case: Case) -> str:
    several = len(case.reading.heads.beside) > 1
    return "Heads look at their neighbours" if several else "A head looks at its neighbour"


ALIKE = at_least(
    "heads.even_share",
    0.25,
    f"{percent(EVEN)} of the {{heads.bits:.1f}} bits of even attention, in the "
    "probe sentence, and {at:part} of the heads",
)

RULES = (
    Rule(
        "even_heads",
        "warning",
        lambda case: f"After pre-training, {_part(case.reading.heads.even)} look everywhere alike",
        line=ALIKE,
        number=lambda n: counted(n.heads.even, "heads"),
        confidence=ONE_SENTENCE,
        explanation="Such a head passes on the mean of the sentence.",
        advice=longer,
        only=has_read,
    ),
    Rule(
        "special_heads",
        "warning",
        lambda case: f"{_part(case.reading.heads.idle).capitalize()} look at [CLS] and [SEP] alone",
        line=at_least(
            "heads.idle_share",
            0.5,
            f"{percent(SPECIAL)} of the attention on unseen texts, and {{at:part}} of the heads",
        ),
        number=lambda n: counted(n.heads.idle, "heads"),
        confidence=_seeds,
        explanation="A head that finds nothing may park its weight there (Clark et al. 2019).",
        advice=[_fewer],
        only=has_read,
    ),
)

NEIGHBOURS = Rule(
    "neighbour_heads",
    "good",
    _one_or_more,
    line=where(
        "heads.ordered", "{at:part} of the attention on one place beside the piece, in the probe sentence", at=NEIGHBOUR
    ),
    number=_nearest,
    confidence=ONE_SENTENCE,
    explanation="Position embeddings alone tell of order (document 001, section 4.2.1).",
    only=has_read,
)
