"""Statements of several paragraphs, each with one story: a meeting, a week of the gold market, a survey, a year.

The sentences of a statement share its committee, its dates and its leaning: where prices run hot rates are raised,
where output weakens they are lowered; and days, months and quarters follow each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from goldviz.data.texts.policy.circumstances import prices_after, sums_after, whole_number, year_of
from goldviz.data.texts.policy.grammar import Pattern, Term, drawn_term, patterns, written
from goldviz.data.texts.policy.lexicon import MONTHS, POLICY_LEXICON, QUARTERS_IN_ORDER, WORKDAYS
from goldviz.data.texts.policy.meeting_patterns import DECISIONS, GUIDANCE, VOTES, Section
from goldviz.data.texts.policy.patterns import NEUTRAL_PATTERNS, TONED_PATTERNS
from goldviz.data.texts.policy.tables import table_of

ECONOMIC_PATTERNS = tuple(
    one for one in TONED_PATTERNS if not any(slot in one.text for slot in ("{firm}", "{event}", "{prices"))
)
MOST_LEANING_DRAWS = 20

STORY_SENTENCES = {name: patterns(**entry) for name, entry in table_of(__name__).items()}


def written_statement(generator: np.random.Generator) -> str:
    """One statement of about 80 to 400 words, its paragraphs divided by blank lines."""
    return STORIES[whole_number(generator, 0, len(STORIES) - 1)](generator)


def _meeting(generator: np.random.Generator) -> str:
    """What a committee decided and why; raising, lowering or holding its rate."""
    decision = DECISIONS[whole_number(generator, 0, len(DECISIONS) - 1)]
    terms = _story_terms(generator, "committee", "bank", "date", "band")
    terms["year"] = year_of(int(terms["date"].forms["year"]))
    terms["quarter"] = Term({"": terms["date"].forms["quarter"]})
    while decision.sign and terms["band"].sign != decision.sign:
        terms["band"] = drawn_term("band", POLICY_LEXICON, generator)

    def paragraph(section: Section, most: int) -> list[str]:
        return several_sentences(section, whole_number(generator, 1, most), generator, terms)

    reasons = [paragraph(section, 2) for section in decision.reasons]
    reasons[-1] += leaning_sentences(decision.sign or 1, whole_number(generator, 0, 4), generator, terms)
    return story_text(
        [
            paragraph(STORY_SENTENCES["meeting_openings"], 1),
            *reasons,
            paragraph(decision.action, 1),
            *(paragraph(section, 2) for section in decision.outlook),
            paragraph(NEUTRAL_PATTERNS, 3),
            paragraph(GUIDANCE, 4),
            paragraph(VOTES, 1),
        ]
    )


def _gold_week(generator: np.random.Generator) -> str:
    """Five days of the gold market, each price that from which the next day starts."""
    terms = _story_terms(generator, "year", "month", "region")
    price = 5 * whole_number(generator, 60, 560)
    lines = []
    for weekday in WORKDAYS:
        step = prices_after(price, generator)
        price = int(step.forms["number"])
        here = {**terms, "weekday": weekday}
        lines.append(_story_sentence(STORY_SENTENCES["gold_days"], generator, {**here, "prices": step}))
        lines += leaning_sentences(step.sign, whole_number(generator, 0, 3), generator, here)
    return story_text([lines, several_sentences(NEUTRAL_PATTERNS, 2, generator, terms)])


def _company_year(generator: np.random.Generator) -> str:
    """Four quarters of a company or a bank, each with sales that the next one is compared with."""
    terms = _story_terms(generator, "firm", "bank", "year", "region", "industry")
    number = whole_number(generator, 30, 95)
    unit = ("million", "billion")[whole_number(generator, 0, 1)]
    paragraphs = []
    for quarter in QUARTERS_IN_ORDER:
        sums = sums_after(number, unit, generator)
        number = int(sums.forms["number"])
        here = {**terms, "quarter": quarter, "sums": sums}
        paragraphs.append([_story_sentence(STORY_SENTENCES["company_sales"], generator, here)])
        more = whole_number(generator, 1, 5)
        paragraphs[-1] += leaning_sentences(sums.sign, more, generator, {**terms, "quarter": quarter})
    return story_text(paragraphs)


def _regional_survey(generator: np.random.Generator) -> str:
    """Several months of one measure and what else was found, region by region."""
    terms = _story_terms(generator, "committee", "bank", "year", "measure")
    first = whole_number(generator, 0, 6)
    paragraphs = []
    for month in MONTHS[first : first + whole_number(generator, 3, 6)]:
        here = {**terms, "month": month}
        lines = [_story_sentence(STORY_SENTENCES["survey_months"], generator, here)]
        lines += several_sentences(
            STORY_BODY, whole_number(generator, 1, 5), generator, {"month": month, "year": terms["year"]}
        )
        paragraphs.append(lines)
    return story_text(paragraphs)


STORY_BODY = (*TONED_PATTERNS, *NEUTRAL_PATTERNS)
STORIES: tuple[Callable[[np.random.Generator], str], ...] = (
    _meeting,
    _meeting,
    _gold_week,
    _company_year,
    _regional_survey,
)


def _story_terms(generator: np.random.Generator, *slots: str) -> dict[str, Term]:
    return {slot: drawn_term(slot, POLICY_LEXICON, generator) for slot in slots}


def _story_sentence(section: Sequence[Pattern], generator: np.random.Generator, terms: dict[str, Term]) -> str:
    return written(section[int(generator.random() * len(section))], POLICY_LEXICON, generator, terms)[0]


def several_sentences(
    section: Sequence[Pattern], count: int, generator: np.random.Generator, terms: dict[str, Term]
) -> list[str]:
    """Sentences of different patterns, in the section's order."""
    numbers = sorted(generator.choice(len(section), min(count, len(section)), replace=False))
    return [written(section[number], POLICY_LEXICON, generator, terms)[0] for number in numbers]


def leaning_sentences(sign: int, count: int, generator: np.random.Generator, terms: dict[str, Term]) -> list[str]:
    """Sentences whose tone has this sign."""
    texts: list[str] = []
    for _ in range(MOST_LEANING_DRAWS * count):
        if len(texts) == count:
            break
        pattern = ECONOMIC_PATTERNS[int(generator.random() * len(ECONOMIC_PATTERNS))]
        text, tone = written(pattern, POLICY_LEXICON, generator, terms)
        if tone == sign:
            texts.append(text)
    return texts


def story_text(paragraphs: Iterable[Sequence[str]]) -> str:
    """Sentences in paragraphs, blank lines between them."""
    return "\n\n".join(" ".join(sentences) for sentences in paragraphs)
