"""Tone and masked words as the model's own heads give them."""

from dataclasses import replace

from goldviz.labs.inside_bert.attribution import classifier_of
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import text_model
from tests.refusals import refused


def test_what_a_model_lacks_is_named():
    bare = replace(text_model(), classifier=None, masked_words=None)
    with refused(TextModelError, "no_head", "classifier"):
        classifier_of(bare)
