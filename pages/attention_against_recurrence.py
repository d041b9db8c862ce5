"""Attention against recurrence."""

from goldviz.labs.attention_against_recurrence.page import PAGE

PAGE.show()
