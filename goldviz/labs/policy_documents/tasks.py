"""What *Policy documents* has worker processes do: documents encoded, and a change measured."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.labs.policy_documents.compute import read_change
from goldviz.labs.policy_documents.documents.kept import documents_at_hand
from goldviz.labs.policy_documents.encoding import encode
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.labs.policy_documents.text_vector import ReportPieces
from goldviz.text_models import text_model


def encode_documents(report: ReportPieces, documents: str, model: str) -> int:
    """Encode the documents of this name with the model of that name, and keep the vectors; how many there are."""
    texts = documents_at_hand(documents).texts
    encode(text_model(model), texts, report)
    return len(texts)


def measure_change(report: ReportPieces, settings: str) -> Run:
    """What :func:`goldviz.labs.policy_documents.compute.read_change` says of settings in JSON."""
    return read_change(PolicyDocuments.checked_json(settings), report)
