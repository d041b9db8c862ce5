"""Attention against recurrence: which network still connects two places when they lie far apart."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "attention-against-recurrence", settings="AttentionAgainstRecurrence")
