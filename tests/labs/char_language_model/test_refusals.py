"""Settings that do not go together are refused in a sentence; unusual ones that do are carried out."""

import pytest

from goldviz.declare.settings import SettingsError
from goldviz.labs.char_language_model.settings import CharLanguageModel
from tests.labs.small_runs import carried_out


def test_a_context_longer_than_any_word_is_learned_from():
    _, status = carried_out(CharLanguageModel(corpus="cities", context=16, hidden=4, steps=2, items=30))
    assert status == "finished"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"model": "wavenet"},
            "Context is 3; the hierarchy joins two neighbours at a time, so allowed is 2, 4, 8 or 16",
        ),
        ({"model": "lstm", "normalisation": "batch"}, "for other models allowed is none"),
        ({"items": 3}, "Items is 3; allowed is 0 for all, or at least 20"),
        ({"batch": 1, "normalisation": "batch"}, "Batch is 1"),
        ({"normalisation": "mixed_up"}, "The wrong axis is there in the hierarchy alone"),
        ({"corpus": "../etc"}, "Corpus is '../etc'; allowed is names, cities, python, or the 16 characters"),
    ],
)
def test_settings_that_do_not_go_together_are_refused_in_a_sentence(changes, words):
    with pytest.raises(SettingsError, match=words.replace("(", r"\(")):
        CharLanguageModel().changed(**changes)
