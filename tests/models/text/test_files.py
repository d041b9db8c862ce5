"""Files of PyTorch's format that claim more than they hold: memory goes by the file, and each is one sentence."""

import shutil
import struct
import zipfile
from itertools import product
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from goldviz.models.text.files import stored_tensors
from goldviz.models.text.loading import load_text_model
from goldviz.models.text.model import TextModelError
from goldviz.models.text.weights import BERT, StoredTensor, classes_of, read_classifier
from tests.refusals import refused
from tests.text_model_folders import with_classifier

linux = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read where Linux shows it")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return with_classifier(tmp_path_factory.mktemp("models") / "m")


@pytest.fixture
def folder(plain, tmp_path):
    return Path(shutil.copytree(plain, tmp_path / "m"))


def as_pickle(folder, change=lambda tensors: None, archive=True):
    """The weights in PyTorch's format, changed."""
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    (folder / "model.safetensors").unlink()
    path = folder / "pytorch_model.bin"
    torch.save(tensors, path, _use_new_zipfile_serialization=archive)
    return path


def write_parts(path, parts):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def parts_of(path):
    with zipfile.ZipFile(path) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize("archive", [True, False])
@pytest.mark.parametrize("name", ["classifier.weight", "bert.embeddings.word_embeddings.weight", "unread"])
def test_a_tensor_that_repeats_its_numbers_is_refused(folder, archive, name):
    path = as_pickle(
        folder, lambda tensors: tensors.update({name: torch.zeros(1).expand(8_000_000, 48)}), archive=archive
    )
    assert path.stat().st_size < 2_000_000
    with refused(TextModelError, "wrong_tensor", "m: pytorch_model.bin"):
        load_text_model(folder)


def test_too_many_classes_are_left_out_before_a_number_is_read():
    def unread():
        raise AssertionError("a number was read")

    stored = {
        "bert.pooler.dense.weight": StoredTensor((4, 4), unread),
        "bert.pooler.dense.bias": StoredTensor((4,), unread),
        "classifier.weight": StoredTensor((101, 4), unread),
        "classifier.bias": StoredTensor((101,), unread),
    }
    assert read_classifier("m", 4, BERT, stored, 100) is None
    assert classes_of(BERT, stored) == 101


def share_one_part(path, copies):
    """Write ``copies`` entries into the archive's table of contents that all point at the same bytes."""
    content = path.read_bytes()
    end = content.rindex(b"PK\x05\x06")
    size, start = struct.unpack("<II", content[end + 12 : end + 20])
    table, entries = content[start : start + size], []
    while table:
        length = 46 + sum(struct.unpack("<HHH", table[28:34]))
        entries.append(table[:length])
        table = table[length:]
    (shared,) = (entry for entry in entries if b"/data/0" in entry)
    entries += [shared.replace(b"/data/0", b"/data/%d" % number, 1) for number in range(1, copies)]
    told = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(b"".join(entries)), start, 0)
    path.write_bytes(content[:start] + b"".join(entries) + told)


def test_parts_that_share_their_bytes_are_refused(folder):
    path = folder / "pytorch_model.bin"
    torch.save({f"t{number}": torch.ones(1000) for number in range(9)}, path)
    parts = {name: content for name, content in parts_of(path).items() if not name[-1].isdigit() or name[-1] == "0"}
    write_parts(path, parts)
    share_one_part(path, 9)
    (folder / "model.safetensors").unlink()
    assert path.stat().st_size < 9 * 4000
    assert len(torch.load(path, weights_only=True)) == 9  # the trap is a real one
    with refused(TextModelError, "packed", "m: pytorch_model.bin"):
        load_text_model(folder)


@linux
def test_one_part_under_many_names_is_in_memory_once(folder):
    """PyTorch finds parts whatever the case of their names, and would read each spelling anew."""
    spellings = ["".join(letters) for letters in product("aA", "bB", "cC", "dD", "eE")]
    path = folder / "pytorch_model.bin"
    torch.save({spelling: torch.ones(2_000_000) for spelling in spellings}, path)
    parts = parts_of(path)
    table = next(name for name in parts if name.endswith("/data.pkl"))
    instructions = parts[table]
    for number, spelling in enumerate(spellings):
        written = str(number).encode()
        before = b"X" + struct.pack("<I", len(written)) + written
        instructions = instructions.replace(before, b"X" + struct.pack("<I", 5) + spelling.encode(), 1)
    root = table.removesuffix("data.pkl")
    kept = {name: content for name, content in parts.items() if "/data/" not in name}
    write_parts(path, {**kept, table: instructions, f"{root}data/abcde": parts[f"{root}data/0"]})
    (folder / "model.safetensors").unlink()
    del parts
    before = resident_bytes()
    found = stored_tensors(folder, "m")
    assert len(found) == 32
    assert resident_bytes() - before < 4 * 8_000_000
    assert found["ABcde"].read().sum() == 2_000_000


@linux
@pytest.mark.parametrize("archive", [True, False])
def test_no_file_stays_mapped(folder, archive):
    kept = load_file(folder / "model.safetensors")["classifier.weight"]
    path = as_pickle(folder, archive=archive)
    model = load_text_model(folder)
    assert str(path) not in Path("/proc/self/maps").read_text()
    path.write_bytes(b"")
    torch.testing.assert_close(model.classifier.read_out.weight, kept, rtol=0, atol=0)


def test_something_that_only_begins_as_an_archive(folder):
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"PK\x03\x04" + bytes(5000))
    with refused(TextModelError, "damaged", "m: pytorch_model.bin"):
        load_text_model(folder)
