"""What *Policy documents* has worker processes do beside computing: a change measured."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.labs.policy_documents.compute import read_change
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.labs.policy_documents.text_vector import ReportPieces


def measure_change(report: ReportPieces, settings: str) -> Run:
    """What :func:`goldviz.labs.policy_documents.compute.read_change` says of settings in JSON."""
    return read_change(PolicyDocuments.checked_json(settings), report)
