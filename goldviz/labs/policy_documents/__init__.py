"""Policy documents: many texts as vectors, when each was out, and what changed from one to the next."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "policy-documents", settings="PolicyDocuments", extra="texts")
