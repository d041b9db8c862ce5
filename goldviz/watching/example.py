"""A watched run that ships with the package: twelve sigmoid layers that do not learn, their card, and its cure tried.

``make examples`` records it by :func:`record` and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.arrays.light import LightDataset
from goldviz.runs.store.arrays import dataset_from_bytes, dataset_to_bytes

if TYPE_CHECKING:
    from torch import Tensor, nn

PATH = Path(__file__).parent / "recorded" / "vanishing.safetensors"
PICTURE = PATH.with_name("picture.svg")
"""The home page's picture of it."""
TITLE = "Twelve sigmoid layers"
STEPS = 200
COLUMNS = 25
"""Of the home page's picture."""
CURE = "nn.ReLU for nn.Sigmoid, and weights drawn for it"


@cache
def recorded() -> LightDataset:
    """What was recorded, as a page reads it."""
    return LightDataset.of(dataset_from_bytes(PATH.read_bytes()))


def record() -> None:
    """Train the network, try its card's cure from its first state, and keep both."""
    import copy
    import tempfile

    import torch
    from torch import nn
    from torch.nn import functional

    from goldviz.watching.arguments import watched
    from goldviz.watching.trial import tried_on

    def batch(number: int) -> tuple[Tensor, Tensor]:
        x = torch.randn(32, 8, generator=torch.Generator().manual_seed(number))
        return x, x[:, :3].argmax(1)

    def step(state: dict[str, Any], order: int, number: int) -> Tensor:
        x, y = batch(1000 * (order + 1) + number)
        loss = functional.cross_entropy(state["model"](x), y)
        state["optimizer"].zero_grad()
        loss.backward()
        state["optimizer"].step()
        return loss

    torch.manual_seed(0)
    model = _network(nn.Sigmoid)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    began = copy.deepcopy({"model": model, "optimizer": optimizer})
    with tempfile.TemporaryDirectory() as folder:
        plain: dict[str, Any] = {"config": {}, "every": 10, "histograms": False, "budget": None}
        with watched(model, optimizer, name=TITLE, to=Path(folder) / "run.gv", **plain) as seen:
            for number in range(1, STEPS + 1):
                seen.step(loss=step({"model": model, "optimizer": optimizer}, 0, number))
        results = tried_on(step, began, [], steps=STEPS, cures={"vanishing": _with_relus})
        seen.keep_tried([replace(one, cure=CURE) if one.kind == "vanishing" else one for one in results])
        dataset = seen.dataset().load()
    # Where it was made is nobody's matter, and what it cost there.
    facts = {name: fact for name, fact in json.loads(dataset.attrs["watched"]).items() if name != "price"}
    dataset.attrs["watched"] = json.dumps(facts)
    for fact in ("command", "commit", "run_id"):
        dataset.attrs[fact] = ""
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_bytes(dataset_to_bytes(dataset))
    recorded.cache_clear()
    PICTURE.write_text(picture(recorded()) + "\n", encoding="utf-8")


def picture(ds: LightDataset) -> str:
    """The home page's picture: the gradient of every layer, from above, at every step that was looked at."""
    from goldviz.figures.thumbnail import picture_svg, revealed, shaded, squares

    sizes = ds["gradient_by_layer"].values.astype(float)
    # Layers without weights have no gradient.
    powers = np.log10(sizes[:: STEPS // COLUMNS, np.isfinite(sizes).all(0)].T)
    shares = (powers - powers.min()) / np.ptp(powers)
    label = "Gradients of twelve layers over the steps of a training: the first layers get next to nothing."
    cells = revealed(squares(shares, 10, 4, 300, 152, fill=shaded))
    return picture_svg([cells], label=label, axes=("step", "layer"))


def _network(activation: Callable[[], nn.Module]) -> nn.Sequential:
    from torch import nn

    hidden = [part for _ in range(11) for part in (nn.Linear(32, 32), activation())]
    return nn.Sequential(nn.Linear(8, 32), activation(), *hidden, nn.Linear(32, 3))


def _with_relus(state: dict[str, Any]) -> None:
    """What the card's code does: ReLUs, and weights drawn for them."""
    from torch import nn

    model = state["model"]
    for place, module in enumerate(model):
        if isinstance(module, nn.Sigmoid):
            model[place] = nn.ReLU()
        if isinstance(module, nn.Linear):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            nn.init.zeros_(module.bias)


if __name__ == "__main__":
    record()
