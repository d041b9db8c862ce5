"""A run that no laboratory made: a plain training loop whose dataset says its kinds gets all that a run gets."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
import xarray as xr
from torch import nn

import goldviz
from goldviz.declare.kinds import KINDS, ROLES, KindError, understood
from goldviz.declare.registry import experiments
from goldviz.declare.settings import SettingsError, Variable
from goldviz.diagnostics.layers import Layer, watching
from goldviz.export.table import curves_csv
from goldviz.figures.by_kind import FIGURES
from goldviz.watching.declared import VARIABLES

STEPS, SEEDS = 40, (0, 1)
NAMES = ["first", "second"]


def trained(rate: float = 0.1) -> xr.Dataset:
    """What somebody's own loop recorded of a small classifier, under names of their own."""
    losses, norms, ratios, unseen = (np.zeros((STEPS, len(SEEDS), *more)) for more in ((), (2,), (2,), ()))
    for place, seed in enumerate(SEEDS):
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
        x = torch.randn(64, 4)
        y = x[:, :1] * x[:, 1:2]
        optimiser = torch.optim.SGD(model.parameters(), rate)
        for step in range(STEPS):
            with watching([Layer.of(name, model[at]) for name, at in zip(NAMES, (0, 2), strict=True)]) as seen:
                loss = nn.functional.mse_loss(model(x[:32]), y[:32])
            optimiser.zero_grad()
            loss.backward()
            seen.after_backward()
            optimiser.step()
            measured = seen.after_step()
            losses[step, place] = loss.item()
            norms[step, place] = measured["gradient_norm"]
            ratios[step, place] = measured["update_to_data"]
            with torch.no_grad():
                unseen[step, place] = nn.functional.mse_loss(model(x[32:]), y[32:]).item()
    of = ("iteration", "seed")
    return xr.Dataset(
        {
            "mse": (of, losses, {"kind": "training_loss", "units": "1"}),
            "held_out": (of, unseen, {"kind": "evaluation_loss"}),
            "grad": ((*of, "block"), norms, {"kind": "gradient_norm_by_layer"}),
            "moves": ((*of, "block"), ratios, {"kind": "update_to_data_by_layer"}),
            "note": (of, losses),
        },
        {"iteration": np.arange(1, STEPS + 1), "seed": list(SEEDS), "block": NAMES},
        {"title": "A loop of <mine>"},
    )


@pytest.fixture(scope="module")
def mine() -> xr.Dataset:
    return trained()


def test_it_gets_every_figure_whose_kinds_it_has(mine: xr.Dataset) -> None:
    with pytest.raises(SettingsError, match="this dataset has loss, gradient_by_layer, update_to_data"):
        goldviz.figure(mine, "nothing")
    loss = goldviz.figure(mine, "loss")
    np.testing.assert_allclose(loss.data[-1].y, mine["held_out"].median("seed"))
    np.testing.assert_allclose(loss.data[0].y, mine["mse"].median("seed"))
    moves = goldviz.figure(mine, "update_to_data", step=10, theme="dark")
    by_layer = {trace.name: trace.y for trace in moves.data if trace.name in NAMES}
    for name in NAMES:
        np.testing.assert_allclose(by_layer[name], mine["moves"].sel(block=name).median("seed"), rtol=1e-5)
    assert "&lt;mine&gt;" in str(loss.layout.title.subtitle.text)


def test_its_cards_say_what_its_numbers_say(mine: xr.Dataset) -> None:
    assert "learning_rate_too_large" not in {card.kind for card in goldviz.findings(mine)}
    wild = goldviz.findings(trained(rate=100.0))
    assert wild[0].kind == "diverged"
    assert "A loop of" in wild[0].title
    slow = {card.kind: card for card in goldviz.findings(trained(rate=1e-6))}
    ratio = goldviz.measures(trained(rate=1e-6))["A loop of <mine>.update"]
    assert slow["learning_rate_too_small"].severity == "warning"
    assert (ratio.values < 10**-4.5).all()


def test_its_measures_have_words_units_and_a_value_for_each_seed(mine: xr.Dataset) -> None:
    numbers = goldviz.measures(mine)
    ended = numbers["A loop of <mine>.ended"]
    assert ended.unit == ""
    assert "last training loss" in ended.words
    np.testing.assert_allclose(ended.values, mine["mse"][-1])
    means = mine["grad"].mean("iteration")
    np.testing.assert_allclose(numbers["A loop of <mine>.first_over_last"].values, means[:, 0] / means[:, 1])
    assert "A loop of <mine>.dead" not in numbers


def test_its_report_and_its_tables_hold_it_all(mine: xr.Dataset, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    html = goldviz.report(mine, path)
    assert path.read_text(encoding="utf-8") == html
    assert html.count("<figure>") == 3
    assert "<mine>" not in html.partition("<script>")[0]
    assert "Content-Security-Policy" in html
    assert set(re.findall(r"^(\w+),", curves_csv(mine), re.M)) == {"variable", *map(str, mine.data_vars)}
    mine.to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as again:
        assert goldviz.figure(again.load(), "loss").data[-1].y == pytest.approx(goldviz.figure(mine, "loss").data[-1].y)


def test_networks_beside_each_other_are_told_apart() -> None:
    both = xr.concat([trained(0.1), trained(0.3)], dim=xr.Variable("model", ["slow", "fast"]))
    both.attrs["roles"] = {"model": "network"}
    figure = goldviz.figure(both, "loss")
    curves = {trace.name: trace for trace in figure.data if trace.name in ("slow", "fast")}
    assert curves["slow"].line.color != curves["fast"].line.color
    np.testing.assert_allclose(curves["fast"].y, both["held_out"].sel(model="fast").median("seed"))
    assert {name.partition(".")[0] for name in goldviz.measures(both)} == {"slow", "fast"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda ds: ds.mse.attrs.update(kind="training_los"), r"'mse'.*'training_los'.*allowed is training_loss"),
        (lambda ds: ds.attrs.update(roles={"block": "floor"}), r"'block'.*'floor'.*allowed is step"),
        (lambda ds: ds.attrs.update(roles="[]"), r"'roles'.*allowed is a mapping"),
        (lambda ds: ds.mse.attrs.update(kind="update_to_data_by_layer"), r"'mse'.*no dimension for layer"),
        (lambda ds: ds.grad.attrs.update(kind="gradient_norm"), r"'grad'.*'block', whose role nobody told"),
        (lambda ds: ds.attrs.update(roles={"block": "seed"}), r"'grad'|'seed'"),
    ],
)
def test_what_is_not_understood_is_said_in_one_sentence(change, words) -> None:
    ds = trained()
    change(ds)
    with pytest.raises(KindError, match=words) as refused:
        goldviz.figure(ds, "loss")
    assert str(refused.value).count(". ") == 0


def test_a_dataset_without_kinds_is_no_run() -> None:
    with pytest.raises(SettingsError, match="says its kind"):
        goldviz.findings(xr.Dataset({"loss": ("step", [1.0])}))
    with pytest.raises(KindError, match="says its kind"):
        understood(xr.Dataset({"loss": ("step", [1.0])}))
    with pytest.raises(KindError, match="'Loss' is of the kind 'los'"):
        Variable(("step",), "Loss", kind="los")


def test_the_list_is_closed_and_used() -> None:
    """Every kind is recorded by a laboratory or a watched run, and every figure needs kinds of the list alone."""
    declared = [VARIABLES, *(one.variables for one in experiments().values())]
    recorded = {one.kind for variables in declared for one in variables.values()} - {""}
    assert recorded == set(KINDS)
    assert {kind for figure in FIGURES.values() for kind in (*figure.needs, *figure.unless)} <= set(KINDS)
    assert {role for kind in KINDS.values() for role in kind.roles} <= set(ROLES)


def test_a_laboratory_s_run_has_its_cards_measures_and_report() -> None:
    ds = goldviz.run("depth-gradients", depth=3, width=8, samples=40, epochs=3, progress=False)
    assert ds["loss"].attrs["kind"] == "training_loss"
    assert goldviz.measures(ds)["plain.ended"].values == pytest.approx(ds["loss"].sel(network="plain")[-1].values)
    assert [card.kind for card in goldviz.findings(ds)]
    assert "Gradient flow in depth" in goldviz.report(ds)


def test_every_kind_is_drawn_under_any_names_without_seeds_or_networks() -> None:
    sizes = {
        "step": 30,
        "fit": 4,
        "layer": 3,
        "lag": 7,
        "head": 2,
        "query": 4,
        "key": 4,
        "value_bin": 9,
        "magnitude_bin": 12,
    }
    draw = np.random.default_rng(0)
    arrays = {}
    for kind, about in KINDS.items():
        dims = [f"my {role}" for role in about.roles]
        arrays[f"my {kind}"] = (dims, draw.random([sizes[role] for role in about.roles]), {"kind": kind})
    centres = {"my value_bin": np.linspace(-2, 2, 9), "my magnitude_bin": np.logspace(-6, 0, 12)}
    ds = xr.Dataset(arrays, centres, {"roles": {f"my {role}": role for role in sizes}})
    for name in FIGURES.keys() - {"gradient_norm"}:
        assert goldviz.figure(ds, name, step=5).data, name
    with pytest.raises(SettingsError, match="gradient_norm"):
        goldviz.figure(ds, "gradient_norm")  # clipping shows the same with more
    assert goldviz.report(ds).count("<figure>") == len(FIGURES) - 1
    goldviz.findings(ds)
