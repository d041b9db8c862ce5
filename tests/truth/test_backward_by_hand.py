"""*Backward by hand*, computed once more by torch.nn and autograd, by numpy's differences and by NumPy's own eval.

Batches are of words that the laboratory's own tests do not use; only the drawn parameters are taken from the page.
"""

import re

import numpy as np
import pytest
import torch
from scipy.special import log_softmax, softmax
from torch import nn
from torch.nn.functional import batch_norm, cross_entropy, one_hot

from goldviz.labs.backward_by_hand.figures import FIGURES
from goldviz.labs.backward_by_hand.judging import judge
from goldviz.labs.backward_by_hand.network import BACKWARD
from goldviz.labs.backward_by_hand.passes import nudged
from goldviz.labs.backward_by_hand.settings import BackwardByHand

CASES = {
    "n - 1": {
        "words": "platinum rhodium iridium",
        "samples": 9,
        "context": 2,
        "features": 3,
        "hidden": 6,
        "gain": 1.7,
        "output_gain": 2.5,
        "variance": "unbiased",
        "seed": 41,
    },
    "n": {
        "words": "größe für straße",
        "samples": 30,
        "context": 4,
        "features": 1,
        "hidden": 11,
        "gain": 0.6,
        "variance": "biased",
        "seed": 77,
    },
    "two samples": {"words": "no yes", "samples": 2, "context": 1, "features": 2, "hidden": 3, "gain": 4.0, "seed": 5},
}
PARAMETERS = ("C", "W1", "b1", "bngain", "bnbias", "W2", "b2")
EXACT = {"rtol": 1e-9, "atol": 1e-12}


class Again:
    """The network in torch, every number on the way named as on the page, with autograd's gradient of each."""

    def __init__(self, settings, ds):
        self.settings, self.ds = settings, ds
        symbols = ds["symbol"].values.tolist()
        self.X = torch.tensor([[symbols.index(sign) for sign in context] for context in ds.attrs["contexts"]])
        self.Y = torch.tensor([symbols.index(sign) for sign in ds.attrs["targets"]])
        self.n = len(self.Y)
        self.start = {name: torch.tensor(ds[name].values, requires_grad=True) for name in PARAMETERS}
        self.t = self.passed(self.X, **self.start)
        for tensor in self.t.values():
            tensor.retain_grad()
        self.t["loss"].backward()

    def passed(self, X, C, W1, b1, bngain, bnbias, W2, b2):
        t = {"emb": nn.functional.embedding(X, C)}
        t["emb_cat"] = t["emb"].flatten(1)
        t["h_prebn"] = torch.addmm(b1, t["emb_cat"], W1)
        t["bmean"] = t["h_prebn"].mean(0, keepdim=True)
        t["bndiff"] = t["h_prebn"] - t["bmean"]
        t["bndiff2"] = t["bndiff"].square()
        t["bnvar"] = t["bndiff2"].sum(0, keepdim=True) / (len(X) - (self.settings.variance == "unbiased"))
        t["bnvar_inv"] = torch.rsqrt(t["bnvar"] + 1e-5)
        t["bnraw"] = t["bndiff"] * t["bnvar_inv"]
        t["h_preact"] = torch.addcmul(bnbias, bngain, t["bnraw"])
        t["h"] = t["h_preact"].tanh()
        t["logits"] = t["h"] @ W2 + b2
        t["logit_maxes"] = t["logits"].amax(1, keepdim=True)
        t["norm_logits"] = t["logits"] - t["logit_maxes"]
        t["counts"] = t["norm_logits"].exp()
        t["count_sum"] = t["counts"].sum(1, keepdim=True)
        t["count_sum_inv"] = t["count_sum"].reciprocal()
        t["probs"] = t["counts"] * t["count_sum_inv"]
        t["logprobs"] = t["probs"].log()
        t["loss"] = -t["logprobs"][range(len(X)), self.Y].mean()
        return t

    def numpy(self, name):
        """A tensor of the page by its name, such as h or dh, as torch has it."""
        if name in self.start or name in self.t:
            return (self.start | self.t)[name].detach().numpy()
        return (self.start | self.t)[name.removeprefix("d")].grad.numpy()


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES.keys())
def case(request):
    settings = BackwardByHand.checked(request.param)
    ds = settings.compute()
    return settings, ds, Again(settings, ds)


def test_a_batch_is_of_the_words_pairs_and_none_comes_again_before_all_have(case):
    settings, ds, _ = case
    every = []
    for word in settings.words.split():
        whole = "." * settings.context + word + "."
        every += [whole[at : at + settings.context + 1] for at in range(len(word) + 1)]
    drawn = [context + target for context, target in zip(ds.attrs["contexts"], ds.attrs["targets"], strict=True)]
    rounds = settings.samples // len(every)
    assert len(drawn) == settings.samples
    for pair in set(drawn) | set(every):
        assert rounds * every.count(pair) <= drawn.count(pair) <= (rounds + 1) * every.count(pair)
    assert ds["symbol"].values.tolist() == sorted({".", *settings.words} - {" "})


def test_the_parameters_spread_as_kaiming_says_and_no_bias_is_zero():
    """Document 002, 1.3.2: W1 with 5/3 over the root of its rows, W2 with its gain, biases and scales around theirs."""
    wide = {"context": 4, "features": 6, "hidden": 32, "words": "the quick brown fox jumps over a lazy dog"}
    drawn = [BackwardByHand(**wide, gain=3.0, output_gain=0.5, seed=seed).compute() for seed in range(60, 64)]
    spread = {name: np.std([ds[name].values for ds in drawn]) for name in PARAMETERS}
    expected = {
        "C": 1.0,
        "W1": 5 / 3 / np.sqrt(24),
        "b1": 0.1,
        "bngain": 0.3,
        "bnbias": 0.1,
        "W2": 0.5 / np.sqrt(32),
        "b2": 0.1,
    }
    for name, size in expected.items():
        assert spread[name] == pytest.approx(size, rel=0.2), name
    assert np.mean([ds["bngain"].values for ds in drawn]) == pytest.approx(3, rel=0.05)


def test_the_forward_pass_is_torch_nn_s(case):
    settings, ds, again = case
    for name, tensor in again.t.items():
        np.testing.assert_allclose(ds[name], tensor.detach(), err_msg=name, **EXACT)
    t = {name: torch.tensor(ds[name].values) for name in (*PARAMETERS, *again.t)}
    scale = np.sqrt((again.n - 1) / again.n) if settings.variance == "unbiased" else 1.0
    # torch divides by n: with n - 1 in its place the normalised sums are smaller, and epsilon weighs less.
    usual = batch_norm(t["h_prebn"], None, None, training=True, eps=1e-5 * scale**2)
    np.testing.assert_allclose(ds["bnraw"], scale * usual, **EXACT)
    np.testing.assert_allclose(ds["probs"], softmax(ds["logits"].values, axis=1), **EXACT)
    np.testing.assert_allclose(ds["logprobs"], log_softmax(ds["logits"].values, axis=1), **EXACT)
    assert float(ds["loss"]) == pytest.approx(float(cross_entropy(t["logits"], again.Y)), rel=1e-12)


def test_every_gradient_by_hand_is_autograds(case):
    _, ds, again = case
    assert set(BACKWARD) == {*PARAMETERS, *again.t} - {"loss"}
    for name in BACKWARD:
        found = again.numpy(f"d{name}")
        np.testing.assert_allclose(ds[f"d{name}"], found, err_msg=name, **EXACT)
        # What the page says of the difference to autograd is of rounding alone.
        assert 0 <= ds.attrs["difference"][name] <= 1e-12 * max(1, np.abs(found).max()), name


def loss_by_numpy(settings, again, values):
    """The loss of these parameters, or of a given ``h_prebn`` or ``logits``, in numpy."""
    if (logits := values.get("logits")) is None:
        if (sums := values.get("h_prebn")) is None:
            sums = values["C"][again.X].reshape(again.n, -1) @ values["W1"] + values["b1"]
        spread = sums.var(0, ddof=int(settings.variance == "unbiased"))
        h = np.tanh(values["bngain"] * (sums - sums.mean(0)) / np.sqrt(spread + 1e-5) + values["bnbias"])
        logits = h @ values["W2"] + values["b2"]
    return -log_softmax(logits, axis=1)[np.arange(again.n), again.Y].mean()


def test_gradients_are_difference_quotients_of_the_loss(case):
    settings, ds, again = case
    known, nudge = {name: ds[name].values for name in PARAMETERS}, 1e-5
    for name in (*PARAMETERS, "h_prebn", "logits"):
        value, slopes = ds[name].values, np.zeros(ds[name].shape)
        for place in np.ndindex(value.shape):
            ends = []
            for way in (nudge, -nudge):
                moved = value.copy()
                moved[place] += way
                ends.append(loss_by_numpy(settings, again, {**known, name: moved}))
            slopes[place] = (ends[0] - ends[1]) / (2 * nudge)
        np.testing.assert_allclose(ds[f"d{name}"], slopes, rtol=1e-6, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("name", ["W2", "bnvar", "h_preact", "count_sum"])
def test_what_the_page_says_of_nudges_is_of_the_right_gradient(case, name):
    settings, ds, _ = case
    found = nudged(settings, name)
    assert (found.entries, found.of) == (min(12, ds[name].size), ds[name].size)
    assert found.largest == pytest.approx(np.abs(ds[f"d{name}"].values).max(), rel=1e-12)
    assert found.difference <= 1e-6 * max(found.largest, 1)


def test_both_closed_forms_are_the_equations_under_why(case):
    """1.4.4: (P - Y) / n. 1.4.5: the factor times n g - sum g - n/(n - 1) xhat sum g xhat, with n - 1 where that is."""
    settings, ds, again = case
    one = one_hot(again.Y, len(ds["symbol"])).numpy()
    np.testing.assert_allclose(ds["closed_logits"], (softmax(ds["logits"].values, 1) - one) / again.n, **EXACT)
    n, g, xhat = again.n, again.numpy("dh_preact"), again.numpy("bnraw")
    ratio = n / (n - 1) if settings.variance == "unbiased" else 1.0
    factor = again.numpy("bngain") / (n * np.sqrt(again.numpy("bnvar") + 1e-5))
    equation = factor * (n * g - g.sum(0) - ratio * xhat * (g * xhat).sum(0))
    np.testing.assert_allclose(ds["closed_h_prebn"], equation, **EXACT)
    np.testing.assert_allclose(ds["closed_h_prebn"], again.numpy("dh_prebn"), **EXACT)
    if settings.variance == "biased":
        x, scale = torch.tensor(ds["h_prebn"].values, requires_grad=True), torch.tensor(ds["bngain"].values[0])
        batch_norm(x, None, None, scale, training=True).backward(torch.tensor(g))
        np.testing.assert_allclose(ds["closed_h_prebn"], x.grad, **EXACT)
    for name, apart in ds.attrs["closed_difference"].items():
        assert 0 <= apart <= 1e-12 * max(1, np.abs(again.numpy(f"d{name}")).max())


def test_each_path_through_batch_norm_is_autograds_with_the_other_two_held(case):
    settings, ds, again = case
    g = torch.tensor(again.numpy("dbnraw"))
    for way in ("direct", "mean", "variance"):
        x = torch.tensor(ds["h_prebn"].values, requires_grad=True)
        held = x.detach()
        mean = (x if way == "mean" else held).mean(0)
        variance = (x if way == "variance" else held).var(0, correction=int(settings.variance == "unbiased"))
        normalised = ((x if way == "direct" else held) - mean) / (variance + 1e-5).sqrt()
        normalised.backward(g)
        np.testing.assert_allclose(ds["path"].sel(way=way), x.grad, err_msg=way, **EXACT)
    np.testing.assert_allclose(ds["path"].sum("way"), again.numpy("dh_prebn"), **EXACT)


def test_what_stands_under_why_of_the_bias_the_maximum_and_the_identity(case):
    settings, ds, again = case
    assert ds.attrs["bias_gradient"] == np.abs(ds["db1"].values).max() < 1e-14
    with torch.no_grad():
        without = again.passed(again.X, **again.start | {"b1": torch.zeros_like(again.start["b1"])})
        assert ds.attrs["bias_in_logits"] == pytest.approx(
            float((without["logits"] - again.t["logits"]).abs().max()), abs=1e-13
        )
        # γ = √(σ² + ε) and β = μ of this batch give its sums back, and those of another batch changed.
        undoing = {"bngain": (again.t["bnvar"] + 1e-5).sqrt(), "bnbias": again.t["bmean"]}
        undone = again.passed(again.X, **again.start | undoing)
        assert ds.attrs["identity_error"] < 1e-12
        np.testing.assert_allclose(undone["h_preact"], again.t["h_prebn"], **EXACT)
        other = again.passed(another_batch(settings, ds), **again.start | undoing)
        apart = (other["h_preact"] - other["h_prebn"]).abs().max() / other["h_prebn"].std()
        assert ds.attrs["identity_elsewhere"] == pytest.approx(float(apart), rel=1e-9)
    assert max(ds.attrs["shift_in_loss"], ds.attrs["shift_in_gradient"], ds.attrs["sign_in_gradient"]) < 1e-12
    logits = ds["logits"].values
    for shift in (0.0, logits.max(1, keepdims=True) + 5):
        losses = np.log(np.exp(logits - shift).sum(1)) - (logits - shift)[np.arange(again.n), again.Y]
        assert float(ds["loss"]) == pytest.approx(losses.mean(), rel=1e-10)


def another_batch(settings, ds):
    """Contexts drawn from the seed's stream 1, as the batch itself is from its stream 0."""
    symbols, batches = ds["symbol"].values.tolist(), []
    every = [
        [symbols.index(sign) for sign in ("." * settings.context + word)[at : at + settings.context]]
        for word in settings.words.split()
        for at in range(len(word) + 1)
    ]
    for index in (0, 1):
        chance, order = torch.Generator().manual_seed(1000 * settings.seed + index), []
        while len(order) < settings.samples:
            order += torch.randperm(len(every), generator=chance).tolist()
        batches.append(torch.tensor(every)[order[: settings.samples]])
    own = ["".join(symbols[place] for place in row) for row in batches[0].tolist()]
    assert own == ds.attrs["contexts"]
    return batches[1]


FORMULAS = {
    "logprobs": ("-onehot(Y) / sum(onehot(Y))", "-onehot(Y)", "onehot(Y) / n - 2 * onehot(Y) / n"),
    "probs": ("dlogprobs * count_sum / counts", "dlogprobs / counts"),
    "count_sum": ("-sum(dprobs * probs, 1) * count_sum_inv", "-sum(dprobs * probs, 1)"),
    "logits": (
        "probs / n - onehot(Y) / n",
        "probs / n - onehot(argmax(probs)) / n",
        "2.5 * (onehot(Y) - probs) / n",
        "probs - onehot(Y)",
        "dnorm_logits - sum(dnorm_logits, 1)",
    ),
    "W2": ("h.T @ (probs - onehot(Y)) / n", "(probs - onehot(Y)).T @ h / n", "h.T @ (probs + onehot(Y)) / n"),
    "b2": ("n * mean(dlogits, 0)", "mean(dlogits, 0)", "dlogits", "sum(dlogits, 1)"),
    "h": ("(W2 @ dlogits.T).T", "dlogits @ W2.T / 2", "dlogits @ W2.T * h"),
    "h_preact": (
        "dh / (1 + (exp(h_preact) - exp(-h_preact)) ** 2 / 4)",
        "dh * (1 - h) * (1 + h)",
        "dh * (1 - h)",
        "dh - h ** 2",
    ),
    "bngain": ("sum(dh_preact * bndiff, 0) * bnvar_inv", "sum(dh_preact * bndiff, 0)", "dh_preact * bnraw"),
    "bnraw": ("bngain * dh_preact", "dh_preact / bngain"),
    "bnvar": (
        "-dbnvar_inv * bnvar_inv ** 3 / 2",
        "dbnvar_inv * bnvar_inv ** 3 / 2",
        "-dbnvar_inv * bnvar_inv ** 2 / 2",
    ),
    "bmean": ("-sum(dbnraw, 0) * bnvar_inv", "-mean(dbnraw, 0) * bnvar_inv"),
    "h_prebn": (
        "bngain * bnvar_inv * (dh_preact - mean(dh_preact, 0) - bnraw * mean(dh_preact * bnraw, 0))",
        "bngain * bnvar_inv * (dh_preact - mean(dh_preact, 0) - bnraw * sum(dh_preact * bnraw, 0) / (n - 1))",
        "dbndiff - mean(dbndiff, 0)",
        "dbndiff",
    ),
    "W1": ("view(emb, n, k * m).T @ dh_prebn", "dh_prebn.T @ emb_cat"),
    "b1": ("mean(dh_prebn, 0)", "sum(dh_prebn, 1)"),
    "C": ("add_rows(X, view(dh_prebn @ W1.T, n, k, m))", "add_rows(X, demb) / n"),
}
"""Formulas that a person may type, the first one right, others right or wrong; h_prebn's hang on the divisor."""


def by_numpy(again, text):
    """What a formula comes to where Python reads it and NumPy carries it out."""
    ds = again.ds
    sizes = {
        "n": again.n,
        "V": len(ds["symbol"]),
        "k": again.X.shape[1],
        "m": ds.sizes["feature"],
        "n1": ds.sizes["hidden"],
    }
    table = np.eye(sizes["V"])

    def add_rows(places, rows):
        return np.einsum("npv,npf->vf", table[places], rows)

    names = {
        "X": again.X.numpy(),
        "Y": again.Y.numpy(),
        "eps": 1e-5,
        "exp": np.exp,
        "add_rows": add_rows,
        "view": lambda a, *shape: a.reshape(shape),
        "onehot": lambda places: table[places],
        "argmax": lambda a: a.argmax(-1),
        "sum": lambda a, *axis: a.sum(*axis, keepdims=bool(axis)),
        "mean": lambda a, *axis: a.mean(*axis, keepdims=bool(axis)),
        **sizes,
    }
    names |= {name: again.numpy(name) for name in {*again.start, *again.t}}
    names |= {f"d{name}": again.numpy(f"d{name}") for name in BACKWARD}
    return np.asarray(eval(text, {"__builtins__": {}}, names))


@pytest.mark.parametrize("asked", FORMULAS)
def test_a_typed_formula_is_judged_as_numpy_judges_it(case, asked):
    settings, _, again = case
    right = again.numpy(f"d{asked}")
    for text in FORMULAS[asked]:
        verdict, found = judge(settings, asked, text), by_numpy(again, text)
        if found.shape != right.shape:
            assert verdict.kind == "shape", text
            assert shape_of(verdict.words, "the shape ") == found.shape
            assert shape_of(verdict.words, "Expected is ") == right.shape
            assert ("Its transpose would fit" in verdict.words) == (found.T.shape == right.shape), text
            continue
        apart = np.abs(found - right)
        wrong = apart > 1e-9 * np.abs(right).max() + 1e-12
        assert verdict.kind == ("differs" if wrong.any() else "equal"), (text, verdict.words)
        if text == FORMULAS[asked][settings.variance == "unbiased" if asked == "h_prebn" else 0]:
            assert verdict.kind == "equal", text
        np.testing.assert_allclose(verdict.difference, found - right, rtol=1e-6, atol=1e-12)
        if wrong.any():
            said = re.search(r"(\d+) of (\d+) numbers .* yours is (\S+), autograd's (\S+)\.", verdict.words)
            assert (int(said[1]), int(said[2])) == (wrong.sum(), wrong.size), text
            mine, its = (float(number) for number in said.groups()[2:])
            at = np.argmin(np.abs(found - mine) + np.abs(right - its))
            assert (mine, its) == pytest.approx((found.flat[at], right.flat[at]), rel=1e-5, abs=1e-9)
            assert apart.flat[at] == pytest.approx(apart.max(), rel=1e-9)
            assert_factor(verdict.words, found, right, text)


def shape_of(words, after):
    """The shape that stands behind some words: 9 × 6, or one number."""
    numbers = re.match(r"\d+(?: × \d+)*", words.partition(after)[2])
    return tuple(map(int, numbers[0].split(" × "))) if numbers else ()


def assert_factor(words, found, right, text):
    """One factor is named where it would mend all, by least squares."""
    (factor,), *_ = np.linalg.lstsq(found.reshape(-1, 1), right.ravel(), rcond=None)
    mends = abs(factor) > 1e-12 and np.allclose(factor * found, right, rtol=0, atol=1e-9 * np.abs(right).max() + 1e-12)
    named = re.search(r"All of yours times (\S+) would be right", words)
    if mends and factor == pytest.approx(-1, abs=1e-9):
        assert "Only the sign is wrong." in words, text
    elif mends:
        assert float(named[1]) == pytest.approx(factor, rel=1e-5), text
    else:
        assert named is None
        assert "Only the sign" not in words


def test_the_page_s_pictures_hold_autograds_numbers(case):
    """The push and pull of the softmax, the column of zeros beside it, and the three paths with their sum."""
    _, ds, again = case
    push, zeros, paths = (FIGURES[name](ds) for name in ("push_and_pull", "column_of_zeros", "paths"))
    np.testing.assert_allclose(push.data[0].z, again.numpy("dlogits"), rtol=1e-5, atol=1e-9)
    assert list(push.data[-1].x) == again.Y.tolist()
    np.testing.assert_allclose(np.array(zeros.data[0].z)[:, :-2], again.numpy("dnorm_logits"), rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(np.array(zeros.data[0].z)[:, -1], 0, atol=1e-12)
    np.testing.assert_allclose(paths.data[-1].z, again.numpy("dh_prebn"), rtol=1e-5, atol=1e-9)
