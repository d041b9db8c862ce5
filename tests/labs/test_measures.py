"""A number of a run is computed in one place: what tells it reads measures by name, and computes none."""

from pathlib import Path

import numpy as np
import pytest

import goldviz
from goldviz.declare.claims import Claim, Part, claims_of
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.diagnostics.measure import UnknownMeasureError, seeds
from goldviz.labs.depth_gradients.measures import Reading
from goldviz.runs.examples import example
from tests.labs.run_numbers import arithmetic, captions_arithmetic
from tests.labs.small_runs import TRAINED

LABS = Path(__file__).parents[2] / "goldviz" / "labs"
TELLING = {"claims", "findings", "page", "parts", "stories", "verdict", "words"}
"""Modules and rooms of a laboratory that tell numbers."""


def telling(lab: str) -> list[Path]:
    """The modules of a laboratory's folder that tell numbers."""
    folder = LABS / lab
    return [path for path in sorted(folder.rglob("*.py")) if path.relative_to(folder).parts[0].split(".")[0] in TELLING]


@pytest.mark.parametrize("lab", sorted(lab.folder for lab in laboratories().values()))
def test_what_tells_a_number_computes_none(lab: str) -> None:
    places = {str(path.relative_to(LABS)): arithmetic(path.read_text(encoding="utf-8")) for path in telling(lab)}
    assert {path: found for path, found in places.items() if found} == {}


@pytest.mark.parametrize("lab", sorted(lab.folder for lab in laboratories().values()))
def test_a_figure_s_words_compute_no_number(lab: str) -> None:
    modules = [path for path in (LABS / lab).rglob("*.py") if "figures" in path.relative_to(LABS / lab).parts[0]]
    assert modules
    places = {str(path.relative_to(LABS)): captions_arithmetic(path.read_text(encoding="utf-8")) for path in modules}
    assert {path: computed for path, computed in places.items() if computed} == {}


def test_a_number_that_a_figure_s_words_compute_is_found() -> None:
    body = "    share = ds['dead'].sum() / ds['dead'].size\n    return f'{share:.0%} are dead.'\n"
    assert len(captions_arithmetic(f"def _dead(ds: Run) -> str:\n{body}")) == 2
    assert captions_arithmetic(f"def picture(ds: Run) -> str:\n{body}") == []
    assert captions_arithmetic("def _dead(ds: Run) -> str:\n    return f'{dead_share(ds):.0%} are dead.'\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "    return float(run['loss'][-1])",
        "    return run.loss.isel(epoch=-1)",
        "    return last(run) / first(run)",
        "    return 10.0 ** last(run) - first(run)",
        "    return fmean(last(one) for one in run)",
        "    norms = run.loss\n    return norms.mean()",
        "    return max(loss for loss in run.attrs['losses'].values())",
        "    return 1 - last(run)",
        "    import numpy",
    ],
)
def test_a_number_that_is_computed_where_it_is_told_is_found(line: str) -> None:
    assert arithmetic(f"def told(run):\n{line}\n") != []


@pytest.mark.parametrize(
    "line",
    [
        "    return last(run) > 2.5 * first(run)",
        "    return f'{last(run)} nat' + f' after {first(run)}'",
        "    return max(first(run), last(run)) < 1",
        "    return [*run.attrs['words'].values()] + ['end']",
    ],
)
def test_a_line_may_be_a_multiple_of_a_measure_and_words_may_be_joined(line: str) -> None:
    assert arithmetic(f"def told(run):\n{line}\n") == []


@pytest.mark.parametrize("lab", laboratories().values(), ids=lambda lab: lab.name)
def test_every_measure_says_what_it_is(lab: Laboratory) -> None:
    for name, measure in lab.measures.items():
        assert measure.name == name
        assert measure.words.endswith("."), name
        assert not measure.words.startswith("The same"), name


@pytest.mark.parametrize("lab", laboratories().values(), ids=lambda lab: lab.name)
def test_claims_read_the_laboratory_s_measures(lab: Laboratory) -> None:
    for claim in claims_of(lab):
        assert all(part.measure in lab.measures for part in claim.parts.values()), claim.number


def test_a_measure_that_is_not_there_is_a_mistake_and_no_number_that_was_not_recorded() -> None:
    lab = laboratories()["depth-gradients"]
    with pytest.raises(UnknownMeasureError, match=r"There is no measure 'plain\.tset'"):
        Claim(lab, "C0", "A mistake.", "001, 1.1", parts={"{}": Part("plain.tset", above=0)})
    with pytest.raises(UnknownMeasureError, match="There is no measure 'plane'"):
        Reading.test["plane"]


def test_a_measure_of_all_seeds_is_that_of_each() -> None:
    lab = laboratories()["depth-gradients"]
    assert issubclass(lab.declared, Experiment)
    run = example(lab.declared, "as-in-the-document")
    measure = lab.measures["residual_over_plain"]
    assert measure.by_seed(run).tolist() == [measure(one) for one in seeds(run)]
    assert measure.first(run) == measure(seeds(run)[0])


@pytest.mark.parametrize("lab", [lab for lab in TRAINED if lab.has("measures")], ids=lambda lab: lab.name)
def test_a_recorded_run_of_any_age_tells_its_measures(lab: Laboratory) -> None:
    numbers = goldviz.measures(example(lab.declared, lab.declared.presets[0].slug))
    assert any(np.isfinite(number.values).any() for number in numbers.values())
