"""Model folders as they are handed around: padded tables, many labels, older layouts, names, capitals, accents."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import ByteLevelBPETokenizer, processors
from transformers import PreTrainedTokenizerFast

from goldviz.data.texts.pieces import in_letters, shown_pieces, split_into_pieces
from goldviz.models.text import places
from goldviz.models.text.loading import load_text_model
from goldviz.models.text.model import TextModelError
from goldviz.models.text.places import kept_folder, kept_folders
from goldviz.text_models import text_model
from tests.random_bert import vocabulary, write_random_bert
from tests.refusals import refused
from tests.text_model_folders import with_classifier


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path))
    # This machine may have a package that carries a model.
    monkeypatch.setattr(places, "packaged_folders", dict)
    return tmp_path


def padded(folder: Path, rows: int) -> Path:
    """A random BERT whose table has more rows than its vocabulary has pieces."""
    write_random_bert(folder, layers=1, heads=2, width=16)
    file, words = folder / "model.safetensors", "bert.embeddings.word_embeddings.weight"
    tensors = load_file(file)
    for name in (words, "cls.predictions.bias", "cls.predictions.decoder.weight", "cls.predictions.decoder.bias"):
        if name in tensors:
            missing = rows - len(tensors[name])
            tensors[name] = torch.cat([tensors[name], 0.1 * torch.ones(missing, *tensors[name].shape[1:])])
    save_file(tensors, file, metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": rows}))
    return folder


def test_a_table_with_rows_for_no_piece_is_read_and_said(tmp_path: Path) -> None:
    count = len(vocabulary())
    rows = 128
    model = load_text_model(padded(tmp_path / "bank", rows))
    assert model.encoder.shape.vocabulary == rows
    assert f"{rows - count} rows" in dict(model.notes)["spare_rows"]
    plain = load_text_model(write_random_bert(tmp_path / "plain", layers=1, heads=2, width=16))
    ids = torch.tensor([[2, 30, 31, 3]])
    zeros = torch.zeros_like(ids)
    assert torch.equal(model.encoder(ids, zeros), plain.encoder(ids, zeros))
    assert shown_pieces(model.tokeniser, [count - 1, count]) == (vocabulary()[-1], f"[unused {count}]")


@pytest.mark.parametrize("more", [129, 136, 1000])
def test_other_differences_are_files_of_different_models(tmp_path: Path, more: int) -> None:
    with refused(TextModelError, "other_vocabulary"):
        load_text_model(padded(tmp_path / "bank", len(vocabulary()) + more))


def test_a_classifier_of_many_classes_is_left_out_and_said(tmp_path: Path) -> None:
    model = load_text_model(with_classifier(tmp_path / "bank", [f"topic {number}" for number in range(156)]))
    assert model.classifier is None
    assert model.labels == ()
    note = dict(model.notes)["too_many_classes"]
    assert "156" in note
    assert "100" in note


def test_the_older_layout_of_sentence_models_is_listed_and_read(models: Path) -> None:
    write_random_bert(models / "sentences" / "0_Transformer", layers=1, heads=2, width=16)
    assert kept_folders() == ["sentences"]
    assert kept_folder("sentences").name == "0_Transformer"
    assert text_model("folder:sentences").encoder.shape.width == 16


@pytest.mark.parametrize("name", ["Prüfung", "s63 Pru\u0308fung", "модель"])
def test_names_of_any_alphabet_are_listed_and_read(models: Path, name: str) -> None:
    write_random_bert(models / name, layers=1, heads=2, width=16)
    assert kept_folders() == [name]
    assert text_model(f"folder:{name}").name == name


def says_lower_case(folder: Path, words: list[str], settings: str) -> bool:
    write_random_bert(folder, layers=1, heads=2, width=16)
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    (folder / "tokenizer_config.json").write_text(settings)
    return "lower_case" in dict(load_text_model(folder).notes)


def test_capitals_that_are_read_in_small_letters_are_said(tmp_path: Path) -> None:
    capitals = [word.capitalize() if word == "gold" else word for word in vocabulary()]
    assert says_lower_case(tmp_path / "silent", capitals, '{"model_max_length": 32}')
    assert not says_lower_case(tmp_path / "cased", capitals, '{"do_lower_case": false}')
    assert not says_lower_case(tmp_path / "lower", vocabulary(), '{"model_max_length": 32}')


def test_byte_level_pieces_are_shown_in_letters() -> None:
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        ["naïve café gold rose"] * 9, 300, 1, special_tokens=["<s>", "</s>"], show_progress=False
    )
    trained.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    tokeniser = PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, cls_token="<s>", sep_token="</s>")
    [chunk] = split_into_pieces(tokeniser, "naïve café")
    assert chunk.tokens == ("<s>", "naïve", "Ġcafé", "</s>")
    # The numbers are those of the model's own pieces.
    assert tokeniser.convert_ids_to_tokens(chunk.ids.tolist())[2] == "ĠcafÃ©"


@pytest.mark.parametrize("letters", ["é", "金", "Ġ", "ĠĠ", "Ċ", "Ã", "<mask>"])
def test_what_is_no_whole_word_stays_as_it_is(letters: str) -> None:
    assert in_letters(letters) == letters
