"""Generated texts: tones that follow from the whole sentence, patterns held back, documents in the order of time."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from goldviz.data.texts.policy.grammar import Pattern, written
from goldviz.data.texts.policy.lexicon import POLICY_LEXICON
from goldviz.data.texts.policy.sentences import PATTERNS_BY_NAME, TONES, policy_documents, policy_sentences

SLOT_LEFT = re.compile(r"[{}\\|]")


@pytest.fixture(scope="module")
def seen():
    return policy_sentences(8000, np.random.default_rng(0))


@pytest.fixture(scope="module")
def unseen():
    return policy_sentences(2000, np.random.default_rng(1), "unseen")


@pytest.fixture(scope="module")
def documents():
    return policy_documents(300, np.random.default_rng(2))


def test_every_pattern_can_be_written():
    for pattern in PATTERNS_BY_NAME["all"]:
        generator = np.random.default_rng(0)
        drawn = [written(pattern, POLICY_LEXICON, generator) for _ in range(30)]
        for text, _ in drawn:
            assert not SLOT_LEFT.search(text), text
            assert text[0].isupper() or text[0].isdigit() or text[0] == "$", text
            assert text.endswith("."), text
            assert "  " not in text
            assert not re.search(r"\ba [aeio]", text), text
        assert {sign for _, sign in drawn} == ({0} if pattern.tone == "0" else {-1, 1}), pattern.text


def test_the_same_seed_gives_the_same_texts_and_another_one_others():
    def texts(seed):
        generator = np.random.default_rng(seed)
        return policy_sentences(50, generator, "all"), policy_documents(5, generator)

    assert texts(3) == texts(3)
    assert texts(3) != texts(4)


def test_there_are_many_patterns_and_none_of_the_unseen_is_shown(seen, unseen):
    assert len(PATTERNS_BY_NAME["seen"]) >= 100
    assert not {one.pattern for one in seen} & {one.pattern for one in unseen}
    assert {one.pattern for one in unseen} == {one.text for one in PATTERNS_BY_NAME["unseen"]}
    assert {one.kind for one in unseen} == {one.kind for one in seen}


def test_tones_are_even(seen, unseen):
    for texts in (seen, unseen):
        counts = Counter(one.tone for one in texts)
        assert set(counts) == set(TONES)
        assert all(abs(count / len(texts) - 1 / 3) < 0.04 for count in counts.values())


def test_the_words_are_many(seen, documents):
    forms = {word for one in seen for word in re.findall("[a-z]+", one.text.lower())}
    forms |= {word for text in documents for word in re.findall("[a-z]+", text.lower())}
    assert len(forms) > 1500


CERTAIN = {"output": 1, "unemployment": -1, "exports": 1, "layoffs": -1, "holdings of agency debt": 0}


@pytest.mark.parametrize("slot", ["measure", "holding"])
def test_direction_and_subject_decide_together(slot):
    """Told again by hand for subjects and verbs that leave no doubt."""
    lexicon = {
        **POLICY_LEXICON,
        slot: [term for term in POLICY_LEXICON[slot] if term.forms[""] in CERTAIN],
        "move": [term for term in POLICY_LEXICON["move"] if term.forms[""] in ("rose", "fell")],
    }
    pattern = Pattern(f"{{{slot}}} {{move}}.", "direction", f"{slot}*move")
    generator = np.random.default_rng(5)
    found = {written(pattern, lexicon, generator) for _ in range(200)}
    subjects = [words for words, sign in CERTAIN.items() if (sign == 0) == (slot == "holding")]
    assert found == {
        (f"{words.capitalize()} {verb}.", CERTAIN[words] * direction)
        for words in subjects
        for verb, direction in (("rose", 1), ("fell", -1))
    }


def of_pattern(texts, pattern):
    found = [one for one in texts if one.pattern == pattern]
    assert found
    return found


def test_numbers_decide_where_no_verb_does(seen):
    for one in of_pattern(seen, "Gold went from {prices.first} to {prices.second} an ounce {period}."):
        first, second = map(int, re.findall(r"(\d+)(?= dollars)", one.text))
        assert one.tone == ("positive" if second > first else "negative"), one.text


def test_less_than_feared_is_good_and_less_than_hoped_is_not(seen):
    known = {"more": 1, "faster": 1, "more strongly": 1, "less": -1, "more slowly": -1, "less strongly": -1}
    for ending, worth in (("feared", -1), ("hoped", 1)):
        found = [one for one in seen if re.search(rf"than (\w+ )*(had )?{ending}", one.text)]
        assert len(found) > 10
        for one in found:
            amount = re.findall(r"(more strongly|less strongly|more slowly|faster|more|less) ", one.text)[0]
            assert one.tone == TONES[1 + worth * known[amount]], one.text


def test_a_reader_of_word_counts_cannot_tell_the_tone(seen, unseen):
    counts = CountVectorizer(token_pattern=r"\S+", min_df=2)
    reader = LogisticRegression(max_iter=200, C=0.3)
    reader.fit(counts.fit_transform(one.text for one in seen[:6000]), [one.tone for one in seen[:6000]])
    for texts in (seen[6000:], unseen):
        right = reader.predict(counts.transform(one.text for one in texts)) == np.array([one.tone for one in texts])
        assert right.mean() < 0.8
        assert right[[one.tone != "neutral" for one in texts]].mean() < 0.65


def test_documents_are_long_and_have_nothing_left_to_fill(documents):
    for text in documents:
        assert not SLOT_LEFT.search(text)
        assert 40 < len(text.split()) < 500
    assert np.median([len(text.split()) for text in documents]) > 150


def test_a_statement_names_one_range_and_the_direction_that_leads_to_it(documents):
    found = [text for text in documents if "target range by" in text]
    assert len(found) > 20
    for text in found:
        assert not ("raised its target range" in text and "lowered its target range" in text)


def test_gold_prices_go_on_from_day_to_day(documents):
    day = re.compile(
        r"(?:On (?P<a>\w+day), gold [\w ]+ by (?P<step>\d+) dollars to (?P<to>\d+) dollars an ounce"
        r"|The price [\w ]+ from (?P<first>\d+) dollars to (?P<second>\d+) dollars on (?P<b>\w+day))"
    )
    steps = 0
    for text in documents:
        days = list(day.finditer(text))
        for one, other in pairwise(days):
            weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
            before, after = (weekdays.index(found["a"] or found["b"]) for found in (one, other))
            if "Monday" not in text or after != before + 1 or not other["first"]:
                continue
            assert other["first"] == (one["to"] or one["second"])
            steps += 1
    assert steps > 5


def test_quarters_follow_each_other(documents):
    sales = re.compile(r"(?:In|Sales in) (the \w+) quarter(?:, sales of| reached)|(The \w+) quarter brought sales")
    found = [[(a or b).lower() for a, b in sales.findall(text)] for text in documents]
    years = [quarters for quarters in found if len(quarters) == 4]
    assert len(years) > 10
    assert all(quarters == ["the first", "the second", "the third", "the fourth"] for quarters in years)


@pytest.mark.parametrize("draw", [policy_sentences, policy_documents])
def test_a_count_below_zero_is_refused(draw):
    assert draw(0, np.random.default_rng(0)) == []
    with pytest.raises(ValueError, match="texts is -1"):
        draw(-1, np.random.default_rng(0))
