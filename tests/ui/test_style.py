"""The style sheet of all pages."""

import re

from goldviz.ui.components import asset

NARROW = re.compile(r"@media \(max-width.*?\n\}\n", re.DOTALL)
RULES = re.compile(r"([^{}]+)\{[^{}]*\}")
SEEN_ONCE = '[data-testid="stLayoutWrapper"]:has(> .st-key-story .st-key-story-told) ~ '
"""A story's heading takes the place of the page's: the one rule that is about an element beside another."""


def selectors() -> list[str]:
    wide = re.sub(r"/\*.*?\*/", "", NARROW.sub("", asset("style.css")), flags=re.DOTALL)
    lists = [found.group(1).rsplit(";", 1)[-1] for found in RULES.finditer(wide)]
    return [one.strip() for rule in lists for one in re.split(r",(?![^(]*\))", rule) if ":has(" in one]


def test_rules_that_look_into_elements_are_about_these_elements_and_name_classes() -> None:
    """Others cost the browser a look through the page for every text that Plotly puts into it."""
    found = selectors()
    assert len(found) > 5
    for selector in found:
        rest = selector.removeprefix(SEEN_ONCE)
        inside = re.findall(r":has\(([^()]*)\)", rest)
        after = re.split(r":has\([^()]*\)+", rest)[-1]
        assert inside, selector
        assert not any("[" in one for one in inside), selector
        assert not re.search(r"[\s>~+]", after.strip()), selector
