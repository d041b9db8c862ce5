"""Pre-training that goes on from a model: its own loss first, its own sizes and pieces, refusals in one sentence."""

import json
import math
import shutil

import numpy as np
import pytest
import torch
import xarray as xr
from torch.nn.functional import cross_entropy
from transformers import AutoTokenizer, BertForMaskedLM, RobertaForMaskedLM

import goldviz
from goldviz.cli.command import main
from goldviz.data.texts.kept_models import KEPT_MODELS, SHIPPED, SHIPPED_MODEL, KeptModel, about_model, keep_model
from goldviz.data.texts.kept_texts import keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.settings import SettingsError, description
from goldviz.labs.bert_pretraining.instruments import masked_scores
from goldviz.labs.bert_pretraining.kept import trained_text_model
from goldviz.labs.bert_pretraining.network import bert_learner
from goldviz.labs.bert_pretraining.settings import SIZES, BertPretraining
from goldviz.labs.bert_pretraining.start import start_of
from goldviz.labs.bert_pretraining.texts import hide, pretraining_texts
from goldviz.labs.bert_pretraining.train import learn
from goldviz.models.text.loading import SHIPPED_FOLDER, SHIPPED_NAME
from goldviz.models.text.model import TextModelError
from goldviz.models.text.one_file import text_model_bytes
from tests.labs.small_runs import carried_out, whole
from tests.models.text.test_loading import random_model, roberta_config, write_model
from tests.refusals import refused

SHORT = {
    "texts": 60,
    "labelled": 30,
    "longest": 24,
    "pretraining_steps": 4,
    "fine_tuning_steps": 2,
    "batch": 4,
    "look_every": 100,
}
SMALL = BertPretraining(**SHORT, vocabulary=300, layers=3, heads=2, width=8, inner=12)
STORY = "\n".join(
    f"On day {number} the price of gold rose by {number} dollars, and silver fell." for number in range(80)
)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path / "models"))


@pytest.fixture
def small():
    """A small model, kept."""
    sink = whole(SMALL)
    return keep_model(text_model_bytes(trained_text_model(SMALL, sink.states[max(sink.states)], 0, "Small one")))


def run(start, **settings):
    return goldviz.run("bert-pretraining", progress=False, start=start, **SHORT | settings)


def test_the_shipped_model_is_named_by_its_content():
    assert about_model("0123456789abcdef") is None
    found = start_of(BertPretraining(start=SHIPPED_MODEL))
    assert goldviz.text_model("shipped") == SHIPPED_MODEL
    assert KEPT_MODELS.read(SHIPPED_MODEL) is not None
    weights = sum(numbers.numel() for numbers in found.weights.values())
    sizes = [getattr(found.shape, size) for size in ("layers", "heads", "width", "inner", "vocabulary")]
    assert KeptModel(SHIPPED_NAME, weights, *sizes) == SHIPPED
    written = AutoTokenizer.from_pretrained(SHIPPED_FOLDER)(["Gold rose in May; yields didn't."])["input_ids"]
    assert found.tokeniser(["Gold rose in May; yields didn't."])["input_ids"] == written


def test_training_starts_at_the_model_s_own_loss_as_transformers_computes_it():
    settings = BertPretraining(**SHORT, start=SHIPPED_MODEL)
    start = start_of(settings)
    data = pretraining_texts(settings, start)
    one, same = (bert_learner(settings, len(data.vocabulary), 0, torch.device("cpu"), start) for _ in range(2))
    pieces, present = data.texts.rows(torch.randint(len(data.texts), (settings.batch,), generator=one.order))
    shown, answers = hide(pieces, data.vocabulary, one.masks, settings.masked_share)
    with torch.no_grad():
        logits = BertForMaskedLM.from_pretrained(SHIPPED_FOLDER).eval()(shown, attention_mask=present.long()).logits
    own = cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=-100).item()
    assert learn(same, settings, data, 1, 1e-3, closely=False)["loss"].item() == pytest.approx(own, rel=1e-4)
    assert own < 0.5 * math.log(4000)


@pytest.mark.slow
def test_a_run_has_the_sizes_and_pieces_of_its_start(small):
    dataset = run(small, layers=1, heads=1, width=16, inner=8, vocabulary=256)
    assert (dataset.sizes["layer"], dataset.sizes["head"]) == (3, 2)
    assert dataset.attrs["vocabulary_size"] == about_model(small).vocabulary == 300
    assert (dataset.attrs["starts_from"], dataset.attrs["width"]) == ("Small one", 8)
    np.testing.assert_array_equal(run(small)["loss"], dataset["loss"])
    assert set(SIZES) == set(BertPretraining(start=small).without_effect())
    assert not BertPretraining().without_effect()
    for size in SIZES:
        assert "A start model has its own" in description(BertPretraining, size)


@pytest.mark.slow
def test_it_learns_further_on_a_text_of_one_s_own():
    corpus = keep_text(STORY.encode(), "story.txt").name
    words = run(SHIPPED_MODEL, corpus=corpus, pretraining_steps=20, fine_tuning_steps=0, look_every=20)
    before, after = words["unseen_masked_loss"].values[[0, -1], 0]
    assert after < 0.5 * before


@pytest.mark.slow
def test_a_run_that_was_paused_goes_on_to_the_bit(small):
    settings = BertPretraining(**SHORT, start=small)
    first, status = carried_out(settings, budget=2)
    assert status == "paused"
    second, _ = carried_out(settings, start_step=2, restored=first.states[2])
    for name in ("loss", "gradient_norm", "unseen_masked_loss"):
        parts = [*first.records.values[name], *second.records.values[name]]
        np.testing.assert_array_equal(np.array(parts), np.array(whole(settings).records.values[name]), err_msg=name)


def test_a_roberta_goes_on_with_pieces_and_places_of_its_own(tmp_path):
    folder = tmp_path / "models" / "bytes"
    folder.mkdir(parents=True)
    roberta = write_model(folder, random_model(RobertaForMaskedLM, roberta_config()))
    settings = BertPretraining(**SHORT | {"longest": 512}, start=goldviz.text_model("folder:bytes"))
    data = pretraining_texts(settings, start_of(settings))
    assert data.texts.pieces.shape[1] <= 78
    assert (data.texts.pieces[:, 0] == 0).all()
    shown, answers = hide(data.texts.pieces, data.vocabulary, torch.Generator().manual_seed(0), 0.5)
    assert (shown == 4).any()
    assert not ((answers >= 0) & (answers < 5)).any()
    with torch.no_grad():
        own = RobertaForMaskedLM.from_pretrained(roberta).eval()
        rows, lengths = data.unseen.shown.pieces, data.unseen.shown.lengths
        logits = own(rows, attention_mask=(torch.arange(rows.shape[1]) < lengths[:, None]).long()).logits
    expected = cross_entropy(logits.flatten(0, 1), data.unseen.answers.flatten(), ignore_index=-100).item()
    one = bert_learner(settings, len(data.vocabulary), 0, torch.device("cpu"), start_of(settings))
    assert masked_scores(one.network, data.unseen)[0] == pytest.approx(expected, rel=1e-4)


def test_the_model_of_such_a_run_is_read_with_the_pieces_of_its_start(small):
    settings = BertPretraining(**SHORT | {"pretraining_steps": 0}, start=small)
    sink, _ = carried_out(settings)
    model = trained_text_model(settings, sink.states[max(sink.states)], 0)
    start = start_of(settings)
    assert model.encoder.shape == start.shape
    assert model.tokeniser.get_vocab() == start.tokeniser.get_vocab()
    assert model.notes == ()


def test_a_model_that_is_not_here_is_refused_in_a_sentence():
    with pytest.raises(
        TextError, match=r"^This machine does not hold the model 0123456789abcdef: choose .* weights\.$"
    ):
        run("0123456789abcdef")
    with pytest.raises(SettingsError, match=r"^Start is 'shipped'; allowed is 'random', or the 16 characters"):
        run("shipped")
    with pytest.raises(TextModelError, match=r"^This machine has no model folder 'gone'"):
        goldviz.text_model("folder:gone")


def test_a_damaged_file_is_refused():
    goldviz.text_model("shipped")
    KEPT_MODELS.write("0" * 16, b"damaged")
    with pytest.raises(TextError, match=r"^The kept model 0000000000000000 is damaged and was not used"):
        run("0" * 16)


def test_a_model_with_another_vocabulary_or_without_guesses_is_refused(tmp_path):
    other = tmp_path / "models" / "other"
    shutil.copytree(SHIPPED_FOLDER, other)
    tokeniser = json.loads((other / "tokenizer.json").read_text())
    tokeniser["model"]["vocab"] = dict(list(tokeniser["model"]["vocab"].items())[:3000])
    (other / "tokenizer.json").write_text(json.dumps(tokeniser))
    (other / "vocab.txt").unlink()
    with pytest.raises(TextModelError, match="knows 4,000 pieces and its vocabulary has 3,000; both must be the same"):
        goldviz.text_model("folder:other")
    config = json.loads((SHIPPED_FOLDER / "config.json").read_text())
    silent = tmp_path / "models" / "silent"
    shutil.copytree(SHIPPED_FOLDER, silent)
    (silent / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": False}))
    with refused(TextModelError, "no_head", "silent", "masked-word head"):
        goldviz.text_model("folder:silent")


def test_too_many_seeds_of_a_large_model_are_refused(monkeypatch):
    monkeypatch.setattr("goldviz.labs.bert_pretraining.start.MOST_WEIGHTS", 2_000_000)
    assert start_of(BertPretraining(start=SHIPPED_MODEL)) is not None
    with refused(TextModelError, "too_large", "1 million weights", "2 seeds", "up to 2 million"):
        start_of(BertPretraining(start=SHIPPED_MODEL, seeds=(0, 1)))


@pytest.mark.slow
def test_the_shell_keeps_the_model_and_starts_from_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = [part for name, value in SHORT.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    asked = ["run", "bert-pretraining", *options, "--quiet", "--start-from"]
    assert main([*asked, "folder:gone"]) == 2
    assert main([*asked, "shipped", "--start", SHIPPED_MODEL]) == 2
    assert main([*asked, "shipped", "--output", "run.nc"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("goldviz: This machine has no model folder 'gone'")
    assert told[1] == "goldviz: The options --start-from and --start both say where to start; give one of them."
    with xr.open_dataset(tmp_path / "run.nc") as kept:
        assert json.loads(kept.attrs["settings"])["start"] == SHIPPED_MODEL
        np.testing.assert_array_equal(kept["loss"], run(SHIPPED_MODEL)["loss"])
