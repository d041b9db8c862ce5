"""*Character language models*, trained once more by torch.nn and torch.optim in double precision, or counted anew.

Names are made up here. Which of them are learned, in what order, and the first weights are drawn from the seed's
streams as the laboratory says; only a recurrent layer's first weights are its own.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.decomposition import PCA
from torch import nn
from torch.func import functional_call
from torch.nn.functional import batch_norm, cross_entropy

import goldviz.api
from goldviz.data.texts.kept_texts import keep_text
from goldviz.labs.char_language_model import LAB
from goldviz.labs.char_language_model.figures import FIGURES
from goldviz.labs.char_language_model.networks import RecurrentModel
from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.runs.examples import example
from tests.thinned import thinned

SEED, STEPS, EVERY = 23, 7, 2
CLOSE_STEPS = (1, 3, 6, 7)
SHARED = {
    "hidden": 9,
    "embedding": 4,
    "steps": STEPS,
    "batch": 11,
    "look_every": EVERY,
    "close_looks": 3,
    "seeds": (SEED,),
    "cool_down": 0.4,
    "learning_rate": 0.05,
}
CASES = {
    "mlp": {"context": 3, "initialisation": "normal", "gain": 0.6, "output_gain": 0.4, "weight_decay": 0.01},
    "direct_mlp": {"model": "direct_mlp", "context": 3, "output_gain": 0.4, "weight_decay": 0.01},
    "wavenet": {
        "model": "wavenet",
        "context": 4,
        "normalisation": "batch",
        "momentum": 0.3,
        "gain": 2.0,
        "optimiser": "adamw",
        "learning_rate": 0.01,
    },
    "lstm": {"model": "lstm", "context": 5, "optimiser": "adam", "learning_rate": 0.01, "output_gain": 0.5},
    "deep_mlp": {"model": "deep_mlp", "context": 2, "layers": 3, "gain": 1.5, "output_gain": 0.3},
    "mixed_up": {"model": "wavenet", "context": 8, "normalisation": "mixed_up", "gain": 0.8, "batch": 30},
    "gru": {"model": "gru", "context": 4, "gain": 1.2, "output_gain": 0.5, "weight_decay": 0.002},
    "rnn": {"model": "rnn", "context": 6, "gain": 3.0, "output_gain": 0.5},
}
TABLES = {
    "neural_bigram": {"model": "neural_bigram", "batch": 0, "output_gain": 1.5, "smoothing": 0.5},
    "neural_bigram in batches": {"model": "neural_bigram", "optimiser": "adam", "weight_decay": 0.01},
    "bigram": {"model": "bigram", "smoothing": 0.3},
}
CLOSE = {"rtol": 3e-3, "atol": 3e-6}
"""The laboratory computes in float32."""


def made_up():
    """A hundred names of two to four syllables."""
    drawn = np.random.default_rng(404)
    heads, tails = ["k", "l", "m", "th", "v", "z", ""], ["a", "e", "io", "on", "ur", "y"]
    for _ in range(100):
        yield "".join(drawn.choice(heads) + drawn.choice(tails) for _ in range(drawn.integers(2, 5)))


NAMES = [*made_up()]
SIGNS = [".", *sorted({*"".join(NAMES)})]


def stream(index):
    return torch.Generator().manual_seed(1000 * SEED + index)


class Text:
    """One seed's names, and what a model of so many characters is asked."""

    def __init__(self, context):
        shuffled = [NAMES[place] for place in torch.randperm(100, generator=stream(0)).tolist()]
        self.parts = {"train": shuffled[:80], "dev": shuffled[80:90], "test": shuffled[90:]}
        self.windows = {part: self.asked(names, context) for part, names in self.parts.items()}

    @staticmethod
    def asked(names, context):
        rows = []
        for name in names:
            signs = [0] * context + [SIGNS.index(sign) for sign in name] + [0]
            rows += [signs[at : at + context + 1] for at in range(len(signs) - context)]
        table = torch.tensor(rows)
        return table[:, :-1], table[:, -1]

    def pairs(self, part):
        """How often a sign follows another."""
        counts = np.zeros((len(SIGNS), len(SIGNS)))
        for name in self.parts[part]:
            for pair in pairwise(f".{name}."):
                counts[SIGNS.index(pair[0]), SIGNS.index(pair[1])] += 1
        return counts


def nats(asked, guessed):
    """The mean surprise at counted pairs."""
    return -(asked * np.log(guessed)).sum() / asked.sum()


class Twin(nn.Module):
    """The same model of nn.Embedding, nn.Linear, nn.BatchNorm1d and nn.LSTM."""

    def __init__(self, settings):
        super().__init__()
        self.settings, self.recurrent = settings, settings.model in ("rnn", "lstm", "gru")
        symbols, drawn = len(SIGNS), stream(99)
        self.table = nn.Embedding(symbols, settings.embedding)
        self.out = nn.Linear(settings.hidden, symbols)
        normal = settings.initialisation == "normal"
        with torch.no_grad():
            self.table.weight.copy_(torch.randn(symbols, settings.embedding, generator=stream(100)))
            self.out.weight.copy_(settings.output_gain * torch.randn(settings.hidden, symbols, generator=drawn).T)
            self.out.bias.copy_(
                settings.output_gain * torch.randn(symbols, generator=drawn) if normal else torch.zeros(symbols)
            )
        self.layers, self.norms = nn.ModuleList(), nn.ModuleList()
        if self.recurrent:
            first = RecurrentModel(
                settings, symbols, SEED, kind="rnn_tanh" if settings.model == "rnn" else settings.model
            )
            self.cell = nn.ParameterDict({name: one.detach().clone() for name, one in first.layer.named_parameters()})
            self.lstm = [nn.LSTM(settings.embedding, settings.hidden, batch_first=True)]
        else:
            self.stack(normal)
        if settings.model == "direct_mlp":
            # Bengio et al. 2003, eq. 1: the embedded context reaches the output past the hidden layer, too.
            read = settings.context * settings.embedding
            self.past = nn.Linear(read, symbols, bias=False)
            with torch.no_grad():
                self.past.weight.copy_(settings.output_gain * torch.randn(read, symbols, generator=stream(300)).T)
        self.double()

    def stack(self, normal):
        """Hidden layers, each joining neighbours: all at once, or two by two."""
        settings = self.settings
        joined = [2] * int(math.log2(settings.context)) if settings.model == "wavenet" else [settings.context]
        joined += [1] * (settings.layers - 1) if settings.model == "deep_mlp" else []
        places, width = settings.context, settings.embedding
        for number, count in enumerate(joined, start=1):
            places, drawn = places // count, stream(100 + number)
            read = count * width
            size = settings.gain * (1.0 if normal else read**-0.5)
            layer = nn.Linear(read, settings.hidden, bias=settings.normalisation == "none")
            with torch.no_grad():
                layer.weight.copy_(size * torch.randn(read, settings.hidden, generator=drawn).T)
                if layer.bias is not None:
                    layer.bias.zero_()
                    if normal:
                        layer.bias.copy_(settings.gain * torch.randn(settings.hidden, generator=drawn))
            channels = places if settings.normalisation == "mixed_up" and places > 1 else settings.hidden
            self.layers.append(layer)
            self.norms.append(
                nn.Identity()
                if settings.normalisation == "none"
                else nn.BatchNorm1d(channels, momentum=settings.momentum)
            )
            width = settings.hidden

    def forward(self, contexts, own_statistics=False):
        """Logits; ``sums`` and ``hidden`` are (context, place, unit), or (context, unit) at a single place."""
        h, self.sums, self.hidden, self.gaps = self.table(contexts), [], [], []
        past = self.past(h.reshape(len(h), -1)) if self.settings.model == "direct_mlp" else 0.0
        if self.recurrent:
            self.hidden = [self.last_state(h)]
        for layer, one in zip(self.layers, self.norms, strict=True):
            if h.ndim == 3:
                h = h.reshape(len(h), -1, layer.in_features)
                h = h[:, 0] if h.shape[1] == 1 else h
            z = layer(h)
            self.sums.append(self.normalised(one, z, own_statistics))
            h = self.sums[-1].tanh()
            self.hidden.append(h)
        return self.out(self.hidden[-1]) + past

    def normalised(self, one, z, own_statistics):
        if isinstance(one, nn.Identity):
            return z
        # PyTorch takes (sample, channel, place); handed over as it stands, places are taken for channels.
        turned = z.ndim == 3 and self.settings.normalisation == "batch"
        z = z.mT if turned else z
        if own_statistics:
            axes = [0] if z.ndim == 2 else [0, 2]
            apart = (one.running_mean - z.mean(axes)) / z.std(axes)
            self.gaps.append(apart.square().mean().sqrt().item())
            z = batch_norm(z, None, None, one.weight, one.bias, training=True)
        else:
            z = one(z)
        return z.mT if turned else z

    def last_state(self, x):
        W_x, W_h, b = (self.cell[name] for name in ("W_x", "W_h", "b"))
        if self.settings.model == "lstm":
            i, f, o, c = ([part.chunk(4)[gate] for part in (W_x, W_h, b)] for gate in range(4))
            stacked = [torch.cat(parts) for parts in zip(i, f, c, o, strict=True)]
            names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0")
            weights = {**dict(zip(names, stacked, strict=True)), "bias_hh_l0": torch.zeros_like(b)}
            states, _ = functional_call(self.lstm[0], weights, (x,))
            return states[:, -1]
        h = x.new_zeros(len(x), self.settings.hidden)
        for place in range(x.shape[1]):
            read = x[:, place] @ W_x.T + b
            if self.settings.model == "rnn":
                h = (read + h @ W_h.T).tanh()
            else:
                # Document 001, eq. 21-24: the reset gate before the product.
                (a, e, n), (U_z, U_r, U_n) = read.chunk(3, 1), W_h.chunk(3)
                z, r = (a + h @ U_z.T).sigmoid(), (e + h @ U_r.T).sigmoid()
                h = (1 - z) * h + z * (n + (r * h) @ U_n.T).tanh()
        return h

    def matrices(self):
        inner = [self.cell["W_x"], self.cell["W_h"]] if self.recurrent else [layer.weight for layer in self.layers]
        inner += [self.past.weight] if self.settings.model == "direct_mlp" else []
        return [self.table.weight, *inner, self.out.weight]


OPTIMISERS = {
    "sgd": lambda weights, rate: torch.optim.SGD(weights, rate, momentum=0.9),
    "adam": torch.optim.Adam,
    "adamw": partial(torch.optim.AdamW, weight_decay=0.0),
}


def trained(settings):
    """What each step, look and close look shows, by the laboratory's names, and the model at the end."""
    twin, text, order = Twin(settings), Text(settings.context), stream(2)
    learning = OPTIMISERS[settings.optimiser](twin.parameters(), settings.learning_rate)
    contexts, targets = text.windows["train"]
    steps, looks, close = [], {}, {}
    for step in range(1, STEPS + 1):
        if step in CLOSE_STEPS:
            close[step] = looked_at(twin, text)
        rows = torch.randint(len(targets), (settings.batch,), generator=order)
        logits = twin.train()(contexts[rows])
        for h in twin.hidden:
            h.retain_grad()
        loss = cross_entropy(logits, targets[rows])
        learning.zero_grad()
        loss.backward()
        for weight in twin.matrices():
            weight.grad += 2 * settings.weight_decay * weight.detach()
        before = [weight.detach().clone() for weight in twin.matrices()]
        slopes = [weight.grad.clone() for weight in twin.matrices()]
        for group in learning.param_groups:
            group["lr"] = settings.learning_rate * (0.1 if step > 0.6 * STEPS else 1)
        learning.step()
        steps.append(loss.item())
        if step == 1 or step % EVERY == 0:
            moved = [new.detach() - old for new, old in zip(twin.matrices(), before, strict=True)]
            looks[step] = {
                "gradient_norm": [slope.norm().item() for slope in slopes],
                "gradient_to_data": ratios(slopes, before),
                "update_to_data": ratios(moved, before),
            }
        if step in close:
            reached = [h.grad for h in twin.hidden]
            close[step] |= {
                "hidden_gradient_norm": [slope.norm().item() for slope in reached],
                "gradient_histogram": [decades(slope) for slope in reached],
                "weight_gradient_histogram": [decades(slope) for slope in slopes],
            }
    return steps, looks, close, twin.eval(), text


def ratios(parts, wholes):
    return [part.std().item() / whole.std().item() for part, whole in zip(parts, wholes, strict=True)]


def decades(values):
    """Shares of magnitudes by half decades from 1e-20 to 1e6, and what lies outside."""
    edges = [-np.inf, *np.linspace(-20, 6, 53), np.inf]
    with np.errstate(divide="ignore"):
        return np.histogram(np.log10(np.abs(values.detach().numpy())), edges)[0] / values.numel()


def stretched(values):
    """Shares of values in 59 bins, even in asinh(10 x), from -100 to 100, and what lies outside."""
    end = np.arcsinh(1000)
    edges = [-np.inf, *np.linspace(-end, end, 60), np.inf]
    return np.histogram(np.arcsinh(10 * values.numpy()), edges)[0] / values.numel()


@torch.no_grad()
def looked_at(twin, text):
    """The model as a close look finds it."""
    (seen, targets), dev = text.windows["train"], text.windows["dev"]
    found = {
        "train_loss": cross_entropy(twin.eval()(seen), targets).item(),
        "dev_loss": cross_entropy(twin(dev[0]), dev[1]).item(),
    }
    if not isinstance(twin.norms[0] if twin.norms else nn.Identity(), nn.Identity):
        found["batch_statistics_loss"] = cross_entropy(twin(dev[0], own_statistics=True), dev[1]).item()
        found["running_gap"] = twin.gaps
    twin(seen[torch.linspace(0, len(seen) - 1, 256).long()], own_statistics=True)
    hidden = [h.flatten(0, -2) for h in twin.hidden]
    # Flat is where the slope of tanh, 1 - h², is below a twentieth.
    flat = [1 - h.square() < 0.05 for h in hidden]
    found |= {
        "activation_mean": [h.mean().item() for h in hidden],
        "activation_std": [h.std().item() for h in hidden],
        "saturation": [one.double().mean().item() for one in flat],
        "dead_units": [one.all(0).double().mean().item() for one in flat],
        "activation_histogram": [stretched(h) for h in hidden],
        "embedding_table": twin.table.weight.detach().numpy().copy(),
    }
    symbols, held = spelled(lambda contexts: twin(contexts).softmax(1).numpy(), twin.settings.context)
    return found | {"sample_symbol": symbols, "sample_probability": held}


def spelled(shares_after, context):
    """Eight names by the inverse of cumulative probabilities, from the seed's stream 4; -1 and NaN after the end."""
    chances = torch.rand(20, 8, generator=stream(4)).numpy()
    symbols, held = np.full((8, 20), -1), np.full((8, 20), np.nan)
    for name in range(8):
        seen = [0] * context
        for place in range(20):
            shares = shares_after(torch.tensor([seen[-context:]]))[0]
            symbol = int(np.searchsorted(np.cumsum(shares), chances[place, name]))
            symbols[name, place], held[name, place] = symbol, shares[symbol]
            seen.append(symbol)
            if symbol == 0:
                break
    return symbols, held


def carried_out(changes):
    kept = keep_text("\n".join(NAMES).encode(), "made-up.txt")
    settings = CharLanguageModel.checked({**SHARED, "corpus": kept.name} | changes)
    return settings, goldviz.api.run(settings, progress=False)


@pytest.fixture(scope="module", params=thinned(CASES, ordinary=3))
def both(request):
    settings, run = carried_out(CASES[request.param])
    return settings, run.isel(network=0, seed=0), trained(settings), run


def test_every_step_and_every_look_at_the_weights(both):
    _, run, (steps, looks, _, twin, _), _ = both
    np.testing.assert_allclose(run["loss"], steps, **CLOSE)
    assert run["look"].values.tolist() == [*looks]
    for step, shown in looks.items():
        for name, values in shown.items():
            np.testing.assert_allclose(run[name].sel(look=step), values, err_msg=f"{name}, step {step}", **CLOSE)
    assert int(run["parameter_count"]) == sum(weight.numel() for weight in twin.parameters())


def test_every_close_look(both):
    _, run, (_, _, close, _, _), _ = both
    assert tuple(run["close_look"].values) == CLOSE_STEPS
    recorded = {name for name, values in run.data_vars.items() if "close_look" in values.dims}
    assert recorded == {*close[1]}
    for step, shown in close.items():
        for name, values in shown.items():
            own = run[name].sel(close_look=step).values
            if name.endswith("_histogram"):
                # Rounding may put a value on the other side of an edge.
                np.testing.assert_allclose(own, values, atol=0.02, err_msg=f"{name}, step {step}")
                assert np.abs(own - values).sum() < 0.05 * len(values)
            elif name in ("saturation", "dead_units"):
                np.testing.assert_allclose(own, values, atol=2e-3, err_msg=f"{name}, step {step}")
            else:
                np.testing.assert_allclose(own, values, err_msg=f"{name}, step {step}", **CLOSE)


def test_what_is_asked_after_training(both):
    settings, run, (_, _, _, twin, text), _ = both
    with torch.no_grad():
        contexts, targets = text.windows["test"]
        assert float(run["test_loss"]) == pytest.approx(cross_entropy(twin(contexts), targets).item(), rel=1e-3)
        known = {tuple(context) for context in text.windows["train"][0].tolist()}
        contexts, targets = text.windows["dev"]
        new = torch.tensor([tuple(context) not in known for context in contexts.tolist()])
        if new.any():
            assert float(run["unseen_loss"]) == pytest.approx(
                cross_entropy(twin(contexts[new]), targets[new]).item(), rel=1e-3
            )
        pairs = [
            (context[-1], target) for context, target in zip(contexts[new].tolist(), targets[new].tolist(), strict=True)
        ]
    faked = text.pairs("train") + settings.smoothing
    shares = faked / faked.sum(1, keepdims=True)
    counted = np.mean([-np.log(shares[pair]) for pair in pairs]) if pairs else np.nan
    np.testing.assert_allclose(run["unseen_pairs_loss"], counted, rtol=1e-5)


def test_the_spread_that_theory_expects_of_each_layer(both):
    """q' = E tanh²(√(a q + b) x) by quadrature; a and b from how weights and biases are drawn."""
    settings, run, (_, _, _, twin, _), _ = both
    if "expected_std" not in run:
        assert twin.recurrent
        return
    square = 1.0
    for layer, expected in zip(twin.layers, run["expected_std"].values, strict=True):
        if settings.normalisation != "none":
            variance = 1.0
        elif settings.initialisation == "kaiming":
            variance = settings.gain**2 * square
        else:
            variance = settings.gain**2 * (layer.in_features * square + 1)
        spread = math.sqrt(variance)
        square = quad(lambda x, s=spread: np.tanh(s * x) ** 2 * norm.pdf(x), -12, 12)[0]
        assert float(expected) == pytest.approx(math.sqrt(square), rel=1e-4)
    channels = [0 if isinstance(one, nn.Identity) else one.num_features for one in twin.norms]
    assert run["running_values"].values.tolist() == channels


def test_the_map_of_the_embedding_is_that_of_principal_components(both):
    _, run, _, whole = both
    drawn = FIGURES["embedding"](whole)
    (points,) = drawn.data
    table = run["embedding_table"].isel(close_look=-1).values
    own = PCA(2).fit(table)
    places = own.transform(table)
    for mine, shown in zip(places.T, (points.x, points.y), strict=True):
        np.testing.assert_allclose(np.asarray(shown) * np.sign(mine @ np.asarray(shown)), mine, atol=1e-4)
    share = f"The map shows {own.explained_variance_ratio_.sum():.0%} of the differences."
    assert share in drawn.layout.title.subtitle.text


def test_the_dev_loss_is_told_in_nats_in_bits_and_as_a_perplexity(both):
    _, _, (_, _, close, _, _), whole = both
    dev, train = close[STEPS]["dev_loss"], close[STEPS]["train_loss"]
    said = FIGURES["loss"](whole).layout.title.subtitle.text
    nat, bits, perplexity = (float(number) for number in re.findall(r"[0-9]+\.?[0-9]*", said.partition("Dev,")[2])[:3])
    assert (nat, bits) == pytest.approx((dev, dev / math.log(2)), abs=6e-3)
    assert perplexity == pytest.approx(2 ** (dev / math.log(2)), rel=6e-3)
    said = FIGURES["generalisation"](whole).layout.title.subtitle.text.replace("<br>", " ")
    apart = re.search(r"Dev less training, .*?([+−-][0-9.]+) nat", said)[1].replace("−", "-")
    assert float(apart) == pytest.approx(dev - train, abs=2e-3)


def kullback_leibler(counts, table):
    """In nats, of the table from the shares that were counted, rows by how often they were."""
    whole = counts.sum(1, keepdims=True)
    met = counts > 0
    return (counts[met] * np.log((counts / np.maximum(whole, 1))[met] / table[met])).sum() / counts.sum()


@pytest.fixture(scope="module", params=TABLES)
def pairs_run(request):
    settings, run = carried_out(TABLES[request.param])
    return settings, run.isel(network=0, seed=0)


def test_lines_of_simple_guesses_are_plain_counts(pairs_run):
    settings, run = pairs_run
    text = Text(1)
    train, dev = text.pairs("train"), text.pairs("dev")
    assert dev.sum() < 4096
    np.testing.assert_array_equal(run["count"], train)
    assert run["symbol"].values.tolist() == SIGNS
    assert float(run["uniform_loss"]) == pytest.approx(math.log(len(SIGNS)), rel=1e-6)
    single, pair = train.sum(0) + settings.smoothing, train + settings.smoothing
    assert float(run["unigram_dev_loss"]) == pytest.approx(nats(dev.sum(0), single / single.sum()), rel=1e-6)
    assert float(run["bigram_dev_loss"]) == pytest.approx(nats(dev, pair / pair.sum(1, keepdims=True)), rel=1e-6)
    sizes = {"training_items": 80, "dev_items": 10, "test_items": 10}
    assert {name: run.attrs[name] for name in sizes} == sizes


def test_a_table_of_pairs_counted_or_learned_is_as_a_plain_loop_has_it(pairs_run):
    settings, run = pairs_run
    text, symbols = Text(1), len(SIGNS)
    contexts, targets = text.windows["train"]
    counting, counts = settings.model == "bigram", np.zeros((symbols, symbols))
    W = nn.Parameter((settings.output_gain * torch.randn(symbols, symbols, generator=stream(99))).double())
    learning, order = OPTIMISERS[settings.optimiser]([W], settings.learning_rate), stream(2)

    def table(least=0.0):
        if not counting:
            return W.detach().softmax(1).numpy()
        faked = counts + max(settings.smoothing, least)
        return faked / faked.sum(1, keepdims=True)

    parts = [slice(*(len(targets) * number // STEPS for number in (step - 1, step))) for step in range(1, STEPS + 1)]
    for step, part in enumerate(parts, start=1):
        met = Counter(zip(contexts[part, 0].tolist(), targets[part].tolist(), strict=True)) if counting else Counter()
        if counting:
            loss = -sum(count * np.log(table(1.0)[pair]) for pair, count in met.items()) / met.total()
        # A counted table is looked at after its step, a learned one before.
        for pair, count in met.items():
            counts[pair] += count
        if step in CLOSE_STEPS:
            shown, now = run.sel(close_look=step), table()
            np.testing.assert_allclose(shown["table"], now, **CLOSE)
            for name in ("train", "dev"):
                assert float(shown[f"{name}_loss"]) == pytest.approx(nats(text.pairs(name), now), rel=1e-4)
            assert float(shown["divergence"]) == pytest.approx(kullback_leibler(text.pairs("train"), now), rel=1e-3)
            symbol, held = spelled(lambda seen, now=now: now[seen[:, -1].numpy()], 1)
            np.testing.assert_array_equal(shown["sample_symbol"], symbol)
            np.testing.assert_allclose(shown["sample_probability"], held, **CLOSE)
        if not counting:
            rows = torch.arange(len(targets))
            if settings.batch:
                rows = torch.randint(len(targets), (settings.batch,), generator=order)
            fit = cross_entropy(W[contexts[rows, 0]], targets[rows])
            learning.zero_grad()
            (fit + settings.weight_decay * W.square().sum()).backward()
            learning.param_groups[0]["lr"] = settings.learning_rate * (0.1 if step > 0.6 * STEPS else 1)
            learning.step()
            loss = fit.item()
        assert float(run["loss"].sel(step=step)) == pytest.approx(float(loss), rel=1e-4)
    assert float(run["test_loss"]) == pytest.approx(nats(text.pairs("test"), table()), rel=1e-4)
    if counting:
        faked = text.pairs("train") + settings.smoothing
        np.testing.assert_allclose(run["table"].sel(close_look=STEPS), faked / faked.sum(1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("corpus", ["names", pytest.param("python", marks=pytest.mark.slow)])
def test_the_last_look_at_counted_pairs_is_of_all_of_them_and_scores_what_their_line_says(corpus):
    """Of long texts the dev loss is of the first 4,096 contexts: the line must be of the same."""
    run = goldviz.api.run(
        "char-language-model", model="bigram", corpus=corpus, steps=30, close_looks=3, seeds=(SEED, 31), progress=False
    ).isel(network=0)
    faked = run["count"].values + 1.0
    np.testing.assert_allclose(run["table"].values[-1], faked / faked.sum(1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(run["dev_loss"].values[-1], run["bigram_dev_loss"], rtol=1e-6)


@pytest.mark.parametrize("preset", ["count-pairs", "pairs-as-a-network"])
def test_a_recorded_example_s_divergence_is_of_its_own_table_from_its_own_counts(preset):
    run = example(LAB.declared, preset).isel(network=0, seed=0)
    counts = run["count"].values.astype(float)
    for look in run["close_look"].values:
        now = run.sel(close_look=look)
        table = now["table"].values.astype(float)
        np.testing.assert_allclose(table.sum(1), 1, atol=1e-5)
        assert float(now["divergence"]) == pytest.approx(kullback_leibler(counts, table), rel=2e-3, abs=1e-5)
    assert float(run["uniform_loss"]) == pytest.approx(math.log(len(counts)), rel=1e-6)
