"""Numbers that the documents, public code or mathematics fix, and what the models are made of."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy as torch_cross_entropy

from goldviz.data.texts.corpora import corpus
from goldviz.data.texts.items import Corpus
from goldviz.data.texts.pair_counts import (
    cross_entropy,
    divergence,
    pairs,
    probabilities,
    simple_losses,
    table_of_counts,
)
from goldviz.labs.char_language_model import measures
from goldviz.labs.char_language_model.figures import FIGURES
from goldviz.labs.char_language_model.measures import growth
from goldviz.labs.char_language_model.networks import MODELS, Norm, statistics_of_batches
from goldviz.labs.char_language_model.settings import BENGIOS, CharLanguageModel
from goldviz.labs.char_language_model.split import split, windows
from goldviz.labs.char_language_model.train import spreads_of
from goldviz.runs.examples import example
from goldviz.training.grid import parameter_count

NAMES = Path(__file__).parents[4] / "shared" / "data" / "text" / "names.txt"
FAKER = "40.54.0"
HIERARCHY = {"model": "wavenet", "context": 8, "embedding": 24, "hidden": 128, "normalisation": "batch"}


def counts_of(items, symbols):
    return table_of_counts(pairs(items, symbols), len(symbols))


def bigram_losses(items, smoothings):
    read = Corpus.of(items)
    counts = counts_of(read.items, read.symbols)
    return [cross_entropy(counts, probabilities(counts, smoothing)) for smoothing in smoothings]


def model(**settings):
    return MODELS[settings.get("model", "mlp")](CharLanguageModel(**settings), 27, 0)


def test_bigram_losses_on_the_first_names_of_faker():
    from importlib.metadata import version

    if version("faker") != FAKER:
        pytest.skip(f"the known losses are of the names in Faker {FAKER}")
    assert len(corpus("names").items) == 16_527
    losses = bigram_losses(corpus("names").items, [0, 1, 5])
    np.testing.assert_allclose(losses, [2.539733, 2.540850, 2.546616], atol=5e-7)


def test_bigram_losses_on_makemore_s_names():
    if not NAMES.exists():
        pytest.skip("this machine does not hold names.txt")
    losses = bigram_losses(NAMES.read_text().split(), [0, 1, 5])
    np.testing.assert_allclose(losses, [2.454014, 2.454577, 2.457683], atol=5e-7)


def test_counts_are_those_of_a_plain_loop():
    names = ["ab", "bba", "a"]
    symbols = [".", "a", "b"]
    expected = np.zeros((3, 3), int)
    for name in names:
        for one, other in zip(f".{name}", f"{name}.", strict=True):
            expected[symbols.index(one), symbols.index(other)] += 1
    np.testing.assert_array_equal(counts_of(names, symbols), expected)
    np.testing.assert_allclose(probabilities(expected, 2.0).sum(1), 1)
    np.testing.assert_allclose(probabilities(np.zeros((2, 2), int), 0.0), 0.5)


def test_simple_guesses_are_ordered_and_the_counted_table_is_the_best_of_all():
    read = corpus("cities")
    counts = counts_of(read.items, read.symbols)
    simple = simple_losses(counts, counts, 0.0)
    assert simple["uniform_loss"] == math.log(len(read.symbols))
    assert simple["uniform_loss"] > simple["unigram_dev_loss"] > simple["bigram_dev_loss"]
    drawn = np.random.default_rng(0).dirichlet(np.ones(len(read.symbols)), size=len(read.symbols))
    assert divergence(counts, drawn) > 0
    assert divergence(counts, probabilities(counts, 0.0)) == 0


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({}, 11_897),
        (HIERARCHY, 76_579),
        ({"model": "neural_bigram"}, 729),
        ({"normalisation": "batch"}, 11_897 - 200 + 400),
    ],
)
def test_parameter_counts(settings, count):
    assert parameter_count(model(**settings)) == count


@pytest.mark.parametrize(
    ("start", "first", "saturated"),
    [
        ({"initialisation": "normal", "gain": 1.0, "output_gain": 1.0}, (15, 35), (0.5, 0.8)),
        ({"initialisation": "normal", "gain": 1.0}, (3.2, 3.45), (0.5, 0.8)),
        ({"initialisation": "normal", "gain": 0.2}, (3.2, 3.45), (0.0, 0.1)),
        ({}, (3.2, 3.45), (0.05, 0.25)),
        ({"initialisation": "normal", "gain": 1.0, "normalisation": "batch"}, (3.2, 3.45), (0.0, 0.03)),
    ],
)
def test_the_story_of_the_start(start, first, saturated):
    """Document 002, 1.3.2: the first loss falls from about 25 to ln 27, |tanh| above 0.99 from 60 % to under 3 %."""
    settings = CharLanguageModel(**start)
    read = corpus("names")
    text = windows(split(read, 2000, torch.Generator().manual_seed(0)).train, read.symbols, 3).first(1000)
    network = MODELS["mlp"](settings, 27, 0)
    with torch.no_grad():
        done = network(text.contexts)
    assert first[0] < torch_cross_entropy(done.logits, text.targets).item() < first[1]
    assert saturated[0] <= (done.hidden[0].abs() > 0.99).float().mean().item() <= saturated[1]


def test_with_output_weights_of_zero_the_first_loss_is_ln_27_and_only_the_output_learns():
    network = model(output_gain=0.0)
    contexts, targets = torch.randint(27, (40, 3)), torch.randint(27, (40,))
    optimiser = torch.optim.SGD(network.parameters(), lr=0.1)
    behind = network.each[0].weight
    norms = []
    for _ in range(2):
        loss = torch_cross_entropy(network(contexts).logits, targets)
        optimiser.zero_grad()
        loss.backward()
        norms.append(behind.grad.norm().item())
        if len(norms) == 1:
            assert loss.item() == pytest.approx(math.log(27), abs=1e-6)
        optimiser.step()
    assert norms[0] == 0 < norms[1]


def tanh_spread(gain, layers):
    return spreads_of([(gain**2, 0.0)] * layers)


@pytest.mark.parametrize(
    ("gain", "spread"), [(5 / 3, 0.651), (1.0, 0.092), (1.1, 0.305), (4 / 3, 0.513), (2.0, 0.728), (3.0, 0.837)]
)
def test_the_spread_behind_sixty_layers(gain, spread):
    assert tanh_spread(gain, 60)[-1] == pytest.approx(spread, abs=6e-4)


def test_theory_agrees_with_a_wide_network():
    generator = torch.Generator().manual_seed(0)
    h = torch.randn(200, 1000, generator=generator)
    for expected in tanh_spread(5 / 3, 6):
        h = (h @ torch.randn(1000, 1000, generator=generator) * (5 / 3) / math.sqrt(1000)).tanh()
        assert h.std().item() == pytest.approx(expected, rel=0.02)


def test_the_gain_that_keeps_the_sums_variance_is_not_five_thirds():
    """The document's 0.39 is E tanh²(x); its square root's inverse is 1.5925."""
    assert tanh_spread(1.0, 1)[0] ** 2 == pytest.approx(0.39429, abs=1e-5)
    assert 1 / tanh_spread(1.0, 1)[0] == pytest.approx(1.5925, abs=1e-4)


@pytest.mark.parametrize("kind", ["batch", "mixed_up"])
def test_batch_norm_goes_over_the_axes_that_it_says(kind):
    sums = torch.randn(50, 4, 6, generator=torch.Generator().manual_seed(0)) * 3 + 2
    norm = Norm(kind, 6, 4, 0.1)
    out = norm(sums)
    over = [0, 1] if kind == "batch" else [0, 2]
    torch.testing.assert_close(out.mean(over), torch.zeros(6 if kind == "batch" else 4), atol=1e-5, rtol=0)
    torch.testing.assert_close(out.var(over, unbiased=False), torch.ones_like(out.mean(over)), atol=1e-4, rtol=0)
    assert norm.norm.running_mean.shape == ((6,) if kind == "batch" else (4,))
    with torch.no_grad():
        trained, kept = norm(sums), norm.norm.running_mean.clone()
        with statistics_of_batches(norm):
            torch.testing.assert_close(norm.eval()(sums), trained)
        torch.testing.assert_close(norm.norm.running_mean, kept, atol=0, rtol=0)


def test_in_the_hierarchy_every_place_sees_its_own_characters_alone():
    """Place p of layer l sees the characters 2^l p to 2^l (p + 1) - 1; in the flat network every unit sees all."""
    network = model(**{**HIERARCHY, "normalisation": "none", "hidden": 5, "embedding": 3})
    contexts = torch.randint(27, (1, 8))
    hidden = network(contexts).hidden
    assert [tuple(one.shape) for one in hidden] == [(1, 4, 5), (1, 2, 5), (1, 5)]
    for place in range(8):
        other = contexts.clone()
        other[0, place] = (other[0, place] + 1) % 27
        for number, (before, now) in enumerate(zip(hidden, network(other).hidden, strict=True), start=1):
            changed = (now != before).reshape(-1, 5).any(1)
            assert changed.nonzero().flatten().tolist() == [place // 2**number]


def test_windows_hold_boundaries_where_an_item_is_short():
    read = Corpus.of(["ab"] * 20)
    found = windows(["ab"], read.symbols, 5)
    assert found.contexts.tolist() == [[0] * 5, [0, 0, 0, 0, 1], [0, 0, 0, 1, 2]]
    assert found.targets.tolist() == [1, 2, 0]
    distinct, shares = windows(["ab", "ab", "b"], read.symbols, 1).distinct()
    assert shares.sum().item() == pytest.approx(1)
    assert len(distinct) == len({(int(a), int(b)) for a, b in zip(distinct.contexts, distinct.targets, strict=True)})


def test_a_split_loses_nothing_and_hangs_on_its_seed():
    read = corpus("cities")
    parts = [split(read, 0, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert parts[0] == parts[1] != parts[2]
    assert sorted([*parts[0].train, *parts[0].dev, *parts[0].test]) == sorted(read.items)
    assert json.dumps([len(parts[0].train), len(parts[0].dev)]) == "[397, 49]"


@pytest.mark.parametrize("model", BENGIOS)
@pytest.mark.parametrize("normalisation", ["none", "batch"])
def test_a_network_grows_by_what_the_page_says(model, normalisation):
    settings = CharLanguageModel(model=model, context=3, embedding=7, hidden=11, normalisation=normalisation)

    def count(symbols, **changes):
        return parameter_count(MODELS[model](settings.changed(**changes), symbols, 0))

    growths = growth(settings, 13)
    assert growths.by_character == count(13, context=4) - count(13) == count(13, context=9) - count(13, context=8)
    assert growths.by_symbol == count(14) - count(13) == count(101) - count(100)
    assert growths.cells == 13**4


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize(("context", "symbols"), [(1, 2), (3, 27), (16, 300)])
def test_parameters_by_formula_are_those_of_the_network(direct, context, symbols):
    """Bengio et al. 2003 count |V| (1 + n m + h) + h (1 + (n - 1) m), their n being one more than ours."""
    model = "direct_mlp" if direct else "mlp"
    settings = CharLanguageModel(model=model, context=context, embedding=5, hidden=9)
    counted = parameter_count(MODELS[model](settings, symbols, 0))
    assert measures.parameters(context, symbols, 5, 9, direct=direct) == counted
    if direct:
        n = context + 1
        assert counted == symbols * (1 + n * 5 + 9) + 9 * (1 + (n - 1) * 5)


def test_the_figure_of_sizes_draws_the_formulas_and_the_run():
    run = example(CharLanguageModel, "direct-connections")
    figure = FIGURES["parameters"](run)
    own = run["parameter_count"].item()
    rings = [trace for trace in figure.data if trace.name == "this run"]
    assert [(ring.x[0], ring.y[0]) for ring in rings] == [(3, own), (27, own)]
    for axis, along in (("y", 3.0), ("y2", 27.0)):
        curves = {one.name: one for one in figure.data if one.mode == "lines" and (one.yaxis or "y") == axis}
        direct = next(curve for name, curve in curves.items() if "direct" in name)
        assert np.interp(along, direct.x, direct.y) == pytest.approx(own, rel=1e-9)
        table = curves["table of counts"]
        assert np.interp(np.log(along), np.log(table.x), np.log(table.y)) == pytest.approx(4 * np.log(27), rel=1e-3)
    assert figure.layout.xaxis.title.text == "Characters read"


def test_other_networks_have_no_formula():
    figure = FIGURES["parameters"](example(CharLanguageModel, "hierarchy"))
    assert not figure.data
