"""Sentences of the glossary, of claims and of advice that were false once: each with what it would take to be true.

Of each the predicate is false of what was said, and true of what is said now. Cards have ``test_false_once.py``.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from goldviz.api import dataset_of
from goldviz.declare.claims import claims
from goldviz.declare.glossary import terms
from goldviz.declare.registry import laboratories
from goldviz.diagnostics.findings.held_out import LOWERS, TAKES_AWAY, held_out
from goldviz.diagnostics.verdicts import Judged, Line, printed
from goldviz.runs.examples import example

TERMS = {term.name: term for term in terms()}


def mixes_by_columns(equation):
    """Whether Z = V A, with tokens in columns, then is what each query reads, one query at a time."""
    maps = dict(zip("QKV", np.random.default_rng(0).normal(size=(3, 4, 5)), strict=True))
    first, second = re.search(r"softmax\((\w)ᵀ(\w)", equation).groups()
    scores = np.exp(maps[first].T @ maps[second] / 2)
    mixed = maps["V"] @ (scores / scores.sum(0))
    weights = [np.exp(maps["K"].T @ query / 2) for query in maps["Q"].T]
    return np.allclose(mixed, np.stack([maps["V"] @ (one / one.sum()) for one in weights], axis=1))


def test_the_glossary_s_self_attention_is_what_its_head_reads():
    assert not mixes_by_columns("A = softmax(QᵀK / √dₖ)")
    assert mixes_by_columns(TERMS["self-attention"].equation)
    assert "Vₕ Aₕ" in TERMS["attention head"].equation


NAMED_IN = {"hidden Markov model": {"002, 1.3.4"}, "VQ-VAE": set(), "adjoint method": set()}
"""Where the documents name these, read off them by hand; what none names has a publication of its own."""


@pytest.mark.parametrize(
    ("name", "once"),
    [("hidden Markov model", "002, 2.4"), ("VQ-VAE", "002, 2.4"), ("adjoint method", "001, 3.2.1")],
)
def test_a_term_s_place_is_where_a_document_names_it(name, once):
    def names_it(source):
        return source in NAMED_IN[name] or (not NAMED_IN[name] and bool(re.fullmatch(r"\D+ \d{4}", source)))

    assert not names_it(once)
    assert names_it(TERMS[name].source)


def parts():
    return [(claim, part) for claim in claims().values() if claim.verdict for part in claim.verdict.parts]


def test_all_alike_is_said_of_equal_numbers_alone():
    nearly = Judged("its loss is {:.2g}", Line(below=1), "ratio", [0.8567, 0.8574, 0.8581, 0.8596, 0.8598])
    assert len(set(nearly.values)) > 1
    assert "all alike" not in nearly.sentence
    alike = [part for _, part in parts() if "all alike" in part.sentence]
    assert alike
    assert all(len(set(part.values)) == 1 for part in alike)


def of_documents_alone(kinds):
    return all(kind == "claim" for kind in kinds)


def test_the_page_of_claims_tells_questions_of_our_own_from_what_documents_say():
    kinds = {number: claim.kind for number, claim in claims().items()}
    said = Path("docs/claims.md").read_text(encoding="utf-8")
    assert not of_documents_alone(kinds.values())
    assert "Each line is a claim" not in said
    asked = {number for number, kind in kinds.items() if kind == "question"}
    assert {"C4", "C13", "C21", "C22", "C24", "C43", "C44", "C45", "C88", "C92", "C107"} <= asked
    assert of_documents_alone(kind for kind in kinds.values() if kind not in ("question", "identity"))


def test_a_weight_without_gradient_of_one_sample_hears_of_others():
    lab = laboratories()["backpropagation-steps"]
    one, four = (
        dataset_of(lab.declared.checked({"activation": "relu", "layers": 4, "width": 8, "samples": count}))
        for count in (1, 4)
    )
    np.testing.assert_allclose(one["x"].isel(sample=0), four["x"].isel(sample=0), rtol=1e-12)
    before, delta = one["x"].values[:-1, 0, None, :], one["delta"].values[:, 0, :, None]
    silent = ((before == 0) | (delta == 0)) & np.isfinite(one["weight_gradient"].values)
    gradients = [np.abs(run["weight_gradient"].values[silent]) for run in (one, four)]
    never_learns = (gradients[1] == 0).all()
    assert not never_learns
    assert silent.any()
    assert (gradients[0] == 0).all()
    assert "never" not in claims()["C2"].sentence
    assert "a sample gives it none" in claims()["C2"].sentence


def test_a_number_inside_its_line_is_not_printed_as_the_line():
    """As "norm 1.000000, below 1.000000" was; what is within a line has other digits, or is the line's own number."""
    same = [
        (claim.number, part.sentence)
        for claim, part in parts()
        for bound in (part.line.above, part.line.below)
        for spec in re.findall(r"\{:?([^}]*)\}", part.words)
        if np.isfinite(bound) and bound != 0 and part.word == "holds"
        if printed(part.interval.centre, spec or ".3g") == printed(bound, spec or ".3g")
    ]
    assert same == []
    assert printed(0.999999999, ".6f") == printed(1.0, ".6f")


def test_no_share_of_itself_and_no_negative_zero_is_said():
    said = [part.sentence for _, part in parts()]
    assert not [words for words in said if re.search(r"is 1 of it\b|[−-]0(\.0+)? %", words)]
    assert re.search(r"[−-]0(\.0+)? %", "−0.0 % to 0.0 %")
    assert printed(-0.0001, ".1%") == "0.0 %"


TRIED = [lab for lab in laboratories().values() if lab.tried]


def test_two_seeds_are_too_few_to_advise_by():
    garch = [trial for trial in laboratories()["gold-forecast"].tried.trials if trial.helps]
    two = next(trial for trial in garch if trial.complained.sum() == 2)
    assert two.helps
    assert not held_out([two]).offered
    for lab in TRIED:
        groups = {}
        for trial in lab.tried.trials:
            groups.setdefault((trial.kind, trial.words), []).append(trial)
        assert all(held_out(group).counted >= 10 for group in groups.values() if held_out(group).offered)


SWITCHED_OFF = {
    "continuous-depth": {
        "nested_classes": "break-it-two-rings",
        "order_kept": "regression-x-becomes-x",
    },
    "price-tokens": {
        "labels_switch": "break-it-switching-labels",
        "knows_future": "look-ahead-smoother",
    },
}


@pytest.mark.parametrize(("lab", "kind"), [(lab, kind) for lab, kinds in SWITCHED_OFF.items() for kind in kinds])
def test_a_remedy_that_ends_its_rule_does_not_promise_that_the_card_goes(lab, kind):
    """The complaint is gone in every trial, whatever was learned: it tells nothing."""
    lab, preset = laboratories()[lab], SWITCHED_OFF[lab][kind]
    settings = lab.declared.preset(preset)
    cards = lab.part("findings").findings_of.all(settings, example(lab.declared, preset))
    (remedy,) = next(card for card in cards if card.kind == kind).remedies
    gone = [~after[before] for trial in lab.tried.of(kind, remedy) for before, after in trial.complaint.values()]
    assert np.concatenate(gone).all()
    assert remedy.mends or lab.tried.held_out(kind, remedy).promise is LOWERS
    offered = next(card for card in lab.advised(settings, cards) if card.kind == kind)
    assert TAKES_AWAY.words.capitalize() not in offered.effect
