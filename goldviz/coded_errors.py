"""Errors that say why twice: in a sentence for a person, and by a code that stays where the sentence is reworded."""

from __future__ import annotations

from typing import Literal

Asking = Literal["not_allowed", "not_offered", "gone", "twice", "unanswered"]
"""What is asked for: out of bounds, nothing of this name in the data at hand, or not on this machine any more."""

File = Literal["damaged", "disk", "empty", "other_kind", "packed", "too_large", "too_long", "unsafe"]
"""A file, or the disk that it lies on; another kind of file or model than those that are read here."""

Table = Literal["no_dates", "no_header", "no_labels", "no_numbers", "no_rows", "no_text", "one_column", "uneven_row"]

Cells = Literal["bad_column", "bad_date", "months_in_columns", "two_digit_years", "two_readings"]
"""A column that cannot be used, for a cell of it or for too few; dates with the day or the month first."""

Values = Literal[
    "constant", "no_overlap", "no_values", "not_ascending", "not_finite", "not_positive", "shape", "simulated"
]

Extent = Literal["too_few", "too_little_training", "too_many_refits", "too_short"]

Solving = Literal["no_gradient", "unsolved"]

Text = Literal["classes", "expression", "never_read", "released_early", "table_and_texts", "tokeniser", "vocabulary"]
"""Classes that are too few, too many or too rare; a word that the network has never read; a release before its day."""

Grammar = Literal["never_true", "ungrammatical"]
"""A condition that no draw meets; what no rule makes."""

Folder = Literal["bad_config", "bad_index", "no_config", "no_head", "no_model", "no_weights", "wrong_tensor"]
"""The folder of a model."""

Form = Literal["no_place_in_format"]
"""What the form in which a model is written cannot hold."""

Vocabulary = Literal["bad_vocabulary", "no_vocabulary", "other_vocabulary"]
"""The vocabulary of a model: none that can be read, none at all, that of another model."""

Download = Literal["bad_answer", "busy", "certificate", "key", "no_answer", "no_space", "switched_off"]

Code = Literal[Asking, File, Table, Cells, Values, Extent, Solving, Text, Grammar, Folder, Form, Vocabulary, Download]


class CodedError(ValueError):
    """Something that cannot be had or used: the sentence is for a person, ``code`` for callers and tests.

    >>> error = CodedError("gold.csv has 60 MB; allowed are at most 50 MB.", "too_large")
    >>> str(error), error.code
    ('gold.csv has 60 MB; allowed are at most 50 MB.', 'too_large')
    """

    for_a_person = True

    def __init__(self, sentence: str, code: Code) -> None:
        super().__init__(sentence, code)
        self.sentence, self.code = sentence, code

    def __str__(self) -> str:
        return self.sentence
