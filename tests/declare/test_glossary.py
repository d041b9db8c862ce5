"""The glossary: every term once, in two short sentences, with a laboratory that shows it."""

import re
from collections import Counter

from goldviz.declare.glossary import terms
from goldviz.declare.registry import laboratories

LONGEST = 25


def test_a_term_is_two_short_sentences_with_an_equation_and_its_place() -> None:
    for term in terms():
        sentences = re.findall(r"[^.]+(?:\.\d[^.]*)*\.", term.words)
        assert len(sentences) == 2, term.name
        assert max(len(sentence.split()) for sentence in sentences) <= LONGEST, term.name
        assert term.equation, term.name
        assert re.match(r"00[1-5], \d|[\w ]+ (et al\. )?\d{4}$", term.source), term.name
        assert term.laboratory in laboratories(), term.name


NEWEST = {
    "neural-turing-machine": {
        "neural Turing machine",
        "content addressing",
        "address interpolation",
        "address shift",
        "address sharpening",
        "read head",
        "controller",
    },
    "attention-interface": {"word alignment", "beam", "teacher forcing"},
    "translation-transformer": {"beam", "teacher forcing", "label smoothing", "encoder", "decoder", "warm-up"},
    "adaptive-computation": {"adaptive computation time", "halting weight", "remainder", "ponder cost"},
    "neural-programmer": {"neural programmer", "controller", "hardened program"},
    "series-attention": {"convolutional attention", "sinusoids", "overfitting", "LogSparse", "ProbSparse"},
    "attention-cost": {"LogSparse", "ProbSparse", "fused attention"},
    "leaderboard": {"leaderboard", "look-back"},
    "bert-pretraining": {"next-sentence prediction", "permutation language model"},
    "recurrent-gradients": {"minGRU"},
    "ode-rnn": {"neural CDE"},
    "gold-forecast": {"HAR", "QLIKE"},
    "depth-gradients": {"dropout"},
}
"""By laboratory, the terms that its pages need."""


def test_each_laboratory_shows_a_term_and_the_newest_find_their_own() -> None:
    assert {term.laboratory for term in terms()} == set(laboratories())
    assert set(NEWEST) <= set(laboratories())
    assert set().union(*NEWEST.values()) <= {term.name for term in terms()}


def test_every_form_belongs_to_one_term() -> None:
    forms = Counter(form.lower() for term in terms() for form in term.forms)
    assert {form: count for form, count in forms.items() if count > 1} == {}
    assert all(term.name in term.forms for term in terms())
