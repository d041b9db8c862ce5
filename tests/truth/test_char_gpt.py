"""*Character GPT*, trained once more by torch.nn.TransformerEncoder and torch.optim, and looked into by transformers.

The text is made up here. Passages are drawn from the seed's stream as the laboratory says; only first weights, and of
pieces the tokens, are its own.
"""

from __future__ import annotations

import gzip
import math
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load
from scipy.special import log_softmax, softmax
from scipy.stats import entropy, norm
from sklearn.metrics.pairwise import cosine_similarity
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_
from transformers import GPT2Config, GPT2LMHeadModel, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from goldviz.data.texts.kept_texts import keep_text
from goldviz.labs.char_gpt.completing import complete, explain, loaded
from goldviz.labs.char_gpt.figures import FIGURES
from goldviz.labs.char_gpt.network import network_of
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_gpt.texts import token_text
from goldviz.models.text.completion import Choice
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.runs.store.run_store import Store
from tests.labs.small_runs import small_run, whole
from tests.thinned import thinned

SEED, STEPS, EVERY, CLOSE_STEPS = 37, 6, 2, (1, 3, 6)
SHARED = {
    "layers": 2,
    "heads": 2,
    "width": 12,
    "block": 10,
    "batch": 4,
    "steps": STEPS,
    "look_every": EVERY,
    "close_looks": 2,
    "seeds": (SEED,),
}
CASES = {
    "as in the document": {"warm_up": 0.4, "clip": 0.8, "weight_decay": 0.3, "learning_rate": 0.02},
    "parts left out": {
        "masked": False,
        "layer_norm": False,
        "residual_scale": "none",
        "tied": False,
        "clip": 0.0,
        "activation": "relu",
        "optimiser": "sgd",
        "decay_all": True,
        "learning_rate": 0.05,
        "warm_up": 0.0,
    },
    "pieces": {
        "tokens": "pieces",
        "vocabulary": 300,
        "tied": False,
        "residual_scale": "init",
        "layers": 3,
        "heads": 3,
        "optimiser": "adam",
        "weight_decay": 0.0,
    },
    "no scale and no residual path": {"scaled": False, "residual": False, "residual_scale": "branch", "clip": 0.2},
}
CLOSE = {"rtol": 3e-3, "atol": 3e-6}
"""The laboratory computes in float32."""
HALF = 2e-3
"""Attention and cosines are kept in float16."""


def written():
    """Twenty hundred characters of receipts, so that every hundredth of them is whole."""
    drawn = np.random.default_rng(71)
    things = ["Öl", "amber", "coal", "gilt", "iron ore", "jade", "myrrh", "salt"]
    rows = [
        f"{drawn.choice(things)}: {drawn.integers(2, 90)} g at {drawn.integers(1, 9)}.{drawn.integers(10, 99)} €\n"
        for _ in range(120)
    ]
    return "".join(rows)[:2000]


TEXT = written()
HUNDREDTHS = [TEXT[20 * part : 20 * part + 20] for part in range(100)]
DEV = "".join(HUNDREDTHS[5::10])
TRAIN = "".join(part for number, part in enumerate(HUNDREDTHS) if number % 10 != 5)


def stream(index):
    return torch.Generator().manual_seed(1000 * SEED + index)


class Layer(nn.TransformerEncoderLayer):
    """PyTorch's layer, each branch in a share; without the residual path, and unscaled, by its own few lines."""

    def __init__(self, settings, share):
        super().__init__(
            settings.width,
            settings.heads,
            4 * settings.width,
            0.0,
            settings.activation,
            batch_first=True,
            norm_first=True,
        )
        self.settings, self.share = settings, share
        # What drops values of each branch is last on its way: here it takes a share of them.
        self.dropout1 = self.dropout2 = SimpleShare(share)
        if not settings.layer_norm:
            self.norm1, self.norm2 = nn.Identity(), nn.Identity()

    def forward(self, x, src_mask=None, is_causal=False, src_key_padding_mask=None):
        if self.settings.residual and self.settings.scaled:
            return super().forward(x, src_mask, src_key_padding_mask, is_causal)
        held = x if self.settings.residual else 0
        x = held + self.share * self.mixed(self.norm1(x), src_mask)[0]
        return (x if self.settings.residual else 0) + self._ff_block(self.norm2(x))

    def mixed(self, x, mask):
        """Attention's output and its weights (text, head, query, key), in einsums."""
        heads, width = self.settings.heads, self.settings.width // self.settings.heads
        projected = (x @ self.self_attn.in_proj_weight.T + self.self_attn.in_proj_bias).chunk(3, -1)
        query, key, value = (part.reshape(*x.shape[:2], heads, width) for part in projected)
        scores = torch.einsum("bqhw,bkhw->bhqk", query, key) / (math.sqrt(width) if self.settings.scaled else 1)
        weights = (scores if mask is None else scores + mask).softmax(-1)
        joined = torch.einsum("bhqk,bkhw->bqhw", weights, value).flatten(2)
        return self.self_attn.out_proj(joined), weights


class SimpleShare(nn.Module):
    """A share of what it is given."""

    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, x):
        return self.share * x


class Twin(nn.Module):
    """Tables, PyTorch's encoder with a causal mask, and the read-out, in float64."""

    def __init__(self, settings, size):
        super().__init__()
        ours = network_of(settings, size, lambda index: stream(100 + index))
        share = 1 / math.sqrt(2 * settings.layers) if settings.residual_scale in ("branch", "both") else 1.0
        self.settings = settings
        self.token, self.position = nn.Embedding(size, settings.width), nn.Embedding(settings.block, settings.width)
        self.layers = nn.ModuleList(Layer(settings, share) for _ in range(settings.layers))
        self.last = nn.LayerNorm(settings.width) if settings.layer_norm else nn.Identity()
        self.own = None if settings.tied else nn.Linear(settings.width, size, bias=False)
        filled(self, {name: one.detach() for name, one in ours.state_dict().items()})
        self.double()

    def forward(self, tokens):
        self.read = self.token(tokens)
        x = self.read + self.position.weight[: tokens.shape[1]]
        mask, self.states, self.weights, self.sums = self.mask(tokens.shape[1]), [x], [], []
        for layer in self.layers:
            attended, weights = layer.mixed(layer.norm1(x), mask)
            self.weights.append(weights)
            held = x if self.settings.residual else 0
            self.sums.append(layer.linear1(layer.norm2(held + layer.share * attended)).flatten(0, 1))
            x = layer(x, src_mask=mask)
            self.states.append(x)
        self.logits = self.last(x) @ (self.token if self.own is None else self.own).weight.T
        return self.logits

    def mask(self, places):
        if not self.settings.masked:
            return None
        return torch.full((places, places), -math.inf, dtype=torch.float64).triu(1)

    def parts(self):
        """The matrices and tables of each part that the plots of layers tell apart."""
        blocks = [[one for one in layer.parameters() if one.ndim > 1] for layer in self.layers]
        return [[self.token.weight, self.position.weight], *blocks, *([] if self.own is None else [[self.own.weight]])]


def filled(twin, known):
    """The twin with the laboratory's first weights."""
    with torch.no_grad():
        twin.token.weight.copy_(known["token.weight"])
        twin.position.weight.copy_(known["position.weight"])
        if twin.own is not None:
            twin.own.weight.copy_(known["untied.weight"])
        for number, layer in enumerate(twin.layers):
            own = {
                name.removeprefix(f"blocks.{number}."): one
                for name, one in known.items()
                if name.startswith(f"blocks.{number}.")
            }
            three = [f"attention.{part}" for part in ("query", "key", "value")]
            layer.self_attn.in_proj_weight.copy_(torch.cat([own[f"{part}.weight"] for part in three]))
            layer.self_attn.in_proj_bias.copy_(torch.cat([own[f"{part}.bias"] for part in three]))
            for part, name in (
                (layer.self_attn.out_proj, "attention.output"),
                (layer.linear1, "expand"),
                (layer.linear2, "contract"),
            ):
                part.weight.copy_(own[f"{name}.weight"])
                part.bias.copy_(own[f"{name}.bias"])


def optimiser(settings, twin):
    every = [*twin.parameters()]
    if settings.decay_all:
        groups = [{"params": every, "weight_decay": settings.weight_decay}]
    else:
        groups = [
            {"params": [one for one in every if one.ndim > 1], "weight_decay": settings.weight_decay},
            {"params": [one for one in every if one.ndim == 1], "weight_decay": 0.0},
        ]
    if settings.optimiser == "sgd":
        return torch.optim.SGD(groups, lr=1.0, momentum=0.9)
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[settings.optimiser](groups, lr=1.0)


def rate(settings, step):
    """Document 002's warm-up and cosine decay, to a hundredth of the peak."""
    rising, peak = settings.warm_up * STEPS, settings.learning_rate
    if step <= rising:
        return peak * step / rising
    return peak * (0.01 + 0.99 * (1 + math.cos(math.pi * (step - rising) / (STEPS - rising))) / 2)


def trained(settings, text):
    """What each step, look and close look shows, by the laboratory's names."""
    twin, order, train = Twin(settings, len(text.signs)), stream(2), torch.tensor(text.train)
    learning, steps, looks, close = optimiser(settings, twin), [], {}, {}
    for step in range(1, STEPS + 1):
        if step in CLOSE_STEPS:
            close[step] = looked_at(twin, text)
        starts = torch.randint(len(train) - settings.block, (settings.batch, 1), generator=order)
        passage = train[starts + torch.arange(settings.block + 1)]
        loss = cross_entropy(twin(passage[:, :-1]).flatten(0, 1), passage[:, 1:].flatten())
        # A table of its own that scores the next token is a layer; the tied one is the first layer already.
        given = [twin.read, *twin.states[1:], *([] if twin.own is None else [twin.logits])]
        for one in given:
            one.retain_grad()
        learning.zero_grad()
        loss.backward()
        slopes = [torch.cat([one.grad.flatten() for one in part]) for part in twin.parts()]
        before = [torch.cat([one.detach().flatten() for one in part]) for part in twin.parts()]
        length = clip_grad_norm_(twin.parameters(), settings.clip or math.inf).item()
        for group in learning.param_groups:
            group["lr"] = rate(settings, step)
        learning.step()
        steps.append(
            {
                "loss": loss.item(),
                "norm_before_clip": length,
                "learning_rate": rate(settings, step),
                "norm_after_clip": min(length, settings.clip or math.inf),
            }
        )
        if step == 1 or step % EVERY == 0:
            after = [torch.cat([one.detach().flatten() for one in part]) for part in twin.parts()]
            looks[step] = {
                "gradient_norm": [one.norm().item() for one in slopes],
                "gradient_to_data": [(a.std() / b.std()).item() for a, b in zip(slopes, before, strict=True)],
                "update_to_data": [
                    ((new - old).std() / old.std()).item() for new, old in zip(after, before, strict=True)
                ],
            }
        if step in close:
            close[step] |= {
                "weight_gradient_histogram": [decades(one) for one in slopes],
                "gradient_histogram": [decades(one.grad) for one in given],
                "activation_histogram": [stretched(one.detach()) for one in given],
            }
    return steps, looks, close, twin


def decades(values):
    """Shares of magnitudes by half decades from 1e-20 to 1e6, and what lies outside."""
    with np.errstate(divide="ignore"):
        sizes = np.log10(values.abs().numpy())
    return np.histogram(sizes, [-np.inf, *np.linspace(-20, 6, 53), np.inf])[0] / values.numel()


def stretched(values):
    """Shares of values in 59 bins, even in asinh(10 x), from -100 to 100, and what lies outside."""
    end = np.arcsinh(1000)
    edges = [-np.inf, *np.linspace(-end, end, 60), np.inf]
    return np.histogram(np.arcsinh(10 * values.numpy()), edges)[0] / values.numel()


def flat(settings, sums):
    """Where the slope of the activation is below a twentieth of the largest there is."""
    if settings.activation == "relu":
        return sums <= 0
    every = np.linspace(-4, 4, 8001)
    slope, whole = (norm.cdf(z) + z * norm.pdf(z) for z in (sums.numpy(), every))
    return torch.tensor(np.abs(slope) < 0.05 * whole.max())


def passages(tokens, block):
    """Evenly spread stretches of a block and the token after it, 32 at most."""
    return torch.tensor([tokens[start : start + block + 1] for start in first_places(tokens, block)])


def first_places(tokens, block):
    """Where such stretches begin."""
    return torch.linspace(0, len(tokens) - block - 1, min(32, max(1, len(tokens) // block))).long().tolist()


@torch.no_grad()
def looked_at(twin, text):
    """The network as a close look finds it."""
    settings, found = twin.settings, {}
    train, dev = (passages(part, settings.block) for part in (text.train, text.dev))
    every = train[:: max(1, len(train) // 16)]
    found["train_loss"] = cross_entropy(twin(every[:, :-1]).flatten(0, 1), every[:, 1:].flatten()).item()
    logits = twin(dev[:, :-1]).numpy()
    losses = -np.take_along_axis(log_softmax(logits, -1), dev[:, 1:, None].numpy(), -1)[..., 0]
    found |= {
        "dev_loss": losses.mean(),
        "position_loss": losses.mean(0),
        "logit_entropy": entropy(softmax(logits, -1), axis=-1).mean(),
    }
    twin(dev[:4, :-1])
    weights = torch.stack(twin.weights).numpy()
    seen = np.arange(1, settings.block + 1) if settings.masked else np.full(settings.block, settings.block)
    evenness = entropy(weights, axis=-1)[..., 1:] / np.log(seen[1:])
    units = torch.stack([layer.activation(z) for layer, z in zip(twin.layers, twin.sums, strict=True)])
    still = torch.stack([flat(settings, z) for z in twin.sums])
    found |= {
        "residual_variance": [state.var().item() for state in twin.states],
        "attention_entropy": evenness.mean((1, 2, 3)),
        "attention_peak": weights.max(-1).mean((1, 2, 3)),
        "activation_mean": units.mean((1, 2)).numpy(),
        "activation_std": units.flatten(1).std(1).numpy(),
        "saturation": still.double().mean((1, 2)).numpy(),
        "dead_units": still.all(1).double().mean(1).numpy(),
    }
    twin(torch.tensor([text.dev[: min(24, settings.block)]]))
    found["attention"] = torch.stack(twin.weights)[:, 0].numpy()
    found["position_similarity"] = cosine_similarity(twin.position.weight.numpy())
    return found | sampled(twin, text.dev[0])


def sampled(twin, first):
    """Four texts of 48 tokens, each token by the inverse of the cumulative probabilities, from the seed's stream 4."""
    chances, held = torch.rand(48, 4, generator=stream(4)).numpy(), []
    seen = np.full((4, 1), first)
    for chance in chances:
        shares = softmax(twin(torch.tensor(seen[:, -twin.settings.block :]))[:, -1].numpy(), axis=1)
        drawn = [int(np.searchsorted(np.cumsum(row), one)) for row, one in zip(shares, chance, strict=True)]
        held.append(shares[range(4), drawn])
        seen = np.concatenate([seen, np.array(drawn)[:, None]], axis=1)
    return {"sample_token": seen[:, 1:], "sample_probability": np.transpose(held)}


def in_tokens(settings):
    """The text in tokens: its characters in order, or the laboratory's pieces, which stand for the same bytes."""
    if settings.tokens == "characters":
        signs = sorted(set(TEXT))
        return SimpleNamespace(
            train=[signs.index(one) for one in TRAIN],
            dev=[signs.index(one) for one in DEV],
            signs=[one.encode() for one in signs],
        )
    found = token_text(settings.corpus, "pieces", settings.vocabulary)
    signs = found.tokens.token_bytes()
    for tokens, part in ((found.train, TRAIN), (found.dev, DEV)):
        assert b"".join(signs[token] for token in tokens.tolist()) == part.encode()
    return SimpleNamespace(train=found.train.tolist(), dev=found.dev.tolist(), signs=signs)


@pytest.fixture(scope="module", params=thinned(CASES, ordinary=2))
def both(request):
    corpus = keep_text(TEXT.encode(), "receipts.txt").name
    settings = CharGpt.checked({**SHARED, "corpus": corpus} | CASES[request.param])
    text = in_tokens(settings)
    return settings, small_run(settings), text, trained(settings, text)


def test_every_step_and_every_look_at_the_weights(both):
    _, run, _, (steps, looks, _, twin) = both
    for name in steps[0]:
        found = run[name].squeeze().values
        np.testing.assert_allclose(found, [one[name] for one in steps], err_msg=name, **CLOSE)
    assert run["look"].values.tolist() == [*looks]
    for step, shown in looks.items():
        for name, values in shown.items():
            found = run[name].sel(look=step).squeeze()
            np.testing.assert_allclose(found, values, err_msg=f"{name}, step {step}", **CLOSE)
    assert int(run["parameter_count"].squeeze()) == sum(one.numel() for one in twin.parameters())


def test_every_close_look(both):
    _, run, _, (_, _, close, _) = both
    assert tuple(run["close_look"].values) == CLOSE_STEPS
    assert {name for name, values in run.data_vars.items() if "close_look" in values.dims} == {*close[1]}
    for step, shown in close.items():
        for name, values in shown.items():
            how = CLOSE
            if name.endswith("_histogram"):
                # Rounding may put a value on the other side of an edge.
                how = {"rtol": 0, "atol": 0.01}
            elif name in ("attention", "position_similarity", "saturation", "dead_units"):
                how = {"rtol": 0, "atol": HALF}
            found = run[name].sel(close_look=step).squeeze().values
            np.testing.assert_allclose(found, values, err_msg=f"{name}, step {step}", **how)
        # Nearly 1 at the start: what is missing tells more.
        missing = 1 - run["attention_entropy"].sel(close_look=step).squeeze().values.astype(float)
        np.testing.assert_allclose(missing, 1 - shown["attention_entropy"], rtol=0.02, atol=3e-6)


def test_lines_that_need_no_network_are_plain_counts(both):
    settings, run, text, _ = both
    size, counts = len(text.signs), Counter(text.train)
    assert run["token_count"].values.tolist() == [counts[token] for token in range(size)]
    pairs, firsts, followed = Counter(pairwise(text.train)), Counter(text.train[:-1]), Counter(text.train[1:])
    # The dev loss is of these tokens: the guesses beside it must be asked the same.
    asked = [[*pairwise(passage)] for passage in passages(text.dev, settings.block).tolist()]
    single = np.mean(
        [math.log((followed[after] + 1) / (len(text.train) - 1 + size)) for passage in asked for _, after in passage]
    )
    double = np.array(
        [[math.log((pairs[pair] + 1) / (firsts[pair[0]] + size)) for pair in passage] for passage in asked]
    )
    lines = {"uniform_loss": math.log(size), "unigram_dev_loss": -single, "bigram_dev_loss": -double.mean()}
    for name, loss in lines.items():
        assert float(run[name]) == pytest.approx(loss, rel=1e-6), name
    np.testing.assert_allclose(run["bigram_position_loss"], -double.mean(0), rtol=1e-6)
    bits, count, known, held = 0, 0, TRAIN.encode(), DEV.encode()
    for start in first_places(text.dev, settings.block):
        before, part = (
            b"".join(text.signs[token] for token in text.dev[slice(*ends)])
            for ends in ((start + 1,), (start + 1, start + settings.block + 1))
        )
        bits += 8 * (len(gzip.compress(known + before + part, 9)) - len(gzip.compress(known + before, 9)))
        count += len(part)
    assert float(run["gzip_dev_bits"]) == pytest.approx(bits / count, rel=1e-6)
    assert float(run["tokens_per_byte"]) == pytest.approx(double.size / count, rel=1e-6)
    sizes = {"train_tokens": len(text.train), "dev_tokens": len(text.dev), "dev_bytes": len(held)}
    assert {name: run.attrs[name] for name in sizes} == sizes


def test_bits_a_byte_are_nats_a_token_in_another_unit(both):
    _, run, text, (_, _, close, _) = both
    asked = passages(text.dev, run.sizes["position"])[:, 1:].flatten().tolist()
    factor = len(asked) / sum(len(text.signs[token]) for token in asked) / math.log(2)
    curve = next(trace for trace in FIGURES["bits"](run).data if len(trace.x) == len(CLOSE_STEPS))
    np.testing.assert_allclose(curve.y, [factor * one["dev_loss"] for one in close.values()], rtol=1e-3)
    said = FIGURES["loss"](run).layout.title.subtitle.text
    assert f"= {factor * close[STEPS]['dev_loss']:.2f} bits a byte" in said
    growth = close[STEPS]["residual_variance"][-1] / close[STEPS]["residual_variance"][0]
    said = FIGURES["stream"](run).layout.title.subtitle.text
    assert float(said.partition("grows ")[2].partition(" times")[0]) == pytest.approx(growth, rel=0.01)


PROMPTS = ("jade: 4", "coal: 12 g at 3.45 €\namber: 6")
CHOICES = (Choice(0.8), Choice(1.4, top_k=5), Choice(0.6, top_p=0.7), Choice(1.0, top_k=4, top_p=0.5), Choice(0.0))


def unheard(done, total):
    """Nobody hears."""


@pytest.fixture(scope="module")
def writer():
    """A kept run of the document's parts, and transformers' GPT-2 with its weights in float64."""
    corpus = keep_text(TEXT.encode(), "receipts.txt").name
    settings = CharGpt.checked({**SHARED, "corpus": corpus, "learning_rate": 0.05, "steps": 30, "close_looks": 0})
    state = whole(settings).states[30]
    own = f"gpt/{SEED}/network/"
    known = {key.removeprefix(own): one.double() for key, one in load(state).items() if key.startswith(own)}
    model = (
        GPT2LMHeadModel(
            GPT2Config(
                vocab_size=len(set(TEXT)),
                n_positions=settings.block,
                n_embd=12,
                n_layer=2,
                n_head=2,
                activation_function="gelu",
                attn_implementation="eager",
            )
        )
        .double()
        .eval()
    )
    given = {
        "transformer.wte.weight": known["token.weight"],
        "lm_head.weight": known["token.weight"],
        "transformer.wpe.weight": known["position.weight"],
        "transformer.ln_f.weight": known["final_norm.weight"],
        "transformer.ln_f.bias": known["final_norm.bias"],
    }
    for number in range(2):
        theirs, ours = f"transformer.h.{number}", f"blocks.{number}"
        for end, turned in (("weight", True), ("bias", False)):
            three = [known[f"{ours}.attention.{part}.{end}"] for part in ("query", "key", "value")]
            given[f"{theirs}.attn.c_attn.{end}"] = torch.cat(three).T if turned else torch.cat(three)
            # Branches are added over √(2n), which GPT-2 does not do: here its last matrices hold it.
            for name, own, share in (
                ("attn.c_proj", "attention.output", 0.5),
                ("mlp.c_fc", "expand", 1),
                ("mlp.c_proj", "contract", 0.5),
            ):
                part = share * known[f"{ours}.{own}.{end}"]
                given[f"{theirs}.{name}.{end}"] = part.T if turned else part
            given[f"{theirs}.ln_1.{end}"] = known[f"{ours}.attention_norm.{end}"]
            given[f"{theirs}.ln_2.{end}"] = known[f"{ours}.feed_forward_norm.{end}"]
    model.load_state_dict(given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "__init__", lambda store: None)
        patch.setattr(Store, "checkpoint", lambda store, run, step: state)
        loaded.cache_clear()
        yield KeptWeights("a", 30, settings.model_dump_json()), model, settings
        loaded.cache_clear()


def warped(logits, choice):
    """The probabilities that transformers' warpers leave: those of the k, and of what the k leaves those of the p."""
    if choice.temperature == 0:
        return np.eye(len(logits))[int(logits.argmax())]
    left = TemperatureLogitsWarper(choice.temperature)(None, logits[None])
    for warper in (
        *([TopKLogitsWarper(choice.top_k)] if choice.top_k else []),
        *([TopPLogitsWarper(choice.top_p)] if choice.top_p < 1 else []),
    ):
        left = warper(None, left)
    return left.softmax(-1)[0].numpy()


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_text_is_completed_as_by_transformers(writer, choice, cached):
    trained_run, model, settings = writer
    signs = sorted(set(TEXT))
    for prompt in PROMPTS:
        found = complete(unheard, trained_run, prompt, 14, choice, 3, cached)
        chances = torch.rand(14, 1, generator=torch.Generator().manual_seed(3))[:, 0].tolist()
        seen = [signs.index(one) for one in prompt]
        assert found.prompt == tuple(seen)
        for place, chance in enumerate(chances):
            with torch.no_grad():
                logits = model(torch.tensor([seen[-settings.block :]])).logits[0, -1]
            shares = warped(logits, choice)
            seen.append(int(np.searchsorted(np.cumsum(shares), chance)))
            assert found.tokens[place] == seen[-1]
            assert found.probabilities[place] == pytest.approx(shares[seen[-1]], abs=1e-5)
            best = np.sort(shares)[::-1][:8]
            np.testing.assert_allclose(found.candidate_probabilities[place], best, atol=1e-5)
            np.testing.assert_allclose(shares[found.candidates[place]], best, atol=1e-5)


def test_the_logit_lens_and_where_the_last_place_looked_are_those_of_transformers(writer):
    trained_run, model, settings = writer
    signs = sorted(set(TEXT))
    for prompt in PROMPTS:
        tokens = tuple(signs.index(one) for one in prompt)
        reason = explain(unheard, trained_run, tokens, signs.index("g"))
        assert reason.places == tokens[-settings.block :]
        with torch.no_grad():
            theirs = model(torch.tensor([reason.places]), output_hidden_states=True, output_attentions=True)
            # Their last state stands behind the final norm; the others get it here.
            states = [model.transformer.ln_f(one[0, -1]) for one in theirs.hidden_states[:-1]]
            states.append(theirs.hidden_states[-1][0, -1])
            shares = (torch.stack(states) @ model.transformer.wte.weight.T).softmax(-1).numpy()
        np.testing.assert_allclose(reason.own, shares[:, signs.index("g")], atol=1e-5)
        best = -np.sort(-shares, axis=1)[:, :5]
        np.testing.assert_allclose(reason.probabilities, best, atol=1e-5)
        np.testing.assert_allclose(np.take_along_axis(shares, reason.candidates, 1), best, atol=1e-5)
        weights = torch.stack(theirs.attentions)[:, 0, :, -1]
        np.testing.assert_allclose(reason.weights, weights, atol=1e-5)
