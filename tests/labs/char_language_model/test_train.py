"""What a run of *Character language models* keeps: counting, learning a table, looks, and what does not disturb it."""

import numpy as np
import pytest
import torch

from goldviz.data.texts.corpora import corpus
from goldviz.data.texts.pair_counts import cross_entropy, divergence, pairs, probabilities, table_of_counts
from goldviz.diagnostics import layers
from goldviz.diagnostics.histograms import VALUE_BINS
from goldviz.labs.char_language_model.instruments import (
    OVER,
    activations_of,
    losses_unseen,
    sampled,
    unseen_contexts,
)
from goldviz.labs.char_language_model.networks import MODELS
from goldviz.labs.char_language_model.settings import MODELS as NAMED
from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.labs.char_language_model.sizes import characters_read
from goldviz.labs.char_language_model.split import Windows, windows
from goldviz.labs.char_language_model.train import reader
from goldviz.training.grid import close_steps
from goldviz.training.optimisers import OPTIMISERS
from goldviz.training.quick_steps import take_step
from tests.labs.small_runs import small_run

CITIES = {"corpus": "cities", "close_looks": 4}
COUNTING = CharLanguageModel(model="bigram", steps=7, smoothing=0.0, **CITIES)
TABLE = CharLanguageModel(model="neural_bigram", steps=200, batch=0, optimiser="adam", learning_rate=0.1, **CITIES)


def lowest(run):
    counts = run["count"].values
    return cross_entropy(counts, probabilities(counts, 0.0))


def test_counting_reads_all_pairs_once():
    run = small_run(COUNTING.changed(close_looks=7, smoothing=0.01))
    read = corpus("cities")
    counts = run["count"].values
    assert counts.sum() < table_of_counts(pairs(read.items, read.symbols), len(read.symbols)).sum()
    # The last look is of all that was read: what is left is one fake count in a hundred cells.
    table = probabilities(counts, 0.01)
    np.testing.assert_allclose(run["table"].values[-1, 0], table, rtol=1e-5)
    assert float(run["divergence"][-1, 0, 0]) == pytest.approx(divergence(counts, table), abs=1e-6)
    assert float(run["divergence"][-1, 0, 0]) < 0.1 * float(run["divergence"][1, 0, 0])
    assert run["loss"].values[0] == pytest.approx(np.log(len(read.symbols)))


def test_more_steps_than_pairs_leave_none_out_and_read_none_twice():
    run = small_run(COUNTING.changed(items=20, steps=400))
    assert run["count"].values.sum() < 400
    assert np.isfinite(run["loss"].values).all()
    assert run["divergence"].values[-1] < 0.02


@pytest.mark.parametrize("start", [0.01, 3.0])
def test_one_matrix_comes_to_the_counted_table_from_above(start):
    """Document 002, 1.2: convex, so from any start; never below, for the counted table is the best on its own text."""
    run = small_run(TABLE.changed(output_gain=start))
    loss = run["loss"].values[:, 0, 0]
    assert (loss > lowest(run) - 1e-6).all()
    assert loss[-1] - lowest(run) < 0.02
    divergence = run["divergence"].values[:, 0, 0]
    assert (np.diff(divergence) < 0).all()
    np.testing.assert_allclose(run["table"].values.sum(-1), 1, atol=1e-5)


def test_weight_decay_keeps_the_table_from_the_counted_one():
    apart = [small_run(TABLE.changed(weight_decay=decay))["divergence"].values[-1, 0, 0] for decay in (0, 1e-3, 1e-2)]
    assert apart[0] < apart[1] < apart[2]


def test_the_last_looks_are_of_both_ends():
    assert close_steps(steps=10, looks=3) == (1, 4, 8, 10)
    assert close_steps(steps=1, looks=3) == (1,)
    assert close_steps(steps=10, looks=0) == ()


def test_the_steps_that_cool_down_are_shorter():
    settings = CharLanguageModel(**CITIES, steps=40, hidden=8, look_every=1, cool_down=0.5)
    ratios = small_run(settings)["update_to_data"].values[:, 0, 0].mean(1)
    hot = small_run(settings.changed(cool_down=0.0))["update_to_data"].values[:, 0, 0].mean(1)
    np.testing.assert_array_equal(ratios[:20], hot[:20])
    assert ratios[-1] < 0.4 * hot[-1]


def test_looks_are_the_same_however_many_are_measured_at_once(monkeypatch):
    settings = CharLanguageModel(**CITIES, steps=23, hidden=8, look_every=2, seeds=(0, 1))
    one_by_one = small_run(settings)
    assert one_by_one["look"].values.tolist() == [1, *range(2, 23, 2)]
    monkeypatch.setattr(layers, "ENTRIES_AT_ONCE", 1)
    together = small_run(settings.changed(time_limit=settings.time_limit + 1))
    for name in ("loss", "gradient_norm", "gradient_to_data", "update_to_data"):
        np.testing.assert_array_equal(one_by_one[name].values, together[name].values)


@pytest.mark.parametrize(
    ("name", "context"), [(name, context) for name in NAMED for context in (1, 4) if (name, context) != ("wavenet", 1)]
)
def test_every_model_spells(name, context):
    settings = CharLanguageModel(model=name, context=context, hidden=6)
    model = MODELS[name](settings, 27, 0).eval()
    names, held = sampled(model, characters_read(settings), torch.Generator().manual_seed(0))
    again, _ = sampled(model, characters_read(settings), torch.Generator().manual_seed(0))
    assert torch.equal(names, again)
    assert names.shape == held.shape == (8, 20)
    over = names == OVER
    assert torch.equal(over, held.isnan())
    assert ((held[~over] > 0) & (held[~over] <= 1)).all()
    for row in names.tolist():
        assert row == sorted(row, key=lambda symbol: symbol == OVER), "nothing comes after the end"
        assert OVER not in row or row[row.index(OVER) - 1] == 0


def test_unseen_are_the_contexts_that_training_text_never_has():
    learned, asked = windows(["ab", "b"], ".ab", 2), windows(["aab", "ab"], ".ab", 2)
    assert unseen_contexts(asked, learned).contexts.tolist() == [[1, 1]]
    network = MODELS["mlp"](CharLanguageModel(context=2, hidden=4, output_gain=0.0), 3, 0)
    counts = table_of_counts(pairs(["ab", "b"], ".ab"), 3)
    found = losses_unseen(network, unseen_contexts(asked, learned), counts, 0.0)
    assert found == pytest.approx({"unseen_loss": np.log(3), "unseen_pairs_loss": 0.0})
    assert np.isnan([*losses_unseen(network, unseen_contexts(asked, asked), counts, 0.0).values()]).all()


def test_drawn_names_come_as_often_as_the_table_says():
    model = MODELS["bigram"](CharLanguageModel(model="bigram", smoothing=0.0), 3, 0)
    model.count(torch.tensor([[0]] * 4 + [[1]] * 4 + [[2]]), torch.tensor([1, 1, 1, 2, 0, 0, 2, 1, 0]))
    first = torch.cat([sampled(model, 1, torch.Generator().manual_seed(seed))[0][:, 0] for seed in range(200)])
    assert (first == 1).float().mean().item() == pytest.approx(0.75, abs=0.05)
    assert (first == 0).sum() == 0


def test_a_hot_penalty_pulls_weights_towards_zero():
    settings = CharLanguageModel(**CITIES, steps=30, hidden=8, look_every=0)
    free, pulled = (small_run(settings.changed(weight_decay=decay)) for decay in (0.0, 0.05))
    assert np.abs(pulled["embedding_table"].values[-1]).mean() < np.abs(free["embedding_table"].values[-1]).mean()


def test_the_distribution_of_a_hierarchy_s_activations_is_of_all_contexts_that_its_mean_and_spread_are_of():
    """A layer that reads several places of a context has more rows than there are contexts, and none is left out."""
    settings = CharLanguageModel(model="wavenet", context=8, hidden=16, embedding=6, gain=2.0, corpus="cities")
    read = corpus("cities")
    seen = windows(read.items[:100], read.symbols, characters_read(settings)).first(256)
    # Sorted, so that the first contexts are unlike the others.
    seen = Windows(*(part[seen.contexts[:, -1].argsort()] for part in (seen.contexts, seen.targets)))
    network = MODELS["wavenet"](settings, len(read.symbols), 0)
    with torch.no_grad():
        whole = [h.flatten(0, -2) for h in network.eval()(seen.contexts).hidden]
    assert [len(h) for h in whole] == [4 * 256, 2 * 256, 256]
    found = activations_of(network, seen)
    np.testing.assert_allclose(found["activation_mean"], [h.mean() for h in whole], atol=1e-6)
    np.testing.assert_allclose(found["activation_histogram"], VALUE_BINS.shares(whole), atol=1e-3)


def test_the_hierarchy_is_a_dilated_causal_convolution_worked_out_for_the_end():
    settings = CharLanguageModel(model="wavenet", context=8, hidden=5, embedding=3, corpus="cities")
    network = MODELS["wavenet"](settings, 11, 0).double()
    contexts = torch.randint(11, (6, 8), generator=torch.Generator().manual_seed(0))
    h = network.table[contexts].transpose(1, 2)
    for number, layer in enumerate(network.each):
        taps = layer.weight.view(2, h.shape[1], -1).permute(2, 1, 0)
        h = torch.nn.functional.conv1d(h, taps, layer.bias, dilation=2**number).tanh()
    torch.testing.assert_close(network(contexts).hidden[-1], h[:, :, -1], atol=1e-12, rtol=0)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_weights_decay_by_the_setting_and_by_nothing_else(optimiser):
    """The penalty's gradient comes from the laboratory: at 0, no weight that no gradient reaches may move."""
    settings = CharLanguageModel(optimiser=optimiser, corpus="cities", items=60, hidden=8)
    made = reader(settings, corpus("cities"), 0, torch.device("cpu"))
    before = [weight.detach().clone() for weight in made.network.parameters()]
    for weight in made.network.parameters():
        weight.grad = torch.zeros_like(weight)
    take_step(made.optimiser)
    for weight, old in zip(made.network.parameters(), before, strict=True):
        assert torch.equal(weight, old)
