"""A page for a benchmark: a BERT-base of random weights reads 512 pieces, and the attention explorer shows it.

Beside it stand, as JSON: when the reading ended, what it and a plain forward pass took, and the server's memory.
"""

from __future__ import annotations

import json
import time
from functools import reduce
from pathlib import Path

import numpy as np
import streamlit as st
import torch

from goldviz.data.texts.pieces import Pieces
from goldviz.labs.inside_bert.head import head_norms, head_word_norms, mixed_attention
from goldviz.labs.inside_bert.parts.explorer import Choice, attention_explorer
from goldviz.labs.inside_bert.queries import AttentionExhibit, Measure
from goldviz.labs.inside_bert.reading import TextReading, read_text
from goldviz.models.text.encoder import EncoderShape, TransformerEncoder, initialise_encoder
from goldviz.models.text.model import TextModel
from goldviz.ui.serving import server
from goldviz.ui.serving.queries import shelf

SHAPE = EncoderShape(12, 12, 768, 3072, 30_522, 512)
PIECES = 512
DEVIATION = 0.05
"""Of the random weights; with BERT's own 0.02 all heads look alike, and maps are flat."""


@st.cache_resource
def model() -> tuple[TextModel, float]:
    """BERT-base without training, and the megabytes that the server has with it, ahead of any reading."""
    encoder = TransformerEncoder(SHAPE)
    streams = torch.Generator().manual_seed(0)
    initialise_encoder(encoder, lambda _index: streams, DEVIATION)
    # Forget the peak of the time before.
    Path("/proc/self/clear_refs").write_text("5")
    return TextModel("random", encoder.eval(), None, None, None, (), "random"), memory("VmRSS")


def text() -> Pieces:
    """Random pieces between [CLS] and [SEP]; a word has two."""
    ids = np.random.default_rng(0).integers(1000, SHAPE.vocabulary, PIECES)
    words = np.array([-1, *(place // 2 for place in range(PIECES - 2)), -1])
    tokens = ("[CLS]", *(f"piece{number}" for number in ids[1:-1]), "[SEP]")
    return Pieces(ids, tokens, np.zeros((PIECES, 2), np.int64), words)


def exhibit(reading: TextReading) -> AttentionExhibit:
    """The reading as the explorer shows it."""

    def head(layer: int, number: int, measure: Measure) -> np.ndarray:
        if measure == "norms":
            return head_norms(reading, layer, number).astype(np.float32)
        if measure == "rollout":
            # Row i of A_bar_l ... A_bar_1: how the token i after the layer is made up of the input (Abnar and Zuidema).
            ways = [mixed_attention(reading, below) for below in range(layer, -1, -1)]
            return reduce(np.matmul, ways).astype(np.float32)
        return reading.head(layer, number).weights

    pieces = reading.pieces
    return AttentionExhibit(
        tokens=pieces.tokens,
        words=pieces.words,
        tiles=reading.tiles,
        summaries={name: reading.summaries[name] for name in ("entropy", "distance", "special")},
        head=head,
        word_texts=tuple(f"word{number}" for number in range(pieces.words.max() + 1)),
        word_norms=lambda layer, number: head_word_norms(reading, layer, number).astype(np.float32),
        ahead=lambda *place: {},
        held_bytes=reading.hidden.numel() * 4,
    )


def memory(line: str) -> float:
    """Megabytes in a line of the process's own status: VmRSS now, VmHWM at most since the peak was forgotten."""
    status = Path("/proc/self/status").read_text()
    return float(next(row.split()[1] for row in status.splitlines() if row.startswith(line))) / 1024


def main() -> None:
    """Read at the press of a button, and show what was read."""
    st.set_page_config(layout="wide")
    (random, before), pieces = model(), text()
    if st.button("Read"):
        shelf.drop(st.session_state.get("exhibit", ""))
        started = time.perf_counter()
        with torch.inference_mode():
            random.encoder(torch.as_tensor(pieces.ids)[None])
        plain = time.perf_counter() - started
        started = time.perf_counter()
        reading = read_text(random, pieces)
        st.session_state["facts"] = {"ended": time.time(), "reading": time.perf_counter() - started, "plain": plain}
        st.session_state["exhibit"] = shelf.put(exhibit(reading))
    if st.button("Memory"):
        st.session_state["facts"]["above_model"] = memory("VmHWM") - before
    if "exhibit" in st.session_state:
        attention_explorer(st.session_state["exhibit"], Choice(), key="explorer")
        st.text(json.dumps(st.session_state["facts"]))


if __name__ == "__main__":
    main()
elif __name__ == "attention_page":
    app = st.App(__file__, routes=server.routes())
