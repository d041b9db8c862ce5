"""Sentences under figures of what a visitor types, drags or chooses: each is true of what is drawn, and can fail.

Such figures stand in no laboratory's table: they draw what is handed to them, not a run.
"""

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
import pytest
import xarray as xr

from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import style_of
from goldviz.labs.attention_against_recurrence.figures import measured_time
from goldviz.labs.attention_interface.figures import own_sentence
from goldviz.labs.char_gpt.figures import candidates, lens, looked
from goldviz.labs.char_language_model.page import Tree, reach
from goldviz.labs.price_tokens.edited import edited
from goldviz.labs.price_tokens.figures.future import future
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.recurrent_gradients.figures.words import OF_WORDS
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.labs.recurrent_gradients.word_by_word import read_words
from goldviz.labs.translation_transformer.figures import one_step
from goldviz.runs.examples import example
from tests.truth.predicates.another_drawing import holds, otherwise, sentences
from tests.truth.predicates.drawing import Claim, Drawing, absent, gold, numeric, same
from tests.truth.predicates.view import View

RNG = np.random.default_rng(7)
REVIEWS = "reviews-cue-40-words-back"
READ = ("dev", "sa", "tum")
WRITTEN = ("begin", "you", "are", "there")


def chances(*shape: int) -> np.ndarray:
    """Rows that sum to 1, the largest first."""
    parts = RNG.random(shape)
    return -np.sort(-parts / parts.sum(-1, keepdims=True), axis=-1)


SHARES = chances(4)
BY_DEPTH = chances(3, 4)
OF_HEADS = chances(2, 3, 5)
CROSS, OWN = chances(4, 3), chances(4, 4)
TREE, CHOSEN = Tree((8, 4, 2, 1)), (2, 1)
SECONDS = xr.Dataset(
    {"seconds": (("network", "series_length"), 0.001 * (1 + RNG.random((2, 3))))},
    {"network": ["lstm", "transformer"], "series_length": [16, 32, 64]},
)


@cache
def review() -> xr.Dataset:
    """What networks of a recorded run say of some words."""
    run = example(RecurrentGradients, REVIEWS)
    return read_words(RecurrentGradients.preset(REVIEWS), run["weights"].values, "What a wonderful day, and so heavy")


@cache
def strip() -> xr.Dataset:
    """A market of independent moves whose end was dragged upwards."""
    moves = 0.01 * np.random.default_rng(3).standard_normal(400)
    attributes = {"start": 200, "end": 320, "edit": 260, "spread": float(moves[:200].std()), "logarithms": 1}
    days = xr.Dataset(
        {"move": ("day", moves), "price": ("day", 100 * np.exp(np.cumsum(moves)))},
        {"day": np.datetime_as_string(np.datetime64("2020-01-01") + np.arange(400))},
        attributes,
    )
    return edited(lambda *told: None, PriceTokens(tokens=4).model_dump_json(), days, 1.5)


def heat(due: np.ndarray) -> Claim:
    return lambda drawing: same(numeric(drawing.typed("heatmap").data[0]["z"]), due)


def by_network(name: str, scale: Callable[[np.ndarray], np.ndarray] = np.asarray) -> Claim:
    """A curve of each, under its own name."""

    def claim(drawing: Drawing) -> bool:
        values = drawing.run[name]
        return all(
            any(
                same(numeric(trace["y"]), scale(values.sel(network=network).values))
                for trace in drawing.data
                if trace.get("name") == style_of(str(network)).label
            )
            for network in values.network.values
        )

    return claim


def drawn_is_gold(drawing: Drawing) -> bool:
    """The likeliest first, and the second of them was drawn."""
    [bars] = drawing.data
    golden = [gold(colour) for colour in np.atleast_1d(bars["marker"]["color"])]
    return same(numeric(bars["x"]), SHARES) and golden == [False, True, False, False]


def likeliest_by_depth(drawing: Drawing) -> bool:
    [map_of] = drawing.data
    return heat(BY_DEPTH)(drawing) and map_of["y"] == ["tables", "block 1", "block 2"]


def seen_is_gold(drawing: Drawing) -> bool:
    """The third of four neighbours joins the last four characters, the two places over them, and is one itself."""
    marks = drawing.only(lambda trace: trace.get("mode") == "markers").data[0]
    places = list(zip(numeric(marks["x"]).tolist(), numeric(marks["y"]).tolist(), strict=True))
    golden = {place for place, colour in zip(places, marks["marker"]["color"], strict=True) if gold(colour)}
    return len(places) == 15 and golden == {(5, 0), (6, 0), (7, 0), (8, 0), (5.5, 1), (7.5, 1), (6.5, 2)}


def token_strips(drawing: Drawing) -> bool:
    """The tokens as they are now, of honest ones and of others; they count from 1."""
    rows = [numeric(trace["z"])[0] for trace in drawing.typed("heatmap").data]
    return len(rows) == 2 and np.array_equal(np.stack(rows), strip()["edited_token"].values + 1)


def lamps(drawing: Drawing) -> bool:
    """A large gold mark over each token that is another one now, and over no other."""
    lit = drawing.only(lambda trace: gold((trace.get("marker") or {}).get("color"))).data
    differ = strip()["token"].values != strip()["edited_token"].values
    return differ.any() and np.array_equal(np.isfinite([numeric(trace["y"]) for trace in lit]), differ)


def state_map(drawing: Drawing) -> bool:
    return heat(drawing.run["state"].sel(network="lstm").values.T)(drawing)


def openings(drawing: Drawing) -> bool:
    values = drawing.run["gate_opening"].sel(network="lstm")
    return all(
        same(numeric(drawing.named(f"^{gate} gate$").data[0]["y"]), values.sel(gate=gate).values)
        for gate in ("input", "forget", "output")
    )


def words_read(drawing: Drawing) -> bool:
    return same(numeric(drawing.data[0]["y"]), CROSS[2])


def words_so_far(drawing: Drawing) -> bool:
    """At the third step three are there, and the fourth is not."""
    return same(numeric(drawing.data[1]["y"]), OWN[2, :3])


def own_words(drawing: Drawing) -> bool:
    layout = drawing.layout
    named = (layout["xaxis"]["ticktext"], layout["yaxis"]["ticktext"])
    return heat(CROSS)(drawing) and named == (list(READ), list(WRITTEN))


TABLE: tuple[tuple[FigureSpec, tuple, Mapping, Mapping[str, Claim]], ...] = (
    (
        measured_time,
        (SECONDS,),
        {},
        {
            "Seconds for four sequences, both ways, on one thread.": by_network("seconds"),
            "Seconds on a GPU.": absent("GPU"),
        },
    ),
    (own_sentence, (READ, WRITTEN, CROSS), {}, {"A row is a word written, a column one of your words.": own_words}),
    (
        candidates,
        (("a", "b", "c", "d"), SHARES, "b"),
        {},
        {"The likeliest tokens here; gold: the one that was drawn, if among them.": drawn_is_gold},
    ),
    (
        lens,
        ([["a", "b", "c", "d"]] * 3, BY_DEPTH),
        {},
        {"The likeliest tokens if the network ended after so many blocks.": likeliest_by_depth},
    ),
    (
        looked,
        (("t", "o", "k", "e", "n"), OF_HEADS),
        {},
        {
            "How much each head's last place looks at each token so far, its own among them.": heat(
                OF_HEADS.reshape(6, 5)
            ),
            "What it took from there.": absent("value", "took"),
        },
    ),
    (reach, (TREE,), {"node": CHOSEN}, {"The places of every layer; gold: what the chosen one sees.": seen_is_gold}),
    (
        future,
        (strip,),
        {},
        {
            "The tokens of earlier days.": token_strips,
            "A lamp is lit where later days changed one.": lamps,
            "Whether honest tokens forecast anything.": absent("forecast"),
        },
    ),
    (
        OF_WORDS["verdict"],
        (review,),
        {},
        {"The probability of praise, were the review to end at this word.": by_network("praise")},
    ),
    (
        OF_WORDS["heard"],
        (review,),
        {},
        {"How much the last verdict moves with the state at each word.": by_network("state_gradient", np.log10)},
    ),
    (
        OF_WORDS["states"],
        (review,),
        {"network": "lstm"},
        {"Every unit of the chosen network's state after each word.": state_map},
    ),
    (
        OF_WORDS["word_gates"],
        (review,),
        {"network": "lstm"},
        {"The mean opening of the chosen network's gates at each word.": openings},
    ),
    (
        one_step,
        (READ, WRITTEN, OWN, CROSS),
        {"step": 2},
        {"Above: how much it looks at each word read.": words_read, "Below: at words written so far.": words_so_far},
    ),
)


@pytest.mark.parametrize(("spec", "what", "where", "claims"), TABLE, ids=[row[0].name for row in TABLE])
def test_each_sentence_is_true_of_what_is_drawn_and_not_of_another_drawing(spec, what, where, claims):
    given = [one() if callable(one) else one for one in what]
    run = given[0] if isinstance(given[0], xr.Dataset) else xr.Dataset()
    figure = spec.draw(*given, **where).to_dict()
    drawing = Drawing(View(run, None, {}, 0, spec.name), tuple(figure["data"]), figure["layout"])
    assert set(sentences(spec)) == set(claims)
    assert [words for words, claim in claims.items() if not holds(claim, drawing)] == []
    assert [words for words, claim in claims.items() if holds(claim, otherwise(drawing, claim))] == []
