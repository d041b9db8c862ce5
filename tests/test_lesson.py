"""What kept a lesson from working, fault by fault, and the test that each one has."""

import ast
from pathlib import Path

import pytest

FAULTS = {
    "answers beside guesses": "pages/test_stories.py::"
    "test_while_a_guess_is_open_no_part_that_tells_the_answer_can_be_opened",
    "Back in stories": "pages/test_going_back.py::test_back_goes_to_a_story_s_earlier_step_and_to_before_the_story",
    "log axes spoken": "labs/test_spoken_numbers.py::test_an_axis_of_logarithms_says_so_and_its_curves_end_at_numbers",
    "Back after presets": "browser/test_going_back.py::test_one_deed_is_one_entry_and_back_and_forward_restore_it",
    "cut text box": "browser/test_attention.py::test_own_words_are_whole_in_a_box_that_shows_all_of_them",
    "empty completion": "labs/char_gpt/test_page.py::"
    "test_a_text_is_completed_on_arrival_with_weights_that_score_as_the_recorded_run",
    "review's dead end": "pages/test_dead_ends.py::test_read_a_review_opens_a_run_that_can_by_one_click",
    "plates over curves": "browser/test_figure_names.py::test_no_word_of_a_figure_is_cut_or_on_something_else",
    "cut title": "browser/test_live_figure.py::test_words_are_neither_cut_nor_printed_over_each_other",
    "shards of own words": "browser/test_attention.py::test_own_words_are_whole_in_a_box_that_shows_all_of_them",
    "trap without a name": "labs/price_tokens/test_verdict.py::test_a_leak_is_called_one_and_its_score_worthless",
    "a wrong estimate": "runs/test_pace.py::test_a_machine_that_is_eight_times_slower_is_believed",
    "a bar that is not full": "ui/test_lanes.py::test_the_bar_of_a_run_that_finished_before_its_last_step_is_full",
    "unreadable first figures": "browser/test_first_sight.py::test_the_figure_comes_first",
    "jumps": "browser/test_first_sight.py::test_nothing_moves_when_a_run_begins_and_ends",
    "twin names": "pages/test_home.py::test_no_two_laboratories_have_names_that_sound_alike",
    "gold twice": "labs/test_figures_drawn.py::test_every_figure_has_one_line_in_gold_and_no_hidden_curve",
    "empty network": "labs/test_network_diagrams.py::"
    "test_every_recorded_place_of_a_network_stands_in_its_diagram_with_its_number",
    "a hidden line": "labs/test_figures_drawn.py::test_every_figure_has_one_line_in_gold_and_no_hidden_curve",
    "No. The answer: Yes.": "pages/test_stories.py::test_a_step_sets_its_page_up_and_a_guess_is_answered",
    "run taken out of view": "ui/test_lanes.py::"
    "test_the_last_two_runs_stand_side_by_side_and_equal_settings_are_one_lane",
}


@pytest.mark.parametrize("place", FAULTS.values(), ids=FAULTS)
def test_a_fault_has_its_test(place: str) -> None:
    file, _, name = place.partition("::")
    module = ast.parse((Path(__file__).parent / file).read_text(encoding="utf-8"))
    assert name in [one.name for one in module.body if isinstance(one, ast.FunctionDef)]
