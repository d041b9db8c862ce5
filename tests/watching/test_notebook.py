"""What a notebook draws: escaped, short, and of everything that Python hands out."""

from html import escape
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

import goldviz
from goldviz.diagnostics.findings import Finding
from goldviz.notebook import Findings, Trials
from goldviz.watching.trial import Tried


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.sqlite'}")


def test_a_record_and_its_cards_are_drawn_and_nothing_in_them_is_markup() -> None:
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
    model[0].requires_grad_(False)
    chosen = torch.optim.SGD(model.parameters(), 0.1)
    with goldviz.watch(model, chosen, name="<script>") as record:
        for step in range(1, 6):
            x = torch.randn(16, 4, generator=torch.Generator().manual_seed(step))
            loss = functional.cross_entropy(model(x), x[:, :2].argmax(1))
            chosen.zero_grad()
            loss.backward()
            chosen.step()
            record.step(loss=loss)
        assert "running at step 5" in record._repr_html_()
    [card] = [one for one in record.findings() if one.kind == "frozen"]
    html = record._repr_html_()
    assert "ended at step 5, loss " in html
    assert "<b>&lt;script&gt;</b>" in html
    assert "<script" not in html
    for drawn in (html, record.findings()._repr_html_(), goldviz.findings(record)._repr_html_()):
        assert f"Worth a look: <b>{card.title}</b>" in drawn
        assert "<pre>for parameter in module.parameters():\n    parameter.requires_grad_(True)</pre>" in drawn
    assert repr(record) == f"<watched run '<script>': ended at step 5, run_id {record.run_id!r}>"
    assert card.number == "0 (Linear)"
    numbers = goldviz.measures(record)
    assert goldviz.figures(record)["loss"].data
    assert goldviz.figure(record, "loss", step=3).data
    assert numbers
    assert numbers._repr_html_().count("<tr>") == 1 + len(numbers)
    assert all(f"<td>{escape(name)}</td>" in numbers._repr_html_() for name in numbers)


def test_a_trial_is_a_table_and_an_empty_list_says_so() -> None:
    tried = Tried("frozen", "let <b>", 1.0, 0.5, -0.5, -0.6, -0.4, 3, 50, helped=True)
    html = Trials([tried])._repr_html_()
    assert (
        "<td>frozen</td><td>helped</td><td>let &lt;b&gt;: helped, loss -0.5 [-0.6, -0.4] (50 steps, 3 orders).</td>"
        in html
    )
    assert Findings()._repr_html_() == "<p>Nothing out of the ordinary.</p>"
    card = Finding("a", "A <title>", "good", "1 < 2", "3", "sure", "It is.", advice="Take <more>.")
    assert (
        "Healthy: <b>A &lt;title&gt;</b><br>1 &lt; 2 (limit: 3). It is.<br>Take &lt;more&gt;."
        in Findings([card])._repr_html_()
    )
