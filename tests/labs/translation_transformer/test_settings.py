"""Settings that cannot be carried out are refused in a sentence that says what is allowed."""

import pytest

from goldviz.declare.settings import SettingsError
from goldviz.labs.translation_transformer.settings import TranslationTransformer


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"width": 32, "heads": 5}, "Width is 32; allowed is an even multiple of the 5 heads"),
        ({"width": 7, "heads": 1}, "Width is 7; allowed is an even multiple of the 1 heads"),
        ({"shortest": 9, "longest": 5}, "Shortest is 9; allowed are at most the 5 words of the longest"),
        ({"corpus": "../../etc"}, "allowed is generated, or the 16 characters"),
    ],
)
def test_settings_that_do_not_fit_are_refused(changes, words) -> None:
    with pytest.raises(SettingsError, match=words):
        TranslationTransformer.checked(changes)
