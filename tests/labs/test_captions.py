"""What a figure or a page says with a run's numbers never contradicts a card of the same run."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, strategies

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.figures.reading import GROWING
from goldviz.runs.examples import example
from tests.labs.drawn_findings import FEWER, THINGS, WITH_CARDS, conclusions_of, drawn_run, of_one, said
from tests.labs.small_runs import SMALL, Small, small_run, with_own
from tests.page_words import on_page
from tests.thinned import represented

NUMBER = r"([+−-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+| × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|never|infinitely many|inf|nan)"
SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
SHOWN = {"residual network": "residual"}
"""How figures call networks that cards call otherwise."""
PAGE = "page"
"""What stands on the page in words: its verdict, and the numbers beside its equations."""


@dataclass(frozen=True)
class Caption:
    """Words of a figure, or of the page, and the cards that contradict them.

    ``words`` are a pattern: ``#`` stands for a number, ``{name}`` for a network, of which alone the cards then may not
    speak. They contradict where ``when`` holds of the numbers. Where figure and card read records that only a real
    run has alike, nothing is said of ``drawn`` ones.
    """

    figure: str
    words: str
    excluded: tuple[str, ...]
    when: Callable[..., bool] = lambda *numbers: True
    drawn: bool = True

    def found(self, text: str, name: str = "") -> list[tuple[float, ...]]:
        """The numbers of each place where a text says so."""
        pattern = self.words.replace("#", NUMBER).replace("{name}", rf"\b{re.escape(SHOWN.get(name, name))}:?\**:?")
        return [tuple(map(value_of, match.groups())) for match in re.finditer(pattern, text)]

    @property
    def of_networks(self) -> bool:
        return "{name}" in self.words


def value_of(words: str) -> float:
    """A number as figures print it."""
    if words in ("never", "infinitely many"):
        return math.inf
    mantissa, _, exponent = words.translate(SUPERSCRIPT).replace(",", "").partition(" × 10")
    return float(mantissa) * 10.0 ** float(exponent or 0)


def under(limit: float) -> Callable[[float], bool]:
    return lambda value: value < limit


def over(limit: float) -> Callable[[float], bool]:
    return lambda value: value > limit


SCORES = ("size_skill", "no_skill", "worse", "shuffled_skill", "shuffled_check_passed", "sign_skill")


def but(*kinds: str) -> tuple[str, ...]:
    return tuple(kind for kind in SCORES if kind not in kinds)


OF_LABORATORIES = {
    "depth-gradients": (
        Caption("gradient_by_layer", r"Largest norm / layer 1's: .*?{name} #", ("vanishing",), under(90)),
        Caption(
            "gradient_by_layer",
            "Exactly 0, not drawn, in # of # layers: .*?(?:{name}|all)",
            ("vanishing", "exploding", "gradient_kept"),
            lambda found, count: found >= count - 1,
        ),
        Caption(
            "gradient_by_layer",
            "Not a finite number, not drawn, in # of # layers: .*?(?:{name}|all)",
            ("vanishing", "gradient_kept"),
            lambda found, count: found >= count - 1,
        ),
        Caption(
            "loss_by_depth", "Loss of the deepest over the best: .*?{name} #", ("degradation",), under(1.4), drawn=False
        ),
    ),
    "recurrent-gradients": (
        Caption("jacobian_by_lag", r"Below 1/100 from: .*?{name} #", ("vanishing",), math.isinf),
        Caption("jacobian_by_lag", r"Below 1/100 from: .*?{name} lag #", ("gradient_kept",)),
        Caption(
            "gates",
            "Left after # steps: # along the cell, # along all paths",
            ("forget_bias_too_small",),
            lambda lag, cell, left: left > 0.11,
        ),
        Caption("saturation", "Most now: .* gate, # %", ("saturated_gates",), under(55)),
        Caption(PAGE, r"{name} × # a step, × \$10\^{#}", ("gradient_kept",), lambda _, power: abs(power) > 1.1),
        Caption(PAGE, "{name} nothing of the gradient is left", ("gradient_kept",)),
    ),
    "continuous-depth": (
        Caption("carried", r"On the right side: .*?{name} # %", ("learned",), under(98)),
        Caption("carried", r"On the right side: .*?{name} # %", ("nested_classes", "not_learned"), over(99.95)),
        Caption("carried", r"Mean square error: .*?{name} #", ("learned",), over(0.053)),
        Caption("carried", r"Mean square error: .*?{name} #", ("order_kept", "not_learned"), under(0.047)),
        Caption(
            PAGE,
            r"(?i:{name}).*?; loss #, with the field followed exactly #",
            ("solver_s_map",),
            lambda own, exact: abs(own - exact) < 0.08 * max(own, exact),
        ),
        Caption(
            PAGE,
            r"(?i:{name}).*?; loss #, with the field followed exactly #",
            ("residual_is_flow",),
            lambda own, exact: abs(own - exact) > 0.12 * max(own, exact) > 0.0026,
        ),
    ),
    "ode-rnn": (
        Caption(
            "latent",
            "Way between observations: .*?{name} # %",
            ("learned", "holds_in_long_gaps", "solver_consistent"),
            under(1),
            drawn=False,
        ),
    ),
    "char-language-model": (
        Caption("loss", r"Dev, {name} # nat(?s:.*)\npairs: #", ("beats_pairs",), lambda own, pairs: own > pairs - 0.04),
        Caption(
            "loss",
            r"Dev, {name} # nat(?s:.*)\npairs: #",
            ("no_better_than_pairs",),
            lambda own, pairs: own < pairs - 0.06,
        ),
        Caption(
            "loss",
            r"Dev, {name} # nat(?s:.*)\nsingle characters: #",
            ("beats_letters",),
            lambda own, letters: own > letters - 0.04,
        ),
        Caption("generalisation", "Dev less training, .*?{name} # nat", ("by_heart",), under(0.29)),
        Caption(
            PAGE, r"all alike: #(?s:.*)first loss: \*\*#", ("first_loss",), lambda alike, first: first < alike + 0.45
        ),
        Caption(PAGE, r"counted pairs: #(?s:.*)on dev text: \*\*#", ("beats_pairs",), lambda pairs, own: own > pairs),
        Caption(
            PAGE,
            r"counted pairs: #(?s:.*)on dev text: \*\*#",
            ("no_better_than_pairs",),
            lambda pairs, own: own < pairs - 0.06,
        ),
    ),
    "char-gpt": (
        Caption("loss", r"Dev, {name} # nat(?s:.*)\npairs: #", ("beats_pairs",), lambda own, pairs: own > pairs - 0.03),
        Caption(
            "loss",
            r"Dev, {name} # nat(?s:.*)\npairs: #",
            ("no_better_than_pairs",),
            lambda own, pairs: own < pairs - 0.07,
        ),
        Caption("generalisation", "Dev less training, .*?{name} # nat", ("by_heart",), under(0.29)),
        Caption("attention", "Surest: .*, #% on one token", ("even_attention",), over(50), drawn=False),
        Caption(PAGE, r"= \*\*#\*\* bits a byte(?s:.*)gzip: #", ("beats_gzip",), lambda own, gzip: own > gzip + 0.01),
        Caption(
            PAGE,
            r"this network now: \*\*#\*\* nat(?s:.*)counted pairs: #",
            ("beats_pairs",),
            lambda own, pairs: own > pairs,
        ),
        Caption(
            PAGE,
            r"this network now: \*\*#\*\* nat(?s:.*)counted pairs: #",
            ("no_better_than_pairs",),
            lambda own, pairs: own < pairs - 0.07,
        ),
    ),
    "bert-pretraining": (
        Caption(PAGE, r"Masked words(?:, pre-trained)?: # nat", ("worse_than_word_frequencies",)),
        Caption(PAGE, r"Masked words(?:, pre-trained)?: only # nat", ("reads_context",)),
        Caption(
            PAGE,
            "It has read no masked words",
            ("reads_context", "worse_than_word_frequencies", "only_word_frequencies", "words_by_heart"),
        ),
        Caption(PAGE, "worse than guessing all alike", ("reads_context",)),
        Caption(
            PAGE,
            "# % on new patterns; a bag of words # % and # %",
            ("tone_from_context",),
            lambda own, known, new: own < min(new + 6, 101),
        ),
        Caption(
            PAGE,
            "# % on new patterns; a bag of words # % and # %",
            ("tone_from_words",),
            lambda own, known, new: own > new + 8,
        ),
        Caption(
            "confusion",
            r"new patterns # % \(bag of words # %\)",
            ("tone_from_context",),
            lambda own, bag: own < min(bag + 6, 101),
        ),
        Caption(
            "confusion", r"new patterns # % \(bag of words # %\)", ("tone_from_words",), lambda own, bag: own > bag + 8
        ),
    ),
    "price-tokens": (
        Caption(PAGE, "Tokens know the future", SCORES),
        Caption(PAGE, "Names switch between fits", (*SCORES, "knows_future")),
        Caption(PAGE, "Most days share one token", ("size_skill", "no_skill", "knows_future", "labels_switch")),
        Caption(PAGE, "random order, yet", but("shuffled_skill")),
        Caption(PAGE, "random order, and no skill is left", but("shuffled_check_passed")),
        Caption(PAGE, "Too good: the sign", but("sign_skill")),
        Caption(PAGE, "The next move's size can be forecast", (*but("size_skill"), "codes_unused")),
        Caption(PAGE, "Worse than token frequency", (*but("worse"), "codes_unused")),
        Caption(PAGE, "No detectable skill over", (*but("no_skill"), "codes_unused")),
        Caption(
            "scoreboard",
            r": # nats a day \[#, #\]\.",
            ("worse", "no_skill", "shuffled_check_passed"),
            lambda own, low, high: low > 0,
        ),
        Caption(
            "scoreboard",
            r": # nats a day \[#, #\]\.",
            ("size_skill", "no_skill", "shuffled_skill"),
            lambda own, low, high: high < 0,
        ),
        Caption(
            "scoreboard",
            r": # nats a day \[#, #\]",
            ("size_skill", "worse", "shuffled_skill"),
            lambda own, low, high: low < 0 < high,
        ),
        Caption("as_text", "Agreement with planted regimes: #", ("not_regimes",), over(0.21)),
        Caption(
            "meaning",
            "Perplexity(?:, last fit)?: # of # tokens",
            ("codes_unused",),
            lambda used, count: used > 0.31 * count,
        ),
        Caption(
            "meaning",
            "Perplexity(?:, last fit)?: # of # tokens",
            ("no_skill", "size_skill", "not_regimes"),
            lambda used, count: used < 0.29 * count,
        ),
    ),
    "neural-turing-machine": (
        Caption(PAGE, "{name} answers # % of the", ("most_wrong",), lambda whole: whole > 51),
        Caption(PAGE, "{name} answers # % of the", ("learned",), lambda whole: whole < 98),
    ),
    # Captions of these tell other numbers than their cards do: neither says what the other denies.
    "series-attention": (),
    "adaptive-computation": (),
    "attention-against-recurrence": (),
    "attention-interface": (),
    "neural-programmer": (),
    "translation-transformer": (),
    "leaderboard": (
        Caption("table", "Not to be told from", ("ahead",)),
        Caption("table", "is ahead of every other row", ("undecided",)),
    ),
    "gold-forecast": (
        Caption(
            "scoreboard",
            r": # %, 95 % # % to # %\.",
            (
                "no_skill",
                "worse_than_simplest",
                "planted_missed",
                "dealt_out_passed",
                "shuffled_check_passed",
                "worthless_level_score",
            ),
            lambda own, low, high: low > 0,
        ),
        Caption(
            "scoreboard",
            r": # %, 95 % # % to # %\.",
            ("skill", "planted_found", "dealt_out_skill", "shuffled_skill", "no_skill"),
            lambda own, low, high: high < 0,
        ),
        Caption(
            "scoreboard",
            r": #, 95 % # to #\.",
            ("no_volatility_skill", "worse_than_simplest"),
            lambda own, low, high: low > 0,
        ),
        Caption(
            "scoreboard",
            r": #, 95 % # to #\.",
            ("volatility_skill", "better_constant", "no_volatility_skill"),
            lambda own, low, high: high < 0,
        ),
        Caption(
            "calibration",
            r"of 50, 80, 90, 95 % held #, #, #, # %",
            ("badly_calibrated",),
            lambda half, most, held, nearly: 89 <= held <= 91,
        ),
        Caption(
            "gradient_by_lag",
            "Above 1/100 up to # of # rows back",
            ("short_reach",),
            lambda rows, window: rows > 0.55 * window,
        ),
    ),
}
CAPTIONS: dict[str, tuple[Caption, ...]] = with_own(OF_LABORATORIES, "CAPTIONS")
"""By laboratory: what may stand on its page, with the cards that then may not."""


def texts(lab: Laboratory, settings: Experiment, run: xr.Dataset, figures: Collection[str]) -> dict[str, str]:
    """By figure: its notes, a line for each sentence, and the words that are drawn on it; and what the page says."""
    found = {}
    for name in figures:
        if name == PAGE:
            found[name] = "\n".join(on_page(lab, settings, run))
            continue
        # Plotly's check of a draft takes ten times as long as the drawing; other tests have it check every figure.
        layout = lab.part("figures").FIGURES[name].draw(run).settled().layout
        notes = re.sub(r"\. (?=[A-Z])", ".\n", str(layout.title.subtitle.text or "").replace("<br>", " "))
        found[name] = "\n".join([notes, *(str(words["text"]) for words in layout.annotations or ())])
    return found


def contradictions(
    lab: Laboratory, captions: Sequence[Caption], settings: Experiment, run: xr.Dataset
) -> Iterator[str]:
    """What is said of a run, with a card of it that says otherwise."""
    conclusions = conclusions_of(lab)
    cards = said(conclusions, settings, run)
    names = {getattr(reading, "name", "") for reading in conclusions.readings(settings, run)}
    words = texts(lab, settings, run, {caption.figure for caption in captions})
    for caption in captions:
        for name in names if caption.of_networks else [""]:
            for numbers in caption.found(words[caption.figure], name):
                for rule, of in cards:
                    if rule.kind in caption.excluded and (name in of or not name) and caption.when(*numbers):
                        yield f"{caption.figure}, {name}: {caption.words} with {numbers}, and {rule.kind}"


MOST_DRAWS = 60
"""Until every caption of a table was said once."""
LABS = [laboratories()[name] for name in CAPTIONS]
EVERY_LAB = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
STILL = (*THINGS, *GROWING, "fold", "code_look")
"""What stands still says the same at its last look, in the mean over the looks and in every fit."""


def test_every_laboratory_with_cards_has_a_table() -> None:
    missing = {lab.name for lab in WITH_CARDS} - CAPTIONS.keys()
    assert missing == set(), "CAPTIONS in tests/labs/<lab>/cases.py says what no card may stand beside; () is nothing"


@EVERY_LAB
def test_the_table_names_cards_that_there_are(lab: Laboratory) -> None:
    kinds = {rule.kind for rule in lab.part("findings").RULES}
    assert {kind for caption in CAPTIONS[lab.name] for kind in caption.excluded} <= kinds


def said_of(lab: Laboratory, captions: Set[Caption], settings: Experiment, run: xr.Dataset) -> set[Caption]:
    """Those of the captions that a run has."""
    names = {getattr(reading, "name", "") for reading in conclusions_of(lab).readings(settings, run)}
    words = texts(lab, settings, run, {caption.figure for caption in captions})
    return {one for one in captions for name in names if one.found(words[one.figure], name)}


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_the_table_has_words_that_are_said(lab: Laboratory) -> None:
    """Words without numbers stand in the laboratory's source, others in one of its runs."""
    source = "".join(path.read_text(encoding="utf-8") for path in lab.recorded.parent.rglob("*.py"))
    silent = {caption for caption in CAPTIONS[lab.name] if caption.words not in source}
    for preset in lab.declared.presets:
        silent -= said_of(lab, silent, lab.declared.preset(preset.slug), example(lab.declared, preset.slug))
    generator, smalls = np.random.default_rng(0), [small for small in SMALL if small.lab == lab]
    for number in range(MOST_DRAWS):
        if not silent:
            return
        small = smalls[number % len(smalls)]
        with np.errstate(all="ignore"):
            silent -= said_of(lab, silent, small.settings(seeds=(0,)), drawn_run(of_one(small), generator, STILL))
    assert not silent


@EVERY_LAB
def test_no_recorded_example_contradicts_a_card(lab: Laboratory) -> None:
    for preset in lab.declared.presets:
        settings = lab.declared.preset(preset.slug)
        assert not list(contradictions(lab, CAPTIONS[lab.name], settings, example(lab.declared, preset.slug))), (
            preset.slug
        )


@pytest.mark.slow
@pytest.mark.parametrize("small", represented(one for one in SMALL if one.lab in LABS and one.number < 2), ids=str)
@FEWER
@given(seed=strategies.integers(0, 2**32 - 1))
def test_no_drawn_run_contradicts_a_card(small: Small, seed: int) -> None:
    settings = small.settings(seeds=(0,))
    run = drawn_run(of_one(small), np.random.default_rng(seed), STILL)
    captions = [caption for caption in CAPTIONS[small.lab.name] if caption.drawn]
    with np.errstate(all="ignore"):
        assert not list(contradictions(small.lab, captions, settings, run))


def test_a_signal_that_fades_on_its_way_and_returns_is_not_called_kept() -> None:
    lab = laboratories()["recurrent-gradients"]
    settings = next(small for small in SMALL if small.lab == lab).settings()
    run = small_run(settings)
    run["log_jacobian_norm"][:] = 0.0
    run["log_jacobian_norm"][{"lag": 2}] = -3.0
    run["test_loss"][:] = 0.0
    kinds = {rule.kind for rule, _ in said(conclusions_of(lab), settings, run)}
    assert "task_solved" in kinds
    assert "lag" in texts(lab, settings, run, {"jacobian_by_lag"})["jacobian_by_lag"]
    assert not list(contradictions(lab, CAPTIONS[lab.name], settings, run))


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("4,100", 4100),
        ("2.6 × 10²³", 2.6e23),
        ("5 × 10⁻⁵", 5e-5),
        ("−0.07", -0.07),
        ("+1e-07", 1e-7),
        ("never", math.inf),
    ],
)
def test_numbers_are_read_as_they_are_printed(words: str, value: float) -> None:
    assert re.fullmatch(NUMBER, words)
    assert value_of(words) == pytest.approx(value)
