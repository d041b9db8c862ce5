"""The tensors in a model's folder, by name: safetensors, or PyTorch's own format read as numbers alone.

Files of PyTorch's format are pickles, which can hold code; ``weights_only`` refuses all but tensors. No file stays
mapped into memory after the model has been read: one that is written over later would end the whole process.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from goldviz.models.text.config import read_json_object
from goldviz.models.text.model import TextModelError
from goldviz.models.text.weights import StoredTensor
from goldviz.plain_files import opened

LARGEST_WEIGHT_FILES = 2_200_000_000
"""Bytes of all files with weights: the largest encoder that is read, and a table of its own for the masked words."""

LONGEST_INDEX = 2_000_000
LONGEST_HEADER = 2_000_000
"""Bytes in which safetensors names its tensors; those of an encoder of 48 blocks have a fiftieth of it."""
ARCHIVE_START = b"PK\x03\x04"
OTHER_LIBRARIES = ("tf_model.h5", "flax_model.msgpack", "model.ckpt.index", "model.onnx", "rust_model.ot")


def weight_files(folder: Path, name: str) -> list[Path]:
    """The files that hold a folder's weights: safetensors before PyTorch's, whole or in several parts.

    Raises :class:`goldviz.models.text.model.TextModelError` where there are none, or too large ones.
    """
    for single in ("model.safetensors", "pytorch_model.bin"):
        index = folder / f"{single}.index.json"
        if (folder / single).is_file():
            paths = [folder / single]
        elif index.is_file():
            paths = _weight_parts(index, name)
        else:
            continue
        total = sum(path.stat().st_size for path in paths)
        if total > LARGEST_WEIGHT_FILES:
            raise TextModelError(
                f"{name} has {total / 1e9:.1f} GB of weights; allowed are up to {LARGEST_WEIGHT_FILES / 1e9:.1f} GB.",
                "too_large",
            )
        return paths
    foreign = [other for other in OTHER_LIBRARIES if (folder / other).is_file()]
    if foreign:
        raise TextModelError(
            f"{name} has weights for another library only ({', '.join(foreign)}); "
            "allowed are model.safetensors and pytorch_model.bin.",
            "no_weights",
        )
    raise TextModelError(f"{name} has no weights; allowed are model.safetensors and pytorch_model.bin.", "no_weights")


def stored_tensors(folder: Path, name: str) -> dict[str, StoredTensor]:
    """All tensors of a folder; raises :class:`goldviz.models.text.model.TextModelError` where a file is damaged."""
    tensors: dict[str, StoredTensor] = {}
    for path in weight_files(folder, name):
        try:
            tensors |= _in_safetensors(path, name) if path.suffix == ".safetensors" else _in_pickle(path, name)
        except OSError as error:
            raise TextModelError(f"{name}: {path.name} cannot be read ({error.strerror or error}).", "disk") from None
        except SafetensorError as error:
            raise TextModelError(_damaged_weights(path, name), "damaged") from error
    return tensors


def _weight_parts(index: Path, name: str) -> list[Path]:
    table = read_json_object(index, name, LONGEST_INDEX).get("weight_map")
    files = set(table.values()) if isinstance(table, dict) and _are_texts(table) else set()
    if not files or not all(Path(file).name == file and Path(file).suffix == index.suffixes[-3] for file in files):
        raise TextModelError(f"{name}: {index.name} does not say which files hold the weights.", "bad_index")
    paths = [index.with_name(file) for file in sorted(files)]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise TextModelError(f"{name} lacks {missing[0]}, a part of its weights; get it again.", "no_weights")
    return paths


def _are_texts(table: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str) for value in table.values())


def _in_safetensors(path: Path, name: str) -> dict[str, StoredTensor]:
    with opened(path) as file:
        length = int.from_bytes(file.read(8), "little")
    if LONGEST_HEADER < length <= path.stat().st_size:
        raise TextModelError(
            f"{name}: {path.name} names its tensors in {length:,} bytes; allowed are up to {LONGEST_HEADER:,}.",
            "too_large",
        )
    with safe_open(path, "pt") as file:
        shapes = {key: tuple(file.get_slice(key).get_shape()) for key in file.keys()}  # noqa: SIM118 - no mapping
    return {key: StoredTensor(shape, partial(_copied, path, key)) for key, shape in shapes.items()}


def _copied(path: Path, key: str) -> Tensor:
    # Opened for each tensor, so that never more than one of them is in memory twice.
    with safe_open(path, "pt") as file:
        tensor: Tensor = file.get_tensor(key)
        return tensor.clone()


def _in_pickle(path: Path, name: str) -> dict[str, StoredTensor]:
    is_archive = _begins_as_archive(path)
    try:
        if is_archive:
            _check_is_not_packed(path, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Mapped, all tensors together take no more than the file, under however many names one part is asked for.
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=is_archive)
    except (OSError, TextModelError):
        raise
    except Exception as error:
        # A damaged pickle fails wherever its instructions happen to lead.
        if isinstance(error, pickle.UnpicklingError) and "nsupported" in str(error):
            raise TextModelError(
                f"{name}: {path.name} holds something other than tensors, and was not loaded; nothing in it was run.",
                "unsafe",
            ) from error
        raise TextModelError(_damaged_weights(path, name), "damaged") from error
    if not isinstance(content, dict) or not all(_is_plain(tensor) for tensor in content.values()):
        raise TextModelError(f"{name}: {path.name} holds something other than a table of tensors.", "other_kind")
    repeating = [key for key, tensor in content.items() if tensor.nbytes > tensor.untyped_storage().nbytes()]
    if repeating:
        raise TextModelError(f"{name}: {path.name} has a tensor of more numbers than it holds for it.", "wrong_tensor")
    read = _own_copy if is_archive else _as_it_is
    return {str(key): StoredTensor(tuple(tensor.shape), partial(read, tensor)) for key, tensor in content.items()}


def _begins_as_archive(path: Path) -> bool:
    """Whether PyTorch takes the file for an archive; its older format is none."""
    with opened(path) as file:
        return file.read(len(ARCHIVE_START)) == ARCHIVE_START


def _check_is_not_packed(path: Path, name: str) -> None:
    """Refuse a small file that unpacks to a large one; PyTorch packs nothing, and no two of its parts share bytes.

    The parts are those that PyTorch's own reader sees: other readers may be shown another table of contents.
    """
    archive = torch.PyTorchFileReader(str(path))
    size = sum(archive.get_record_size(part) for part in archive.get_all_records())
    if size > path.stat().st_size:
        raise TextModelError(
            f"{name}: {path.name} has {path.stat().st_size:,} bytes and unpacks to {size:,}; "
            "PyTorch's own files are never packed.",
            "packed",
        )


def _is_plain(content: Any) -> bool:
    return (
        type(content) in (Tensor, nn.Parameter)
        and content.layout == torch.strided
        and content.device.type == "cpu"
        and not content.is_quantized
    )


def _damaged_weights(path: Path, name: str) -> str:
    return f"{name}: {path.name} is damaged or cut off; get it again."


def _as_it_is(tensor: Tensor) -> Tensor:
    return tensor.detach()


def _own_copy(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()
